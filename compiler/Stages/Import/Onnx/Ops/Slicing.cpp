// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slice and Pad.
#include "compiler/Stages/Import/Onnx/Ops/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

//===--- Slice ---------------------------------------------------------------------------------------------------===//

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

//===--- Pad -----------------------------------------------------------------------------------------------------===//

namespace {

struct Padding {
  SizeList before, after; // for each dimension; may be negative
  std::string mode;
};

// A negative padding cuts first: what is left, and what is put around it.
struct Cut {
  SizeList offsets, extents, low, high;
};

} // namespace

// How often the padding of a dimension turns back at an end of it, at most: 1 where it is shorter than the dimension.
static OpFoldResult countTurns(Sizes &sizes, OpFoldResult low, OpFoldResult high, OpFoldResult extent) {
  OpFoldResult one = sizes.constant(1), last = sizes.sub(extent, one);
  if (sizes.lessEqual(low, last) && sizes.lessEqual(high, last))
    return one;
  return sizes.ceilDiv(sizes.max(low, high), sizes.max(last, one));
}

// `at`, counted from the first element, brought nearer by a turn at the first and one at the last element.
static Value turnBack(Scalar &s, Value at, Value last) {
  Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0);
  Value low = s.select(s.less(at, zero), s.sub(zero, at), at);
  return s.select(s.less(last, low), s.sub(s.add(last, last), low), low);
}

// Where element `i` of the padded dimension comes from. `turns`: of a reflection.
static Value sourceIndex(Scalar &s, const std::string &mode, Value i, Value before, Value size, Value turns) {
  Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0), one = arith::ConstantIndexOp::create(s.b, s.loc, 1);
  Value last = s.sub(size, one), at = s.sub(i, before);
  if (mode == "edge")
    return s.min(s.max(at, zero), last);
  if (mode == "wrap") {
    Value rest = arith::RemSIOp::create(s.b, s.loc, at, size);
    return s.select(s.less(rest, zero), s.add(rest, size), rest);
  }
  if (getConstantIntValue(turns) == 1)
    return turnBack(s, at, last);
  auto loop = scf::ForOp::create(s.b, s.loc, zero, turns, one, ValueRange{at},
                                 [&](OpBuilder &b, Location loc, Value, ValueRange carried) {
                                   Scalar inner{b, loc};
                                   scf::YieldOp::create(b, loc, turnBack(inner, carried[0], last));
                                 });
  return s.max(s.min(loop.getResult(0), last), zero); // of one element, which is everywhere
}

namespace {

// How a padded tensor reads the operand.
struct PadReader {
  PadReader(NodeContext &node, const std::string &mode, const Cut &cut)
      : emitter(node.emitter), mode(mode), cut(cut), turns(cut.low.size()) {
    auto toValue = [&](OpFoldResult size) { return emitter.sizes.value(size); };
    before = llvm::map_to_vector(cut.low, toValue);
    size = llvm::map_to_vector(cut.extents, toValue);
    offset = llvm::map_to_vector(cut.offsets, toValue);
    for (size_t d = 0; mode == "reflect" && d < turns.size(); ++d)
      turns[d] = toValue(countTurns(emitter.sizes, cut.low[d], cut.high[d], cut.extents[d]));
  }

  // Where index `i` of dimension `d` comes from.
  Value place(Scalar &s, int64_t d, Value i) const {
    bool plain = getConstantIntValue(cut.low[d]) == 0 && getConstantIntValue(cut.high[d]) == 0;
    Value index = plain ? i : sourceIndex(s, mode, i, before[d], size[d], turns[d]);
    return getConstantIntValue(cut.offsets[d]) == 0 ? index : s.add(index, offset[d]);
  }

  // Whether it is computed once for each index: a reflection of several turns beside other dimensions.
  bool wantsTable(int64_t d, ArrayRef<OpFoldResult> shape) const {
    bool others = llvm::count_if(shape, [](OpFoldResult size) { return getConstantIntValue(size) != 1; }) > 1;
    return others && turns[d] && getConstantIntValue(turns[d]) != 1;
  }

  // The places of all indices, beside a tensor of that shape.
  Tensor table(int64_t d, ArrayRef<OpFoldResult> shape) const {
    Type i64 = emitter.builder.getI64Type();
    Tensor places = emitter.generate({shape[d]}, i64, {}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
      Scalar s{b, loc};
      return arith::IndexCastOp::create(b, loc, i64, place(s, d, v[0]));
    });
    SizeList aligned(shape.size() - d, emitter.sizes.constant(1));
    aligned.front() = shape[d];
    return emitter.reshape(places, aligned);
  }

  Emitter &emitter;
  const std::string &mode;
  const Cut &cut;
  SmallVector<Value> before, size, offset, turns;
};

} // namespace

static Tensor padByCopy(NodeContext &node, const std::string &mode, const Cut &cut, ArrayRef<OpFoldResult> shape) {
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0);
  Value source = emitter.value(operand);
  PadReader reader(node, mode, cut);
  SmallVector<Tensor> tables;
  SmallVector<bool> hasTable;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    hasTable.push_back(reader.wantsTable(d, shape));
    if (hasTable.back())
      tables.push_back(reader.table(d, shape));
  }
  SmallVector<Tensor *> operands = llvm::map_to_vector(tables, [](Tensor &tensor) { return &tensor; });
  return emitter.generate(shape, operand.elementType, operands, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Scalar s{b, loc};
    auto next = v.begin();
    ValueRange loops = v.drop_front(operands.size());
    SmallVector<Value> at;
    for (int64_t d = 0; d < operand.rank(); ++d)
      at.push_back(hasTable[d] ? Value(arith::IndexCastOp::create(b, loc, b.getIndexType(), *next++))
                               : reader.place(s, d, loops[d]));
    return tensor::ExtractOp::create(b, loc, source, at);
  });
}

// Edges, reflections and repetitions are those of an element at least. Without padding the dimension may be empty.
static LogicalResult checkReach(NodeContext &node, const Cut &cut) {
  Emitter &emitter = node.emitter;
  OpFoldResult one = emitter.sizes.constant(1), zero = emitter.sizes.constant(0);
  for (int64_t d = 0; d < node.input(0)->rank(); ++d)
    for (OpFoldResult pad : {cut.low[d], cut.high[d]}) {
      std::optional<int64_t> fixed = getConstantIntValue(pad);
      if (fixed == 0)
        continue;
      if (fixed && getConstantIntValue(cut.extents[d]) == 0)
        return node.refuse("dimension " + Twine(d) + " has no element to pad it with");
      OpFoldResult least = fixed ? one : emitter.choose(pad, zero, zero, one);
      emitter.checkLessEqual(least, cut.extents[d], "Pad: the dimension has no element to pad it with");
    }
  return success();
}

// With a fill value that only the call knows. `cut` has no negative padding left.
static Tensor padWith(Emitter &emitter, Tensor &cut, Tensor &fill, ArrayRef<OpFoldResult> low,
                      ArrayRef<OpFoldResult> shape) {
  Value source = emitter.value(cut);
  SmallVector<Value> before, size;
  for (int64_t d = 0; d < cut.rank(); ++d) {
    before.push_back(emitter.sizes.value(low[d]));
    size.push_back(emitter.sizes.value(cut.sizes[d]));
  }
  Tensor scalar = emitter.reshape(fill, {});
  return emitter.generate(shape, cut.elementType, {&scalar}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Scalar s{b, loc};
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
    Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
    SmallVector<Value> at;
    for (size_t d = 0; d < before.size(); ++d) {
      Value i = s.sub(v[1 + d], before[d]), last = s.sub(size[d], one);
      Value fits = arith::AndIOp::create(b, loc, s.lessEqual(zero, i), s.lessEqual(i, last));
      inside = arith::AndIOp::create(b, loc, inside, fits);
      at.push_back(s.max(s.min(i, last), zero));
    }
    return s.select(inside, tensor::ExtractOp::create(b, loc, source, at), v[0]);
  });
}

// A negative padding at one end may take more than there is, and so a part of the padding at the other end. Only
// constants can stand there.
static void cutConstant(Sizes &sizes, OpFoldResult size, OpFoldResult before, OpFoldResult after, Cut &cut) {
  OpFoldResult zero = sizes.constant(0), total = sizes.add(sizes.add(size, before), after);
  OpFoldResult begin = sizes.min(sizes.max(zero, sizes.sub(zero, before)), size);
  OpFoldResult end = sizes.max(begin, sizes.sub(size, sizes.max(zero, sizes.sub(zero, after))));
  cut.offsets.push_back(begin);
  cut.extents.push_back(sizes.sub(end, begin));
  cut.low.push_back(sizes.min(sizes.max(zero, before), total));
  cut.high.push_back(sizes.sub(sizes.sub(total, cut.low.back()), cut.extents.back()));
}

// `shape`: of the result.
static Cut cutFirst(NodeContext &node, const Padding &padding, ArrayRef<OpFoldResult> shape) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  OpFoldResult zero = sizes.constant(0);
  Cut cut;
  for (int64_t d = 0; d < node.input(0)->rank(); ++d) {
    OpFoldResult size = node.input(0)->sizes[d], before = padding.before[d], after = padding.after[d];
    emitter.checkLessEqual(zero, shape[d], "Pad: negative padding takes more than there is");
    bool sameSign = (sizes.lessEqual(zero, before) && sizes.lessEqual(zero, after)) ||
                    (sizes.lessEqual(before, zero) && sizes.lessEqual(after, zero));
    if (padding.mode == "constant" && !sameSign) {
      cutConstant(sizes, size, before, after, cut);
      continue;
    }
    OpFoldResult cutBefore = sizes.max(zero, sizes.sub(zero, before)),
                 cutAfter = sizes.max(zero, sizes.sub(zero, after));
    cut.offsets.push_back(cutBefore);
    cut.extents.push_back(sizes.sub(sizes.sub(size, cutBefore), cutAfter));
    emitter.checkLessEqual(zero, cut.extents.back(), "Pad: negative padding takes more than there is");
    cut.low.push_back(sizes.max(zero, before));
    cut.high.push_back(sizes.max(zero, after));
  }
  return cut;
}

static Tensor padConstant(NodeContext &node, const Cut &cut, ArrayRef<OpFoldResult> shape, Tensor &fill) {
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0);
  if (!fill.data && llvm::any_of(cut.extents, [](OpFoldResult size) { return getConstantIntValue(size) == 0; })) {
    Tensor scalar = emitter.reshape(fill, {});
    return emitter.broadcast(scalar, shape);
  }
  Tensor left = emitter.slice(operand, cut.offsets, cut.extents, SmallVector<int64_t>(operand.rank(), 1));
  if (!fill.data) {
    for (OpFoldResult extent : cut.extents)
      emitter.checkLessEqual(emitter.sizes.constant(1), extent, "Pad: nothing is left of the operand");
    return padWith(emitter, left, fill, cut.low, shape);
  }
  auto constant = cast<TypedAttr>(*fill.data->literal().value_begin<Attribute>());
  Value value = arith::ConstantOp::create(emitter.builder, emitter.loc, constant);
  auto type = RankedTensorType::get(shapeOf(shape), storageType(operand.elementType));
  Value padded =
      tensor::PadOp::create(emitter.builder, emitter.loc, type, emitter.value(left), cut.low, cut.high, value);
  return emitter.fromValue(padded, shape, operand.elementType);
}

static LogicalResult pad(NodeContext &node, const Padding &padding, Tensor &fill) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  if (padding.mode != "constant" && padding.mode != "reflect" && padding.mode != "edge" && padding.mode != "wrap")
    return node.unsupported("mode '" + padding.mode + "' is not supported; known: constant, reflect, edge, wrap");
  // Sums with sizes do not overflow.
  OpFoldResult most = sizes.constant(Sizes::kMostElements), least = sizes.constant(-Sizes::kMostElements);
  for (const SizeList *pads : {&padding.before, &padding.after})
    for (OpFoldResult amount : *pads) {
      emitter.checkLessEqual(least, amount, "Pad: no tensor is so long");
      emitter.checkLessEqual(amount, most, "Pad: no tensor is so long");
    }
  SizeList shape;
  for (auto [size, before, after] : llvm::zip_equal(node.input(0)->sizes, padding.before, padding.after))
    shape.push_back(sizes.add(sizes.add(size, before), after));
  Cut cut = cutFirst(node, padding, shape);
  if (padding.mode != "constant" && failed(checkReach(node, cut)))
    return failure();
  node.setOutput(0, padding.mode == "constant" ? padConstant(node, cut, shape, fill)
                                               : padByCopy(node, padding.mode, cut, shape));
  return success();
}

static LogicalResult splitPads(NodeContext &node, const SizeList &pads, const SizeList &axes, Padding &padding) {
  Emitter &emitter = node.emitter;
  int64_t rank = node.input(0)->rank();
  if (pads.size() != 2 * axes.size())
    return node.refuse("has " + Twine(pads.size()) + " paddings for " + Twine(axes.size()) + " dimensions");
  padding.before.assign(rank, emitter.sizes.constant(0));
  padding.after = padding.before;
  for (auto [i, given] : llvm::enumerate(axes)) {
    if (std::optional<int64_t> fixed = getConstantIntValue(given); fixed && !node.normalizeAxis(*fixed, rank))
      return failure();
    OpFoldResult axis = emitter.fromFront(given, emitter.sizes.constant(rank));
    for (int64_t d = 0; d < rank; ++d) {
      OpFoldResult dim = emitter.sizes.constant(d);
      padding.before[d] = emitter.choose(axis, dim, pads[i], padding.before[d]);
      padding.after[d] = emitter.choose(axis, dim, pads[i + axes.size()], padding.after[d]);
    }
  }
  return success();
}

static SizeList allAxes(NodeContext &node) {
  return SizeList(llvm::map_range(firstAxes(node.input(0)->rank()),
                                  [&](int64_t axis) { return node.emitter.sizes.constant(axis); }));
}

static LogicalResult lowerPad(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  std::optional<SizeList> pads = node.readContents(1), axes = node.input(3) ? node.readContents(3) : allAxes(node);
  if (!pads || !axes)
    return node.refuseFree("paddings and axes must be lists of integers of fixed length");
  Padding padding;
  padding.mode = node.getString("mode", "constant");
  if (failed(splitPads(node, *pads, *axes, padding)))
    return failure();
  Type type = node.input(0)->elementType;
  Tensor fill = node.input(2) ? *node.input(2) : makeScalar(node.emitter, type, 0);
  if (fill.elementType != type || fill.staticCount() != 1)
    return node.refuse("the fill value must be a scalar of the operand's type");
  return pad(node, padding, fill);
}

// Before operator set 11 everything is an attribute.
static LogicalResult lowerPad2(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  auto pads = node.getInts("pads");
  if (!pads)
    return node.refuse("needs the attribute pads");
  SizeList list;
  for (int64_t pad : *pads)
    list.push_back(node.emitter.sizes.constant(pad));
  Padding padding;
  padding.mode = node.getString("mode", "constant");
  if (failed(splitPads(node, list, allAxes(node), padding)))
    return failure();
  Tensor fill = makeScalar(node.emitter, node.input(0)->elementType, node.getFloat("value", 0));
  return pad(node, padding, fill);
}

void mlir::heddle::importer::registerSlicing(LoweringTable &table) {
  table.add("Slice", 1, lowerSlice1);
  table.add("Slice", 10, lowerSlice);
  table.add("Pad", 2, lowerPad2);
  table.add("Pad", 11, lowerPad);
}
