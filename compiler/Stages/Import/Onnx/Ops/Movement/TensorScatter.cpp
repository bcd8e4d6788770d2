// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TensorScatter: rows of a cache replaced by newer ones.
#include "compiler/Stages/Import/Onnx/Ops/Movement/TensorScatter.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

struct CacheUpdate {
  Tensor &cache, &rows;
  Tensor *begins; // [batch], or null: 0
  int64_t axis;   // of positions; batch comes first
  bool circular;
};

} // namespace

static LogicalResult checkUpdate(NodeContext &node, CacheUpdate &update) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  if (update.cache.rank() != update.rows.rank() || update.axis == 0)
    return node.refuse("cache and update must have one rank, and the axis must not be the batch");
  for (int64_t d = 0; d < update.cache.rank(); ++d) {
    if (d == update.axis)
      continue;
    if (sizes.different(update.cache.sizes[d], update.rows.sizes[d]))
      return node.refuse("cache and update differ in dimension " + Twine(d));
    emitter.checkEqual(update.cache.sizes[d], update.rows.sizes[d], "TensorScatter: cache and update differ in a size");
  }
  emitter.checkLessEqual(update.rows.sizes[update.axis], update.cache.sizes[update.axis],
                         "TensorScatter: the update is longer than the cache");
  if (update.begins) {
    if (update.begins->rank() != 1 || !update.begins->isInteger())
      return node.refuse("write_indices must be a vector of integers");
    std::optional<int64_t> entries = update.begins->staticSize(0), batch = update.cache.staticSize(0);
    if (entries && batch && *entries != *batch)
      return node.refuse("write_indices must have one entry for each of the cache's " + Twine(*batch) +
                         " batches, got " + Twine(*entries));
    emitter.checkEqual(update.begins->sizes[0], update.cache.sizes[0],
                       "TensorScatter: write_indices must have one entry a batch");
  }
  return success();
}

Tensor mlir::heddle::importer::insertRows(Emitter &emitter, Tensor &cache, Tensor &rows, int64_t axis,
                                          ArrayRef<OpFoldResult> begins) {
  Sizes &sizes = emitter.sizes;
  SizeList zeros(cache.rank(), sizes.constant(0)), steps(cache.rank(), sizes.constant(1));
  bool isPerBatch = begins.size() > 1 || cache.isStaticSize(0, 1);
  Value merged = emitter.value(cache);
  for (auto [i, begin] : llvm::enumerate(begins)) {
    SizeList offsets = zeros, extents = rows.sizes;
    Tensor part = rows;
    if (isPerBatch) {
      offsets[0] = sizes.constant(i);
      extents[0] = steps[0];
      part = emitter.slice(rows, offsets, extents, SmallVector<int64_t>(zeros.size(), 1));
    }
    offsets[axis] = begin;
    merged = tensor::InsertSliceOp::create(emitter.builder, emitter.loc, emitter.value(part), merged, offsets, extents,
                                           steps);
  }
  return emitter.fromValue(merged, cache.sizes, cache.elementType);
}

// Where the host knows, or may ask, at which position each of a few batches begins.
static std::optional<Tensor> insertSlices(Emitter &emitter, CacheUpdate &update) {
  Sizes &sizes = emitter.sizes;
  std::optional<int64_t> batch = update.begins ? update.cache.staticSize(0) : 1;
  bool wraps = update.circular && !update.rows.isStaticSize(update.axis, 1) && update.begins;
  if (wraps || !batch || *batch > emitter.forms.hostSlices || (update.begins && !emitter.readContents(*update.begins)))
    return std::nullopt;
  OpFoldResult size = update.cache.sizes[update.axis], count = update.rows.sizes[update.axis], zero = sizes.constant(0);
  SizeList begins(*batch, zero);
  for (int64_t i = 0; update.begins && i < *batch; ++i) {
    OpFoldResult begin = (*update.begins->contents)[i];
    emitter.checkLessEqual(zero, begin, "TensorScatter: a write index is negative");
    begin = sizes.max(begin, zero);
    if (update.circular)
      begin = sizes.sub(begin, sizes.mul(sizes.floorDiv(begin, size), size));
    else
      emitter.checkLessEqual(sizes.add(begin, count), size, "TensorScatter: the update reaches beyond the cache");
    begins[i] = begin;
  }
  return insertRows(emitter, update.cache, update.rows, update.axis, begins);
}

// Every element of the cache looks whether it is replaced.
static Tensor chooseElements(Emitter &emitter, CacheUpdate &update) {
  Sizes &sizes = emitter.sizes;
  SizeList aligned(update.cache.rank(), sizes.constant(1));
  aligned[0] = update.begins->sizes[0];
  Tensor begins = emitter.reshape(*update.begins, aligned);
  Value source = emitter.value(update.rows), size = sizes.value(update.cache.sizes[update.axis]),
        count = sizes.value(update.rows.sizes[update.axis]);
  // How many positions it may begin at.
  Value room = sizes.value(
      sizes.add(sizes.sub(update.cache.sizes[update.axis], update.rows.sizes[update.axis]), sizes.constant(1)));
  return emitter.generate(update.cache.sizes, update.cache.elementType, {&update.cache, &begins},
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            Scalar s{b, loc};
                            Value zero = arith::ConstantIndexOp::create(b, loc, 0);
                            Value begin = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[1]);
                            SmallVector<Value> at(v.drop_front(2));
                            auto wrap = [&](Value index) {
                              return s.select(s.less(index, zero), s.add(index, size), index);
                            };
                            if (update.circular)
                              begin = s.select(s.less(begin, zero), size, arith::RemUIOp::create(b, loc, begin, size));
                            begin = flow::CheckedIndexOp::create(b, loc, begin, update.circular ? size : room);
                            Value row = s.sub(at[update.axis], begin);
                            if (update.circular)
                              row = wrap(row);
                            Value inside = arith::AndIOp::create(b, loc, s.lessEqual(zero, row), s.less(row, count));
                            at[update.axis] = s.select(inside, row, zero);
                            return s.select(inside, tensor::ExtractOp::create(b, loc, source, at), v[0]);
                          });
}

static LogicalResult lowerTensorScatter(NodeContext &node) {
  if (failed(requireSameType(node, 2)))
    return failure();
  Tensor &cache = *node.input(0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -2), cache.rank());
  if (!axis)
    return failure();
  std::string mode = node.getString("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return node.refuse("mode '" + mode + "' is unknown; known: linear, circular");
  CacheUpdate update{cache, *node.input(1), node.input(2), *axis, mode == "circular"};
  if (failed(checkUpdate(node, update)))
    return failure();
  std::optional<Tensor> inserted = insertSlices(node.emitter, update);
  node.setOutput(0, inserted ? *inserted : chooseElements(node.emitter, update));
  return success();
}

void mlir::heddle::importer::registerTensorScatter(LoweringTable &table) {
  table.add("TensorScatter", 24, lowerTensorScatter);
}
