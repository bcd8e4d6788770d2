// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"
#include "compiler/Dialect/Flow/Analysis/WorkEstimate.h"
#include "compiler/Dialect/Heddle/IR/Expect.h"
#include "compiler/Stages/Place/Passes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_NOTEWORK
#include "compiler/Stages/Place/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct NoteWork : mlir::heddle::impl::NoteWorkBase<NoteWork> {
  void runOnOperation() override {
    flow::SizeEstimates sizes(getOperation());
    if (!sizes.any())
      return;
    struct Sum {
      uint64_t dispatches = 0, flops = 0, bytes = 0;
    };
    llvm::MapVector<Operation *, Sum> sums;
    SymbolTable symbols(getOperation());
    getOperation().walk([&](flow::DispatchOp dispatch) {
      auto executable = symbols.lookup<flow::ExecutableOp>(dispatch.getExecutable());
      if (!executable || !executable.getFunction())
        return;
      flow::Work work = flow::estimateWork(dispatch, executable.getFunction(), sizes);
      Sum &sum = sums[executable];
      ++sum.dispatches;
      sum.flops += work.flops;
      sum.bytes += work.bytes;
    });
    Builder builder(&getContext());
    for (auto &[executable, sum] : sums)
      executable->setAttr(kWorkAttr, builder.getDenseI64ArrayAttr({static_cast<int64_t>(sum.flops / sum.dispatches),
                                                                   static_cast<int64_t>(sum.bytes / sum.dispatches)}));
  }
};

} // namespace
