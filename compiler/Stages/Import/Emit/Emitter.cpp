// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Emitter.h"

#include "compiler/Stages/Import/Emit/Aggregate.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// Constants of at most this many elements are literals, which fold; larger ones are parameters.
static constexpr int64_t kMaximumLiteral = 64;

SmallVector<int64_t> mlir::heddle::importer::shapeOf(ArrayRef<OpFoldResult> sizes) {
  return llvm::map_to_vector(
      sizes, [](OpFoldResult size) { return getConstantIntValue(size).value_or(ShapedType::kDynamic); });
}

RankedTensorType Tensor::type() const { return RankedTensorType::get(shapeOf(sizes), storageType(elementType)); }

std::optional<int64_t> mlir::heddle::importer::staticCount(ArrayRef<OpFoldResult> sizes) {
  int64_t count = 1;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (!constant || llvm::MulOverflow(count, *constant, count))
      return std::nullopt;
  }
  return count;
}

Emitter::Emitter(ModuleOp module, Block *entry, const FormModel &forms)
    : forms(forms), builder(OpBuilder::atBlockEnd(entry)), sizes(builder), loc(builder.getUnknownLoc()), module(module),
      function(entry->getParentOp()) {}

//===--- Regions -------------------------------------------------------------------------------------------------===//

Emitter::State Emitter::save() const {
  return {builder.saveInsertionPoint(), sizes.save(), checked, broadcasts, shapes};
}

void Emitter::restore(State state) {
  builder.restoreInsertionPoint(state.at);
  sizes.restore(std::move(state.sizes));
  checked = std::move(state.checked);
  broadcasts = std::move(state.broadcasts);
  shapes = std::move(state.shapes);
}

Tensor Emitter::refine(Tensor tensor) {
  if (tensor.aggregate)
    return refineAggregate(*tensor.aggregate);
  SmallVector<int64_t> before = shapeOf(tensor.sizes);
  for (OpFoldResult &size : tensor.sizes)
    size = sizes.simplify(size);
  if (tensor.contents)
    for (OpFoldResult &element : *tensor.contents)
      element = sizes.simplify(element);
  if (tensor.quantized) {
    // A copy of its own: values that it makes belong to the region.
    tensor.quantized = std::make_shared<Quantization>(*tensor.quantized);
    tensor.quantized->source = refine(tensor.quantized->source);
  }
  if (tensor.value && shapeOf(tensor.sizes) != before)
    tensor.value = fromValue(tensor.value, tensor.sizes, tensor.elementType).value;
  return tensor;
}

Tensor Emitter::fromAggregate(Aggregate aggregate) {
  Tensor tensor;
  tensor.elementType = builder.getNoneType();
  tensor.aggregate = aggregates.emplace_back(std::make_shared<const Aggregate>(std::move(aggregate))).get();
  return tensor;
}

Tensor Emitter::refineAggregate(const Aggregate &aggregate) {
  Aggregate refined = aggregate;
  for (Part &part : refined.parts)
    part.tensor = refine(std::move(part.tensor));
  if (refined.stacked)
    refined.stacked = refine(std::move(*refined.stacked));
  return fromAggregate(std::move(refined));
}

//===--- Values --------------------------------------------------------------------------------------------------===//

Value Emitter::value(Tensor &tensor) {
  if (tensor.value)
    return tensor.value;
  if (tensor.data && tensor.data->size() > kMaximumLiteral)
    tensor.value = parameter(tensor);
  else if (tensor.data)
    tensor.value = arith::ConstantOp::create(builder, loc, tensor.data->literal());
  else if (tensor.quantized)
    tensor.value = dequantize(*tensor.quantized);
  else
    tensor.value = fromIndices(tensor);
  shapes[tensor.value] = tensor.sizes;
  return tensor.value;
}

Value Emitter::parameter(Tensor &tensor) {
  RankedTensorType type = tensor.type();
  std::string &symbol = parameters[{tensor.data->bytes.data(), type.getAsOpaquePointer()}];
  if (symbol.empty()) {
    symbol = tensor.name.empty() ? "constant" : tensor.name;
    unsigned copy = symbols[symbol]++;
    if (copy)
      symbol += "." + std::to_string(copy);
    OpBuilder atEnd(function);
    flow::ParameterOp::create(atEnd, loc, atEnd.getStringAttr(symbol), atEnd.getStringAttr("private"),
                              TypeAttr::get(type), tensor.data->resource(symbol), StringAttr());
  }
  return flow::ParameterLoadOp::create(builder, loc, type, symbol);
}

// A constant of a list, in a tensor of that type.
static APInt elementOf(OpFoldResult constant, Type stored) {
  return APInt(64, *getConstantIntValue(constant)).trunc(stored.getIntOrFloatBitWidth());
}

Value Emitter::fromIndices(Tensor &tensor) {
  RankedTensorType type = tensor.type();
  if (llvm::all_of(*tensor.contents, [](OpFoldResult e) { return isa<Attribute>(e); })) {
    auto elements =
        llvm::map_to_vector(*tensor.contents, [&](OpFoldResult e) { return elementOf(e, type.getElementType()); });
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, elements));
  }
  auto elements = llvm::map_to_vector(*tensor.contents, [&](OpFoldResult e) -> Value {
    return arith::IndexCastOp::create(builder, loc, type.getElementType(), sizes.value(e));
  });
  return tensor::FromElementsOp::create(builder, loc, type, elements);
}

Tensor Emitter::fromValue(Value value, ArrayRef<OpFoldResult> sizes, Type elementType) {
  Tensor tensor;
  tensor.elementType = elementType ? elementType : getElementTypeOrSelf(value);
  tensor.sizes.assign(sizes.begin(), sizes.end());
  if (value.getType() != tensor.type())
    value = tensor::CastOp::create(builder, loc, tensor.type(), value);
  tensor.value = value;
  shapes[value] = tensor.sizes;
  for (OpFoldResult size : sizes)
    this->sizes.markExtent(size);
  return tensor;
}

Tensor Emitter::fromContents(Type elementType, ArrayRef<OpFoldResult> sizes, SizeList contents) {
  Tensor tensor;
  tensor.elementType = elementType;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  tensor.contents = std::move(contents);
  return tensor;
}

Tensor Emitter::pickContents(Tensor &tensor, ArrayRef<int64_t> shape,
                             llvm::function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> index) {
  SmallVector<int64_t> strides = computeStrides(shapeOf(tensor.sizes)), outStrides = computeStrides(shape);
  SizeList elements;
  for (int64_t i = 0, count = computeProduct(shape); i < count; ++i)
    elements.push_back((*tensor.contents)[linearize(index(delinearize(i, outStrides)), strides)]);
  SizeList result = llvm::map_to_vector(shape, [&](int64_t size) { return sizes.constant(size); });
  return fromContents(tensor.elementType, result, std::move(elements));
}

Tensor Emitter::fromData(TensorData data) {
  Tensor tensor;
  tensor.elementType = data.type.getElementType();
  for (int64_t dim : data.type.getShape())
    tensor.sizes.push_back(sizes.constant(dim));
  bool fits = !tensor.elementType.isUnsignedInteger(64) || data.size() > kMaximumLiteral ||
              llvm::all_of(llvm::seq(data.size()), [&](int64_t i) { return data.integer(i) >= 0; });
  if (isa<IntegerType>(tensor.elementType) && data.size() <= kMaximumLiteral && fits) {
    tensor.contents.emplace();
    for (int64_t i = 0; i < data.size(); ++i)
      tensor.contents->push_back(sizes.constant(data.integer(i)));
  }
  tensor.data = std::move(data);
  return tensor;
}

Tensor Emitter::empty(Type elementType, ArrayRef<OpFoldResult> sizes) {
  return fromValue(tensor::EmptyOp::create(builder, loc, sizes, storageType(elementType)), sizes, elementType);
}

Tensor Emitter::filled(Type elementType, ArrayRef<OpFoldResult> sizes, TypedAttr value) {
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  Value init = empty(elementType, sizes).value;
  return fromValue(linalg::FillOp::create(builder, loc, ValueRange{scalar}, ValueRange{init}).getResult(0), sizes,
                   elementType);
}

//===--- Checks --------------------------------------------------------------------------------------------------===//

void Emitter::refuse(const Twine &message) {
  if (impossible.empty())
    impossible = message.str();
}

void Emitter::checkEqual(OpFoldResult lhs, OpFoldResult rhs, const Twine &message) {
  if (sizes.equal(lhs, rhs))
    return;
  if (sizes.different(lhs, rhs))
    refuse(message);
  Value a = sizes.value(lhs), b = sizes.value(rhs);
  if (!checked.insert({"==", a.getAsOpaquePointer(), b.getAsOpaquePointer()}).second)
    return;
  Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  flow::CheckOp::create(builder, loc, same, builder.getStringAttr(message));
}

void Emitter::checkLessEqual(OpFoldResult lhs, OpFoldResult rhs, const Twine &message) {
  if (sizes.lessEqual(lhs, rhs))
    return;
  std::optional<int64_t> low = getConstantIntValue(lhs), high = getConstantIntValue(rhs);
  if (low && high)
    refuse(message);
  Value a = sizes.value(lhs), b = sizes.value(rhs);
  if (!checked.insert({"<=", a.getAsOpaquePointer(), b.getAsOpaquePointer()}).second)
    return;
  Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, a, b);
  flow::CheckOp::create(builder, loc, holds, builder.getStringAttr(message));
}

//===--- Computations --------------------------------------------------------------------------------------------===//

Tensor Emitter::generic(ArrayRef<Value> operands, ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> iterators,
                        ArrayRef<OpFoldResult> sizes, Type elementType, Value init,
                        llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  if (!init)
    init = empty(elementType, sizes).value;
  auto op = linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, operands, ValueRange{init}, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange arguments) { linalg::YieldOp::create(b, l, body(b, l, arguments)); });
  return fromValue(op.getResult(0), sizes, elementType);
}

// An operand of an elementwise op is a scalar captured from outside, a tensor read through a map, or (where only the
// call knows whether it is broadcast) a tensor read at computed indices.
struct Emitter::Access {
  Value scalar;
  Value tensor;
  AffineMap map;
  SmallVector<std::pair<int64_t, Value>> indices; // for each dimension: the loop, and "is broadcast" or null
};

static bool isConstant(const Tensor &tensor) {
  return tensor.data ||
         (tensor.contents && llvm::all_of(*tensor.contents, [](OpFoldResult e) { return isa<Attribute>(e); }));
}

Emitter::Access Emitter::accessOf(Tensor &tensor, ArrayRef<OpFoldResult> shape) {
  Access access;
  if (tensor.staticCount() == 1 && isConstant(tensor)) {
    // Its value may be of the time before the element was known.
    Type stored = storageType(tensor.elementType);
    Attribute element = tensor.data ? *tensor.data->literal().value_begin<Attribute>()
                                    : IntegerAttr::get(stored, elementOf(tensor.contents->front(), stored));
    access.scalar = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(element));
    return access;
  }
  int64_t rank = shape.size(), shift = rank - tensor.rank();
  if (shift < 0) {
    refuse("an operand of rank " + Twine(tensor.rank()) + " does not broadcast to rank " + Twine(rank));
    access.scalar = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(storageType(tensor.elementType)));
    return access;
  }
  SmallVector<bool> drop;
  SmallVector<AffineExpr> exprs;
  bool computed = false;
  for (int64_t i = 0; i < tensor.rank(); ++i) {
    OpFoldResult size = tensor.sizes[i], loop = shape[i + shift];
    drop.push_back(tensor.isStaticSize(i, 1) && getConstantIntValue(loop) != 1);
    if (drop.back())
      continue;
    exprs.push_back(builder.getAffineDimExpr(i + shift));
    bool same = sizes.equal(size, loop) || sizes.isCapOf(size, loop) || sizes.isCapOf(loop, size);
    Value isBroadcast;
    if (!same) {
      std::optional<int64_t> have = getConstantIntValue(size), want = getConstantIntValue(loop);
      if (have && want && *have != 1)
        refuse("an operand's dimension of " + Twine(*have) + " does not broadcast to " + Twine(*want));
      Value one = sizes.value(sizes.constant(1));
      isBroadcast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, sizes.value(size), one);
      computed = true;
    }
    access.indices.emplace_back(i + shift, isBroadcast);
  }
  Tensor dropped = dropUnitDims(tensor, drop);
  access.tensor = value(dropped);
  if (!computed)
    access.map = AffineMap::get(rank, 0, exprs, builder.getContext());
  return access;
}

Tensor Emitter::dropUnitDims(Tensor &tensor, ArrayRef<bool> drop) {
  if (!llvm::is_contained(drop, true)) {
    value(tensor);
    return tensor;
  }
  SizeList kept;
  for (auto [size, dropped] : llvm::zip(tensor.sizes, drop))
    if (!dropped)
      kept.push_back(size);
  return reshape(tensor, kept);
}

static Value extractBroadcast(OpBuilder &b, Location loc, Value tensor, ArrayRef<std::pair<int64_t, Value>> indices) {
  SmallVector<Value> at;
  for (auto [dim, isBroadcast] : indices) {
    Value index = linalg::IndexOp::create(b, loc, dim);
    if (isBroadcast) {
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      index = arith::SelectOp::create(b, loc, isBroadcast, zero, index);
    }
    at.push_back(index);
  }
  return tensor::ExtractOp::create(b, loc, tensor, at);
}

linalg::TransposeOp Emitter::transposeOf(const Tensor &tensor) {
  auto op = tensor.value ? tensor.value.getDefiningOp<linalg::TransposeOp>() : linalg::TransposeOp();
  return op && shapes.contains(op.getInput()) ? op : linalg::TransposeOp();
}

Tensor Emitter::elementwise(ArrayRef<Tensor *> operands, ArrayRef<OpFoldResult> shape, Type elementType,
                            ScalarBody body) {
  SmallVector<Access> accesses;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Tensor *operand : operands) {
    accesses.push_back(accessOf(*operand, shape));
    if (accesses.back().map) {
      inputs.push_back(accesses.back().tensor);
      maps.push_back(accesses.back().map);
    }
  }
  maps.push_back(builder.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  return generic(inputs, maps, iterators, shape, elementType, {}, [&](OpBuilder &b, Location l, ValueRange arguments) {
    SmallVector<Value> elements;
    unsigned next = 0;
    for (const Access &access : accesses)
      elements.push_back(access.scalar ? access.scalar
                         : access.map  ? arguments[next++]
                                       : extractBroadcast(b, l, access.tensor, access.indices));
    return body(b, l, elements);
  });
}

Tensor Emitter::generate(ArrayRef<OpFoldResult> shape, Type elementType, ArrayRef<Tensor *> operands, ScalarBody body) {
  return elementwise(operands, shape, elementType, [&](OpBuilder &b, Location l, ValueRange elements) {
    SmallVector<Value> all(elements);
    for (size_t d = 0; d < shape.size(); ++d)
      all.push_back(linalg::IndexOp::create(b, l, d));
    return body(b, l, all);
  });
}

Tensor Emitter::accumulate(ArrayRef<OpFoldResult> shape, ArrayRef<OpFoldResult> bounds, Type elementType, Value init,
                           ReductionBody body) {
  // An operand that nobody reads tells the bounds.
  size_t rank = shape.size(), loops = rank + bounds.size();
  AffineMap all = builder.getMultiDimIdentityMap(loops);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.resize(loops, utils::IteratorType::reduction);
  return generic({empty(elementType, bounds).value}, {all.getMinorSubMap(bounds.size()), all.getMajorSubMap(rank)},
                 iterators, shape, elementType, init, [&](OpBuilder &b, Location l, ValueRange arguments) {
                   SmallVector<Value> at;
                   for (size_t d = 0; d < loops; ++d)
                     at.push_back(linalg::IndexOp::create(b, l, d));
                   return body(b, l, at, arguments.back());
                 });
}

Tensor Emitter::reduce(ArrayRef<Tensor *> operands, ArrayRef<int64_t> axes, Type elementType, TypedAttr init,
                       ReductionBody body) {
  int64_t rank = operands.front()->rank();
  SmallVector<AffineExpr> full(rank), kept;
  SizeList shape;
  // Loops: the kept dimensions in order, then the reduced ones.
  int64_t next = 0;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(axes, d)) {
      full[d] = builder.getAffineDimExpr(next++);
      kept.push_back(full[d]);
      shape.push_back(operands.front()->sizes[d]);
    }
  SmallVector<utils::IteratorType> iterators(next, utils::IteratorType::parallel);
  iterators.resize(rank, utils::IteratorType::reduction);
  for (int64_t axis : axes)
    full[axis] = builder.getAffineDimExpr(next++);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Tensor *operand : operands) {
    Value input = value(*operand);
    SmallVector<AffineExpr> read = operand->rank() == rank ? full : kept;
    // A transpose is read through.
    if (linalg::TransposeOp transpose = transposeOf(*operand)) {
      input = transpose.getInput();
      SmallVector<AffineExpr> moved(read.size());
      for (auto [i, source] : llvm::enumerate(transpose.getPermutation()))
        moved[source] = read[i];
      read = moved;
    }
    inputs.push_back(input);
    maps.push_back(AffineMap::get(rank, 0, read, builder.getContext()));
  }
  maps.push_back(AffineMap::get(rank, 0, kept, builder.getContext()));
  Value start = filled(elementType, shape, init).value;
  return generic(inputs, maps, iterators, shape, elementType, start,
                 [&](OpBuilder &b, Location l, ValueRange arguments) {
                   return body(b, l, arguments.drop_back(), arguments.back());
                 });
}

Tensor Emitter::keepDims(Tensor &reduced, ArrayRef<int64_t> axes) {
  int64_t rank = reduced.rank() + axes.size(), next = 0;
  SizeList shape;
  for (int64_t d = 0; d < rank; ++d)
    shape.push_back(llvm::is_contained(axes, d) ? sizes.constant(1) : reduced.sizes[next++]);
  return reshape(reduced, shape);
}
