// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_REFINERESULTS
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

// The value that a cast forgets sizes of, else the value itself.
static Value beforeCast(Value value) {
  auto cast = value.getDefiningOp<tensor::CastOp>();
  if (!cast || !tensor::preservesStaticInformation(cast.getType(), cast.getSource().getType()))
    return value;
  return cast.getSource();
}

namespace {

struct RefineResults : mlir::heddle::impl::RefineResultsBase<RefineResults> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && llvm::hasSingleElement(func.getBody()) &&
          SymbolTable::symbolKnownUseEmpty(func, getOperation()))
        refine(func);
  }

  static void refine(func::FuncOp func) {
    Operation *end = func.getBody().front().getTerminator();
    for (OpOperand &operand : end->getOpOperands())
      operand.set(beforeCast(operand.get()));
    func.setFunctionType(FunctionType::get(func.getContext(), func.getArgumentTypes(), end->getOperandTypes()));
  }
};

} // namespace
