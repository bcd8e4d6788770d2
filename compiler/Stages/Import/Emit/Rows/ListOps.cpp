// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Rows/ListOps.h"

#include "compiler/Dialect/Intent/IR/IntentLists.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// The sizes of the tensor that its type does not tell.
static void appendFree(Emitter &emitter, const Tensor &tensor, SmallVectorImpl<Value> &values) {
  for (OpFoldResult size : tensor.sizes)
    if (!getConstantIntValue(size))
      values.push_back(emitter.sizes.value(size));
}

// An order by value, where `before` is null.
static Tensor sort(Emitter &emitter, MutableArrayRef<Tensor> tensors, int64_t dim, OpFoldResult kept, bool descending,
                   PairBody before) {
  OpBuilder &builder = emitter.builder;
  SizeList shape = tensors.front().sizes;
  shape[dim] = kept;
  SmallVector<Value> lists, sizes;
  SmallVector<Type> pairs;
  for (Tensor &tensor : tensors) {
    lists.push_back(emitter.value(tensor));
    pairs.append(2, getElementTypeOrSelf(lists.back()));
  }
  appendFree(emitter, tensors.front(), sizes);
  auto type = RankedTensorType::get(shapeOf(shape), builder.getI64Type());
  Value first = getConstantIntValue(kept) ? Value() : emitter.sizes.value(kept);
  auto op = intent::SortOp::create(builder, emitter.loc, type, lists, builder.getI64IntegerAttr(dim), first, sizes,
                                   descending ? builder.getUnitAttr() : nullptr,
                                   !before && tensors.front().isUnsigned() ? builder.getUnitAttr() : nullptr);
  if (before)
    intent::fillRegion(op.getBefore(), pairs, emitter.loc,
                       [&](OpBuilder &b, Location loc, ValueRange v) { return SmallVector<Value>{before(b, loc, v)}; });
  return emitter.fromValue(op.getPlaces(), shape);
}

Tensor mlir::heddle::importer::sortAlong(Emitter &emitter, Tensor &tensor, int64_t dim, OpFoldResult kept,
                                         bool descending) {
  return sort(emitter, tensor, dim, kept, descending, nullptr);
}

Tensor mlir::heddle::importer::sortAlong(Emitter &emitter, MutableArrayRef<Tensor> tensors, int64_t dim,
                                         OpFoldResult kept, PairBody before) {
  return sort(emitter, tensors, dim, kept, /*descending=*/false, before);
}

Tensor mlir::heddle::importer::takePositions(Emitter &emitter, Tensor &tensor, Tensor &positions, int64_t dim) {
  Value source = emitter.value(tensor);
  return emitter.generate(positions.sizes, tensor.elementType, {&positions},
                          [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                            SmallVector<Value> at(v.drop_front());
                            at[dim] = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]);
                            return tensor::ExtractOp::create(b, loc, source, at);
                          });
}

SmallVector<Tensor> mlir::heddle::importer::scanAlong(Emitter &emitter, ArrayRef<Tensor *> tensors,
                                                      const ScanForm &form, ArrayRef<Type> states,
                                                      ArrayRef<TypedAttr> start, ScanBody body) {
  OpBuilder &builder = emitter.builder;
  ArrayRef<OpFoldResult> shape = tensors.front()->sizes;
  SmallVector<Value> lists, sizes;
  for (Tensor *tensor : tensors)
    lists.push_back(emitter.value(*tensor));
  appendFree(emitter, *tensors.front(), sizes);
  SmallVector<Type> types, arguments{builder.getIndexType()};
  for (Type state : states)
    types.push_back(RankedTensorType::get(shapeOf(shape), arguments.emplace_back(storageType(state))));
  for (Value list : lists)
    arguments.push_back(getElementTypeOrSelf(list));
  SmallVector<Attribute> starts(start.begin(), start.end());
  auto unit = [&](bool set) { return set ? builder.getUnitAttr() : nullptr; };
  auto op = intent::ScanOp::create(builder, emitter.loc, types, lists, sizes, builder.getI64IntegerAttr(form.dim),
                                   builder.getArrayAttr(starts), unit(form.exclusive), unit(form.reverse),
                                   unit(form.associative));
  intent::fillRegion(op.getStep(), arguments, emitter.loc, body);
  SmallVector<Tensor> results;
  for (auto [value, state] : llvm::zip_equal(op.getStates(), states))
    results.push_back(emitter.fromValue(value, shape, state));
  return results;
}

Tensor mlir::heddle::importer::scatterAlong(Emitter &emitter, Tensor &data, Tensor &places, Tensor &updates,
                                            int64_t dim, CombineBody combine, bool associative) {
  OpBuilder &builder = emitter.builder;
  Value into = emitter.value(data), given = emitter.value(updates), where = emitter.value(places);
  SmallVector<Value> sizes;
  appendFree(emitter, data, sizes);
  appendFree(emitter, updates, sizes);
  auto op = intent::ScatterOp::create(builder, emitter.loc, into.getType(), given, into, where, sizes,
                                      builder.getI64IntegerAttr(dim),
                                      combine && associative ? builder.getUnitAttr() : nullptr);
  if (combine)
    intent::fillRegion(
        op.getCombine(), SmallVector<Type>(2, getElementTypeOrSelf(into)), emitter.loc,
        [&](OpBuilder &b, Location loc, ValueRange v) { return SmallVector<Value>{combine(b, loc, v[0], v[1])}; });
  return emitter.fromValue(op.getResult(), data.sizes, data.elementType);
}
