// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/BindingTimes.h"
#include "compiler/Stages/Schedule/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_ANNOTATEBINDINGTIMES
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct AnnotateBindingTimes : mlir::heddle::impl::AnnotateBindingTimesBase<AnnotateBindingTimes> {
  void runOnOperation() override {
    host::BindingTimes times(getOperation());
    getOperation().getBody().walk([&](Operation *op) {
      if (!op->hasTrait<OpTrait::IsTerminator>())
        op->setAttr("host.binding", StringAttr::get(&getContext(), host::stringify(times.of(op))));
    });
  }
};

} // namespace
