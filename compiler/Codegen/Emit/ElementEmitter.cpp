// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/ElementEmitter.h"

#include "compiler/Codegen/Emit/ViewEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

void ElementEmitter::unbind(Value tensor) {
  buffers.erase(tensor);
  registers.erase(tensor);
}

std::optional<std::pair<Value, Value>> ElementEmitter::locate(Value tensor, ArrayRef<LaneValue> index) {
  auto buffer = buffers.find(tensor);
  if (buffer == buffers.end())
    return std::nullopt;
  LaneValue offset = offsetIn(Buffer(buffer->second), index);
  return offset.base ? std::optional(std::pair(buffer->second.memory, offset.base)) : std::nullopt;
}

void ElementEmitter::prefetch(Value tensor, ArrayRef<LaneValue> index) {
  if (auto place = locate(tensor, index))
    memref::PrefetchOp::create(builder, loc, place->first, ValueRange{place->second}, /*isWrite=*/false,
                               /*localityHint=*/3, /*isDataCache=*/true);
}

void ElementEmitter::prefetchFar(Value tensor, ArrayRef<LaneValue> index, Value distance) {
  auto buffer = buffers.find(tensor);
  if (buffer == buffers.end())
    return;
  LaneValue offset = lanes.add(offsetIn(Buffer(buffer->second), index), LaneValue::uniform(distance));
  if (offset.base)
    memref::PrefetchOp::create(builder, loc, buffer->second.memory, ValueRange{offset.base}, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
}

ElementEmitter::Key ElementEmitter::keyOf(Value tensor, ArrayRef<LaneValue> index) const {
  Key key = {tensor.getAsOpaquePointer(), lanes.mask.getAsOpaquePointer(), reinterpret_cast<const void *>(lanes.width)};
  for (const LaneValue &i : index) {
    std::optional<int64_t> constant = getConstant(i.base);
    key.push_back(constant ? reinterpret_cast<const void *>(2 * *constant + 1) : i.base.getAsOpaquePointer());
    key.push_back(reinterpret_cast<const void *>(i.stride));
    key.push_back(i.vector.getAsOpaquePointer());
  }
  return key;
}

LaneValue ElementEmitter::evaluate(Value tensor, ArrayRef<LaneValue> index) {
  if (auto found = registers.find(tensor); found != registers.end())
    return found->second;
  Key key = keyOf(tensor, index);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  LaneValue value;
  if (auto buffer = buffers.find(tensor); buffer != buffers.end()) {
    value = load(Buffer(buffer->second), tensor, index);
  } else if (auto result = dyn_cast<OpResult>(tensor)) {
    value = compute(result, index);
  } else {
    hasFailed = true;
    value = lanes.zero(getElementTypeOrSelf(tensor.getType()));
  }
  return known[key] = value;
}

LaneValue ElementEmitter::compute(OpResult result, ArrayRef<LaneValue> index) {
  auto generic = dyn_cast<linalg::GenericOp>(result.getOwner());
  if (!generic)
    return evaluateView(*this, result.getOwner(), index);
  unsigned number = result.getResultNumber();
  if (generic.getNumReductionLoops() > 0)
    return evaluateReduction(generic, index)[number];
  return evaluateBody(generic, loopIndices(generic, number, index), DenseMap<Value, LaneValue>())[number];
}
