// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduce*, ArgMax and ArgMin, Hardmax, global pools.
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::heddle::importer;

// How one kind of reduction maps an element, combines two, and finishes the result.
namespace {

using Unary = Value (*)(Scalar &, Value);
using Combine = Value (*)(Scalar &, Value, Value);

struct Reduction {
  Unary before = nullptr;
  Combine combine;
  TypedAttr (*start)(Type);
  Unary after = nullptr;
};

} // namespace

static TypedAttr zero(Type type) { return makeAttribute(type, 0); }
static TypedAttr one(Type type) { return makeAttribute(type, 1); }
static Value add(Scalar &s, Value x, Value y) { return s.add(x, y); }
static Value mul(Scalar &s, Value x, Value y) { return s.mul(x, y); }
static Value max(Scalar &s, Value x, Value y) { return s.max(x, y); }
static Value min(Scalar &s, Value x, Value y) { return s.min(x, y); }
static Value square(Scalar &s, Value x) { return s.mul(x, x); }
static Value absolute(Scalar &s, Value x) { return s.abs(x); }
static Value logarithm(Scalar &s, Value x) { return s.log(x); }

// Integers by way of f64, as the sum of squares may be no square.
static Value squareRoot(Scalar &s, Value x) {
  if (isa<FloatType>(x.getType()))
    return s.sqrt(x);
  Type real = s.b.getF64Type();
  return convert(s, s.sqrt(convert(s, x, s.type, real)), real, s.type);
}

static constexpr Reduction kSum{nullptr, add, zero, nullptr};
static constexpr Reduction kMax{nullptr, max, lowest, nullptr};
static constexpr Reduction kMin{nullptr, min, highest, nullptr};
static constexpr Reduction kProd{nullptr, mul, one, nullptr};
static constexpr Reduction kL1{absolute, add, zero, nullptr};
static constexpr Reduction kL2{square, add, zero, squareRoot};
static constexpr Reduction kSumSquare{square, add, zero, nullptr};
static constexpr Reduction kLogSum{nullptr, add, zero, logarithm};

static Tensor reduceBy(Emitter &emitter, const Reduction &kind, Tensor &operand, ArrayRef<int64_t> axes) {
  Type type = operand.elementType;
  Tensor result = emitter.reduce({&operand}, axes, type, kind.start(type),
                                 [&](OpBuilder &b, Location loc, ValueRange v, Value sum) {
                                   Scalar s{b, loc, type};
                                   return kind.combine(s, sum, kind.before ? kind.before(s, v[0]) : v[0]);
                                 });
  if (!kind.after)
    return result;
  return map(emitter, {&result}, result.sizes, [&](Scalar &s, ValueRange v) { return kind.after(s, v[0]); });
}

Tensor mlir::heddle::importer::reduceSum(Emitter &emitter, Tensor &operand, ArrayRef<int64_t> axes) {
  return reduceBy(emitter, kSum, operand, axes);
}

Tensor mlir::heddle::importer::reduceMax(Emitter &emitter, Tensor &operand, ArrayRef<int64_t> axes) {
  return reduceBy(emitter, kMax, operand, axes);
}

Tensor mlir::heddle::importer::reduceSquares(Emitter &emitter, Tensor &operand, Tensor *shift, ArrayRef<int64_t> axes) {
  SmallVector<Tensor *> operands{&operand};
  if (shift)
    operands.push_back(shift);
  return emitter.reduce(operands, axes, operand.elementType, zero(operand.elementType),
                        [&](OpBuilder &b, Location loc, ValueRange v, Value sum) {
                          Scalar s{b, loc};
                          Value x = shift ? s.sub(v[0], v[1]) : v[0];
                          return s.add(sum, s.mul(x, x));
                        });
}

Tensor mlir::heddle::importer::divideByCount(Emitter &emitter, Tensor &tensor, Tensor &of, ArrayRef<int64_t> axes) {
  OpFoldResult count = emitter.sizes.constant(1);
  for (int64_t axis : axes)
    count = emitter.sizes.mul(count, of.sizes[axis]);
  count = emitter.sizes.max(count, emitter.sizes.constant(1));
  Type type = tensor.elementType;
  std::optional<int64_t> fixed = getConstantIntValue(count);
  Value free = fixed ? Value() : emitter.sizes.value(count);
  return map(emitter, {&tensor}, tensor.sizes, [&](Scalar &s, ValueRange v) -> Value {
    if (fixed)
      return s.div(v[0], s.constant(type, static_cast<double>(*fixed)));
    Value integer = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), free);
    return s.div(v[0], convert(s, integer, s.b.getI64Type(), type));
  });
}

//===--- Reduce* -------------------------------------------------------------------------------------------------===//

// The reduced axes; nothing after a refusal. `identity`: the op does nothing.
static std::optional<SmallVector<int64_t>> reducedAxes(NodeContext &node, int64_t axesAreInputSince, bool &identity) {
  int64_t rank = node.input(0)->rank();
  std::optional<SmallVector<int64_t>> axes;
  if (node.version() < axesAreInputSince)
    axes = node.getInts("axes");
  else if (node.input(1))
    axes = node.constantInts(1);
  identity = false;
  if (!axes || axes->empty()) {
    identity = node.getInt("noop_with_empty_axes", 0) != 0 && node.version() >= axesAreInputSince;
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  }
  return node.normalizeAxes(*axes, rank);
}

// Of the contents of a vector: the number of elements of a shape and the like.
static std::optional<Tensor> reduceContents(NodeContext &node) {
  using Combination = OpFoldResult (Sizes::*)(OpFoldResult, OpFoldResult);
  auto combine = llvm::StringSwitch<Combination>(node.op())
                     .Case("ReduceSum", &Sizes::add)
                     .Case("ReduceProd", &Sizes::mul)
                     .Case("ReduceMax", &Sizes::max)
                     .Case("ReduceMin", &Sizes::min)
                     .Default(nullptr);
  Tensor &operand = *node.input(0);
  if (!combine || !operand.contents || !operand.holdsSizes() || operand.rank() != 1 || operand.contents->empty())
    return std::nullopt;
  OpFoldResult result = operand.contents->front();
  for (OpFoldResult next : ArrayRef<OpFoldResult>(*operand.contents).drop_front())
    result = (node.emitter.sizes.*combine)(result, next);
  result = node.emitter.narrow(result, operand.elementType);
  return node.emitter.fromContents(operand.elementType, {}, {result});
}

using ReduceFunction = Tensor (*)(Emitter &, Tensor &, ArrayRef<int64_t>);

// Axes that only the call knows: every dimension is split into a kept and a reduced one, of which one has size 1.
static LogicalResult reduceAtCall(NodeContext &node, ReduceFunction reduce) {
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0);
  int64_t rank = operand.rank(), axesRank = node.input(1)->rank();
  if (axesRank != 1)
    return node.refuse("the axes must be a list, got a tensor of rank " + Twine(axesRank));
  std::optional<SizeList> axes = node.readContents(1);
  if (!axes || static_cast<int64_t>(axes->size()) > rank)
    return node.refuseFree("the axes must be a list of integers of fixed length, at most the rank");
  SizeList marks = emitter.marked(*axes, rank), kept, split;
  SmallVector<int64_t> reduced;
  OpFoldResult one = emitter.sizes.constant(1);
  for (auto [size, mark] : llvm::zip(operand.sizes, marks)) {
    kept.push_back(emitter.choose(mark, one, one, size));
    split.push_back(kept.back());
    reduced.push_back(split.size());
    split.push_back(emitter.choose(mark, one, size, one));
  }
  Tensor apart = emitter.reshape(operand, split);
  Tensor result = reduce(emitter, apart, reduced);
  if (!node.getInt("keepdims", 1))
    result = emitter.reshape(result, emitter.withoutMarked(kept, marks, rank - static_cast<int64_t>(axes->size())));
  node.setOutput(0, result);
  return success();
}

static LogicalResult lowerReduce(NodeContext &node, int64_t axesAreInputSince, ReduceFunction reduce) {
  if (failed(node.requireInputs(1)))
    return failure();
  if (node.version() >= axesAreInputSince && node.input(1) && !node.constantInts(1) &&
      !node.input(1)->isStaticSize(0, 0))
    return reduceAtCall(node, reduce);
  bool identity;
  std::optional<SmallVector<int64_t>> axes = reducedAxes(node, axesAreInputSince, identity);
  if (!axes)
    return failure();
  Tensor &operand = *node.input(0);
  if (identity) {
    // No axis is reduced; what is done to each element before and after still is.
    node.setOutput(0, reduce(node.emitter, operand, {}));
    return success();
  }
  std::optional<Tensor> known = reduceContents(node);
  Tensor result = known ? *known : reduce(node.emitter, operand, *axes);
  node.setOutput(0, node.getInt("keepdims", 1) ? node.emitter.keepDims(result, *axes) : result);
  return success();
}

template <const Reduction &kind> static Tensor reduceKind(Emitter &emitter, Tensor &operand, ArrayRef<int64_t> axes) {
  if (axes.empty() && !kind.before && !kind.after)
    return operand;
  return reduceBy(emitter, kind, operand, axes);
}

static Tensor reduceMean(Emitter &emitter, Tensor &operand, ArrayRef<int64_t> axes) {
  Tensor sum = reduceSum(emitter, operand, axes);
  return divideByCount(emitter, sum, operand, axes);
}

// log(sum(exp(x - m))) + m with m the maximum; m = 0 where it is infinite, so that no infinity is subtracted from
// itself.
static Tensor reduceLogSumExp(Emitter &emitter, Tensor &operand, ArrayRef<int64_t> axes) {
  Tensor peak = reduceMax(emitter, operand, axes);
  auto finite = [](Scalar &s, Value m) {
    Value infinite = s.equal(s.abs(m), arith::ConstantOp::create(s.b, s.loc, highest(m.getType())));
    return s.select(infinite, s.constant(m.getType(), 0), m);
  };
  Tensor sum = emitter.reduce({&operand, &peak}, axes, operand.elementType, zero(operand.elementType),
                              [&](OpBuilder &b, Location loc, ValueRange v, Value sum) {
                                Scalar s{b, loc};
                                return s.add(sum, s.exp(s.sub(v[0], finite(s, v[1]))));
                              });
  return map(emitter, {&sum, &peak}, sum.sizes,
             [&](Scalar &s, ValueRange v) { return s.add(s.log(v[0]), finite(s, v[1])); });
}

template <ReduceFunction reduce, int64_t axesAreInputSince = 18>
static LogicalResult lowerReduction(NodeContext &node) {
  return lowerReduce(node, axesAreInputSince, reduce);
}

template <ReduceFunction reduce> static LogicalResult lowerFloatReduction(NodeContext &node) {
  return failed(requireFloat(node, 0)) ? failure() : lowerReduce(node, 18, reduce);
}

//===--- ArgMax --------------------------------------------------------------------------------------------------===//

// Two reductions without an order, which vectors do: the best value, and the least or greatest index where it stands.
Tensor mlir::heddle::importer::argumentOf(Emitter &emitter, Tensor &operand, int64_t axis, bool greatest, bool last) {
  Type type = operand.elementType, wide = emitter.builder.getI64Type();
  std::optional<int64_t> size = getConstantIntValue(operand.sizes[axis]);
  Type index = size && *size <= std::numeric_limits<int32_t>::max() ? emitter.builder.getI32Type() : wide;
  Tensor best = reduceBy(emitter, greatest ? kMax : kMin, operand, {axis});
  SizeList shape = best.sizes;
  // Loops: the kept dimensions, then the axis.
  int64_t rank = operand.rank();
  SmallVector<AffineExpr> full, kept;
  for (int64_t d = 0; d < rank; ++d)
    full.push_back(emitter.builder.getAffineDimExpr(d == axis ? rank - 1 : d < axis ? d : d - 1));
  for (int64_t d = 0; d + 1 < rank; ++d)
    kept.push_back(emitter.builder.getAffineDimExpr(d));
  MLIRContext *context = emitter.builder.getContext();
  AffineMap in = AffineMap::get(rank, 0, full, context), out = AffineMap::get(rank, 0, kept, context);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  TypedAttr nowhere = last ? makeAttribute(index, -1) : highest(index);
  Value start = emitter.filled(index, shape, nowhere).value;
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type}, position{b, loc, index};
    Value here = s.equal(v[0], v[1]);
    if (isa<FloatType>(type))
      here = s.max(here, s.isNan(v[0])); // the best of a row with NaN is NaN, which equals nothing
    Value i = arith::IndexCastOp::create(b, loc, index, linalg::IndexOp::create(b, loc, rank - 1));
    i = position.select(here, i, arith::ConstantOp::create(b, loc, nowhere));
    linalg::YieldOp::create(b, loc, last ? position.max(i, v[2]) : position.min(i, v[2]));
  };
  auto op = linalg::GenericOp::create(emitter.builder, emitter.loc, start.getType(),
                                      ValueRange{emitter.value(operand), emitter.value(best)}, start,
                                      ArrayRef<AffineMap>{in, out, out}, iterators, body);
  Tensor at = emitter.fromValue(op.getResult(0), shape);
  return emitter.elementwise({&at}, shape, wide, [&](OpBuilder &b, Location loc, ValueRange v) {
    return convert(Scalar{b, loc, index}, v.front(), index, wide);
  });
}

static LogicalResult lowerArg(NodeContext &node, bool greatest) {
  if (failed(node.requireInputs(1)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), operand.rank());
  if (!axis)
    return failure();
  Tensor result = argumentOf(emitter, operand, *axis, greatest, node.getInt("select_last_index", 0) != 0);
  node.setOutput(0, node.getInt("keepdims", 1) ? emitter.keepDims(result, {*axis}) : result);
  return success();
}

// 1 at the first of the greatest elements along the axis, 0 elsewhere. Before operator set 13 the dimensions from the
// axis on are one.
template <bool flattens> static LogicalResult lowerHardmax(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor x = *node.input(0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", flattens ? 1 : -1), x.rank());
  if (!axis)
    return failure();
  ArrayRef<OpFoldResult> sizes(node.input(0)->sizes);
  if (flattens) {
    x = emitter.reshape(
        x, {emitter.sizes.product(sizes.take_front(*axis)), emitter.sizes.product(sizes.drop_front(*axis))});
    axis = 1;
  }
  Tensor at = argumentOf(emitter, x, *axis, /*greatest=*/true, /*last=*/false);
  Tensor wide = emitter.keepDims(at, {*axis});
  Type type = x.elementType;
  Tensor result = emitter.generate(x.sizes, type, {&wide}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    Value here = arith::IndexCastOp::create(b, loc, b.getI64Type(), v[1 + *axis]);
    return s.select(s.equal(here, v[0]), s.constant(type, 1), s.constant(type, 0));
  });
  node.setOutput(0, emitter.reshape(result, sizes));
  return success();
}

//===--- Global pools ---------------------------------------------------------------------------------===//

static LogicalResult lowerGlobalPool(NodeContext &node, ReduceFunction reduce) {
  if (failed(requireFloat(node, 0)))
    return failure();
  Tensor &operand = *node.input(0);
  if (operand.rank() < 3)
    return node.refuse("needs a batch, channels and at least one more dimension");
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, operand.rank()));
  Tensor result = reduce(node.emitter, operand, axes);
  node.setOutput(0, node.emitter.keepDims(result, axes));
  return success();
}

void mlir::heddle::importer::registerReduction(LoweringTable &table) {
  table.add("ReduceSum", 1, lowerReduction<reduceKind<kSum>, 13>);
  table.add("ReduceMax", 1, lowerReduction<reduceKind<kMax>>);
  table.add("ReduceMin", 1, lowerReduction<reduceKind<kMin>>);
  table.add("ReduceProd", 1, lowerReduction<reduceKind<kProd>>);
  table.add("ReduceL1", 1, lowerReduction<reduceKind<kL1>>);
  table.add("ReduceL2", 1, lowerReduction<reduceKind<kL2>>);
  table.add("ReduceSumSquare", 1, lowerReduction<reduceKind<kSumSquare>>);
  table.add("ReduceMean", 1, lowerReduction<reduceMean>);
  table.add("ReduceLogSum", 1, lowerFloatReduction<reduceKind<kLogSum>>);
  table.add("ReduceLogSumExp", 1, lowerFloatReduction<reduceLogSumExp>);
  table.add("ArgMax", 1, [](NodeContext &node) { return lowerArg(node, true); });
  table.add("ArgMin", 1, [](NodeContext &node) { return lowerArg(node, false); });
  table.add("Hardmax", 1, lowerHardmax<true>);
  table.add("Hardmax", 13, lowerHardmax<false>);
  table.add("GlobalMaxPool", 1, [](NodeContext &node) { return lowerGlobalPool(node, reduceMax); });
  table.add("GlobalAveragePool", 1, [](NodeContext &node) { return lowerGlobalPool(node, reduceMean); });
}
