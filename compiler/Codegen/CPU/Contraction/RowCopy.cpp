// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/RowCopy.h"
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/Emit/VectorLoops.h"
#include "compiler/Codegen/IR/KernelOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

OpOperand &RowCopy::operand() const {
  linalg::GenericOp op = place.op;
  return op->getOpOperand(*place.nest.copied);
}

// Elements from one row to the next: an odd number of lines, so that rows follow one another through the sets.
static Value rowElements(const ContractionPlan &nest, FunctionScalars &scalars) {
  auto type = cast<RankedTensorType>(nest.step.op->getOperand(*nest.copied).getType());
  int64_t line = 64 / storageBytes(type.getElementType());
  return scalars.constant(((type.getShape().back() + line - 1) / line | 1) * line);
}

Value RowCopy::bytes(const ContractionPlan &nest, FunctionScalars &scalars) {
  auto type = cast<RankedTensorType>(nest.step.op->getOperand(*nest.copied).getType());
  Value rows = scalars.product(blockExtents(nest, scalars));
  return scalars.mul(rows,
                     scalars.mul(rowElements(nest, scalars), scalars.constant(storageBytes(type.getElementType()))));
}

Buffer RowCopy::makeBuffer() const {
  FunctionScalars &scalars = place.emitter.scalars;
  LaneBuilder &lanes = place.lanes;
  auto type = cast<RankedTensorType>(operand().get().getType());
  Type element = type.getElementType();
  auto memory = MemRefType::get({ShapedType::kDynamic}, place.emitter.memoryType(element));
  Buffer buffer{kernel::ScratchOp::create(lanes.builder, lanes.loc, memory, scratch), element, {}, {}, {}};
  AffineMap map = mapWithoutUnitLoops(operand());
  auto add = [&](unsigned loop, Value stride, Value origin) {
    buffer.dims.push_back(*map.getResultPosition(getAffineDimExpr(loop, map.getContext())));
    buffer.strides.push_back(stride);
    buffer.origin.push_back(origin);
  };
  Value stride = rowElements(place.nest, scalars);
  SmallVector<Value> extents = blockExtents(place.nest, scalars);
  for (size_t i = place.nest.tileDims.size(); i-- > 0; stride = scalars.mul(stride, extents[i]))
    add(place.loopOf(place.nest.tileDims[i]), stride, place.blockBegin[i]);
  add(place.reductions.back(), scalars.constant(1), Value());
  return buffer;
}

void RowCopy::fill() {
  linalg::GenericOp op = place.op;
  Buffer copy = makeBuffer();
  AffineMap map = op.getMatchingIndexingMap(&operand());
  place.forEachBlockRow([&](ArrayRef<Value> row) {
    SmallVector<LaneValue> dims = place.tileDims(row);
    forEachVector(place.emitter, place.lanes.index(0), place.extents.back(), place.nest.contraction.width,
                  place.nest.masks, [&](LaneValue k) {
                    dims[place.reductions.back()] = k;
                    SmallVector<LaneValue> at = place.applyMap(map, dims);
                    place.emitter.store(copy, at, place.emitter.evaluate(operand().get(), at));
                  });
  });
}

void RowCopy::bind() {
  source = place.emitter.findBuffer(operand().get());
  place.emitter.bind(operand().get(), makeBuffer());
}

void RowCopy::release() { place.emitter.bind(operand().get(), *source); }
