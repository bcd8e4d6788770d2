// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DFT, STFT, windows and MelWeightMatrix.
#include "compiler/Stages/Import/Emit/Numerics/Fourier.h"
#include "compiler/Stages/Import/Onnx/Forms/AxisOfCall.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numbers>

using namespace mlir;
using namespace mlir::heddle::importer;

// Sets the length, where none is given to the default for a signal of `count` elements. Refuses what is no length.
static LogicalResult chooseLength(NodeContext &node, FourierTransform &transform, OpFoldResult count) {
  OpFoldResult &length = transform.length;
  Sizes &sizes = node.emitter.sizes;
  OpFoldResult one = sizes.constant(1);
  if (!length)
    length = transform.givesReal() ? sizes.mul(sizes.constant(2), sizes.sub(count, one)) : count;
  if (std::optional<int64_t> known = getConstantIntValue(length);
      known && (*known < 1 || *known > FourierTransform::kMaximumLength))
    return node.refuse("the length of the transform must be from 1 to " + Twine(FourierTransform::kMaximumLength) +
                       ", got " + Twine(*known));
  if (std::optional<int64_t> known = getConstantIntValue(length);
      known && !FourierTransform::isSupported(*known, node.emitter.forms))
    return node.unsupported("a transform of length " + Twine(*known) +
                            ", which has large prime factors, is not supported; pad the signal to a power of two");
  node.emitter.checkLessEqual(one, length, node.op() + ": the length of the transform must be positive");
  length = sizes.max(one, length);
  return success();
}

//===--- DFT -----------------------------------------------------------------------------------------------------===//

// The one integer of an input, which may be one that only the call knows; nothing after a refusal.
static std::optional<OpFoldResult> readInteger(NodeContext &node, size_t i, StringRef what) {
  Tensor *tensor = node.input(i);
  std::optional<SizeList> list = tensor && tensor->staticCount() == 1 ? node.readContents(i) : std::nullopt;
  if (list)
    return list->front();
  (void)node.refuse(what + " must be one integer");
  return std::nullopt;
}

// A positive size.
static std::optional<OpFoldResult> readLength(NodeContext &node, size_t i, StringRef what) {
  std::optional<OpFoldResult> length = readInteger(node, i, what);
  if (!length)
    return std::nullopt;
  Sizes &sizes = node.emitter.sizes;
  if (sizes.lessEqual(*length, sizes.constant(0))) {
    (void)node.refuse(what + " must be positive");
    return std::nullopt;
  }
  node.emitter.checkLessEqual(sizes.constant(1), *length, node.op() + ": " + what + " must be positive");
  return sizes.max(sizes.constant(1), *length);
}

// The operand [outer, n, inner, parts] split at an axis that only the call knows, and its sizes with another length.
static LogicalResult transformAtCall(NodeContext &node, FourierTransform transform) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &x = *node.input(0);
  std::optional<OpFoldResult> axis = readInteger(node, 2, "the axis");
  if (!axis)
    return failure();
  ArrayRef<OpFoldResult> signal = ArrayRef<OpFoldResult>(x.sizes).drop_back();
  // Negative axes count the last dimension too.
  OpFoldResult fromFront = emitter.fromFront(*axis, sizes.constant(x.rank())), one = sizes.constant(1);
  SizeList marks = emitter.marked({fromFront}, x.rank() - 1), split = splitAtMark(emitter, signal, marks), shape;
  split.push_back(x.sizes.back());
  if (failed(chooseLength(node, transform, split[1])))
    return failure();
  Tensor parts = emitter.reshape(x, split);
  Tensor result = fourier(emitter, parts, transform);
  for (auto [size, mark] : llvm::zip(signal, marks))
    shape.push_back(emitter.choose(mark, one, result.sizes[1], size));
  shape.push_back(result.sizes.back());
  node.setOutput(0, emitter.reshape(result, shape));
  return success();
}

static LogicalResult lowerDft(NodeContext &node, int64_t axis) {
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  std::optional<int64_t> parts = x.rank() < 2 ? std::nullopt : x.staticSize(x.rank() - 1);
  if (parts != 1 && parts != 2)
    return node.refuse("the last dimension must be 1 (real) or 2 (complex)");
  FourierTransform transform;
  transform.inverse = node.getInt("inverse", 0) != 0;
  transform.oneSided = node.getInt("onesided", 0) != 0;
  if (transform.inverse && transform.oneSided && parts != 2)
    return node.refuse("the inverse of a one-sided transform needs a complex operand");
  if (node.input(1)) {
    std::optional<OpFoldResult> length = readLength(node, 1, "dft_length");
    if (!length)
      return failure();
    transform.length = *length;
  }
  if (node.input(2) && !node.constantInts(2))
    return transformAtCall(node, transform);
  if (node.input(2)) {
    std::optional<SmallVector<int64_t>> given = node.constantInts(2);
    if (given->size() != 1)
      return node.refuse("the axis must be one integer");
    axis = given->front();
  }
  std::optional<int64_t> normal = node.normalizeAxis(axis, x.rank());
  if (!normal)
    return failure();
  if (*normal == x.rank() - 1)
    return node.refuse("the axis must not be the last dimension, which holds real and imaginary part");
  ArrayRef<OpFoldResult> all(x.sizes);
  if (failed(chooseLength(node, transform, all[*normal])))
    return failure();
  Tensor split = emitter.reshape(x, {emitter.sizes.product(all.take_front(*normal)), all[*normal],
                                     emitter.sizes.product(all.drop_back().drop_front(*normal + 1)), all.back()});
  Tensor result = fourier(emitter, split, transform);
  SizeList shape(all);
  shape[*normal] = result.sizes[1];
  shape.back() = result.sizes.back();
  node.setOutput(0, emitter.reshape(result, shape));
  return success();
}

static LogicalResult lowerDft17(NodeContext &node) {
  return failed(requireFloat(node, 0)) ? failure() : lowerDft(node, node.getInt("axis", 1));
}

static LogicalResult lowerDft20(NodeContext &node) {
  return failed(requireFloat(node, 0)) ? failure() : lowerDft(node, -2);
}

//===--- STFT ----------------------------------------------------------------------------------------------------===//

// Frames of the signal [batch, length, parts], times the window: [batch, frames, frame, parts].
static Tensor framesOf(Emitter &emitter, Tensor &signal, Tensor *window, OpFoldResult frame, OpFoldResult step) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult one = sizes.constant(1), room = sizes.sub(signal.sizes[1], frame);
  OpFoldResult count = sizes.max(sizes.constant(0), sizes.add(sizes.floorDiv(room, step), one));
  SizeList shape{signal.sizes[0], count, frame, signal.sizes[2]};
  Value source = emitter.value(signal), stride = sizes.value(step);
  Tensor weights = window ? emitter.reshape(*window, {frame, one}) : makeScalar(emitter, signal.elementType, 1);
  return emitter.generate(shape, signal.elementType, {&weights}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    Value at = s.add(s.mul(v[2], stride), v[3]);
    Value element = tensor::ExtractOp::create(b, loc, source, ValueRange{v[1], at, v[4]});
    return window ? s.mul(element, v[0]) : element;
  });
}

static LogicalResult lowerStft(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(node.requireInputs(2)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor signal = *node.input(0), *window = node.input(2);
  if (signal.rank() == 2) { // real, as ONNX Runtime takes it
    SizeList shape = signal.sizes;
    shape.push_back(sizes.constant(1));
    signal = emitter.reshape(signal, shape);
  }
  std::optional<int64_t> parts = signal.rank() == 3 ? signal.staticSize(2) : std::nullopt;
  if (parts != 1 && parts != 2)
    return node.refuse(
        "the signal must be [batch, length] or [batch, length, 1] (real), or [batch, length, 2] (complex)");
  if (window && (window->rank() != 1 || window->elementType != signal.elementType))
    return node.refuse("the window must be a list of the signal's type");
  std::optional<OpFoldResult> step = readLength(node, 1, "frame_step");
  if (!step)
    return failure();
  OpFoldResult frame = window ? window->sizes[0] : signal.sizes[1];
  if (node.input(3)) {
    std::optional<OpFoldResult> length = readLength(node, 3, "frame_length");
    if (!length)
      return failure();
    if (window && sizes.different(frame, *length))
      return node.refuse("the window must have frame_length elements");
    if (window)
      emitter.checkEqual(frame, *length, "STFT: the window must have frame_length elements");
    frame = window ? frame : *length;
  }
  emitter.checkLessEqual(frame, signal.sizes[1], "STFT: the signal must not be shorter than a frame");
  FourierTransform transform;
  transform.length = frame;
  transform.oneSided = node.getInt("onesided", 1) != 0;
  if (failed(chooseLength(node, transform, frame)))
    return failure();
  Tensor frames = framesOf(emitter, signal, window, transform.length, *step);
  OpFoldResult batch = signal.sizes[0], count = frames.sizes[1];
  Tensor rows =
      emitter.reshape(frames, {sizes.mul(batch, count), transform.length, sizes.constant(1), signal.sizes[2]});
  Tensor result = fourier(emitter, rows, transform);
  node.setOutput(0, emitter.reshape(result, {batch, count, result.sizes[1], result.sizes[3]}));
  return success();
}

//===--- Windows -------------------------------------------------------------------------------------------------===//

// The element type that attribute output_datatype names; null after a refusal.
static Type outputType(NodeContext &node) {
  Type type = getElementType(node.emitter.builder.getContext(), node.getInt("output_datatype", 1));
  if (!type)
    (void)node.unsupported("output_datatype is not supported");
  return type;
}

// What values of a type are computed in.
static Type computedAs(Builder &b, Type type) { return type.isF64() ? type : Type(b.getF32Type()); }

// a - b cos(2 pi i / n) + c cos(4 pi i / n), with n the size, or for a symmetric window one less.
static LogicalResult setWindow(NodeContext &node, double a, double b, double c) {
  Emitter &emitter = node.emitter;
  std::optional<OpFoldResult> read = readInteger(node, 0, "the size");
  Type type = outputType(node);
  if (!read || !type)
    return failure();
  SizeList shape{*read};
  emitter.requireSizes(shape, node.op() + ": the size must not be negative");
  bool periodic = node.getInt("periodic", 1) != 0;
  Value size = emitter.sizes.value(periodic ? shape[0] : emitter.sizes.sub(shape[0], emitter.sizes.constant(1)));
  node.setOutput(0, emitter.generate(shape, type, {}, [&](OpBuilder &builder, Location loc, ValueRange v) {
    Scalar s{builder, loc, computedAs(builder, type)};
    auto number = [&](double value) { return s.constant(s.type, value); };
    auto cosine = [&](double turns) -> Value {
      Value angle = s.div(s.mul(s.real(v[0]), number(2 * std::numbers::pi * turns)), s.max(s.real(size), number(1)));
      return math::CosOp::create(builder, loc, angle);
    };
    Value sum = s.sub(number(a), s.mul(number(b), cosine(1)));
    if (c != 0)
      sum = s.add(sum, s.mul(number(c), cosine(2)));
    return convert(s, sum, s.type, type);
  }));
  return success();
}

static LogicalResult lowerHann(NodeContext &node) { return setWindow(node, 0.5, 0.5, 0); }
static LogicalResult lowerHamming(NodeContext &node) { return setWindow(node, 25.0 / 46, 21.0 / 46, 0); }
static LogicalResult lowerBlackman(NodeContext &node) { return setWindow(node, 0.42, 0.5, 0.08); }

//===--- MelWeightMatrix -----------------------------------------------------------------------------------------===//

namespace {

// The mel scale, with equal steps from the lower to the upper edge.
struct MelScale {
  Scalar s;
  Value low, step, rate, length;

  Value number(double value) { return s.constant(s.type, value); }
  static Value melOf(Scalar &s, Value hertz) {
    auto number = [&](double value) { return s.constant(s.type, value); };
    Value ratio = s.add(number(1), s.div(hertz, number(700)));
    return s.mul(number(2595 / std::numbers::ln10), s.log(ratio));
  }
  // The spectrogram's bin where step `i` of the scale lies, a whole number.
  Value binOf(Value i) {
    Value mel = s.add(s.mul(i, step), low);
    Value power = s.exp(s.mul(mel, number(std::numbers::ln10 / 2595)));
    Value hertz = s.mul(number(700), s.sub(power, number(1)));
    return math::FloorOp::create(s.b, s.loc, s.div(s.mul(s.add(length, number(1)), hertz), rate));
  }
};

// The weight of bin `j` in the triangle over three bins that follow each other. One quotient for either side.
Value triangleAt(Scalar &s, Value j, Value left, Value center, Value right) {
  Value zero = s.constant(s.type, 0), one = s.constant(s.type, 1);
  Value inFall = arith::AndIOp::create(s.b, s.loc, s.lessEqual(center, j), s.less(j, right));
  Value inRise = arith::AndIOp::create(s.b, s.loc, s.lessEqual(left, j), s.lessEqual(j, center));
  Value side = s.select(inFall, s.sub(right, center), s.sub(center, left));
  Value part = s.select(inFall, s.sub(right, j), s.sub(j, left)), isEmpty = s.equal(side, zero);
  // Of a side without length only the peak is left.
  Value share = s.select(isEmpty, one, s.div(part, s.select(isEmpty, one, side)));
  return s.select(arith::OrIOp::create(s.b, s.loc, inFall, inRise), share, zero);
}

} // namespace

static LogicalResult lowerMelWeightMatrix(NodeContext &node) {
  if (failed(node.requireInputs(5)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  std::optional<OpFoldResult> bins = readLength(node, 0, "num_mel_bins"), length = readLength(node, 1, "dft_length"),
                              rate = readLength(node, 2, "sample_rate");
  Type type = outputType(node);
  if (!bins || !length || !rate || !type)
    return failure();
  for (size_t i : {3, 4})
    if (!node.input(i)->isFloat() || node.input(i)->staticCount() != 1)
      return node.refuse("lower_edge_hertz and upper_edge_hertz must be one float each");
  Tensor lower = emitter.reshape(*node.input(3), {}), upper = emitter.reshape(*node.input(4), {});
  Type given = lower.elementType, givenUpper = upper.elementType;
  SizeList shape{sizes.add(sizes.floorDiv(*length, sizes.constant(2)), sizes.constant(1)), *bins};
  Value count = sizes.value(*bins), lengthValue = sizes.value(*length), rateValue = sizes.value(*rate);
  // Each mel bin's weights take three of the edges, which are computed once.
  Type computed = computedAs(emitter.builder, type);
  OpFoldResult two = sizes.constant(2);
  Tensor edges = emitter.generate(
      {sizes.add(*bins, two)}, computed, {&lower, &upper}, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar s{b, loc, computed};
        Value low = MelScale::melOf(s, convert(s, v[0], given, s.type)),
              high = MelScale::melOf(s, convert(s, v[1], givenUpper, s.type));
        Value steps = s.add(s.real(count), s.constant(s.type, 2));
        MelScale scale{s, low, s.div(s.sub(high, low), steps), s.real(rateValue), s.real(lengthValue)};
        return scale.binOf(s.real(v[2]));
      });
  auto edgesFrom = [&](int64_t first) { return emitter.slice(edges, {sizes.constant(first)}, {*bins}, {1}); };
  Tensor left = edgesFrom(0), center = edgesFrom(1), right = edgesFrom(2);
  node.setOutput(0,
                 emitter.generate(shape, type, {&left, &center, &right}, [&](OpBuilder &b, Location loc, ValueRange v) {
                   Scalar s{b, loc, computed};
                   return convert(s, triangleAt(s, s.real(v[3]), v[0], v[1], v[2]), s.type, type);
                 }));
  return success();
}

void mlir::heddle::importer::registerSignal(LoweringTable &table) {
  table.add("DFT", 17, lowerDft17);
  table.add("DFT", 20, lowerDft20);
  table.add("STFT", 17, lowerStft);
  table.add("HannWindow", 17, lowerHann);
  table.add("HammingWindow", 17, lowerHamming);
  table.add("BlackmanWindow", 17, lowerBlackman);
  table.add("MelWeightMatrix", 17, lowerMelWeightMatrix);
}
