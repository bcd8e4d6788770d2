// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RoiAlign and MaxRoiPool: one dispatch, in which every element loops over the samples or elements of its bin. All
// channels of a bin have the same loop, so they are computed side by side.
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Vision/Sampling.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// What is left of `init` after `step` for all (i, j) with i in [low[0], high[0]) and j in [low[1], high[1]).
static Value loopOver(Scalar &s, std::array<Value, 2> low, std::array<Value, 2> high, Value init,
                      llvm::function_ref<Value(Value, Value, Value)> step) {
  Value one = arith::ConstantIndexOp::create(s.b, s.loc, 1);
  OpBuilder::InsertionGuard guard(s.b);
  auto outer = scf::ForOp::create(s.b, s.loc, low[0], high[0], one, ValueRange{init});
  s.b.setInsertionPointToStart(outer.getBody());
  auto inner = scf::ForOp::create(s.b, s.loc, low[1], high[1], one, outer.getRegionIterArgs());
  s.b.setInsertionPointToStart(inner.getBody());
  Value next = step(outer.getInductionVar(), inner.getInductionVar(), inner.getRegionIterArg(0));
  scf::YieldOp::create(s.b, s.loc, next);
  s.b.setInsertionPointToEnd(outer.getBody());
  scf::YieldOp::create(s.b, s.loc, inner.getResults());
  return outer.getResult(0);
}

namespace {

// The image [n, c, h, w] as the bins read it: with channels last where they fill a vector.
struct Image {
  // A free number of channels is taken to be enough for a vector.
  Image(Emitter &emitter, Tensor &x)
      : emitter(emitter),
        channelsLast(x.staticSize(1).value_or(emitter.forms.vectorChannels) >= emitter.forms.vectorChannels),
        channels(x.sizes[1]), type(x.elementType) {
    extents = {emitter.sizes.value(x.sizes[2]), emitter.sizes.value(x.sizes[3])};
    Tensor turned = channelsLast ? emitter.transpose(x, {0, 2, 3, 1}) : x;
    source = emitter.value(turned);
  }

  SmallVector<Value> place(Value n, Value c, Value y, Value x) const {
    return channelsLast ? SmallVector<Value>{n, y, x, c} : SmallVector<Value>{n, c, y, x};
  }

  // [count, c, height, width] from `body` of the operands (which have a size for each dimension of [count, 1, 1, 1]),
  // then region, channel, row and column of bins.
  Tensor generate(OpFoldResult count, int64_t height, int64_t width, ArrayRef<Tensor *> operands,
                  llvm::function_ref<Value(OpBuilder &, Location, ValueRange, ArrayRef<Value>)> body) const {
    SizeList shape{count, channels, emitter.sizes.constant(height), emitter.sizes.constant(width)};
    if (channelsLast)
      std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
    Tensor result = emitter.generate(shape, type, operands, [&](OpBuilder &b, Location loc, ValueRange v) {
      SmallVector<Value> bin(v.take_back(4));
      if (channelsLast)
        std::rotate(bin.begin() + 1, bin.begin() + 3, bin.end());
      return body(b, loc, v.drop_back(4), bin);
    });
    return channelsLast ? emitter.transpose(result, {0, 3, 1, 2}) : result;
  }

  Emitter &emitter;
  bool channelsLast;
  OpFoldResult channels;
  Type type;
  Value source;
  SmallVector<Value> extents;
};

} // namespace

//===--- RoiAlign ------------------------------------------------------------------------------------------------===//

namespace {

struct RoiOptions {
  int64_t height, width, samples; // samples 0: as many as a bin has elements
  double scale, offset;           // the offset: of half a pixel, or 0, where a region has at least size 1
  bool max;
};

// One dimension of a region's bin: its samples lie at start + (i + 0.5) * step. Those before `first` and from `end` on
// lie outside the tensor, where samples are 0; all of them are indices.
struct Bin {
  Value start, step, count, first, end;
};

} // namespace

static Bin binOf(Sampler &sampler, const RoiOptions &options, Value from, Value to, Value bin, int64_t bins,
                 Value extent) {
  Scalar &s = sampler.s;
  auto toIndex = [&](Value x) -> Value {
    return arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), convert(s, x, s.type, s.b.getI64Type()));
  };
  auto scaled = [&](Value x) { return s.sub(s.mul(x, sampler.number(options.scale)), sampler.number(options.offset)); };
  Value start = scaled(from), length = s.sub(scaled(to), start), zero = arith::ConstantIndexOp::create(s.b, s.loc, 0);
  if (options.offset == 0)
    length = s.max(length, sampler.number(1));
  Value size = s.div(length, sampler.number(static_cast<double>(bins)));
  Value count = arith::ConstantIndexOp::create(s.b, s.loc, options.samples);
  if (options.samples == 0) {
    count = Scalar{s.b, s.loc}.max(toIndex(math::CeilOp::create(s.b, s.loc, size)), zero);
  }
  Value begin = s.add(start, s.mul(s.real(bin), size)), step = s.div(size, s.real(count));
  if (options.samples != 0)
    return {begin, step, count, zero, count};
  // One more at either end than those from -1 to the extent, for rounding.
  Value half = sampler.number(0.5), low = s.sub(s.div(s.sub(sampler.number(-1), begin), step), half),
        high = s.sub(s.div(s.sub(s.real(extent), begin), step), half);
  Value first = toIndex(s.sub(sampler.floor(low), sampler.number(1))),
        end = toIndex(s.add(sampler.floor(high), sampler.number(3)));
  Scalar index{s.b, s.loc};
  return {begin, step, count, index.min(index.max(first, zero), count), index.max(index.min(end, count), zero)};
}

// The weighed elements around a sample, combined; a sample more than one element outside counts nothing. At the borders
// the outermost element stands for what is outside.
static Value sampleAt(Sampler &sampler, const RoiOptions &options, const Image &image, Value batch, Value channel,
                      std::array<Value, 2> at) {
  Scalar &s = sampler.s;
  ArrayRef<Value> extents = image.extents;
  SmallVector<SmallVector<Tap>> taps;
  Value inside = arith::ConstantIntOp::create(s.b, s.loc, 1, 1);
  for (auto [x, extent] : llvm::zip(at, extents)) {
    Value size = s.real(extent), last = s.sub(size, sampler.number(1));
    Value fits = arith::AndIOp::create(s.b, s.loc, s.lessEqual(sampler.number(-1), x), s.lessEqual(x, size));
    inside = arith::AndIOp::create(s.b, s.loc, inside, fits);
    SmallVector<Tap> pair = sampler.linearTaps(s.min(s.max(x, sampler.number(0)), last));
    pair[1].at = s.min(pair[1].at, last);
    taps.push_back(pair);
  }
  Value result;
  for (const Tap &row : taps[0])
    for (const Tap &column : taps[1]) {
      Value y = sampler.toIndex(row.at, extents[0]), x = sampler.toIndex(column.at, extents[1]);
      Value element = tensor::ExtractOp::create(s.b, s.loc, sampler.source, image.place(batch, channel, y, x));
      Value part = s.mul(s.mul(row.weight, column.weight), element);
      result = !result ? part : options.max ? s.max(result, part) : s.add(result, part);
    }
  return s.select(inside, result, sampler.number(0));
}

static FailureOr<RoiOptions> readRoiOptions(NodeContext &node) {
  RoiOptions options;
  options.height = node.getInt("output_height", 1);
  options.width = node.getInt("output_width", 1);
  options.samples = node.getInt("sampling_ratio", 0);
  options.scale = node.getFloat("spatial_scale", 1);
  std::string mode = node.getString("mode", "avg");
  std::string pixels =
      node.version() < 16 ? "output_half_pixel" : node.getString("coordinate_transformation_mode", "half_pixel");
  if (mode != "avg" && mode != "max")
    return node.refuse("mode '" + mode + "' is unknown; known: avg, max");
  if (pixels != "half_pixel" && pixels != "output_half_pixel")
    return node.refuse("coordinate_transformation_mode '" + pixels +
                       "' is unknown; known: half_pixel, output_half_pixel");
  if (options.height < 1 || options.width < 1 || options.samples < 0)
    return node.refuse("output_height and output_width must be positive, sampling_ratio not negative");
  options.max = mode == "max";
  options.offset = pixels == "half_pixel" ? 0.5 : 0;
  return options;
}

static LogicalResult lowerRoiAlign(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 2)) || failed(node.requireInputs(3)))
    return failure();
  FailureOr<RoiOptions> options = readRoiOptions(node);
  if (failed(options))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &rois = *node.input(1), &batches = *node.input(2);
  OpFoldResult edges = emitter.sizes.constant(4);
  if (x.rank() != 4 || rois.rank() != 2 || emitter.sizes.different(rois.sizes[1], edges) || batches.rank() != 1 ||
      !batches.isInteger())
    return node.refuse("needs x [n, c, h, w], regions [r, 4] and their integers [r] of batch");
  emitter.checkEqual(rois.sizes[1], edges, "RoiAlign: a region must have four edges");
  if (failed(requireElements(node, ArrayRef<OpFoldResult>(x.sizes).drop_front(2))))
    return failure();
  emitter.checkEqual(rois.sizes[0], batches.sizes[0], "RoiAlign: every region must have one index of batch");
  Image image(emitter, x);
  ArrayRef<Value> extents = image.extents;
  Value regions = emitter.value(rois), batchSize = emitter.sizes.value(x.sizes[0]);
  Tensor column = emitter.reshape(
      batches, {rois.sizes[0], emitter.sizes.constant(1), emitter.sizes.constant(1), emitter.sizes.constant(1)});
  Type type = x.elementType;
  auto element = [&](OpBuilder &b, Location loc, ValueRange v, ArrayRef<Value> bin) -> Value {
    Sampler sampler{{b, loc, type}, image.source};
    Scalar &s = sampler.s;
    Value batch = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]);
    batch = flow::CheckedIndexOp::create(b, loc, batch, batchSize);
    auto edge = [&](int64_t i) -> Value {
      Value index = arith::ConstantIndexOp::create(b, loc, i);
      return tensor::ExtractOp::create(b, loc, regions, ValueRange{bin[0], index});
    };
    Bin rows = binOf(sampler, *options, edge(1), edge(3), bin[2], options->height, extents[0]),
        columns = binOf(sampler, *options, edge(0), edge(2), bin[3], options->width, extents[1]);
    // Where no sample is looked at, or not every one, 0 is among them, also where the maximum is asked for.
    auto looked = [&](const Bin &bin) { return arith::SubIOp::create(b, loc, bin.end, bin.first).getResult(); };
    Value isWhole =
        arith::AndIOp::create(b, loc, s.equal(looked(rows), rows.count), s.equal(looked(columns), columns.count));
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value isEmpty = s.max(s.equal(rows.count, zero), s.equal(columns.count, zero));
    Value hasZero = s.max(isEmpty, s.equal(isWhole, s.constant(b.getI1Type(), 0)));
    Value init = options->max ? s.select(hasZero, sampler.number(0), arith::ConstantOp::create(b, loc, lowest(type)))
                              : sampler.number(0);
    Value result =
        loopOver(s, {rows.first, columns.first}, {rows.end, columns.end}, init, [&](Value i, Value j, Value sum) {
          auto place = [&](const Bin &bin, Value k) {
            return s.add(bin.start, s.mul(s.add(s.real(k), sampler.number(0.5)), bin.step));
          };
          Value sample = sampleAt(sampler, *options, image, batch, bin[1], {place(rows, i), place(columns, j)});
          return options->max ? s.max(sum, sample) : s.add(sum, sample);
        });
    Value total = s.mul(s.real(rows.count), s.real(columns.count));
    return options->max ? result : s.div(result, s.max(total, sampler.number(1)));
  };
  node.setOutput(0, image.generate(rois.sizes[0], options->height, options->width, {&column}, element));
  return success();
}

//===--- MaxRoiPool ----------------------------------------------------------------------------------------------===//

// The elements [from, to) of bin `bin` of a region's edges, both ends within it, cut to the tensor.
static std::pair<Value, Value> elementsOf(Sampler &sampler, double scale, Value from, Value to, Value bin, int64_t bins,
                                          Value extent) {
  Scalar &s = sampler.s;
  // Halves away from zero.
  auto rounded = [&](Value x) -> Value { return math::RoundOp::create(s.b, s.loc, s.mul(x, sampler.number(scale))); };
  Value start = rounded(from), one = sampler.number(1);
  Value length = s.max(s.add(s.sub(rounded(to), start), one), one);
  Value size = s.div(length, sampler.number(static_cast<double>(bins))), i = s.real(bin);
  Value first = s.add(sampler.floor(s.mul(i, size)), start);
  Value end = s.add(math::CeilOp::create(s.b, s.loc, s.mul(s.add(i, one), size)), start);
  Value limit = s.add(s.real(extent), one); // toIndex keeps below its size
  Value room = arith::AddIOp::create(s.b, s.loc, extent, arith::ConstantIndexOp::create(s.b, s.loc, 1));
  return {sampler.toIndex(s.min(first, limit), room), sampler.toIndex(s.min(end, limit), room)};
}

static LogicalResult lowerMaxRoiPool(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &rois = *node.input(1);
  std::optional<SmallVector<int64_t>> pooled = node.getInts("pooled_shape");
  OpFoldResult entries = emitter.sizes.constant(5);
  if (x.rank() != 4 || rois.rank() != 2 || emitter.sizes.different(rois.sizes[1], entries))
    return node.refuse("needs x [n, c, h, w] and regions [r, 5]");
  emitter.checkEqual(rois.sizes[1], entries, "MaxRoiPool: a region must have a batch and four edges");
  if (!pooled || pooled->size() != 2 || llvm::any_of(*pooled, [](int64_t size) { return size < 1; }))
    return node.refuse("pooled_shape must be two positive sizes");
  double scale = node.getFloat("spatial_scale", 1);
  Image image(emitter, x);
  ArrayRef<Value> extents = image.extents;
  Value regions = emitter.value(rois), batchSize = emitter.sizes.value(x.sizes[0]);
  Type type = x.elementType;
  auto element = [&](OpBuilder &b, Location loc, ValueRange, ArrayRef<Value> bin) {
    Sampler sampler{{b, loc, type}, image.source};
    Scalar &s = sampler.s;
    auto entry = [&](int64_t i) -> Value {
      Value index = arith::ConstantIndexOp::create(b, loc, i);
      return tensor::ExtractOp::create(b, loc, regions, ValueRange{bin[0], index});
    };
    Value batch = arith::IndexCastOp::create(b, loc, b.getIndexType(), convert(s, entry(0), type, b.getI64Type()));
    batch = flow::CheckedIndexOp::create(b, loc, batch, batchSize);
    auto rows = elementsOf(sampler, scale, entry(2), entry(4), bin[2], (*pooled)[0], extents[0]),
         columns = elementsOf(sampler, scale, entry(1), entry(3), bin[3], (*pooled)[1], extents[1]);
    Value isEmpty =
        arith::OrIOp::create(b, loc, s.lessEqual(rows.second, rows.first), s.lessEqual(columns.second, columns.first));
    Value init = s.select(isEmpty, sampler.number(0), arith::ConstantOp::create(b, loc, lowest(type)));
    return loopOver(s, {rows.first, columns.first}, {rows.second, columns.second}, init,
                    [&](Value i, Value j, Value best) {
                      SmallVector<Value> at = image.place(batch, bin[1], i, j);
                      return s.max(best, tensor::ExtractOp::create(b, loc, image.source, at));
                    });
  };
  node.setOutput(0, image.generate(rois.sizes[0], (*pooled)[0], (*pooled)[1], {}, element));
  return success();
}

void mlir::heddle::importer::registerRegions(LoweringTable &table) {
  table.add("RoiAlign", 10, lowerRoiAlign);
  table.add("MaxRoiPool", 1, lowerMaxRoiPool);
}
