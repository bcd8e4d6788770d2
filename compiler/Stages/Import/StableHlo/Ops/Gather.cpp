// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather and scatter.
//
// Every element of a gather's result is one read. A scatter is a gather too: every element of the result looks for what
// is written to it, at the price of positions times updates along the scattered dimensions.
#include "compiler/Stages/Import/Emit/Rows/ListOps.h"
#include "compiler/Stages/Import/StableHlo/Converter.h"
#include "compiler/Stages/Import/StableHlo/Ops/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

namespace {

// How positions in a tensor are made of indices and of places in a window, for gather and scatter alike.
//
// The windowed side (the result of a gather, the updates of a scatter) has window dimensions, and the others, which are
// those of the indices without `vectorDim`.
struct Windows {
  SmallVector<int64_t> window;            // dimensions of the windowed side
  SmallVector<int64_t> collapsed;         // dimensions of the tensor that the window lacks, of size 1 there
  SmallVector<int64_t> batch, indexBatch; // dimensions of the tensor, of the indices, that go together
  SmallVector<int64_t> indexed;           // of the tensor: which entry of an index goes where
  int64_t vectorDim;
  SmallVector<int64_t> extents; // of a window, for each dimension of the tensor

  SmallVector<int64_t> kept(int64_t rank) const { // dimensions of the tensor in the order of `window`
    SmallVector<int64_t> dims;
    for (int64_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(collapsed, d) && !llvm::is_contained(batch, d))
        dims.push_back(d);
    return dims;
  }
};

} // namespace

static LogicalResult check(OpContext &op, const Windows &w, RankedTensorType tensor, RankedTensorType indices,
                           RankedTensorType side) {
  int64_t rank = tensor.getRank();
  SmallVector<int64_t> gone(w.collapsed);
  llvm::append_range(gone, w.batch);
  if (failed(op.requireDims(gone, rank, "dimension numbers")) ||
      failed(op.requireDims(w.indexed, rank, "dimension numbers")) ||
      failed(op.requireDims(w.indexBatch, indices.getRank(), "dimension numbers")) ||
      failed(op.requireDims(w.window, side.getRank(), "dimension numbers")) ||
      failed(op.requireLength(w.extents, rank, "the window")))
    return failure();
  bool isScalar = w.vectorDim == indices.getRank();
  int64_t length = isScalar                                              ? 1
                   : w.vectorDim >= 0 && w.vectorDim < indices.getRank() ? indices.getDimSize(w.vectorDim)
                                                                         : -1;
  if (length != static_cast<int64_t>(w.indexed.size()) || !isa<IntegerType>(indices.getElementType()))
    return op.refuse("the indices must be integers, index_vector_dim the dimension that holds an index");
  if (w.batch.size() != w.indexBatch.size() || w.kept(rank).size() != w.window.size() ||
      side.getRank() - static_cast<int64_t>(w.window.size()) != indices.getRank() - (isScalar ? 0 : 1))
    return op.refuse("the dimension numbers do not fit the operands");
  for (int64_t d = 0; d < rank; ++d)
    if (w.extents[d] < 0 || w.extents[d] > tensor.getDimSize(d) || (llvm::is_contained(gone, d) && w.extents[d] != 1))
      return op.refuse("the window does not fit dimension " + Twine(d) + " of the operand");
  for (auto [d, of] : llvm::zip(w.window, w.kept(rank)))
    if (side.getDimSize(d) > w.extents[of])
      return op.refuse("dimension " + Twine(d) + " is larger than the window");
  int64_t next = 0;
  for (int64_t d = 0; d < side.getRank(); ++d) {
    if (llvm::is_contained(w.window, d))
      continue;
    if (next == w.vectorDim)
      ++next;
    if (side.getDimSize(d) != indices.getDimSize(next++))
      return op.refuse("dimension " + Twine(d) + " does not have the size that the indices have");
  }
  for (auto [d, of] : llvm::zip(w.batch, w.indexBatch))
    if (tensor.getDimSize(d) != indices.getDimSize(of))
      return op.refuse("batching dimensions differ in size");
  return success();
}

// The attribute that says which dimension of the indices holds an index; 0 if it is absent.
static FailureOr<int64_t> readVectorDim(OpContext &op, const Fields &fields) {
  if (!fields.lists.contains("index_vector_dim"))
    return 0;
  if (std::optional<int64_t> dim = fields.integer("index_vector_dim"))
    return *dim;
  return op.refuse("index_vector_dim must be one integer");
}

// Where element `at` of the windowed side lies in the tensor: where its window starts, and where it is in the window.
// A start is moved so that the window lies inside, if `clamp`.
static std::pair<SmallVector<Value>, SmallVector<Value>> positionOf(OpBuilder &b, Location loc, const Windows &w,
                                                                    RankedTensorType tensor, Value indices,
                                                                    Type indexType, ValueRange at, bool clamp) {
  int64_t rank = tensor.getRank();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<Value> starts(rank, zero), inside(rank, zero), where;
  for (auto [d, index] : llvm::enumerate(at))
    if (!llvm::is_contained(w.window, static_cast<int64_t>(d)))
      where.push_back(index);
  bool isScalar = static_cast<int64_t>(where.size()) == cast<RankedTensorType>(indices.getType()).getRank();
  for (auto [i, d] : llvm::enumerate(w.indexed)) {
    SmallVector<Value> place(where);
    if (!isScalar)
      place.insert(place.begin() + w.vectorDim, arith::ConstantIndexOp::create(b, loc, static_cast<int64_t>(i)));
    Value element = tensor::ExtractOp::create(b, loc, indices, place);
    starts[d] = clamp ? toIndexWithin(b, loc, element, indexType, tensor.getDimSize(d) - w.extents[d])
                      : toIndex(b, loc, element, indexType);
  }
  for (auto [d, of] : llvm::zip(w.batch, w.indexBatch))
    starts[d] = where[of > w.vectorDim ? of - 1 : of];
  for (auto [d, of] : llvm::zip(w.window, w.kept(rank)))
    inside[of] = at[d];
  return {starts, inside};
}

//===--- gather --------------------------------------------------------------------------------------------------===//

static LogicalResult lowerGather(OpContext &op) {
  if (failed(op.requireOperands(2)) || failed(op.requireResults(1)))
    return failure();
  FailureOr<Fields> fields = op.fields("dimension_numbers", "gather",
                                       {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                                        "start_indices_batching_dims", "start_index_map", "index_vector_dim"});
  FailureOr<SmallVector<int64_t>> extents = op.ints("slice_sizes");
  if (failed(fields) || failed(extents))
    return failure();
  FailureOr<int64_t> vectorDim = readVectorDim(op, *fields);
  if (failed(vectorDim))
    return failure();
  RankedTensorType source = op.operandType(0), result = op.resultType(0);
  Windows w{fields->list("offset_dims"),
            fields->list("collapsed_slice_dims"),
            fields->list("operand_batching_dims"),
            fields->list("start_indices_batching_dims"),
            fields->list("start_index_map"),
            *vectorDim,
            *extents};
  if (failed(check(op, w, source, op.operandType(1), result)))
    return failure();
  Emitter &emitter = op.emitter;
  Type indexType = op.operandType(1).getElementType();
  if (result.getNumElements() == 0)
    return op.setResult(0, emitter.empty(result.getElementType(), op.sizesOf(result.getShape())));
  Value values = emitter.value(op.operand(0)), indices = emitter.value(op.operand(1));
  return op.setResult(0, emitter.generate(op.sizesOf(result.getShape()), result.getElementType(), {},
                                          [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                            Scalar s{b, loc};
                                            auto [starts, inside] = positionOf(b, loc, w, source, indices, indexType, v,
                                                                               /*clamp=*/true);
                                            SmallVector<Value> at;
                                            for (auto [start, offset] : llvm::zip_equal(starts, inside))
                                              at.push_back(s.add(start, offset));
                                            return tensor::ExtractOp::create(b, loc, values, at);
                                          }));
}

//===--- scatter -------------------------------------------------------------------------------------------------===//

// The place in a tensor of `shape`, counted flat over `dims`, that each window or element of the updates is written to;
// -1 where it does not lie in the tensor. [count] over the dimensions of `side` that `over` names.
static Tensor writtenPlaces(OpContext &op, const Windows &w, ArrayRef<int64_t> over, ArrayRef<int64_t> dims) {
  Emitter &emitter = op.emitter;
  RankedTensorType tensor = op.operandType(0), side = op.operandType(2);
  Type indexType = op.operandType(1).getElementType(), i64 = emitter.builder.getI64Type();
  Value indices = emitter.value(op.operand(1));
  SmallVector<int64_t> shape = llvm::map_to_vector(over, [&](int64_t d) { return side.getDimSize(d); });
  Tensor places = emitter.generate(op.sizesOf(shape), i64, {}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Scalar s{b, loc};
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), flat = zero,
          fits = arith::ConstantIntOp::create(b, loc, 1, 1);
    SmallVector<Value> at(side.getRank(), zero);
    for (auto [i, d] : llvm::enumerate(over))
      at[d] = v[i];
    auto [starts, inside] = positionOf(b, loc, w, tensor, indices, indexType, at, /*clamp=*/false);
    for (int64_t d : dims) {
      Value size = arith::ConstantIndexOp::create(b, loc, tensor.getDimSize(d)), place = s.add(starts[d], inside[d]);
      fits = arith::AndIOp::create(b, loc, fits, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, size));
      flat = s.add(s.mul(flat, size), place);
    }
    Value integer = arith::IndexCastOp::create(b, loc, i64, flat);
    return s.select(fits, integer, s.constant(i64, -1));
  });
  return emitter.reshape(places, {emitter.sizes.product(places.sizes)});
}

// data [n, r] where updates [u, r] whose place [u] is the row's number are combined, in their order.
static Tensor scatterRows(Emitter &emitter, Tensor &data, Tensor &places, Tensor &updates, const ElementRegion &body) {
  if (body.returnsArgument(1))
    return importer::scatterAlong(emitter, data, places, updates, 0, nullptr, false);
  static constexpr StringLiteral known[] = {"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum",
                                            "stablehlo.minimum"};
  auto combine = [&](OpBuilder &b, Location loc, Value before, Value update) {
    return body.emit(b, loc, {before, update}).front();
  };
  return importer::scatterAlong(emitter, data, places, updates, 0, combine, llvm::is_contained(known, body.combiner()));
}

// Whether the window covers whole dimensions of the tensor but where it has size 1 at an index.
static bool writesRows(const Windows &w, RankedTensorType tensor) {
  for (int64_t d = 0; d < tensor.getRank(); ++d) {
    bool isIndexed = llvm::is_contained(w.indexed, d) || llvm::is_contained(w.batch, d);
    if (isIndexed ? w.extents[d] != 1 : w.extents[d] != tensor.getDimSize(d))
      return false;
  }
  return true;
}

static Tensor scatter(OpContext &op, const Windows &w, const ElementRegion &body) {
  Emitter &emitter = op.emitter;
  RankedTensorType tensor = op.operandType(0), side = op.operandType(2);
  SmallVector<int64_t> scattered, whole, order, over, windows;
  bool rows = writesRows(w, tensor);
  for (int64_t d = 0; d < tensor.getRank(); ++d)
    (!rows || llvm::is_contained(w.indexed, d) || llvm::is_contained(w.batch, d) ? scattered : whole).push_back(d);
  SmallVector<int64_t> kept = w.kept(tensor.getRank());
  for (int64_t d = 0; d < side.getRank(); ++d) {
    const auto *found = llvm::find(w.window, d);
    bool isWhole = rows && found != w.window.end() && llvm::is_contained(whole, kept[found - w.window.begin()]);
    (isWhole ? windows : over).push_back(d);
  }
  // Window dimensions of the updates in the order of the tensor's.
  llvm::sort(windows, [&](int64_t a, int64_t b) {
    return kept[llvm::find(w.window, a) - w.window.begin()] < kept[llvm::find(w.window, b) - w.window.begin()];
  });
  Tensor places = writtenPlaces(op, w, over, scattered);
  order.assign(scattered);
  llvm::append_range(order, whole);
  over.append(windows);
  OpFoldResult rest = emitter.sizes.constant(1);
  for (int64_t d : whole)
    rest = emitter.sizes.mul(rest, emitter.sizes.constant(tensor.getDimSize(d)));
  Tensor data = emitter.transpose(op.operand(0), order), updates = emitter.transpose(op.operand(2), over);
  SizeList moved = data.sizes;
  OpFoldResult count = emitter.sizes.constant(1);
  for (int64_t d : scattered)
    count = emitter.sizes.mul(count, emitter.sizes.constant(tensor.getDimSize(d)));
  data = emitter.reshape(data, {count, rest});
  updates = emitter.reshape(updates, {places.sizes[0], rest});
  Tensor result = scatterRows(emitter, data, places, updates, body);
  result = emitter.reshape(result, moved);
  return emitter.transpose(result, invertPermutationVector(order));
}

static LogicalResult lowerScatter(OpContext &op) {
  if (op.op->getNumOperands() != 3 || op.op->getNumResults() != 1)
    return op.refuse("of several operands is not supported");
  FailureOr<Fields> fields =
      op.fields("scatter_dimension_numbers", "scatter",
                {"update_window_dims", "inserted_window_dims", "input_batching_dims", "scatter_indices_batching_dims",
                 "scatter_dims_to_operand_dims", "index_vector_dim"});
  Type type = op.operandType(0).getElementType();
  FailureOr<ElementRegion> body = ElementRegion::read(op, {type, type}, {type});
  if (failed(fields) || failed(body))
    return failure();
  FailureOr<int64_t> vectorDim = readVectorDim(op, *fields);
  if (failed(vectorDim))
    return failure();
  RankedTensorType tensor = op.operandType(0), updates = op.operandType(2);
  if (updates.getElementType() != tensor.getElementType() || op.resultType(0) != tensor)
    return op.refuse("operand, updates and result must have one element type, operand and result one shape");
  Windows w{fields->list("update_window_dims"),           fields->list("inserted_window_dims"),
            fields->list("input_batching_dims"),          fields->list("scatter_indices_batching_dims"),
            fields->list("scatter_dims_to_operand_dims"), *vectorDim,
            SmallVector<int64_t>(tensor.getRank(), 1)};
  SmallVector<int64_t> kept = w.kept(tensor.getRank());
  if (failed(op.requireDims(w.window, updates.getRank(), "update_window_dims")) ||
      failed(op.requireLength(w.window, kept.size(), "update_window_dims")))
    return failure();
  for (auto [d, of] : llvm::zip(w.window, kept))
    w.extents[of] = updates.getDimSize(d);
  if (failed(check(op, w, tensor, op.operandType(1), updates)))
    return failure();
  if (updates.getNumElements() == 0 || tensor.getNumElements() == 0)
    return op.setResult(0, op.operand(0));
  return op.setResult(0, scatter(op, w, *body));
}

void mlir::heddle::hlo::registerGather(LoweringTable &table) {
  table["stablehlo.gather"] = lowerGather;
  table["stablehlo.scatter"] = lowerScatter;
}
