// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Passes.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_MERGEEXECUTABLES
#include "compiler/Dialect/Flow/Transforms/Passes.h.inc"
} // namespace mlir::heddle

// Of the function under a name that all have; without locations.
static std::string textOf(func::FuncOp function) {
  StringAttr name = function.getSymNameAttr();
  function.setName("executable");
  std::string text;
  llvm::raw_string_ostream os(text);
  function->print(os, OpPrintingFlags().useLocalScope());
  function.setName(name);
  return text;
}

namespace {

struct MergeExecutables : mlir::heddle::impl::MergeExecutablesBase<MergeExecutables> {
  void runOnOperation() override {
    llvm::StringMap<flow::ExecutableOp> known;
    llvm::DenseMap<Attribute, flow::ExecutableOp> replacements;
    for (auto executable : llvm::make_early_inc_range(getOperation().getOps<flow::ExecutableOp>())) {
      auto isFunction = [](Operation &op) { return isa<func::FuncOp>(op); };
      if (!llvm::all_of(executable.getBody().front(), isFunction))
        continue;
      auto [entry, isNew] = known.try_emplace(textOf(executable.getFunction()), executable);
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
