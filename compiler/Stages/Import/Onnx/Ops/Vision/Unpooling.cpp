// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Col2Im and MaxUnpool. Every element of the result looks for what is written to it: the windows that reach it are few,
// and where the sizes are known they are the same for all elements of a phase (Phases.h).
#include "compiler/Stages/Import/Onnx/Forms/Phases.h"
#include "compiler/Stages/Import/Onnx/Forms/Window.h"
#include "compiler/Stages/Import/Onnx/Ops/Vision/Sampling.h"
#include "compiler/Stages/Import/Onnx/Ops/Vision/UnpoolingCheck.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

// Windows over a result: each element of the operand goes to one of the places of its window. For each spatial
// dimension.
struct Scattering {
  SizeList kernel, input, size; // `input`: windows; `size`: of the result
  SmallVector<int64_t> strides, dilations, pads;
};

} // namespace

//===--- Phases --------------------------------------------------------------------------------------------------===//

// Whether the taps of a phase reach none of the windows.
static bool readsNothing(const PhasedAxis &axis) {
  std::optional<int64_t> windows = getConstantIntValue(axis.input);
  return windows && llvm::any_of(axis.phases, [&](const PhaseSet &set) {
           return *windows + std::min<int64_t>(axis.low(set), 0) + std::min<int64_t>(axis.high(set), 0) < 0;
         });
}

// The dimensions of a result of `sizes`, whose elements of one phase are met by the same taps of the windows at
// `input`; none where sizes only the call knows say which, or where there are too many phases.
static std::optional<SmallVector<PhasedAxis>> findAxes(Sizes &sizes, const Scattering &scattering) {
  constexpr int64_t kMostPhases = 64, kMostTaps = 1 << 20;
  SmallVector<PhasedAxis> axes;
  int64_t phases = 1;
  for (auto [d, stride, dilation] : llvm::enumerate(scattering.strides, scattering.dilations)) {
    std::optional<int64_t> kernel = getConstantIntValue(scattering.kernel[d]);
    if (!kernel || *kernel < 1 || *kernel > kMostTaps || stride > kMostPhases || (phases *= stride) > kMostPhases)
      return std::nullopt;
    PhasedAxis axis{*kernel,
                    stride,
                    dilation,
                    scattering.input[d],
                    scattering.size[d],
                    separatePhases(findPhases(*kernel, stride, dilation))};
    if (!placePhases(sizes, axis, scattering.pads[d]) || readsNothing(axis))
      return std::nullopt;
    axes.push_back(std::move(axis));
  }
  return axes;
}

namespace {

// One phase: elements [n, c, t…] of the result, each met by taps j… of the windows that reach it, in the windows'
// order.
struct Phase {
  Emitter &emitter;
  ArrayRef<PhasedAxis> axes;
  ArrayRef<PhaseSet> sets;

  bool isEmpty() const {
    return llvm::any_of(sets, [](const PhaseSet &set) { return set.taps == 0; });
  }
  // What the taps reach of the last dimensions of `x`, those of the windows, with `fill` where they reach outside.
  Value fit(Tensor &x, int64_t fill) const;
  // [n, c, t0, 1, t1, 1, …] from zeros by `body` for each tap, with an element of each source and what there is so far.
  // Sources are [n, c, (k…,) s…].
  Tensor walk(ArrayRef<Tensor *> sources, ArrayRef<int64_t> fills, Type type, bool byTap,
              llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) const;
};

} // namespace

Value Phase::fit(Tensor &x, int64_t fill) const {
  Sizes &sizes = emitter.sizes;
  size_t first = x.rank() - sets.size();
  SizeList low(first, sizes.constant(0)), high = low, offsets = low, read(x.sizes), shape;
  bool isPadded = false;
  for (auto [d, axis, set] : llvm::enumerate(axes, sets)) {
    int64_t before = axis.low(set), after = axis.high(set);
    int64_t dropped = std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    offsets.push_back(sizes.constant(std::max<int64_t>(-before, 0)));
    read[first + d] = sizes.add(read[first + d], sizes.constant(dropped));
    low.push_back(sizes.constant(std::max<int64_t>(before, 0)));
    high.push_back(sizes.constant(std::max<int64_t>(after, 0)));
    isPadded |= before > 0 || after > 0;
  }
  Tensor inside = emitter.slice(x, offsets, read, SmallVector<int64_t>(x.rank(), 1));
  if (!isPadded)
    return emitter.value(inside);
  for (auto [size, before, after] : llvm::zip_equal(read, low, high))
    shape.push_back(sizes.add(size, sizes.add(before, after)));
  Value value = arith::ConstantOp::create(emitter.builder, emitter.loc, makeAttribute(x.elementType, fill));
  auto type = RankedTensorType::get(shapeOf(shape), x.elementType);
  return tensor::PadOp::create(emitter.builder, emitter.loc, type, emitter.value(inside), low, high, value);
}

Tensor Phase::walk(ArrayRef<Tensor *> sources, ArrayRef<int64_t> fills, Type type, bool byTap,
                   llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) const {
  Sizes &sizes = emitter.sizes;
  OpBuilder &b = emitter.builder;
  size_t rank = sets.size(), loops = 2 + 2 * rank;
  SizeList shape{sources[0]->sizes[0], sources[0]->sizes[1]}, unit = shape, taps;
  SmallVector<AffineExpr> read{b.getAffineDimExpr(0), b.getAffineDimExpr(1)}, places, window;
  for (auto [d, axis, set] : llvm::enumerate(axes, sets)) {
    shape.push_back(axis.stepsOf(sizes));
    unit.append({shape.back(), sizes.constant(1)});
    taps.push_back(sizes.constant(set.taps));
    window.push_back(b.getAffineDimExpr(2 + rank + d));
    if (byTap) // the last one is that of the first window
      read.push_back((window.back() * -1 + (set.taps - 1)) * set.tapStep + set.firstTap);
    places.push_back(b.getAffineDimExpr(2 + d) + window.back() * set.dilation);
  }
  Tensor nothing = emitter.filled(type, shape, makeAttribute(type, 0));
  if (isEmpty())
    return emitter.reshape(nothing, unit);
  llvm::append_range(read, places);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (auto [source, fill] : llvm::zip_equal(sources, fills)) {
    operands.push_back(fit(*source, fill));
    maps.push_back(AffineMap::get(loops, 0, read, b.getContext()));
  }
  operands.push_back(tensor::EmptyOp::create(b, emitter.loc, taps, type)); // tells the bounds
  maps.push_back(AffineMap::get(loops, 0, window, b.getContext()));
  maps.push_back(b.getMultiDimIdentityMap(loops).getMajorSubMap(2 + rank));
  SmallVector<utils::IteratorType> iterators(2 + rank, utils::IteratorType::parallel);
  iterators.append(rank, utils::IteratorType::reduction);
  Tensor result = emitter.generic(operands, maps, iterators, shape, type, nothing.value, body);
  return emitter.reshape(result, unit);
}

//===--- Col2Im --------------------------------------------------------------------------------------------------===//

namespace {

// The blocks of an image; sizes that only the call knows are possible.
struct Blocks {
  SizeList image, block, count; // for each spatial dimension; `count`: of blocks
  SmallVector<int64_t> strides, dilations, pads;
};

} // namespace

static FailureOr<Blocks> readBlocks(NodeContext &node) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  std::optional<SizeList> image = node.readContents(1), block = node.readContents(2);
  if (!image || !block || image->empty() || image->size() != block->size())
    return node.refuse("image_shape and block_shape must be lists of as many integers");
  int64_t rank = image->size();
  Blocks blocks{*image, *block, {}, {}, {}, {}};
  emitter.requireSizes(blocks.image, "Col2Im: image_shape must not be negative");
  emitter.requireSizes(blocks.block, "Col2Im: block_shape must not be negative");
  if (failed(readList(node, "strides", rank, 1, 1, blocks.strides)) ||
      failed(readList(node, "dilations", rank, 1, 1, blocks.dilations)) ||
      failed(readList(node, "pads", 2 * rank, 0, 0, blocks.pads)))
    return failure();
  for (int64_t d = 0; d < rank; ++d) {
    OpFoldResult padded = sizes.add(blocks.image[d], sizes.constant(blocks.pads[d] + blocks.pads[d + rank]));
    OpFoldResult reach = sizes.mul(sizes.sub(blocks.block[d], sizes.constant(1)), sizes.constant(blocks.dilations[d]));
    OpFoldResult room = sizes.sub(sizes.sub(padded, reach), sizes.constant(1));
    OpFoldResult count = sizes.add(sizes.floorDiv(room, sizes.constant(blocks.strides[d])), sizes.constant(1));
    if (std::optional<int64_t> known = getConstantIntValue(count); known && *known < 1)
      return node.refuse("no block fits into the padded image in dimension " + Twine(d));
    emitter.checkLessEqual(sizes.constant(1), count, "Col2Im: no block fits into the padded image");
    blocks.count.push_back(sizes.max(sizes.constant(1), count));
  }
  return blocks;
}

static std::optional<Tensor> foldPhases(Emitter &emitter, Tensor &x, const Blocks &blocks, OpFoldResult channels) {
  std::optional<SmallVector<PhasedAxis>> axes = findAxes(
      emitter.sizes, {blocks.block, blocks.count, blocks.image, blocks.strides, blocks.dilations, blocks.pads});
  if (!axes)
    return std::nullopt;
  SizeList split{x.sizes[0], channels};
  llvm::append_range(split, blocks.block);
  llvm::append_range(split, blocks.count);
  Tensor apart = emitter.reshape(x, split);
  auto add = [&](OpBuilder &b, Location loc, ValueRange v) {
    return Scalar{b, loc, x.elementType}.add(v.back(), v[0]);
  };
  return interleavePhases(emitter, *axes, /*front=*/2, {x.sizes[0], channels},
                          [&](ArrayRef<PhaseSet> sets) -> std::optional<Tensor> {
                            return Phase{emitter, *axes, sets}.walk({&apart}, {0}, x.elementType, /*byTap=*/true, add);
                          });
}

// The element of x [n, c * block, count] that tap `taps` of a block gives to `place`, or 0.
static Value elementOfBlock(Scalar &s, Value x, ValueRange front, ValueRange places, ValueRange taps,
                            const Blocks &blocks, ArrayRef<Value> block, ArrayRef<Value> count) {
  OpBuilder &b = s.b;
  Scalar index{b, s.loc};
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, s.loc, value); };
  Value row = front[1], column = constant(0), zero = constant(0), inside = arith::ConstantIntOp::create(b, s.loc, 1, 1);
  for (size_t d = 0; d < places.size(); ++d) {
    Value start =
        index.sub(index.add(places[d], constant(blocks.pads[d])), index.mul(taps[d], constant(blocks.dilations[d])));
    Value stride = constant(blocks.strides[d]), from = index.max(start, zero);
    Value which = arith::DivUIOp::create(b, s.loc, from, stride);
    Value isStart = index.equal(index.mul(which, stride), start);
    Value fits = arith::AndIOp::create(b, s.loc, isStart, index.less(which, count[d]));
    inside = arith::AndIOp::create(b, s.loc, inside, fits);
    row = index.add(index.mul(row, block[d]), taps[d]);
    column = index.add(index.mul(column, count[d]), which);
  }
  // Outside, any element that exists.
  row = index.select(inside, row, zero);
  column = index.select(inside, column, zero);
  Value element = tensor::ExtractOp::create(b, s.loc, x, ValueRange{front[0], row, column});
  return s.select(inside, element, s.constant(s.type, 0));
}

static LogicalResult lowerCol2Im(NodeContext &node) {
  if (failed(node.requireInputs(3)))
    return failure();
  FailureOr<Blocks> blocks = readBlocks(node);
  if (failed(blocks))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &x = *node.input(0);
  if (x.rank() != 3 || x.elementType.isInteger(1))
    return node.refuse("needs numbers [n, c * block, blocks], got a tensor of rank " + Twine(x.rank()));
  int64_t rank = blocks->image.size();
  OpFoldResult block = sizes.max(sizes.constant(1), sizes.product(blocks->block));
  OpFoldResult channels = sizes.floorDiv(x.sizes[1], block);
  emitter.checkEqual(sizes.mul(channels, block), x.sizes[1], "Col2Im: the block does not divide the columns' length");
  emitter.checkEqual(sizes.product(blocks->count), x.sizes[2], "Col2Im: there must be as many columns as blocks");
  if (std::optional<Tensor> folded = foldPhases(emitter, x, *blocks, channels)) {
    node.setOutput(0, *folded);
    return success();
  }
  SizeList shape{x.sizes[0], channels};
  llvm::append_range(shape, blocks->image);
  SmallVector<Value> extents, counts;
  for (int64_t d = 0; d < rank; ++d) {
    extents.push_back(sizes.value(blocks->block[d]));
    counts.push_back(sizes.value(blocks->count[d]));
  }
  Type type = x.elementType;
  Value source = emitter.value(x), init = emitter.filled(type, shape, makeAttribute(type, 0)).value;
  node.setOutput(0, emitter.accumulate(
                        shape, blocks->block, type, init, [&](OpBuilder &b, Location loc, ValueRange at, Value sum) {
                          Scalar s{b, loc, type};
                          Value element = elementOfBlock(s, source, at.take_front(2), at.slice(2, rank),
                                                         at.drop_front(2 + rank), *blocks, extents, counts);
                          return s.add(sum, element);
                        }));
  return success();
}

//===--- MaxUnpool -----------------------------------------------------------------------------------------------===//

static FailureOr<Unpooling> readUnpooling(NodeContext &node) {
  Tensor &x = *node.input(0);
  int64_t rank = x.rank() - 2;
  Unpooling unpooling;
  if (rank < 1 || node.input(1)->rank() != x.rank() || !node.input(1)->isInteger())
    return node.refuse("needs a batch, channels and at least one more dimension, and indices of the same shape");
  if (!node.hasAttribute("kernel_shape"))
    return node.refuse("needs the attribute kernel_shape");
  if (failed(readList(node, "kernel_shape", rank, 1, 1, unpooling.kernel)) ||
      failed(readList(node, "strides", rank, 1, 1, unpooling.strides)) ||
      failed(readList(node, "pads", 2 * rank, 0, 0, unpooling.pads)))
    return failure();
  Sizes &sizes = node.emitter.sizes;
  for (auto [size, indices] : llvm::zip_equal(x.sizes, node.input(1)->sizes)) {
    if (sizes.different(size, indices))
      return node.refuse("needs indices of the same shape as the values");
    node.emitter.checkEqual(size, indices, "MaxUnpool: there must be one index for each element");
  }
  if (failed(requireElements(node, ArrayRef<OpFoldResult>(x.sizes).drop_front(2))))
    return failure();
  unpooling.inferred = {x.sizes[0], x.sizes[1]};
  for (int64_t d = 0; d < rank; ++d) {
    OpFoldResult steps = sizes.mul(sizes.sub(x.sizes[2 + d], sizes.constant(1)), sizes.constant(unpooling.strides[d]));
    int64_t rest = unpooling.kernel[d] - unpooling.pads[d] - unpooling.pads[d + rank];
    unpooling.inferred.push_back(sizes.add(steps, sizes.constant(rest)));
  }
  for (OpFoldResult size : unpooling.inferred)
    if (std::optional<int64_t> known = getConstantIntValue(size); known && *known < 0)
      return node.refuse("the pads are wider than what they are taken from: a size of " + Twine(*known));
  node.emitter.requireSizes(unpooling.inferred, "MaxUnpool: the pads are wider than what they are taken from");
  return unpooling;
}

// At most so many windows reach an element, in each dimension.
static SizeList windowsAt(Sizes &sizes, const Unpooling &unpooling, ArrayRef<OpFoldResult> pooled) {
  SizeList counts;
  for (auto [kernel, stride, size] : llvm::zip_equal(unpooling.kernel, unpooling.strides, pooled))
    counts.push_back(sizes.min(sizes.constant((kernel - 1) / stride + 1), size));
  return counts;
}

// What window `which` of those that reach the element `at` wrote there, if it did, else `before`. Windows are counted
// in the order of the operand, so that the last one that writes to an element stays.
static Value writtenTo(Scalar &s, Value x, Value indices, ValueRange at, ValueRange which, const Unpooling &unpooling,
                       ArrayRef<Value> pooled, ArrayRef<Value> extents, Value before) {
  OpBuilder &b = s.b;
  Scalar index{b, s.loc};
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, s.loc, value); };
  Value flat = at[0], zero = constant(0), inside = arith::ConstantIntOp::create(b, s.loc, 1, 1);
  for (size_t d = 1; d < at.size(); ++d)
    flat = index.add(index.mul(flat, extents[d]), at[d]);
  auto require = [&](Value condition) { inside = arith::AndIOp::create(b, s.loc, inside, condition); };
  SmallVector<Value> where{at[0], at[1]};
  for (size_t d = 0; d < which.size(); ++d) {
    Value padded = index.add(at[2 + d], constant(unpooling.pads[d]));
    Value last = arith::DivUIOp::create(b, s.loc, padded, constant(unpooling.strides[d]));
    Value back = constant((unpooling.kernel[d] - 1) / unpooling.strides[d]);
    Value window = index.add(index.max(index.sub(last, back), zero), which[d]);
    Value fits = arith::AndIOp::create(b, s.loc, index.lessEqual(window, last), index.less(window, pooled[d]));
    require(fits);
    require(index.less(at[2 + d], extents[2 + d]));
    where.push_back(index.select(fits, window, zero));
  }
  Value element = tensor::ExtractOp::create(b, s.loc, indices, where);
  require(index.equal(arith::IndexCastOp::create(b, s.loc, b.getIndexType(), element), flat));
  return s.select(inside, tensor::ExtractOp::create(b, s.loc, x, where), before);
}

static std::optional<Tensor> unpoolPhases(Emitter &emitter, Tensor &x, Tensor &indices, const Unpooling &unpooling,
                                          ArrayRef<OpFoldResult> shape) {
  Sizes &sizes = emitter.sizes;
  size_t rank = unpooling.kernel.size();
  Scattering scattering{{},
                        SizeList(ArrayRef(x.sizes).drop_front(2)),
                        SizeList(shape.drop_front(2)),
                        unpooling.strides,
                        SmallVector<int64_t>(rank, 1),
                        unpooling.pads};
  for (int64_t size : unpooling.kernel)
    scattering.kernel.push_back(sizes.constant(size));
  std::optional<SmallVector<PhasedAxis>> axes = findAxes(sizes, scattering);
  if (!axes)
    return std::nullopt;
  SmallVector<Value> extents =
      llvm::map_to_vector(unpooling.inferred, [&](OpFoldResult size) { return sizes.value(size); });
  auto part = [&](ArrayRef<PhaseSet> sets) -> std::optional<Tensor> {
    auto write = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
      Scalar s{b, loc, x.elementType}, index{b, loc};
      auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
      auto loop = [&](int64_t dim) -> Value { return linalg::IndexOp::create(b, loc, dim); };
      Value flat = index.add(index.mul(loop(0), extents[1]), loop(1));
      Value written = arith::ConstantIntOp::create(b, loc, 1, 1);
      for (auto [d, axis, set] : llvm::enumerate(*axes, sets)) {
        Value place = index.add(index.mul(loop(2 + d), constant(axis.stride)), constant(set.first - axis.crop));
        if (!sizes.equal(shape[2 + d], unpooling.inferred[2 + d]))
          written = arith::AndIOp::create(b, loc, written, index.less(place, extents[2 + d]));
        flat = index.add(index.mul(flat, extents[2 + d]), place);
      }
      Value element = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[1]);
      return s.select(arith::AndIOp::create(b, loc, written, index.equal(element, flat)), v[0], v.back());
    };
    return Phase{emitter, *axes, sets}.walk({&x, &indices}, {0, -1}, x.elementType, /*byTap=*/false, write);
  };
  return interleavePhases(emitter, *axes, /*front=*/2, {x.sizes[0], x.sizes[1]}, part);
}

// Whether an element of the result is in one window at most.
static bool areApart(const Unpooling &unpooling) {
  constexpr int64_t kMostTaps = 1 << 24;
  return llvm::product_of(unpooling.kernel) <= kMostTaps &&
         llvm::all_of(llvm::zip_equal(unpooling.kernel, unpooling.strides),
                      [](auto d) { return std::get<0>(d) <= std::get<1>(d); });
}

// Windows that are apart, with the inferred sizes: each element of the result asks its window whether it was the
// greatest, in one pass over the result.
static Tensor unpoolApart(Emitter &emitter, Tensor &x, Tensor &indices, const Unpooling &unpooling) {
  Tensor taps = findTaps(emitter, indices, unpooling);
  OpBuilder &b = emitter.builder;
  int64_t rank = x.rank();
  SmallVector<AffineExpr> read{b.getAffineDimExpr(0), b.getAffineDimExpr(1)};
  for (auto [d, stride, pad] : llvm::enumerate(unpooling.strides, ArrayRef(unpooling.pads).take_front(rank - 2)))
    read.push_back((b.getAffineDimExpr(2 + d) + pad).floorDiv(stride));
  AffineMap window = AffineMap::get(rank, 0, read, b.getContext());
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  Type type = x.elementType, i32 = b.getI32Type();
  return emitter.generic(
      {emitter.value(x), emitter.value(taps)}, {window, window, b.getMultiDimIdentityMap(rank)}, iterators,
      unpooling.inferred, type, {}, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar s{b, loc, type};
        auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
        Value tap, isInside = arith::ConstantIntOp::create(b, loc, 1, 1);
        for (auto [d, kernel, stride] : llvm::enumerate(unpooling.kernel, unpooling.strides)) {
          Value place = s.add(linalg::IndexOp::create(b, loc, 2 + d), constant(unpooling.pads[d]));
          Value own = arith::RemUIOp::create(b, loc, place, constant(stride));
          if (kernel < stride)
            isInside = arith::AndIOp::create(b, loc, isInside, s.less(own, constant(kernel)));
          tap = tap ? s.add(s.mul(tap, constant(kernel)), own) : own;
        }
        Value isGreatest =
            arith::AndIOp::create(b, loc, isInside, s.equal(v[1], arith::IndexCastOp::create(b, loc, i32, tap)));
        return s.select(isGreatest, v[0], s.constant(storageType(type), 0));
      });
}

static LogicalResult lowerMaxUnpool(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  FailureOr<Unpooling> unpooling = readUnpooling(node);
  if (failed(unpooling))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  SizeList shape = unpooling->inferred;
  if (node.input(2)) {
    std::optional<SizeList> given = node.readContents(2);
    if (!given || static_cast<int64_t>(given->size()) != x.rank())
      return node.refuse("output_shape must be a list of " + Twine(x.rank()) + " integers");
    shape = *given;
    emitter.requireSizes(shape, "MaxUnpool: output_shape must not be negative");
    emitter.checkEqual(shape[0], x.sizes[0], "MaxUnpool: output_shape must have the batch size of the operand");
    emitter.checkEqual(shape[1], x.sizes[1], "MaxUnpool: output_shape must have the channels of the operand");
    for (int64_t d = 2; d < x.rank(); ++d)
      emitter.checkLessEqual(unpooling->inferred[d], shape[d],
                             "MaxUnpool: output_shape is smaller than what was pooled");
  }
  bool isInferred = llvm::all_of(llvm::zip_equal(shape, unpooling->inferred),
                                 [&](auto size) { return emitter.sizes.equal(std::get<0>(size), std::get<1>(size)); });
  if (isInferred && areApart(*unpooling)) {
    node.setOutput(0, unpoolApart(emitter, x, *node.input(1), *unpooling));
    return success();
  }
  Tensor checked = checkWindows(emitter, *node.input(1), *unpooling);
  if (std::optional<Tensor> unpooled = unpoolPhases(emitter, x, checked, *unpooling, shape)) {
    node.setOutput(0, *unpooled);
    return success();
  }
  Value source = emitter.value(x), indices = emitter.value(checked);
  SmallVector<Value> pooled, extents;
  for (int64_t d = 0; d < x.rank(); ++d) {
    extents.push_back(emitter.sizes.value(unpooling->inferred[d]));
    if (d >= 2)
      pooled.push_back(emitter.sizes.value(x.sizes[d]));
  }
  Type type = x.elementType;
  Value init = emitter.filled(type, shape, makeAttribute(type, 0)).value;
  ArrayRef<OpFoldResult> spatial = ArrayRef<OpFoldResult>(x.sizes).drop_front(2);
  node.setOutput(0, emitter.accumulate(shape, windowsAt(emitter.sizes, *unpooling, spatial), type, init,
                                       [&](OpBuilder &b, Location loc, ValueRange v, Value before) {
                                         Scalar s{b, loc, type};
                                         ValueRange at = v.take_front(shape.size()), which = v.drop_front(shape.size());
                                         return writtenTo(s, source, indices, at, which, *unpooling, pooled, extents,
                                                          before);
                                       }));
  return success();
}

void mlir::heddle::importer::registerUnpooling(LoweringTable &table) {
  table.add("Col2Im", 18, lowerCol2Im);
  table.add("MaxUnpool", 9, lowerMaxUnpool);
}
