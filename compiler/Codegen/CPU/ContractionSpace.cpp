// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/ContractionSpace.h"
#include "compiler/Codegen/CPU/DepthBlocks.h"
#include "compiler/Codegen/CPU/DotOperands.h"
#include "compiler/Codegen/CPU/RowCopy.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

ContractionSpace::ContractionSpace(const Nest &nest, FunctionScalars &scalars) {
  SmallVector<Value> sizes = scalars.sizes(nest.value);
  columns = sizes[*nest.laneDim];
  for (unsigned dim : nest.batchDims)
    grid.push_back(sizes[dim]);
  for (auto [dim, block] : llvm::zip_equal(nest.tileDims, nest.contraction.block)) {
    rowSizes.push_back(sizes[dim]);
    grid.push_back(scalars.ceilDiv(sizes[dim], block));
  }
  grid.push_back(scalars.ceilDiv(columns, tileColumns(nest)));
}

SmallVector<Value> mlir::heddle::codegen::blockExtents(const Nest &nest, FunctionScalars &scalars) {
  SmallVector<Value> sizes = scalars.sizes(nest.value), extents;
  for (auto [dim, block] : llvm::zip_equal(nest.tileDims, nest.contraction.block))
    extents.push_back(scalars.min(sizes[dim], scalars.constant(block)));
  return extents;
}

int64_t mlir::heddle::codegen::tileColumns(const Nest &nest) {
  return nest.contraction.vectors * nest.contraction.width;
}

SmallVector<Value> mlir::heddle::codegen::reductionSizes(linalg::GenericOp op, FunctionScalars &scalars) {
  SmallVector<Value> loops = scalars.loopSizes(op), sizes;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (unsigned dim : reductions)
    sizes.push_back(loops[dim]);
  return sizes;
}

Value mlir::heddle::codegen::panelBytes(const Nest &nest, unsigned operand, FunctionScalars &scalars) {
  linalg::GenericOp op = nest.steps.front().op;
  auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  Value total = scalars.mul(scalars.product(depthSizes(nest, scalars)), scalars.constant(bytes * tileColumns(nest)));
  return scalars.mul(scalars.ceilDiv(total, 64), scalars.constant(64));
}

Value mlir::heddle::codegen::contractionGrain(const Nest &nest, FunctionScalars &scalars) {
  ContractionSpace space(nest, scalars);
  Value rows = scalars.constant(1);
  for (auto [size, block] : llvm::zip_equal(space.rowSizes, nest.contraction.block))
    rows = scalars.mul(rows, scalars.min(size, scalars.constant(block)));
  Value columns = scalars.min(space.columns, scalars.constant(tileColumns(nest)));
  Value products = scalars.mul(scalars.mul(scalars.max(rows, scalars.constant(kFewRows)), columns),
                               scalars.product(reductionSizes(nest.steps.front().op, scalars)));
  products = scalars.max(products, scalars.constant(1));
  return scalars.divide(scalars.add(products, scalars.constant(kProductsPerWorkgroup - 1)), products);
}

Value mlir::heddle::codegen::countContractionWorkgroups(const Nest &nest, FunctionScalars &scalars) {
  return scalars.product(ContractionSpace(nest, scalars).grid);
}

Value mlir::heddle::codegen::countContractionScratch(const Nest &nest, FunctionScalars &scalars) {
  if (nest.integer)
    return DotOperands::scratchBytes(nest, scalars);
  Value total = scalars.constant(0);
  for (unsigned operand : nest.packed)
    total = scalars.add(total, panelBytes(nest, operand, scalars));
  if (nest.copied)
    total = scalars.add(total, RowCopy::bytes(nest, scalars));
  return nest.contraction.depthOutside ? scalars.add(total, DepthSums::bytes(nest, scalars)) : total;
}
