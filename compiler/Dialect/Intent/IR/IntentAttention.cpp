// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Intent/IR/IntentAttention.h"

#include "compiler/Dialect/Intent/IR/IntentLists.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::heddle::intent;

static bool mayEqual(int64_t a, int64_t b) { return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b; }

// Whether a dimension of size `a` can be read for each of `b`.
static bool broadcasts(int64_t a, int64_t b) { return a == 1 || mayEqual(a, b); }

ValueRange AttentionOp::getSizesOf(unsigned operand) {
  if (getSizes().empty())
    return {};
  Value tensors[] = {getQueries(), getKeys(), getValues(), getMask()};
  int64_t before = 0;
  for (Value tensor : ArrayRef<Value>(tensors).take_front(operand))
    before += cast<RankedTensorType>(tensor.getType()).getNumDynamicDims();
  return getSizes().slice(before, cast<RankedTensorType>(tensors[operand].getType()).getNumDynamicDims());
}

namespace {

// Sizes of the scores, and depths; kDynamic where they are not known.
struct Shape {
  int64_t batch, heads, queries, keys, depth, shared, valueDepth;
};

} // namespace

static FailureOr<Shape> readShape(AttentionOp op) {
  RankedTensorType queries = op.getQueries().getType(), keys = op.getKeys().getType(),
                   values = op.getValues().getType();
  ArrayRef<int64_t> q = queries.getShape(), k = keys.getShape(), v = values.getShape();
  Shape shape{q[0], 0, 0, k[2], 0, k[1], v[3]};
  if (q.size() == 4 && !op.getHeads()) {
    shape.heads = q[1];
    shape.queries = q[2];
    shape.depth = q[3];
  } else if (q.size() == 3 && op.getHeads() && static_cast<int64_t>(*op.getHeads()) > 0 &&
             !ShapedType::isDynamic(q[2]) && q[2] % static_cast<int64_t>(*op.getHeads()) == 0) {
    shape.heads = *op.getHeads();
    shape.queries = q[1];
    shape.depth = q[2] / shape.heads;
  } else {
    return op.emitOpError()
           << "needs queries [batch, heads, n, depth], or [batch, n, heads * depth] and their `heads`, "
              "got "
           << queries;
  }
  bool fits = mayEqual(q[0], k[0]) && mayEqual(k[0], v[0]) && mayEqual(k[1], v[1]) && mayEqual(k[2], v[2]) &&
              mayEqual(shape.depth, k[3]);
  bool isGrouped = ShapedType::isDynamic(shape.heads) || ShapedType::isDynamic(shape.shared) ||
                   (shape.shared > 0 && shape.heads % shape.shared == 0);
  if (!fits || !isGrouped)
    return op.emitOpError() << "needs keys and values [batch, shared heads, m, depth], whose heads divide the "
                               "queries', got "
                            << queries << ", " << keys << " and " << values;
  return shape;
}

static LogicalResult verifyRules(AttentionOp op, const Shape &shape) {
  int64_t ofScores[] = {shape.batch, shape.heads, shape.queries, shape.keys};
  if (Value mask = op.getMask()) {
    auto type = cast<RankedTensorType>(mask.getType());
    bool fits = type.getRank() <= 4 && (type.getElementType().isInteger(1) || isa<FloatType>(type.getElementType()));
    for (int64_t d = 0; fits && d < type.getRank(); ++d)
      fits = broadcasts(type.getDimSize(d), ofScores[4 - type.getRank() + d]);
    if (!fits)
      return op.emitOpError()
             << "needs a mask of booleans or floats that broadcasts to batch, heads, queries and keys, "
                "got "
             << type;
  }
  for (Value vector : {op.getBegins(), op.getLengths()})
    if (vector && !mayEqual(cast<RankedTensorType>(vector.getType()).getDimSize(0), shape.batch))
      return op.emitOpError() << "needs begins and lengths [batch], got " << vector.getType();
  if (op.getOffset() && op.getBegins())
    return op.emitOpError() << "has one offset, or begins for each batch, not both";
  if ((op.getOffset() || op.getBegins()) && !op.getCausal())
    return op.emitOpError() << "has an offset or begins where it is causal";
  if (op.getCausal() && !op.getOffset() && !op.getBegins() && !op.getLengths())
    return op.emitOpError() << "is causal by an offset, begins or lengths";
  if (op.getWindow() && (!op.getCausal() || static_cast<int64_t>(*op.getWindow()) < 1))
    return op.emitOpError() << "has a window of at least one key where it is causal";
  if (Value sinks = op.getSinks()) {
    auto type = cast<RankedTensorType>(sinks.getType());
    bool isOne = type.hasStaticShape() && type.getNumElements() == 1;
    if (!isOne && (type.getRank() != 1 || !mayEqual(type.getDimSize(0), shape.heads)))
      return op.emitOpError() << "needs sinks [heads], or one, got " << type;
  }
  if (op.getSoftmax() && !isa<FloatType>(*op.getSoftmax()))
    return op.emitOpError() << "computes rows in floats, got " << *op.getSoftmax();
  return success();
}

static LogicalResult verifyResults(AttentionOp op, const Shape &shape) {
  RankedTensorType queries = op.getQueries().getType(), output = op.getOutput().getType();
  int64_t width = ShapedType::isDynamic(shape.valueDepth) ? ShapedType::kDynamic : shape.heads * shape.valueDepth;
  SmallVector<int64_t> want{shape.batch, shape.heads, shape.queries, shape.valueDepth};
  if (op.isFlat())
    want = {shape.batch, shape.queries, width};
  auto fits = [&](RankedTensorType type, ArrayRef<int64_t> sizes) {
    return type.getElementType() == queries.getElementType() && type.getRank() == static_cast<int64_t>(sizes.size()) &&
           llvm::all_of_zip(type.getShape(), sizes, [](int64_t a, int64_t b) { return mayEqual(a, b); });
  };
  if (!fits(output, want))
    return op.emitOpError() << "gives an output that lies as the queries do, with the values' depth, got " << output;
  static constexpr StringLiteral steps[] = {"scaled", "capped", "masked", "weights"};
  if (op.getGives() && !llvm::is_contained(steps, *op.getGives()))
    return op.emitOpError() << "gives scores that are scaled, capped, masked or weights, got \"" << *op.getGives()
                            << "\"";
  if (op.getGives().has_value() != static_cast<bool>(op.getScores()) ||
      (op.getScores() &&
       !fits(cast<RankedTensorType>(op.getScores().getType()), {shape.batch, shape.heads, shape.queries, shape.keys})))
    return op.emitOpError() << "gives scores [batch, heads, n, m] where `gives` says which, got "
                            << op.getResultTypes();
  return success();
}

LogicalResult AttentionOp::verify() {
  int64_t dynamic = 0;
  for (Value tensor : {Value(getQueries()), Value(getKeys()), Value(getValues()), Value(getMask())})
    dynamic += tensor ? cast<RankedTensorType>(tensor.getType()).getNumDynamicDims() : 0;
  if (!getSizes().empty() && static_cast<int64_t>(getSizes().size()) != dynamic)
    return emitOpError() << "has one size for each dynamic dimension, " << dynamic << ", or none, got "
                         << getSizes().size();
  FailureOr<Shape> shape = readShape(*this);
  return success(succeeded(shape) && succeeded(verifyRules(*this, *shape)) && succeeded(verifyResults(*this, *shape)));
}

LogicalResult AttentionOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> queries = mixedSizes(builder, getLoc(), getQueries(), getSizesOf(0)),
                            keys = mixedSizes(builder, getLoc(), getKeys(), getSizesOf(1)),
                            values = mixedSizes(builder, getLoc(), getValues(), getSizesOf(2));
  SmallVector<OpFoldResult> output = queries;
  int64_t width = getOutput().getType().getShape().back();
  output.back() = values.back();
  if (isFlat() && !ShapedType::isDynamic(width))
    output.back() = builder.getIndexAttr(width);
  else if (isFlat())
    output.back() = OpFoldResult(
        arith::MulIOp::create(builder, getLoc(), getValueOrCreateConstantIndexOp(builder, getLoc(), values.back()),
                              arith::ConstantIndexOp::create(builder, getLoc(), static_cast<int64_t>(*getHeads()))));
  shapes.push_back(output);
  if (getScores()) {
    OpFoldResult heads = isFlat() ? OpFoldResult(builder.getIndexAttr(*getHeads())) : queries[1];
    shapes.push_back({queries[0], heads, queries[isFlat() ? 1 : 2], keys[2]});
  }
  return success();
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Intent/IR/IntentAttention.cpp.inc"
