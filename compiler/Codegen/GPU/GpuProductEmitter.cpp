// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/GPU/GpuProductEmitter.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

std::pair<LaneValue, Value> ProductEmitter::clamp(LaneValue i, Value size) {
  OpBuilder &builder = lanes.builder;
  Value inside = builder.createOrFold<arith::CmpIOp>(lanes.loc, arith::CmpIPredicate::ult, i.base, size);
  Value last = builder.createOrFold<arith::SubIOp>(lanes.loc, size, lanes.index(1));
  return {LaneValue::uniform(builder.createOrFold<arith::SelectOp>(lanes.loc, inside, i.base, last)), inside};
}

void ProductEmitter::delinearize(SmallVector<LaneValue> &at, ArrayRef<unsigned> dims, LaneValue linear) {
  for (size_t d = dims.size(); d-- > 0;) {
    LaneValue size = LaneValue::uniform(sizes[dims[d]]);
    if (d == 0) {
      at[dims[d]] = linear;
      continue;
    }
    at[dims[d]] = lanes.mod(linear, size);
    linear = lanes.floorDiv(linear, size);
  }
}

void ProductEmitter::placeElements(SmallVector<LaneValue> at, ArrayRef<unsigned> rowDims, ArrayRef<LaneValue> rows,
                                   ArrayRef<unsigned> columnDims, ArrayRef<LaneValue> columns) {
  Value rowCount = product(rowDims), columnCount = product(columnDims);
  for (LaneValue row : rows) {
    auto [clampedRow, rowInside] = clamp(row, rowCount);
    delinearize(at, rowDims, clampedRow);
    for (LaneValue column : columns) {
      auto [clampedColumn, columnInside] = clamp(column, columnCount);
      delinearize(at, columnDims, clampedColumn);
      index.push_back(at);
      inside.push_back(lanes.builder.createOrFold<arith::AndIOp>(lanes.loc, rowInside, columnInside));
    }
  }
}

SmallVector<LaneValue> ProductEmitter::loopDims(ArrayRef<LaneValue> at) {
  SmallVector<LaneValue> result =
      llvm::map_to_vector(position, [&](int64_t dim) { return dim < 0 ? lanes.constant(0) : at[dim]; });
  SmallVector<LaneValue> dims = emitter.loopIndices(op, 0, result);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (unsigned dim : reductions)
    dims[dim] = lanes.constant(0);
  return dims;
}

SmallVector<Value> ProductEmitter::initialValues() {
  OpOperand *init = op.getDpsInitOperand(0);
  return llvm::map_to_vector(index, [&](ArrayRef<LaneValue> at) {
    SmallVector<LaneValue> dims = loopDims(at), where;
    for (AffineExpr expr : op.getMatchingIndexingMap(init).getResults())
      where.push_back(lanes.apply(expr, dims));
    return emitter.evaluate(init->get(), where).base;
  });
}

void ProductEmitter::store(ArrayRef<Value> totals) {
  for (auto [total, at, isInside] : llvm::zip_equal(totals, index, inside)) {
    Value sum = total;
    ArrayRef<LaneValue> element = at;
    emitter.when(isInside, [&] {
      emitter.bind(op->getResult(0), LaneValue::uniform(sum));
      emitter.store(output, element, emitter.evaluate(value, element));
      emitter.unbindRegisters(op->getResult(0));
    });
  }
}
