// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Intent/Transforms/ListPlace.h"
#include "compiler/Stages/Import/Emit/Rows/ScatterSorted.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::intent;
using namespace mlir::heddle::importer;

// data [n, r] where updates [u, r] whose place [u] is the row's number are combined, in their order: each element looks
// at all updates.
static Tensor lookAtAll(Emitter &emitter, Tensor &data, Tensor &places, Tensor &updates, UpdateBody body) {
  Builder &b = emitter.builder;
  auto dim = [&](int64_t d) { return b.getAffineDimExpr(d); };
  auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(3, 0, exprs, b.getContext()); };
  using I = utils::IteratorType;
  return emitter.generic({emitter.value(places), emitter.value(updates)},
                         {map({dim(2)}), map({dim(2), dim(1)}), map({dim(0), dim(1)})},
                         {I::parallel, I::parallel, I::reduction}, data.sizes, data.elementType, emitter.value(data),
                         [&](OpBuilder &builder, Location loc, ValueRange v) {
                           Scalar s{builder, loc};
                           Value row = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                                                  linalg::IndexOp::create(builder, loc, 0));
                           return s.select(s.equal(v[0], row), body(builder, loc, v[2], v[1]), v[2]);
                         });
}

// Whether all elements look at all updates: where one row would be one of few invocations that work, if that is not too
// much; known sizes, one list of places.
static bool looks(const FormModel &forms, const Tensor &data, const Tensor &places) {
  std::optional<int64_t> elements = data.staticCount(), count = places.staticCount();
  if (!forms.shortRows || places.rank() != 2 || !places.isStaticSize(0, 1) || !elements || !count || *count == 0)
    return false;
  return *count < forms.updatesInOrder || *elements <= forms.stepsInOrder / *count;
}

// data [outer, size, inner], updates [outer, count, inner], places [outer, count] or the updates' sizes.
static Tensor scatterColumns(Emitter &emitter, Tensor &data, Tensor &places, Tensor &updates, ScatterOp op,
                             UpdateBody body) {
  bool replaces = op.getCombine().empty();
  if (emitter.forms.shortRows && (replaces || op.getAssociative()))
    return scatterSorted(emitter, data, places, updates, replaces, body);
  if (!looks(emitter.forms, data, places))
    return scatterInOrder(emitter, data, places, updates, body);
  Tensor rows = emitter.reshape(data, {data.sizes[1], data.sizes[2]}),
         list = emitter.reshape(places, {places.sizes[1]}),
         written = emitter.reshape(updates, {updates.sizes[1], updates.sizes[2]});
  Tensor result = lookAtAll(emitter, rows, list, written, body);
  return emitter.reshape(result, data.sizes);
}

// The places as i64, of the updates' sizes.
static Tensor placesOf(ListPlace &place, ScatterOp op, ArrayRef<OpFoldResult> updates) {
  Emitter &emitter = place.emitter;
  Tensor places = emitter.fromValue(op.getPlaces(), updates.take_front(op.getPlaces().getType().getRank()));
  Type i64 = emitter.builder.getI64Type();
  if (places.elementType == i64)
    return places;
  return emitter.elementwise({&places}, places.sizes, i64, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    return arith::ExtSIOp::create(b, loc, i64, v[0]);
  });
}

// `places` of updates [outer, count, inner], whose first sizes they have where they are alike for all that lies behind.
static Tensor columnsOfPlaces(Emitter &emitter, Tensor &places, ArrayRef<OpFoldResult> columns, const Tensor &updates) {
  return emitter.reshape(places, columns.take_front(places.rank() == updates.rank() ? 3 : 2));
}

// Updates may, or may not, be fewer than the data along other dimensions: only the call knows. The data are copied
// once. Behind the axis there is at most one dimension.
static Tensor scatterOpenPart(ListPlace &place, Tensor &data, Tensor &places, Tensor &updates, int64_t dim,
                              UpdateBody body) {
  Emitter &emitter = place.emitter;
  SizeList columns = place.columnsOf(updates.sizes, dim);
  Tensor rows = emitter.reshape(data, place.columnsOf(data.sizes, dim)), written = emitter.reshape(updates, columns);
  Tensor where = columnsOfPlaces(emitter, places, columns, updates);
  OuterSizes outer{SizeList(ArrayRef(data.sizes).take_front(dim)), SizeList(ArrayRef(updates.sizes).take_front(dim))};
  Tensor result = scatterPartInOrder(emitter, rows, where, written, outer, body);
  return emitter.reshape(result, data.sizes);
}

SmallVector<Tensor> intent::emitScatter(ListPlace &place, ScatterOp op) {
  Emitter &emitter = place.emitter;
  Sizes &sizes = emitter.sizes;
  int64_t dim = op.getDim();
  Tensor data = place.tensorOf(op.getData(), op.getDataSizes()),
         updates = place.tensorOf(op.getUpdates(), op.getUpdateSizes()), places = placesOf(place, op, updates.sizes);
  auto body = [&](OpBuilder &b, Location, Value before, Value update) {
    return op.getCombine().empty() ? update : inlineRegion(b, op.getCombine(), {before, update}).front();
  };
  SizeList part = updates.sizes, offsets(data.rank(), sizes.constant(0));
  part[dim] = data.sizes[dim];
  bool whole = llvm::all_of(llvm::zip(part, data.sizes),
                            [&](auto both) { return sizes.equal(std::get<0>(both), std::get<1>(both)); });
  bool isOpen = !whole && llvm::any_of(llvm::concat<OpFoldResult>(part, data.sizes),
                                       [](OpFoldResult size) { return !getConstantIntValue(size); });
  if (isOpen && data.rank() - dim <= 2 && !emitter.forms.shortRows)
    return {scatterOpenPart(place, data, places, updates, dim, body)};
  SizeList columns = place.columnsOf(updates.sizes, dim);
  Tensor cut = emitter.slice(data, offsets, part, SmallVector<int64_t>(data.rank(), 1));
  Tensor rows = emitter.reshape(cut, place.columnsOf(part, dim)), written = emitter.reshape(updates, columns);
  Tensor where = columnsOfPlaces(emitter, places, columns, updates);
  Tensor scattered = scatterColumns(emitter, rows, where, written, op, body), result = emitter.reshape(scattered, part);
  if (whole)
    return {result};
  SizeList steps(data.rank(), sizes.constant(1));
  Value merged = tensor::InsertSliceOp::create(emitter.builder, emitter.loc, emitter.value(result), emitter.value(data),
                                               offsets, part, steps);
  return {emitter.fromValue(merged, data.sizes, data.elementType)};
}
