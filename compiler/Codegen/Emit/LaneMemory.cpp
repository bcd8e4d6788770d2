// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/LaneMemory.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/Emit/GatherLoad.h"
#include "compiler/Codegen/Emit/StridedLoad.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

Buffer LaneMemory::makeBuffer(Value memory, Value tensor, const std::optional<flow::Pitch> &pitch) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Buffer buffer{memory, type.getElementType(), {}, {}, {}};
  buffer.strides.resize(type.getRank());
  buffer.origin.resize(type.getRank());
  Value stride = scalars.constant(1);
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    if (pitch && dim + 1 == pitch->outer)
      stride = scalars.pitchOf(*pitch);
    buffer.strides[dim] = stride;
    if (dim > 0)
      stride = scalars.mul(stride, scalars.size(tensor, dim));
  }
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    buffer.dims.push_back(dim);
  return buffer;
}

LaneValue LaneMemory::offsetIn(const Buffer &buffer, ArrayRef<LaneValue> index) {
  LaneValue offset = buffer.base ? LaneValue::uniform(buffer.base) : lanes.constant(0);
  for (auto [position, dim] : llvm::enumerate(buffer.dims)) {
    LaneValue i = index[dim];
    if (Value origin = buffer.origin[position])
      i = lanes.sub(i, LaneValue::uniform(origin));
    offset = lanes.add(offset, lanes.mul(i, LaneValue::uniform(buffer.strides[position])));
  }
  return offset;
}

Value LaneMemory::countElements(const Buffer &buffer, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  bool isWhole = !buffer.base && static_cast<int64_t>(buffer.dims.size()) == type.getRank() && type.getRank() > 0 &&
                 llvm::none_of(buffer.origin, [](Value origin) { return static_cast<bool>(origin); });
  return isWhole ? scalars.mul(buffer.strides.front(), scalars.size(tensor, 0)) : Value();
}

LaneValue LaneMemory::load(const Buffer &buffer, Value tensor, ArrayRef<LaneValue> index) {
  LaneValue offset = offsetIn(buffer, index);
  Type stored = memoryType(buffer.elementType);
  auto toElement = [&](Value value) -> LaneValue {
    if (buffer.elementType == stored)
      return isa<VectorType>(value.getType()) ? LaneValue::any(value) : LaneValue::uniform(value);
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(value.getType()));
    Value bit = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, zero);
    return isa<VectorType>(value.getType()) ? LaneValue::any(bit) : LaneValue::uniform(bit);
  };
  if (offset.isUniform())
    return toElement(memref::LoadOp::create(builder, loc, buffer.memory, offset.base));
  VectorType type = lanes.vectorOf(stored);
  if (offset.isContiguous() && !lanes.mask)
    return toElement(vector::LoadOp::create(builder, loc, type, buffer.memory, ValueRange{offset.base}));
  Value passThru = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  if (offset.isContiguous())
    return toElement(
        vector::MaskedLoadOp::create(builder, loc, type, buffer.memory, ValueRange{offset.base}, lanes.mask, passThru));
  if (!offset.vector && offset.stride > 1 && offset.stride <= kMostLoadStride)
    return toElement(loadStrided(lanes, type, buffer.memory, offset.base, offset.stride));
  if (offset.vector)
    return toElement(
        loadGathered(*this, type, buffer.memory, offset.vector, countElements(buffer, tensor), permutedLanes));
  Value offsets = lanes.toVector(LaneValue::affine(lanes.index(0), offset.stride));
  return toElement(vector::GatherOp::create(builder, loc, type, buffer.memory, ValueRange{offset.base}, offsets,
                                            lanes.maskOrAll(), passThru));
}

void LaneMemory::prefetchStore(const Buffer &buffer, ArrayRef<LaneValue> index) {
  memref::PrefetchOp::create(builder, loc, buffer.memory, ValueRange{offsetIn(buffer, index).base}, /*isWrite=*/true,
                             /*localityHint=*/3, /*isDataCache=*/true);
}

void LaneMemory::store(const Buffer &buffer, ArrayRef<LaneValue> index, LaneValue value) {
  LaneValue offset = offsetIn(buffer, index);
  auto toStored = [&](Value v) -> Value {
    if (!buffer.elementType.isInteger(1))
      return v;
    Type type = isa<VectorType>(v.getType()) ? Type(lanes.vectorOf(builder.getI8Type())) : builder.getI8Type();
    return arith::ExtUIOp::create(builder, loc, type, v);
  };
  if (offset.isUniform()) {
    memref::StoreOp::create(builder, loc, toStored(value.base), buffer.memory, offset.base);
    return;
  }
  Value vector = toStored(lanes.toVector(value));
  if (offset.isContiguous() && !lanes.mask) {
    auto store = vector::StoreOp::create(builder, loc, vector, buffer.memory, ValueRange{offset.base});
    if (streaming) {
      streamed = true;
      store.setNontemporal(true);
      auto type = cast<VectorType>(vector.getType());
      store.setAlignment(std::min<int64_t>(64, storageBytes(type)));
    }
  } else if (offset.isContiguous()) {
    vector::MaskedStoreOp::create(builder, loc, buffer.memory, ValueRange{offset.base}, lanes.mask, vector);
  } else {
    Value base = offset.vector ? lanes.index(0) : offset.base;
    Value offsets = offset.vector ? offset.vector : lanes.toVector(LaneValue::affine(lanes.index(0), offset.stride));
    vector::ScatterOp::create(builder, loc, Type(), buffer.memory, ValueRange{base}, offsets, lanes.maskOrAll(),
                              vector);
  }
}
