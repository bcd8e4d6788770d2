// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/Emit/GatherLoad.h"
#include "compiler/Codegen/Emit/StridedLoad.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

//===--- Memory --------------------------------------------------------------------------------------------------===//

Buffer ElementEmitter::makeBuffer(Value memory, Value tensor, const std::optional<flow::Pitch> &pitch) {
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

void ElementEmitter::unbind(Value tensor) {
  buffers.erase(tensor);
  registers.erase(tensor);
}

LaneValue ElementEmitter::offsetIn(const Buffer &buffer, ArrayRef<LaneValue> index) {
  LaneValue offset = buffer.base ? LaneValue::uniform(buffer.base) : lanes.constant(0);
  for (auto [position, dim] : llvm::enumerate(buffer.dims)) {
    LaneValue i = index[dim];
    if (Value origin = buffer.origin[position])
      i = lanes.sub(i, LaneValue::uniform(origin));
    offset = lanes.add(offset, lanes.mul(i, LaneValue::uniform(buffer.strides[position])));
  }
  return offset;
}

Value ElementEmitter::elementsOf(const Buffer &buffer, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  bool isWhole = !buffer.base && static_cast<int64_t>(buffer.dims.size()) == type.getRank() && type.getRank() > 0 &&
                 llvm::none_of(buffer.origin, [](Value origin) { return static_cast<bool>(origin); });
  return isWhole ? scalars.mul(buffer.strides.front(), scalars.size(tensor, 0)) : Value();
}

LaneValue ElementEmitter::load(const Buffer &buffer, Value tensor, ArrayRef<LaneValue> index) {
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
    return toElement(loadGathered(*this, type, buffer.memory, offset.vector, elementsOf(buffer, tensor)));
  Value offsets = lanes.toVector(LaneValue::affine(lanes.index(0), offset.stride));
  return toElement(vector::GatherOp::create(builder, loc, type, buffer.memory, ValueRange{offset.base}, offsets,
                                            lanes.maskOrAll(), passThru));
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

void ElementEmitter::prefetchStore(const Buffer &buffer, ArrayRef<LaneValue> index) {
  memref::PrefetchOp::create(builder, loc, buffer.memory, ValueRange{offsetIn(buffer, index).base}, /*isWrite=*/true,
                             /*localityHint=*/3, /*isDataCache=*/true);
}

void ElementEmitter::store(const Buffer &buffer, ArrayRef<LaneValue> index, LaneValue value) {
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

//===--- Control flow --------------------------------------------------------------------------------------------===//

SmallVector<Value> ElementEmitter::loop(Value begin, Value end, int64_t step, ValueRange carried, LoopBody body) {
  std::optional<int64_t> first = getConstant(begin), last = getConstant(end);
  if (first && last && *last <= *first)
    return SmallVector<Value>(carried);
  if (first && last && *last - *first <= step)
    return body(begin, carried);
  auto saved = cache;
  auto loop = scf::ForOp::create(builder, loc, begin, end, lanes.index(step), carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
    if (!carried.empty()) {
      builder.setInsertionPointToEnd(loop.getBody());
      scf::YieldOp::create(builder, loc, next);
    }
  }
  cache = std::move(saved);
  return SmallVector<Value>(loop.getResults());
}

void ElementEmitter::strided(Value begin, Value end, Value step, function_ref<void(Value index)> body) {
  auto saved = cache;
  auto loop = scf::ForOp::create(builder, loc, begin, end, step);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  cache = std::move(saved);
}

SmallVector<Value> ElementEmitter::loops(ArrayRef<Value> sizes, ValueRange carried,
                                         function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> body) {
  SmallVector<Value> index;
  std::function<SmallVector<Value>(ValueRange)> nest = [&](ValueRange values) -> SmallVector<Value> {
    if (index.size() == sizes.size())
      return body(index, values);
    return loop(lanes.index(0), sizes[index.size()], 1, values, [&](Value i, ValueRange inner) {
      index.push_back(i);
      SmallVector<Value> next = nest(inner);
      index.pop_back();
      return next;
    });
  };
  return nest(carried);
}

void ElementEmitter::when(Value condition, function_ref<void()> body) {
  if (std::optional<int64_t> known = getConstant(condition)) {
    if (*known)
      body();
    return;
  }
  auto saved = cache;
  auto ifOp = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  body();
  cache = std::move(saved);
}

void ElementEmitter::either(Value condition, function_ref<void()> then, function_ref<void()> otherwise) {
  if (std::optional<int64_t> known = getConstant(condition))
    return *known ? then() : otherwise();
  auto ifOp = scf::IfOp::create(builder, loc, condition, true);
  for (auto [block, body] : {std::pair(ifOp.thenBlock(), then), std::pair(ifOp.elseBlock(), otherwise)}) {
    auto saved = cache;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    body();
    cache = std::move(saved);
  }
}

LaneValue ElementEmitter::branch(Value condition, Type type, function_ref<LaneValue()> then,
                                 function_ref<LaneValue()> otherwise) {
  if (std::optional<int64_t> known = getConstant(condition))
    return *known ? then() : otherwise();
  auto asVector = [&](function_ref<LaneValue()> make) -> SmallVector<Value> {
    LaneValue value = make();
    return {isa<VectorType>(type) ? lanes.toVector(value) : value.base};
  };
  Value result = branches(condition, type, [&] { return asVector(then); }, [&] { return asVector(otherwise); })[0];
  return isa<VectorType>(type) ? LaneValue::any(result) : LaneValue::uniform(result);
}

SmallVector<Value> ElementEmitter::branches(Value condition, TypeRange types, function_ref<SmallVector<Value>()> then,
                                            function_ref<SmallVector<Value>()> otherwise) {
  if (std::optional<int64_t> known = getConstant(condition))
    return *known ? then() : otherwise();
  auto ifOp = scf::IfOp::create(builder, loc, types, condition, true);
  auto fill = [&](Block *block, function_ref<SmallVector<Value>()> make) {
    auto saved = cache;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, loc, make());
    cache = std::move(saved);
  };
  fill(ifOp.thenBlock(), then);
  fill(ifOp.elseBlock(), otherwise);
  return SmallVector<Value>(ifOp.getResults());
}

LaneValue ElementEmitter::choose(LaneValue condition, Type element, function_ref<LaneValue()> inside,
                                 function_ref<LaneValue()> outside) {
  if (condition.isUniform()) {
    Type type = lanes.width == 1 ? element : Type(lanes.vectorOf(element));
    return branch(condition.base, type, inside, outside);
  }
  Value saved = lanes.mask;
  auto under = [&](Value condition, function_ref<LaneValue()> make) {
    lanes.mask = saved ? builder.createOrFold<arith::AndIOp>(loc, saved, condition) : condition;
    return make();
  };
  LaneValue yes = under(condition.vector, inside);
  Value all = arith::ConstantOp::create(builder, loc,
                                        DenseElementsAttr::get(cast<VectorType>(condition.vector.getType()), true));
  LaneValue no = under(arith::XOrIOp::create(builder, loc, condition.vector, all), outside);
  lanes.mask = saved;
  return lanes.select(condition, yes, no);
}

//===--- Values --------------------------------------------------------------------------------------------------===//

LaneValue ElementEmitter::placeholder(Type element) {
  return LaneValue::uniform(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element)));
}

LaneValue ElementEmitter::fail(Operation *op, const Twine &message) {
  if (!hasFailed)
    op->emitError(message);
  hasFailed = true;
  return placeholder(getElementTypeOrSelf(op->getResult(0).getType()));
}

LaneValue ElementEmitter::toScalar(OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return lanes.constant(cast<IntegerAttr>(attr).getInt());
  return LaneValue::uniform(scalars.get(cast<Value>(value)));
}

ElementEmitter::CacheKey ElementEmitter::cacheKey(Value tensor, ArrayRef<LaneValue> index) const {
  CacheKey key = {tensor.getAsOpaquePointer(), lanes.mask.getAsOpaquePointer(),
                  reinterpret_cast<const void *>(lanes.width)};
  for (const LaneValue &i : index) {
    std::optional<int64_t> constant = getConstant(i.base);
    key.push_back(constant ? reinterpret_cast<const void *>(2 * *constant + 1) : i.base.getAsOpaquePointer());
    key.push_back(reinterpret_cast<const void *>(i.stride));
    key.push_back(i.vector.getAsOpaquePointer());
  }
  return key;
}

LaneValue ElementEmitter::evaluate(Value tensor, ArrayRef<LaneValue> index) {
  if (auto known = registers.find(tensor); known != registers.end())
    return known->second;
  CacheKey key = cacheKey(tensor, index);
  if (auto known = cache.find(key); known != cache.end())
    return known->second;
  LaneValue value;
  if (auto buffer = buffers.find(tensor); buffer != buffers.end()) {
    value = load(Buffer(buffer->second), tensor, index);
  } else if (auto result = dyn_cast<OpResult>(tensor)) {
    value = compute(result, index);
  } else {
    hasFailed = true;
    value = placeholder(getElementTypeOrSelf(tensor.getType()));
  }
  return cache[key] = value;
}

LaneValue ElementEmitter::compute(OpResult result, ArrayRef<LaneValue> index) {
  Operation *owner = result.getOwner();
  return llvm::TypeSwitch<Operation *, LaneValue>(owner)
      .Case([&](linalg::GenericOp op) {
        if (op.getNumReductionLoops() > 0)
          return evaluateReduction(op, index)[result.getResultNumber()];
        return evaluateBody(op, loopIndices(op, result.getResultNumber(), index),
                            DenseMap<Value, LaneValue>())[result.getResultNumber()];
      })
      .Case([&](tensor::EmptyOp op) { return placeholder(op.getType().getElementType()); })
      .Case([&](tensor::CastOp op) { return evaluate(op.getSource(), index); })
      .Case([&](tensor::PadOp op) { return computePad(op, index); })
      .Case([&](tensor::ConcatOp op) { return computeConcat(op, index); })
      .Case([&](tensor::InsertSliceOp op) { return computeInsertSlice(op, index); })
      .Case([&](tensor::ExtractSliceOp op) { return computeExtractSlice(op, index); })
      .Case([&](tensor::ExpandShapeOp op) { return computeExpand(op, index); })
      .Case([&](tensor::CollapseShapeOp op) { return computeCollapse(op, index); })
      .Case([&](tensor::FromElementsOp op) { return computeFromElements(op, index); })
      .Case([&](arith::ConstantOp op) { return computeConstant(op, index); })
      .Default([&](Operation *op) { return computeElementwise(op, index); });
}

LaneValue ElementEmitter::computeElementwise(Operation *op, ArrayRef<LaneValue> index) {
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return fail(op, "the CPU code generator does not support this op in a dispatch");
  SmallVector<LaneValue> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<ShapedType>(operand.getType()) ? evaluate(operand, index) : toScalar(operand));
  return applyElementwise(op, operands, 0);
}
