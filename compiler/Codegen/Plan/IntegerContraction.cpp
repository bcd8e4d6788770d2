// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/IntegerContraction.h"

#include "compiler/Analysis/ProductFactors.h"
#include "compiler/Codegen/Plan/Panels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

// Whether the elements are bytes that are widened, or bf16.
static bool areParts(const ProductFactor &factor, bool isFloat) {
  Type element = getElementTypeOrSelf(factor.operand->get());
  return isFloat ? isa_and_present<arith::ExtFOp>(factor.conversion) && element.isBF16()
                 : isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(factor.conversion) && element.isInteger(8);
}

static bool isSigned(const ProductFactor &factor) { return isa<arith::ExtSIOp>(factor.conversion); }

std::optional<IntegerContraction> mlir::heddle::codegen::findIntegerContraction(linalg::GenericOp op, unsigned lane,
                                                                                const cpu::CpuFeatures &features) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  const Structure structure = Structure::of(op);
  const bool isFloat = structure.arithmetic == Arithmetic::Float;
  auto factors = factorsOf(structure);
  Type sum = getElementTypeOrSelf(op.getResult(0));
  if (!factors || (isFloat ? !features.bfloatDot : features.dot == cpu::IntegerDot::None) ||
      (isFloat ? !sum.isF32() : !sum.isInteger(32)) ||
      !llvm::all_of(*factors, [&](const ProductFactor &factor) { return areParts(factor, isFloat); }))
    return std::nullopt;
  auto walksLanes = [&](const ProductFactor &factor) {
    return op.getMatchingIndexingMap(factor.operand).isFunctionOfDim(lane);
  };
  if (walksLanes((*factors)[0]) == walksLanes((*factors)[1]))
    return std::nullopt;
  const bool isFirst = walksLanes((*factors)[0]);
  const ProductFactor &column = (*factors)[isFirst ? 0 : 1], &row = (*factors)[isFirst ? 1 : 0];
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  IntegerContraction form{isFloat ? cpu::IntegerDot::Pairs : features.dot,
                          row.operand->getOperandNumber(),
                          column.operand->getOperandNumber(),
                          isSigned(row),
                          isSigned(column),
                          isSigned(row) == isSigned(column) ? !features.equalSignDots : !features.mixedSignDots,
                          isFloat,
                          0};
  Panels panels = panelsOf(*column.operand, lane);
  form.panel = panels.areGroups(form.storedGroup(), reductions.back()) ? panels.columns : 0;
  return form;
}
