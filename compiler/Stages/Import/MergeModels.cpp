// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/MergeModels.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::heddle;

static bool isSameValue(ElementsAttr a, ElementsAttr b) {
  if (a == b)
    return true;
  auto left = dyn_cast<DenseResourceElementsAttr>(a), right = dyn_cast<DenseResourceElementsAttr>(b);
  AsmResourceBlob *first = left ? left.getRawHandle().getBlob() : nullptr;
  AsmResourceBlob *second = right ? right.getRawHandle().getBlob() : nullptr;
  return first && second && left.getType() == right.getType() && first->getData() == second->getData();
}

void mlir::heddle::nameEntryPoint(ModuleOp module, StringRef path) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || !main.isPublic())
    return;
  SymbolTable symbols(module);
  StringAttr name = StringAttr::get(module.getContext(), llvm::sys::path::stem(path));
  if (!symbols.lookup(name))
    (void)symbols.rename(main, name);
}

LogicalResult mlir::heddle::mergeModel(ModuleOp target, OwningOpRef<ModuleOp> source) {
  SymbolTable known(target), added(*source);
  SmallVector<SymbolTable *> others{&known};
  for (Operation &op : llvm::make_early_inc_range(*source->getBody())) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    Operation *other = symbol ? known.lookup(symbol.getNameAttr()) : nullptr;
    if (!other)
      continue;
    auto parameter = dyn_cast<flow::ParameterOp>(op), same = dyn_cast<flow::ParameterOp>(other);
    if (parameter && same && parameter.getType() == same.getType() &&
        isSameValue(parameter.getValue(), same.getValue())) {
      added.erase(&op);
    } else if (symbol.isPublic()) {
      return op.emitError() << "two models have an entry point @" << symbol.getName()
                            << "; give their files, or functions, different names";
    } else if (failed(added.renameToUnique(&op, others))) {
      return op.emitError() << "cannot give @" << symbol.getName() << " a name of its own";
    }
  }
  target.getBody()->getOperations().splice(target.getBody()->end(), source->getBody()->getOperations());
  return success();
}
