// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives with a region that combines. Each has one operand (RewriteCollectives.h).
#include "compiler/Stages/Import/StableHlo/Ops/Groups.h"

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

namespace {

// all_reduce, reduce_scatter or collective_reduce that was read.
struct Reducing {
  RankGroups groups;
  ElementRegion region;
  std::optional<flow::Reduction> kind;
  Type type;     // of the result's elements
  Tensor source; // of such elements, or of f32 in place of floats of 8 bits that a kind combines
};

} // namespace

static Tensor converted(OpContext &op, Tensor &source, Type type) {
  Type from = source.elementType;
  if (from == type)
    return source;
  return op.emitter.elementwise({&source}, source.sizes, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    return convertElement({b, loc, from}, v[0], from, type);
  });
}

static std::optional<flow::Reduction> kindOf(StringRef combiner, Type type) {
  using Kind = std::optional<flow::Reduction>;
  bool isFlag = type.isInteger(1), isUnsigned = type.isUnsignedInteger();
  return llvm::StringSwitch<Kind>(combiner)
      .Case("stablehlo.add", isFlag ? flow::Reduction::Or : flow::Reduction::Sum)
      .Case("stablehlo.multiply", isFlag ? flow::Reduction::And : flow::Reduction::Product)
      .Case("stablehlo.minimum", isFlag       ? flow::Reduction::And
                                 : isUnsigned ? flow::Reduction::UMin
                                              : flow::Reduction::Min)
      .Case("stablehlo.maximum", isFlag       ? flow::Reduction::Or
                                 : isUnsigned ? flow::Reduction::UMax
                                              : flow::Reduction::Max)
      .Case("stablehlo.and", flow::Reduction::And)
      .Case("stablehlo.or", flow::Reduction::Or)
      .Case("stablehlo.xor", flow::Reduction::Xor)
      .Default(std::nullopt);
}

// The region works on the result's element type, which the operand's converts to. Floats of 8 bits are combined in f32
// and rounded once, as XLA does it in f16.
static FailureOr<Reducing> readReducing(OpContext &op, bool mayJoinBoth, bool needsAll) {
  if (failed(op.requireOperands(1)) || failed(op.requireResults(1)))
    return failure();
  Type type = op.resultType(0).getElementType();
  FailureOr<ElementRegion> region = ElementRegion::read(op, {type, type}, {type});
  FailureOr<RankGroups> groups =
      failed(region) ? FailureOr<RankGroups>(failure()) : readGroups(op, mayJoinBoth, needsAll);
  if (failed(groups))
    return failure();
  Tensor source = converted(op, op.operand(0), type);
  std::optional<flow::Reduction> kind = kindOf(region->combiner(), type);
  if (kind && isFloat8(type))
    source = converted(op, source, op.emitter.builder.getF32Type());
  return Reducing{std::move(*groups), *region, kind, type, std::move(source)};
}

// Combined here, in the order of the positions, from what all members have.
static FailureOr<Tensor> combineHere(OpContext &op, Reducing &r) {
  FailureOr<int64_t> size = evenSize(op, r.groups);
  if (failed(size))
    return failure();
  Emitter &emitter = op.emitter;
  Tensor stack = emitStack(op, r.source, r.groups);
  SizeList shape = r.source.sizes, starts(stack.rank(), emitter.sizes.constant(0)), extents = stack.sizes;
  SmallVector<int64_t> steps(stack.rank(), 1);
  extents.front() = emitter.sizes.constant(1);
  Tensor row = emitter.slice(stack, starts, extents, steps), first = emitter.reshape(row, shape);
  starts.front() = emitter.sizes.constant(1);
  extents.front() = emitter.sizes.constant(*size - 1);
  Tensor rest = emitter.slice(stack, starts, extents, steps);
  Builder &b = emitter.builder;
  unsigned rank = shape.size();
  SmallVector<AffineExpr> dims =
      llvm::map_to_vector(llvm::seq(rank), [&](unsigned d) { return b.getAffineDimExpr(d); });
  AffineMap out = AffineMap::get(rank + 1, 0, dims, b.getContext());
  dims.insert(dims.begin(), b.getAffineDimExpr(rank));
  AffineMap in = AffineMap::get(rank + 1, 0, dims, b.getContext());
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return emitter.generic(
      {emitter.value(rest)}, {in, out}, iterators, shape, r.source.elementType, emitter.value(first),
      [&](OpBuilder &b, Location loc, ValueRange v) { return r.region.emit(b, loc, {v[1], v[0]}).front(); });
}

static FailureOr<Tensor> emitAllReduce(OpContext &op, Reducing &r) {
  if (areAlone(op, r.groups) || r.source.staticCount() == 0)
    return converted(op, r.source, r.type);
  if (!r.kind)
    return combineHere(op, r);
  OpBuilder &b = op.emitter.builder;
  Members members(b, r.groups);
  Value value = op.emitter.value(r.source);
  Value made = flow::AllReduceOp::create(b, op.emitter.loc, value.getType(), value,
                                         flow::ReductionAttr::get(b.getContext(), *r.kind), members.mesh, members.axes,
                                         members.lists, ValueRange());
  Tensor sum = op.emitter.fromValue(made, r.source.sizes, r.source.elementType);
  return converted(op, sum, r.type);
}

static LogicalResult lowerAllReduce(OpContext &op) {
  FailureOr<Reducing> r = readReducing(op, true, true);
  FailureOr<Tensor> result =
      failed(r) || failed(requireShape(op, {})) ? FailureOr<Tensor>(failure()) : emitAllReduce(op, *r);
  return failed(result) ? failure() : op.setResult(0, std::move(*result));
}

static LogicalResult lowerReduceScatter(OpContext &op) {
  FailureOr<Reducing> r = readReducing(op, true, true);
  FailureOr<int64_t> dim = failed(r) ? FailureOr<int64_t>(failure()) : readDim(op, "scatter_dimension");
  FailureOr<int64_t> size = failed(dim) ? FailureOr<int64_t>(failure()) : evenSize(op, r->groups);
  if (failed(size))
    return failure();
  if (failed(requireParts(op, *dim, *size)) ||
      failed(requireShape(op, {{*dim, op.operandType(0).getDimSize(*dim) / *size}})))
    return failure();
  RankedTensorType to = op.resultType(0);
  Emitter &emitter = op.emitter;
  if (to.getNumElements() == 0 || areAlone(op, r->groups))
    return op.setResult(0, converted(op, r->source, r->type));
  if (!r->kind) {
    FailureOr<Tensor> whole = combineHere(op, *r);
    if (failed(whole))
      return failure();
    SizeList starts(to.getRank(), emitter.sizes.constant(0));
    starts[*dim] = emitter.sizes.mul(positionIn(op, r->groups), emitter.sizes.constant(to.getDimSize(*dim)));
    return op.setResult(
        0, emitter.slice(*whole, starts, op.sizesOf(to.getShape()), SmallVector<int64_t>(to.getRank(), 1)));
  }
  OpBuilder &b = emitter.builder;
  Members members(b, r->groups);
  Value value = emitter.value(r->source);
  auto type = RankedTensorType::get(to.getShape(), storageType(r->source.elementType));
  Value made = flow::ReduceScatterOp::create(
      b, emitter.loc, type, value, flow::ReductionAttr::get(b.getContext(), *r->kind), b.getI64IntegerAttr(*dim),
      members.mesh, members.axes, members.lists, ValueRange(), ValueRange(), /*cut=*/ValueRange());
  Tensor sum = emitter.fromValue(made, op.sizesOf(to.getShape()), r->source.elementType);
  return op.setResult(0, converted(op, sum, r->type));
}

// On the first member of each group; zeros on the others.
static LogicalResult lowerCollectiveReduce(OpContext &op) {
  if (hasFlag(op, "has_dynamic_root"))
    return op.refuse("has_dynamic_root is not supported here; use all_reduce");
  FailureOr<Reducing> r = readReducing(op, false, false);
  FailureOr<Tensor> sum =
      failed(r) || failed(requireShape(op, {})) ? FailureOr<Tensor>(failure()) : emitAllReduce(op, *r);
  if (failed(sum))
    return failure();
  SmallVector<int64_t> table(op.converter.ranks.count(), 0);
  for (ArrayRef<int64_t> list : r->groups.lists)
    table[list.front()] = 1;
  Emitter &emitter = op.emitter;
  Tensor isRoot = emitter.fromContents(emitter.builder.getI1Type(), {}, {lookUp(op, table)});
  Type type = sum->elementType;
  return op.setResult(
      0,
      emitter.elementwise({&isRoot, &*sum}, sum->sizes, type, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(storageType(type))));
        return arith::SelectOp::create(b, loc, v[0], v[1], zero);
      }));
}

void mlir::heddle::hlo::registerReduceRanks(LoweringTable &table) {
  table["stablehlo.all_reduce"] = lowerAllReduce;
  table["stablehlo.collective_reduce"] = lowerCollectiveReduce;
  table["stablehlo.reduce_scatter"] = lowerReduceScatter;
}
