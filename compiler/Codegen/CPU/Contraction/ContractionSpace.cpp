// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/ContractionSpace.h"
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/CPU/Contraction/DepthSizes.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

ContractionSpace::ContractionSpace(const ContractionPlan &nest, FunctionScalars &scalars) {
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

SmallVector<Value> mlir::heddle::codegen::blockExtents(const ContractionPlan &nest, FunctionScalars &scalars) {
  SmallVector<Value> sizes = scalars.sizes(nest.value), extents;
  for (auto [dim, block] : llvm::zip_equal(nest.tileDims, nest.contraction.block))
    extents.push_back(scalars.min(sizes[dim], scalars.constant(block)));
  return extents;
}

Value mlir::heddle::codegen::panelBytes(const ContractionPlan &nest, unsigned operand, FunctionScalars &scalars) {
  linalg::GenericOp op = nest.step.op;
  auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
  int64_t bytes = storageBytes(type.getElementType());
  Value total = scalars.mul(scalars.product(depthSizes(nest, scalars)), scalars.constant(bytes * tileColumns(nest)));
  return scalars.mul(scalars.ceilDiv(total, 64), scalars.constant(64));
}

Value mlir::heddle::codegen::contractionGrain(const ContractionPlan &nest, FunctionScalars &scalars) {
  ContractionSpace space(nest, scalars);
  Value rows = scalars.constant(1);
  for (auto [size, block] : llvm::zip_equal(space.rowSizes, nest.contraction.block))
    rows = scalars.mul(rows, scalars.min(size, scalars.constant(block)));
  Value columns = scalars.min(space.columns, scalars.constant(tileColumns(nest)));
  Value products = scalars.mul(scalars.mul(scalars.max(rows, scalars.constant(kFewRows)), columns),
                               scalars.product(reductionSizes(nest.step.op, scalars)));
  products = scalars.max(products, scalars.constant(1));
  return scalars.divide(scalars.add(products, scalars.constant(kProductsPerWorkgroup - 1)), products);
}
