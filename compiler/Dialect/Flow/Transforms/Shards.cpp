// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Shards.h"

#include "compiler/Dialect/Flow/Transforms/Extents.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

//===--- Arithmetic ----------------------------------------------------------------------------------------------===//

template <typename Op>
static OpFoldResult build(OpBuilder &builder, Location loc, OpFoldResult x, OpFoldResult y,
                          function_ref<int64_t(int64_t, int64_t)> compute) {
  if (std::optional<int64_t> first = getConstantIntValue(x), second = getConstantIntValue(y); first && second)
    return builder.getIndexAttr(compute(*first, *second));
  Value left = getValueOrCreateConstantIndexOp(builder, loc, x);
  Value right = getValueOrCreateConstantIndexOp(builder, loc, y);
  return getAsOpFoldResult(builder.createOrFold<Op>(loc, left, right));
}

OpFoldResult flow::buildSum(OpBuilder &builder, Location loc, OpFoldResult x, OpFoldResult y) {
  return build<arith::AddIOp>(builder, loc, x, y, std::plus<int64_t>());
}

OpFoldResult flow::buildDifference(OpBuilder &builder, Location loc, OpFoldResult x, OpFoldResult y) {
  if (isEqualConstantIntOrValue(x, y))
    return builder.getIndexAttr(0);
  return build<arith::SubIOp>(builder, loc, x, y, std::minus<int64_t>());
}

OpFoldResult flow::buildProduct(OpBuilder &builder, Location loc, OpFoldResult x, OpFoldResult y) {
  return build<arith::MulIOp>(builder, loc, x, y, std::multiplies<int64_t>());
}

OpFoldResult flow::buildQuotient(OpBuilder &builder, Location loc, OpFoldResult x, OpFoldResult y) {
  return build<arith::DivSIOp>(builder, loc, x, y, std::divides<int64_t>());
}

//===--- Places --------------------------------------------------------------------------------------------------===//

static FlatSymbolRefAttr nameOf(device::MeshOp mesh) { return FlatSymbolRefAttr::get(mesh.getSymNameAttr()); }

static OpFoldResult buildSize(OpBuilder &builder, Location loc, device::MeshOp mesh, StringAttr axis) {
  int64_t size = mesh.getSize(axis);
  if (size != device::MeshOp::kFree)
    return builder.getIndexAttr(size);
  return MeshSizeOp::create(builder, loc, builder.getIndexType(), nameOf(mesh), axis).getResult();
}

OpFoldResult flow::buildCount(OpBuilder &builder, Location loc, device::MeshOp mesh, ArrayRef<StringAttr> axes) {
  OpFoldResult count = builder.getIndexAttr(1);
  for (StringAttr axis : axes)
    count = buildProduct(builder, loc, count, buildSize(builder, loc, mesh, axis));
  return count;
}

OpFoldResult flow::buildPlace(OpBuilder &builder, Location loc, device::MeshOp mesh, ArrayRef<StringAttr> axes) {
  OpFoldResult place = builder.getIndexAttr(0);
  for (StringAttr axis : axes) {
    if (mesh.getSize(axis) == 1)
      continue;
    OpFoldResult own = CoordinateOp::create(builder, loc, builder.getIndexType(), nameOf(mesh), axis).getResult();
    if (!isConstantIntValue(place, 0))
      own = buildSum(builder, loc, buildProduct(builder, loc, place, buildSize(builder, loc, mesh, axis)), own);
    place = own;
  }
  return place;
}

OpFoldResult flow::buildGranule(OpBuilder &builder, Location loc, GranuleAttr granule) {
  return materialize(builder, loc, Product{granule.getFactor(), SmallVector<StringAttr>(granule.getNames())});
}

//===--- Parts ---------------------------------------------------------------------------------------------------===//

std::optional<int64_t> flow::getEqualPart(device::MeshOp mesh, ArrayRef<StringAttr> axes, GranuleAttr granule,
                                          OpFoldResult whole) {
  std::optional<int64_t> size = getConstantIntValue(whole);
  if (!size || *size == 0)
    return size;
  int64_t parts = 1;
  for (StringAttr axis : axes) {
    int64_t ranks = mesh.getSize(axis);
    if (ranks == device::MeshOp::kFree)
      return std::nullopt;
    parts *= ranks;
  }
  if (parts != 1 && (!granule.getNames().empty() || *size % (parts * granule.getFactor()) != 0))
    return std::nullopt;
  return *size / parts;
}

RankPart flow::buildRankPart(OpBuilder &builder, Location loc, device::MeshOp mesh, ArrayRef<StringAttr> axes,
                             GranuleAttr granule, OpFoldResult whole) {
  OpFoldResult count = buildCount(builder, loc, mesh, axes);
  if (isConstantIntValue(count, 1))
    return {builder.getIndexAttr(0), whole, whole};
  OpFoldResult place = buildPlace(builder, loc, mesh, axes);
  if (std::optional<int64_t> size = getEqualPart(mesh, axes, granule, whole)) {
    OpFoldResult each = builder.getIndexAttr(*size);
    return {buildProduct(builder, loc, place, each), each, whole};
  }
  OpFoldResult step = buildGranule(builder, loc, granule);
  OpFoldResult granules = buildQuotient(builder, loc, whole, step);
  auto bound = [&](OpFoldResult of) {
    OpFoldResult first = buildQuotient(builder, loc, buildProduct(builder, loc, of, granules), count);
    return buildProduct(builder, loc, first, step);
  };
  OpFoldResult begin = bound(place);
  OpFoldResult end = bound(buildSum(builder, loc, place, builder.getIndexAttr(1)));
  std::optional<int64_t> known = getConstantIntValue(granules), parts = getConstantIntValue(count);
  return {begin, buildDifference(builder, loc, end, begin), whole, !known || !parts || *known < *parts};
}

SmallVector<RankPart> flow::buildRankParts(OpBuilder &builder, Location loc, device::MeshOp mesh, ShardingAttr sharding,
                                           ArrayRef<OpFoldResult> whole) {
  SmallVector<RankPart> parts;
  for (auto [dim, size] : llvm::enumerate(whole))
    parts.push_back(buildRankPart(builder, loc, mesh, sharding.getDimAxes(dim), sharding.getGranule(dim), size));
  return parts;
}

//===--- Neutral elements ----------------------------------------------------------------------------------------===//

static TypedAttr getNeutralFloat(Reduction reduction, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  switch (reduction) {
  case Reduction::Sum: // -0 keeps the sign of a zero
    return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/APFloat::semanticsHasSignedRepr(semantics)));
  case Reduction::Product: return FloatAttr::get(type, APFloat(semantics, 1));
  case Reduction::Min:
  case Reduction::Max: {
    bool isNegative = reduction == Reduction::Max;
    return FloatAttr::get(type, APFloat::semanticsHasInf(semantics) ? APFloat::getInf(semantics, isNegative)
                                                                    : APFloat::getLargest(semantics, isNegative));
  }
  default: return {};
  }
}

TypedAttr flow::getNeutral(Reduction reduction, Type element) {
  if (auto type = dyn_cast<FloatType>(element))
    return getNeutralFloat(reduction, type);
  auto type = dyn_cast<IntegerType>(element);
  if (!type)
    return {};
  unsigned width = type.getWidth();
  if (width == 1 && (reduction == Reduction::Min || reduction == Reduction::Max)) // of truth values, 0 and 1
    return IntegerAttr::get(type, APInt(1, reduction == Reduction::Min));
  switch (reduction) {
  case Reduction::Sum:
  case Reduction::Or:
  case Reduction::Xor:
  case Reduction::UMax: return IntegerAttr::get(type, APInt::getZero(width));
  case Reduction::Product: return IntegerAttr::get(type, APInt(width, 1));
  case Reduction::And:
  case Reduction::UMin: return IntegerAttr::get(type, APInt::getAllOnes(width));
  case Reduction::Min: return IntegerAttr::get(type, APInt::getSignedMaxValue(width));
  case Reduction::Max: return IntegerAttr::get(type, APInt::getSignedMinValue(width));
  }
  llvm_unreachable("no such reduction");
}
