// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GridSample and AffineGrid.
#include "compiler/Stages/Import/Onnx/Forms/ByCall.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Vision/Sampling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

enum class Interpolation { Nearest, Linear, Cubic };
enum class Outside { Zeros, Border, Reflection };

// How one coordinate of a grid becomes taps.
struct GridReader {
  Sampler sampler;
  Interpolation interpolation;
  Outside outside;
  bool alignCorners;

  Value low() { return sampler.number(alignCorners ? 0 : -0.5); }
  Value high(Value size) { return sampler.s.sub(size, sampler.number(alignCorners ? 1 : 0.5)); }
  Value clamp(Value x, Value size);
  Value reflect(Value x, Value size);
  // -1 … 1 to elements.
  Value denormalize(Value x, Value size);
  SmallVector<Tap> taps(Value x, Value size);
};

} // namespace

Value GridReader::clamp(Value x, Value size) {
  Scalar &s = sampler.s;
  return s.max(s.min(x, s.sub(size, sampler.number(1))), sampler.number(0));
}

// Back from the borders until it is between them: even and odd numbers of lengths passed start from different borders.
Value GridReader::reflect(Value x, Value size) {
  Scalar &s = sampler.s;
  Value from = low(), to = high(size), range = s.sub(to, from), isBefore = s.less(x, from), isAfter = s.less(to, x);
  Value beyond = s.select(isBefore, s.sub(from, x), s.sub(x, to));
  Value times = sampler.floor(s.div(beyond, range)), rest = s.sub(beyond, s.mul(times, range));
  Value half = s.mul(times, sampler.number(0.5)), isEven = s.equal(half, sampler.floor(half));
  Value fromLow = s.add(from, rest), fromHigh = s.sub(to, rest);
  Value before = s.select(isEven, fromLow, fromHigh), after = s.select(isEven, fromHigh, fromLow);
  return s.select(isBefore, before, s.select(isAfter, after, x));
}

Value GridReader::denormalize(Value x, Value size) {
  Scalar &s = sampler.s;
  Value one = sampler.number(1), shifted = s.add(x, one), half = sampler.number(0.5);
  return alignCorners ? s.mul(s.mul(shifted, half), s.sub(size, one)) : s.mul(s.sub(s.mul(shifted, size), one), half);
}

SmallVector<Tap> GridReader::taps(Value x, Value size) {
  Scalar &s = sampler.s;
  Value at = denormalize(x, size);
  if (interpolation == Interpolation::Nearest)
    at = math::RoundEvenOp::create(s.b, s.loc, at);
  // Four taps each have their place, as in PyTorch and ONNX Runtime: the weights are those of the place outside.
  bool moves = interpolation != Interpolation::Cubic;
  if (moves && outside == Outside::Border)
    at = clamp(at, size);
  else if (moves && outside == Outside::Reflection)
    at = reflect(at, size);
  SmallVector<Tap> taps{{at, {}}};
  if (interpolation == Interpolation::Linear)
    taps = sampler.linearTaps(at);
  else if (interpolation == Interpolation::Cubic)
    taps = sampler.cubicTaps(at);
  for (Tap &tap : taps)
    if (outside == Outside::Border)
      tap.at = clamp(tap.at, size);
    else if (outside == Outside::Reflection) // halves are cut off, and a dimension of one element has no length
      tap.at = clamp(sampler.floor(reflect(tap.at, size)), size);
  return taps;
}

// The tensor, whose size along `dim` the call has checked.
static Tensor withSize(Emitter &emitter, Tensor tensor, int64_t dim, int64_t size) {
  if (tensor.staticSize(dim))
    return tensor;
  Value value = emitter.value(tensor);
  SizeList sizes = tensor.sizes;
  sizes[dim] = emitter.sizes.constant(size);
  return emitter.fromValue(value, sizes, tensor.elementType);
}

static std::optional<Interpolation> readInterpolation(NodeContext &node) {
  std::string mode = node.getString("mode", node.version() < 20 ? "bilinear" : "linear");
  if (mode == "nearest")
    return Interpolation::Nearest;
  if (mode == "linear" || mode == "bilinear")
    return Interpolation::Linear;
  if (mode == "cubic" || mode == "bicubic")
    return Interpolation::Cubic;
  (void)node.refuse("mode '" + mode + "' is unknown; known: linear, nearest, cubic");
  return std::nullopt;
}

static std::optional<Outside> readOutside(NodeContext &node) {
  std::string mode = node.getString("padding_mode", "zeros");
  if (mode == "zeros")
    return Outside::Zeros;
  if (mode == "border")
    return Outside::Border;
  if (mode == "reflection")
    return Outside::Reflection;
  (void)node.refuse("padding_mode '" + mode + "' is unknown; known: zeros, border, reflection");
  return std::nullopt;
}

namespace {

struct GridOptions {
  Interpolation interpolation;
  Outside outside;
  bool alignCorners;

  int64_t tapsOfDim() const {
    return interpolation == Interpolation::Nearest ? 1 : interpolation == Interpolation::Linear ? 2 : 4;
  }
};

} // namespace

// Whether to sample with channels last, given channels for a vector: these share their place and lie side by side,
// where neighbouring places may lie anywhere. As many elements must be read as turning all of x moves.
static bool samplesChannelsLast(Emitter &emitter, const Tensor &x, const Tensor &grid, const GridOptions &options) {
  ArrayRef<OpFoldResult> image = ArrayRef<OpFoldResult>(x.sizes).drop_front(2),
                         places = ArrayRef<OpFoldResult>(grid.sizes).drop_front().drop_back();
  int64_t taps = 1;
  for (size_t d = 0; d < image.size(); ++d)
    taps *= options.tapsOfDim();
  std::optional<int64_t> elements = getConstantIntValue(emitter.sizes.product(image)),
                         samples = getConstantIntValue(emitter.sizes.product(places));
  return !elements || !samples || *samples * taps >= *elements;
}

// [n, c, o…] of x [n, c, s…] at the places of a grid [n, o…, d]; with channels last, [n, o…, c] of [n, s…, c].
static Tensor sampleAtGrid(Emitter &emitter, Tensor &x, Tensor &grid, const GridOptions &options, bool channelsLast) {
  int64_t dims = x.rank() - 2;
  SizeList shape(ArrayRef<OpFoldResult>(grid.sizes).drop_back());
  shape.insert(channelsLast ? shape.end() : shape.begin() + 1, channelsLast ? x.sizes.back() : x.sizes[1]);
  SmallVector<Value> extents;
  for (int64_t d = 0; d < dims; ++d)
    extents.push_back(emitter.sizes.value(x.sizes[(channelsLast ? 1 : 2) + d]));
  Value source = emitter.value(x), places = emitter.value(grid);
  Type type = x.elementType, gridType = grid.elementType;
  return emitter.generate(shape, type, {}, [&](OpBuilder &b, Location loc, ValueRange v) {
    GridReader reader{{{b, loc, type}, source}, options.interpolation, options.outside, options.alignCorners};
    SmallVector<SmallVector<Tap>> taps;
    for (int64_t d = 0; d < dims; ++d) {
      SmallVector<Value> at{v[0]};
      llvm::append_range(at, v.slice(channelsLast ? 1 : 2, dims));
      at.push_back(arith::ConstantIndexOp::create(b, loc, dims - 1 - d));
      Value place = tensor::ExtractOp::create(b, loc, places, at);
      taps.push_back(reader.taps(convert(reader.sampler.s, place, gridType, type), reader.sampler.s.real(extents[d])));
    }
    return channelsLast ? reader.sampler.sum({v[0]}, taps, extents, {v.back()})
                        : reader.sampler.sum({v[0], v[1]}, taps, extents);
  });
}

// x [n, c, s…] at the places of a grid [n, o…, d], whose coordinates are in the reverse order of the d dimensions s.
static LogicalResult lowerGridSample(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireFloat(node, 1)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), grid = *node.input(1);
  std::optional<Interpolation> interpolation = readInterpolation(node);
  std::optional<Outside> outside = readOutside(node);
  if (!interpolation || !outside)
    return failure();
  int64_t dims = x.rank() - 2;
  OpFoldResult depth = emitter.sizes.constant(dims);
  if (dims < 1 || dims > 3 || grid.rank() != x.rank() || emitter.sizes.different(grid.sizes[dims + 1], depth))
    return node.refuse("needs x [n, c, s…] of 1 to 3 dimensions s and a grid [n, o…, d] of their number d");
  emitter.checkEqual(grid.sizes[dims + 1], depth, "GridSample: the grid must have a coordinate for each dimension");
  grid = withSize(emitter, grid, dims + 1, dims);
  if (emitter.sizes.different(x.sizes[0], grid.sizes[0]))
    return node.refuse("x and the grid must have the same batch size");
  emitter.checkEqual(x.sizes[0], grid.sizes[0], "GridSample: x and the grid must have the same batch size");
  if (failed(requireElements(node, ArrayRef<OpFoldResult>(x.sizes).drop_front(2))))
    return failure();
  GridOptions options{*interpolation, *outside, node.getInt("align_corners", 0) != 0};
  auto channelsFirst = [&] { return sampleAtGrid(emitter, x, grid, options, false); };
  auto channelsLast = [&] {
    SmallVector<int64_t> toLast = llvm::to_vector(llvm::seq<int64_t>(x.rank()));
    std::rotate(toLast.begin() + 1, toLast.begin() + 2, toLast.end());
    Tensor image = emitter.transpose(x, toLast), sampled = sampleAtGrid(emitter, image, grid, options, true);
    return emitter.transpose(sampled, invertPermutationVector(toLast));
  };
  SizeList shape(ArrayRef<OpFoldResult>(grid.sizes).drop_back());
  shape.insert(shape.begin() + 1, x.sizes[1]);
  OpFoldResult isFew = emitter.sizes.isLess(x.sizes[1], emitter.sizes.constant(emitter.forms.vectorChannels));
  (void)emitter.value(x), (void)emitter.value(grid);
  node.setOutput(0, samplesChannelsLast(emitter, x, grid, options)
                        ? byCall(emitter, {isFew}, shape, x.elementType, channelsFirst, channelsLast)
                        : channelsFirst());
  return success();
}

// theta [n, d, d + 1] times the places (x, y[, z], 1) of a grid [n, s…] from -1 to 1: [n, s…, d].
static LogicalResult lowerAffineGrid(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(node.requireInputs(2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor theta = *node.input(0);
  std::optional<SizeList> size = node.readContents(1);
  int64_t told = size ? static_cast<int64_t>(size->size()) - 2 : 0;
  int64_t dims = theta.rank() == 3 ? theta.staticSize(1).value_or(told) : 0;
  OpFoldResult rows = emitter.sizes.constant(dims), columns = emitter.sizes.constant(dims + 1);
  if ((dims != 2 && dims != 3) || emitter.sizes.different(theta.sizes[1], rows) ||
      emitter.sizes.different(theta.sizes[2], columns))
    return node.refuse("theta must be [n, 2, 3] or [n, 3, 4]");
  emitter.checkEqual(theta.sizes[1], rows, "AffineGrid: theta must have a row for each dimension");
  emitter.checkEqual(theta.sizes[2], columns, "AffineGrid: theta must have a column more than rows");
  theta = withSize(emitter, withSize(emitter, theta, 1, dims), 2, dims + 1);
  if (!size || static_cast<int64_t>(size->size()) != dims + 2)
    return node.refuse("the size must be a list of " + Twine(dims + 2) + " integers");
  emitter.requireSizes(*size, "AffineGrid: a size must not be negative");
  emitter.checkEqual(theta.sizes[0], size->front(), "AffineGrid: theta and the size must have the same batch size");
  bool align = node.getInt("align_corners", 0) != 0;
  SizeList shape{theta.sizes[0]};
  llvm::append_range(shape, ArrayRef<OpFoldResult>(*size).drop_front(2));
  shape.push_back(emitter.sizes.constant(dims));
  SmallVector<Value> extents;
  for (int64_t d = 0; d < dims; ++d)
    extents.push_back(emitter.sizes.value(shape[1 + d]));
  Value matrix = emitter.value(theta);
  Type type = theta.elementType;
  node.setOutput(0, emitter.generate(shape, type, {}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Sampler real{{b, loc, type}, {}};
    Scalar &s = real.s;
    auto entry = [&](int64_t column) -> Value {
      Value index = arith::ConstantIndexOp::create(b, loc, column);
      return tensor::ExtractOp::create(b, loc, matrix, ValueRange{v[0], v[1 + dims], index});
    };
    Value sum = entry(dims), one = real.number(1), two = real.number(2);
    for (int64_t d = 0; d < dims; ++d) {
      Value i = s.real(v[1 + d]), count = s.real(extents[d]);
      // Of a single place the first corner, not a quotient of zeros.
      Value place = align ? s.sub(s.div(s.mul(two, i), s.max(s.sub(count, one), one)), one)
                          : s.sub(s.div(s.add(s.mul(two, i), one), count), one);
      sum = s.add(sum, s.mul(entry(dims - 1 - d), place));
    }
    return sum;
  }));
  return success();
}

void mlir::heddle::importer::registerGridSample(LoweringTable &table) {
  table.add("GridSample", 16, lowerGridSample);
  table.add("AffineGrid", 20, lowerAffineGrid);
}
