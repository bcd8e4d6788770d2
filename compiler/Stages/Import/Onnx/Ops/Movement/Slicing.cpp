// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slice.
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

// Exporters write "to the end" as the largest int32 or int64, or as 10^9: larger than any dimension.
static constexpr int64_t kToTheEnd = 1000000000;

namespace {

struct SliceAxis {
  OpFoldResult offset, extent;
  int64_t step;
};

} // namespace

// A start or end as Slice means it: negative ones count from the end; clamped to [low, high].
static OpFoldResult clampIndex(Emitter &emitter, OpFoldResult index, OpFoldResult size, OpFoldResult low,
                               OpFoldResult high) {
  std::optional<int64_t> fixed = getConstantIntValue(index);
  if (fixed && *fixed >= kToTheEnd)
    return high;
  if (fixed && *fixed <= -kToTheEnd)
    return low;
  return emitter.sizes.min(emitter.sizes.max(emitter.fromFront(index, size), low), high);
}

// `last` but where `end` is the largest int32 or int64: ONNX Runtime takes it as "to the first element" of backward
// steps too, which leave nothing of a clamped one.
static OpFoldResult clampLast(Emitter &emitter, OpFoldResult end, OpFoldResult last, OpFoldResult beforeFirst) {
  for (int64_t most : {static_cast<int64_t>(std::numeric_limits<int32_t>::max()), std::numeric_limits<int64_t>::max()})
    last = emitter.choose(end, emitter.sizes.constant(most), beforeFirst, last);
  return last;
}

static SliceAxis sliceAxis(Emitter &emitter, OpFoldResult size, OpFoldResult start, OpFoldResult end, int64_t step) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult zero = sizes.constant(0), one = sizes.constant(1), minusOne = sizes.constant(-1);
  OpFoldResult low = step > 0 ? zero : minusOne, high = step > 0 ? size : sizes.sub(size, one);
  OpFoldResult first = clampIndex(emitter, start, size, zero, high);
  OpFoldResult last = clampIndex(emitter, end, size, low, high);
  if (step < 0)
    last = clampLast(emitter, end, last, low);
  OpFoldResult distance = step > 0 ? sizes.sub(last, first) : sizes.sub(first, last);
  OpFoldResult extent = sizes.max(zero, sizes.ceilDiv(distance, sizes.constant(std::abs(step))));
  // From i to i + 1 there is one element, or none: said, as clamping hides it.
  if (step == 1 && getConstantIntValue(sizes.sub(end, start)) == 1 && !sizes.lessEqual(extent, one))
    extent = sizes.min(extent, one);
  return SliceAxis{first, extent, step};
}

// Reads backwards or at steps that only the call knows, which a tensor.extract_slice cannot.
static Tensor sliceByCopy(Emitter &emitter, Tensor &operand, ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> extents, ArrayRef<OpFoldResult> steps) {
  Value source = emitter.value(operand);
  auto toValue = [&](OpFoldResult size) { return emitter.sizes.value(size); };
  SmallVector<Value> starts = llvm::map_to_vector(offsets, toValue), strides = llvm::map_to_vector(steps, toValue);
  return emitter.generate(extents, operand.elementType, {}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    SmallVector<Value> at;
    for (size_t d = 0; d < starts.size(); ++d)
      at.push_back(arith::AddIOp::create(b, loc, starts[d], arith::MulIOp::create(b, loc, v[d], strides[d])));
    return tensor::ExtractOp::create(b, loc, source, at);
  });
}

// The elements of a list; nothing if which they are depends on a size.
static std::optional<Tensor> sliceContents(Emitter &emitter, Tensor &operand, ArrayRef<OpFoldResult> offsets,
                                           ArrayRef<OpFoldResult> extents, ArrayRef<int64_t> steps) {
  std::optional<SmallVector<int64_t>> first = getConstantIntValues(offsets), counts = getConstantIntValues(extents);
  if (!operand.contents || !first || !counts)
    return std::nullopt;
  return emitter.pickContents(operand, *counts, [&](ArrayRef<int64_t> at) {
    return llvm::map_to_vector(llvm::seq<size_t>(0, at.size()),
                               [&](size_t d) { return (*first)[d] + at[d] * steps[d]; });
  });
}

static LogicalResult slice(NodeContext &node, const SizeList &starts, const SizeList &ends, ArrayRef<int64_t> axes,
                           ArrayRef<int64_t> steps) {
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0);
  std::optional<SmallVector<int64_t>> normal = node.normalizeAxes(axes, operand.rank());
  if (!normal)
    return failure();
  if (starts.size() != ends.size() || starts.size() != normal->size() || steps.size() != normal->size())
    return node.refuse("starts, ends, axes and steps must have one length");
  SizeList offsets(operand.rank(), emitter.sizes.constant(0)), extents = operand.sizes;
  SmallVector<int64_t> allSteps(operand.rank(), 1);
  bool backwards = false;
  for (auto [i, axis] : llvm::enumerate(*normal)) {
    if (steps[i] == 0)
      return node.refuse("a step must not be 0");
    // Longer than every tensor: one element, and sums with it do not overflow.
    int64_t step = std::clamp(steps[i], -Sizes::kMostElements, Sizes::kMostElements);
    SliceAxis part = sliceAxis(emitter, operand.sizes[axis], starts[i], ends[i], step);
    offsets[axis] = part.offset;
    extents[axis] = part.extent;
    allSteps[axis] = part.step;
    backwards |= part.step < 0;
  }
  if (std::optional<Tensor> known = sliceContents(emitter, operand, offsets, extents, allSteps)) {
    node.setOutput(0, std::move(*known));
    return success();
  }
  SizeList strides(llvm::map_range(allSteps, [&](int64_t step) { return emitter.sizes.constant(step); }));
  node.setOutput(0, backwards ? sliceByCopy(emitter, operand, offsets, extents, strides)
                              : emitter.slice(operand, offsets, extents, allSteps));
  return success();
}

// Axes and steps that only the call knows.
static LogicalResult sliceAtCall(NodeContext &node, const SizeList &starts, const SizeList &ends, const SizeList &axes,
                                 const SizeList &steps) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &operand = *node.input(0);
  if (starts.size() != ends.size() || starts.size() != axes.size() || steps.size() != axes.size())
    return node.refuse("starts, ends, axes and steps must have one length");
  OpFoldResult zero = sizes.constant(0), one = sizes.constant(1);
  SizeList firsts(operand.rank(), zero), lasts = operand.sizes, strides(operand.rank(), one), extents;
  for (size_t i = 0; i < axes.size(); ++i) {
    OpFoldResult axis = emitter.fromFront(axes[i], sizes.constant(operand.rank()));
    for (int64_t d = 0; d < operand.rank(); ++d) {
      firsts[d] = emitter.choose(axis, sizes.constant(d), starts[i], firsts[d]);
      lasts[d] = emitter.choose(axis, sizes.constant(d), ends[i], lasts[d]);
      strides[d] = emitter.choose(axis, sizes.constant(d), steps[i], strides[d]);
    }
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    OpFoldResult size = operand.sizes[d], step = strides[d];
    OpFoldResult backwards = sizes.max(zero, sizes.min(one, sizes.sub(zero, step))); // 1 or 0
    OpFoldResult high = sizes.sub(size, backwards), length = sizes.max(step, sizes.sub(zero, step));
    emitter.checkLessEqual(one, length, "Slice: a step must not be 0");
    firsts[d] = clampIndex(emitter, firsts[d], size, zero, high);
    OpFoldResult low = sizes.sub(zero, backwards), last = clampIndex(emitter, lasts[d], size, low, high);
    last = emitter.choose(backwards, one, clampLast(emitter, lasts[d], last, low), last);
    OpFoldResult distance = sizes.sub(last, firsts[d]);
    distance = emitter.choose(backwards, one, sizes.sub(zero, distance), distance);
    extents.push_back(sizes.max(zero, sizes.ceilDiv(distance, sizes.max(length, one))));
  }
  node.setOutput(0, sliceByCopy(emitter, operand, firsts, extents, strides));
  return success();
}

static SmallVector<int64_t> firstAxes(size_t count) { return llvm::to_vector(llvm::seq<int64_t>(0, count)); }

// How many bounds a Slice has, where one of its lists tells; a list of the call has as many.
static std::optional<int64_t> countOfBounds(NodeContext &node) {
  for (size_t i = 1; i < node.numInputs(); ++i)
    if (Tensor *list = node.input(i); list && list->rank() <= 1 && list->staticCount())
      return list->staticCount();
  Sizes &sizes = node.emitter.sizes;
  for (size_t i = 1; i < node.numInputs(); ++i) // a part of a list, such as one of its elements
    if (Tensor *list = node.input(i); list && list->rank() == 1 && sizes.lessEqual(list->sizes[0], sizes.constant(1)))
      return 1;
  return node.input(0)->rank() == 1 ? std::optional<int64_t>(1) : std::nullopt;
}

static LogicalResult lowerSlice(NodeContext &node) {
  if (failed(node.requireInputs(3)))
    return failure();
  std::optional<int64_t> count = countOfBounds(node);
  std::optional<SizeList> starts = count ? node.readList(1, *count) : std::nullopt,
                          ends = count ? node.readList(2, *count) : std::nullopt;
  if (!starts || !ends)
    return node.refuseFree("starts and ends must be lists of integers of fixed length");
  std::optional<SmallVector<int64_t>> axes = node.input(3) ? node.constantInts(3) : firstAxes(starts->size());
  std::optional<SmallVector<int64_t>> steps =
      node.input(4) ? node.constantInts(4) : SmallVector<int64_t>(starts->size(), 1);
  if (axes && steps)
    return slice(node, *starts, *ends, *axes, *steps);
  Sizes &sizes = node.emitter.sizes;
  SizeList all(llvm::map_range(firstAxes(starts->size()), [&](int64_t axis) { return sizes.constant(axis); }));
  std::optional<SizeList> anyAxes = node.input(3) ? node.readList(3, *count) : all;
  std::optional<SizeList> anySteps =
      node.input(4) ? node.readList(4, *count) : SizeList(starts->size(), sizes.constant(1));
  if (!anyAxes || !anySteps)
    return node.refuseFree("axes and steps must be lists of integers of fixed length");
  return sliceAtCall(node, *starts, *ends, *anyAxes, *anySteps);
}

// Before operator set 10 everything is an attribute.
static LogicalResult lowerSlice1(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  auto starts = node.getInts("starts"), ends = node.getInts("ends");
  if (!starts || !ends)
    return node.refuse("needs the attributes starts and ends");
  auto toSizes = [&](ArrayRef<int64_t> values) {
    return SizeList(llvm::map_range(values, [&](int64_t value) { return node.emitter.sizes.constant(value); }));
  };
  SmallVector<int64_t> axes = node.getInts("axes").value_or(firstAxes(starts->size()));
  return slice(node, toSizes(*starts), toSizes(*ends), axes, SmallVector<int64_t>(starts->size(), 1));
}

void mlir::heddle::importer::registerSlicing(LoweringTable &table) {
  table.add("Slice", 1, lowerSlice1);
  table.add("Slice", 10, lowerSlice);
}
