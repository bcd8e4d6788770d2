// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/AlikeKey.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_MERGEEXECUTABLES
#include "compiler/Dialect/Flow/Transforms/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct MergeExecutables : mlir::heddle::impl::MergeExecutablesBase<MergeExecutables> {
  void runOnOperation() override {
    std::map<AlikeKey, flow::ExecutableOp> known;
    llvm::DenseMap<Attribute, flow::ExecutableOp> replacements;
    for (auto executable : llvm::make_early_inc_range(getOperation().getOps<flow::ExecutableOp>())) {
      auto isFunction = [](Operation &op) { return isa<func::FuncOp>(op); };
      if (!llvm::all_of(executable.getBody().front(), isFunction))
        continue;
      auto [entry, isNew] = known.try_emplace(alikeKeyOf(executable.getFunction()), executable);
      if (isNew)
        continue;
      replacements[executable.getSymNameAttr()] = entry->second;
      executable.erase();
    }
    getOperation().walk([&](flow::DispatchOp dispatch) {
      if (flow::ExecutableOp kept = replacements.lookup(dispatch.getExecutableAttr().getAttr()))
        dispatch.setExecutableAttr(FlatSymbolRefAttr::get(kept.getSymNameAttr()));
    });
  }
};

} // namespace
