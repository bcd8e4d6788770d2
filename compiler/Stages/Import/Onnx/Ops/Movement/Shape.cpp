// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that make constants, and those that ask for sizes.
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Aggregate.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

static constexpr int64_t kMaximumContents = 64;

static TensorData ownedData(Type elementType, ArrayRef<int64_t> shape, std::vector<char> bytes) {
  auto owner = std::make_shared<std::vector<char>>(std::move(bytes));
  return {RankedTensorType::get(shape, elementType), ArrayRef<char>(*owner), owner};
}

template <typename T> static std::vector<char> toBytes(ArrayRef<T> values) {
  const char *begin = reinterpret_cast<const char *>(values.data());
  return std::vector<char>(begin, begin + values.size() * sizeof(T));
}

static LogicalResult lowerConstant(NodeContext &node) {
  Builder &b = node.emitter.builder;
  if (node.hasAttribute("value_string") || node.hasAttribute("value_strings")) {
    node.setOutput(0, makeForeign(node.emitter, "string"));
    return success();
  }
  for (StringRef attribute : {"value", "sparse_value"})
    if (node.hasAttribute(attribute)) {
      std::optional<Tensor> value = node.getTensor(attribute);
      if (!value)
        return failure();
      node.setOutput(0, std::move(*value));
      return success();
    }
  TensorData data;
  if (node.hasAttribute("value_int") || node.hasAttribute("value_ints")) {
    SmallVector<int64_t> values =
        node.getInts("value_ints").value_or(SmallVector<int64_t>{node.getInt("value_int", 0)});
    SmallVector<int64_t> shape;
    if (node.hasAttribute("value_ints"))
      shape.push_back(values.size());
    data = ownedData(b.getI64Type(), shape, toBytes<int64_t>(values));
  } else if (node.hasAttribute("value_float") || node.hasAttribute("value_floats")) {
    SmallVector<double> values =
        node.getFloats("value_floats").value_or(SmallVector<double>{node.getFloat("value_float", 0)});
    SmallVector<float> floats(values.begin(), values.end());
    SmallVector<int64_t> shape;
    if (node.hasAttribute("value_floats"))
      shape.push_back(floats.size());
    data = ownedData(b.getF32Type(), shape, toBytes<float>(floats));
  } else {
    return node.refuse("needs one of the attributes value, sparse_value, value_int, value_ints, value_float, "
                       "value_floats, value_string, value_strings");
  }
  node.setOutput(0, node.emitter.fromData(std::move(data)));
  return success();
}

static LogicalResult lowerConstantOfShape(NodeContext &node) {
  std::optional<SizeList> shape = node.readContents(0);
  if (!shape)
    return node.refuseFree("the shape must be a list of integers of fixed length");
  Emitter &emitter = node.emitter;
  emitter.requireSizes(*shape, "ConstantOfShape: a size is negative");
  TypedAttr value = FloatAttr::get(emitter.builder.getF32Type(), 0.0);
  Type type = value.getType();
  if (node.hasAttribute("value")) {
    std::optional<Tensor> given = node.getTensor("value");
    if (!given)
      return failure();
    if (given->aggregate || given->staticCount() != 1)
      return node.refuse("attribute 'value' must have one element of a type that the result can have");
    type = given->elementType;
    value = cast<TypedAttr>(*given->data->literal().value_begin<Attribute>());
  }
  std::optional<int64_t> count = staticCount(*shape);
  if (auto integer = dyn_cast<IntegerAttr>(value);
      integer && type.isSignlessInteger() && count && *count <= kMaximumContents) {
    OpFoldResult element = emitter.sizes.constant(integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                                                                 : integer.getValue().getSExtValue());
    node.setOutput(0, emitter.fromContents(type, *shape, SizeList(*count, element)));
    return success();
  }
  node.setOutput(0, emitter.filled(type, *shape, value));
  return success();
}

static LogicalResult lowerShape(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Tensor &operand = *node.input(0);
  int64_t rank = operand.rank(), start = node.getInt("start", 0), end = node.getInt("end", rank);
  auto clamp = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
  start = clamp(start);
  end = std::max(start, clamp(end));
  SizeList sizes(ArrayRef<OpFoldResult>(operand.sizes).slice(start, end - start));
  OpFoldResult count = node.emitter.sizes.constant(end - start);
  node.setOutput(0, node.emitter.fromContents(node.emitter.builder.getI64Type(), {count}, std::move(sizes)));
  return success();
}

static LogicalResult lowerSize(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  OpFoldResult count = node.emitter.sizes.product(node.input(0)->sizes);
  node.setOutput(0, node.emitter.fromContents(node.emitter.builder.getI64Type(), {}, {count}));
  return success();
}

// The number of elements of Range, computed at the call.
static OpFoldResult countAtCall(NodeContext &node) {
  Emitter &emitter = node.emitter;
  Type type = node.input(0)->elementType, f64 = emitter.builder.getF64Type(), i64 = emitter.builder.getI64Type();
  SmallVector<Tensor> scalars;
  for (size_t i = 0; i < 3; ++i)
    scalars.push_back(emitter.reshape(*node.input(i), {}));
  Tensor count = emitter.elementwise({&scalars[0], &scalars[1], &scalars[2]}, {}, i64,
                                     [&](OpBuilder &b, Location loc, ValueRange v) {
                                       Scalar s{b, loc, type};
                                       Value distance = convert(s, s.sub(v[1], v[0]), type, f64);
                                       Value steps = s.div(distance, convert(s, v[2], type, f64));
                                       Value whole = math::CeilOp::create(b, loc, steps);
                                       return convert(s, s.max(whole, s.constant(f64, 0)), f64, i64);
                                     });
  (void)emitter.readContents(count);
  return emitter.sizes.max(emitter.sizes.constant(0), count.contents->front());
}

// Numbers that differences and small multiples of do not overflow.
static constexpr int64_t kMostExact = int64_t(1) << 53;
static bool isOrdinary(OpFoldResult value) {
  std::optional<int64_t> known = getConstantIntValue(value);
  return !known || (*known >= -kMostExact && *known <= kMostExact);
}

// start, start + delta, …; ceil((limit - start) / delta) elements.
static LogicalResult lowerRange(NodeContext &node) {
  if (failed(requireSameType(node, 3)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Type type = node.input(0)->elementType;
  for (size_t i = 0; i < 3; ++i)
    if (std::optional<int64_t> elements = node.input(i)->staticCount(); elements && *elements != 1)
      return node.refuse("start, limit and delta must be scalars");
  OpFoldResult count;
  std::optional<SizeList> start = node.contents(0), limit = node.contents(1);
  std::optional<SmallVector<int64_t>> delta = node.constantInts(2);
  if (start && limit && delta && delta->front() != 0 && isOrdinary(start->front()) && isOrdinary(limit->front()) &&
      isOrdinary(sizes.constant(delta->front()))) {
    int64_t step = delta->front();
    OpFoldResult distance =
        step > 0 ? sizes.sub(limit->front(), start->front()) : sizes.sub(start->front(), limit->front());
    count = sizes.max(sizes.constant(0), sizes.ceilDiv(distance, sizes.constant(std::abs(step))));
    std::optional<int64_t> fixed = getConstantIntValue(count);
    if (fixed && *fixed <= kMaximumContents) {
      SizeList elements;
      for (int64_t i = 0; i < *fixed; ++i)
        elements.push_back(emitter.narrow(sizes.add(start->front(), sizes.constant(i * step)), type));
      node.setOutput(0, emitter.fromContents(type, {count}, std::move(elements)));
      return success();
    }
  } else if (auto a = node.constantScalar(0), b = node.constantScalar(1), c = node.constantScalar(2);
             a && b && c && *c != 0) {
    double steps = std::ceil((*b - *a) / *c);
    if (!(steps <= static_cast<double>(kMostExact)))
      return node.refuse("from " + Twine(std::to_string(*a)) + " to " + Twine(std::to_string(*b)) + " in steps of " +
                         Twine(std::to_string(*c)) + " are too many elements");
    count = sizes.constant(static_cast<int64_t>(std::max(0.0, steps)));
  } else {
    for (size_t i = 0; i < 3; ++i)
      if (node.input(i)->staticCount() != 1)
        return node.refuse("start, limit and delta must be scalars");
    count = countAtCall(node);
  }
  Tensor *first = node.input(0), *step = node.input(2);
  Tensor scalarStart = emitter.reshape(*first, {}), scalarStep = emitter.reshape(*step, {});
  node.setOutput(
      0, emitter.generate({count}, type, {&scalarStart, &scalarStep}, [=](OpBuilder &b, Location loc, ValueRange v) {
        Scalar s{b, loc, type};
        Value i = arith::IndexCastOp::create(b, loc, b.getI64Type(), v[2]);
        return s.add(v[0], s.mul(convert(s, i, b.getI64Type(), type), v[1]));
      }));
  return success();
}

static LogicalResult lowerEyeLike(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Tensor &operand = *node.input(0);
  if (operand.rank() != 2)
    return node.refuse("needs a matrix");
  int64_t k = node.getInt("k", 0);
  Type type = operand.elementType;
  if (node.hasAttribute("dtype"))
    type = getElementType(node.emitter.builder.getContext(), node.getInt("dtype", 1));
  if (!type)
    return node.unsupported("the element type is not supported");
  node.setOutput(0, node.emitter.generate(operand.sizes, type, {}, [=](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    Type stored = storageType(type);
    Value onDiagonal = s.equal(s.add(v[0], arith::ConstantIndexOp::create(b, loc, k)), v[1]);
    return s.select(onDiagonal, s.constant(stored, 1), s.constant(stored, 0));
  }));
  return success();
}

void mlir::heddle::importer::registerShape(LoweringTable &table) {
  table.add("Constant", 1, lowerConstant);
  table.add("ConstantOfShape", 9, lowerConstantOfShape);
  table.add("Shape", 1, lowerShape);
  table.add("Size", 1, lowerSize);
  table.add("Range", 11, lowerRange);
  table.add("EyeLike", 9, lowerEyeLike);
}
