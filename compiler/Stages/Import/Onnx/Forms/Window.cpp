// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Forms/Window.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

// Larger values are no window of a real model, and their products would overflow.
static constexpr int64_t kMaximum = 1 << 24;

LogicalResult mlir::heddle::importer::readList(NodeContext &node, StringRef name, int64_t count, int64_t least,
                                               int64_t otherwise, SmallVector<int64_t> &list) {
  list = node.getInts(name).value_or(SmallVector<int64_t>(count, otherwise));
  if (static_cast<int64_t>(list.size()) != count)
    return node.refuse("attribute '" + name + "' must have " + Twine(count) + " entries, got " + Twine(list.size()));
  for (int64_t entry : list)
    if (entry < least || entry > kMaximum)
      return node.refuse("attribute '" + name + "' has an entry " + Twine(entry) + " that is out of range");
  return success();
}

// SAME: as many outputs as strides fit in the input; the odd padding at the end (UPPER) or the start (LOWER).
static void padSame(Sizes &sizes, Window &window, ArrayRef<OpFoldResult> input, bool upper) {
  for (int64_t d = 0; d < window.rank(); ++d) {
    OpFoldResult stride = sizes.constant(window.strides[d]), outputs = sizes.ceilDiv(input[d], stride);
    OpFoldResult needed =
        sizes.add(sizes.mul(sizes.sub(outputs, sizes.constant(1)), stride), sizes.constant(window.span(d)));
    OpFoldResult total = sizes.max(sizes.constant(0), sizes.sub(needed, input[d]));
    OpFoldResult half = sizes.floorDiv(total, sizes.constant(2)), rest = sizes.sub(total, half);
    window.before.push_back(upper ? half : rest);
    window.after.push_back(upper ? rest : half);
  }
}

static LogicalResult readPads(NodeContext &node, Window &window, ArrayRef<OpFoldResult> input) {
  std::string automatic = node.getString("auto_pad", "NOTSET");
  Sizes &sizes = node.emitter.sizes;
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    padSame(sizes, window, input, automatic == "SAME_UPPER");
    return success();
  }
  if (automatic != "NOTSET" && automatic != "VALID")
    return node.refuse("attribute 'auto_pad' is '" + automatic + "'; known: NOTSET, VALID, SAME_UPPER, SAME_LOWER");
  SmallVector<int64_t> pads(2 * window.rank(), 0);
  if (automatic == "NOTSET" && failed(readList(node, "pads", 2 * window.rank(), 0, 0, pads)))
    return failure();
  for (int64_t d = 0; d < window.rank(); ++d) {
    window.before.push_back(sizes.constant(pads[d]));
    window.after.push_back(sizes.constant(pads[d + window.rank()]));
  }
  return success();
}

static LogicalResult computeOutput(NodeContext &node, Window &window, ArrayRef<OpFoldResult> input) {
  Sizes &sizes = node.emitter.sizes;
  bool ceil = node.getInt("ceil_mode", 0) != 0;
  for (int64_t d = 0; d < window.rank(); ++d) {
    OpFoldResult stride = sizes.constant(window.strides[d]);
    OpFoldResult padded = sizes.add(sizes.add(input[d], window.before[d]), window.after[d]);
    window.padded.push_back(padded);
    // With ceil_mode the last window may end behind the operand, by less than a stride.
    int64_t beyond = ceil ? window.strides[d] - 1 : 0;
    OpFoldResult room = sizes.add(sizes.sub(padded, sizes.constant(window.span(d))), sizes.constant(beyond));
    if (std::optional<int64_t> fixed = getConstantIntValue(room); fixed && *fixed < 0)
      return node.refuse("the window is larger than the padded operand in spatial dimension " + Twine(d));
    node.emitter.checkLessEqual(sizes.constant(0), room, "the operand is smaller than the window");
    OpFoldResult count = sizes.add(sizes.floorDiv(room, stride), sizes.constant(1));
    if (ceil) {
      // A window must start inside the operand or its left padding.
      OpFoldResult starts = sizes.ceilDiv(sizes.add(input[d], window.before[d]), stride);
      count = sizes.min(count, starts);
      OpFoldResult reach =
          sizes.add(sizes.mul(sizes.sub(count, sizes.constant(1)), stride), sizes.constant(window.span(d)));
      window.after[d] = sizes.add(window.after[d], sizes.max(sizes.constant(0), sizes.sub(reach, padded)));
    }
    window.output.push_back(count);
  }
  return success();
}

FailureOr<Window> mlir::heddle::importer::readWindow(NodeContext &node, ArrayRef<int64_t> kernel) {
  Window window;
  ArrayRef<OpFoldResult> input = ArrayRef<OpFoldResult>(node.input(0)->sizes).drop_front(2);
  int64_t rank = input.size();
  SmallVector<int64_t> named;
  if (kernel.empty() && !node.hasAttribute("kernel_shape"))
    return node.refuse("needs the attribute kernel_shape");
  if (node.hasAttribute("kernel_shape") && failed(readList(node, "kernel_shape", rank, 1, 1, named)))
    return failure();
  window.kernel = kernel.empty() ? named : SmallVector<int64_t>(kernel);
  if (!named.empty() && named != window.kernel)
    return node.refuse("attribute 'kernel_shape' is not the shape of the weights");
  if (static_cast<int64_t>(window.kernel.size()) != rank ||
      llvm::any_of(window.kernel, [](int64_t k) { return k < 1 || k > kMaximum; }))
    return node.refuse("the shape of the weights does not fit the operand");
  if (failed(readList(node, "strides", rank, 1, 1, window.strides)) ||
      failed(readList(node, "dilations", rank, 1, 1, window.dilations)) || failed(readPads(node, window, input)) ||
      failed(computeOutput(node, window, input)))
    return failure();
  return window;
}

// A single window reads no more than its span. What lies behind goes: without a loop over windows the operand's size
// must be what the taps reach.
static Tensor cropForWindow(Emitter &emitter, Tensor &padded, const Window &window) {
  Sizes &sizes = emitter.sizes;
  SizeList extents = padded.sizes;
  for (int64_t d = 0; d < window.rank(); ++d)
    if (getConstantIntValue(window.output[d]) == 1)
      extents[d + 2] = sizes.constant(window.span(d));
  return emitter.slice(padded, SizeList(padded.rank(), sizes.constant(0)), extents,
                       SmallVector<int64_t>(padded.rank(), 1));
}

Tensor mlir::heddle::importer::padForWindow(Emitter &emitter, Tensor &operand, const Window &window, TypedAttr value) {
  Sizes &sizes = emitter.sizes;
  auto isZero = [](OpFoldResult size) { return getConstantIntValue(size) == 0; };
  if (llvm::all_of(window.before, isZero) && llvm::all_of(window.after, isZero))
    return cropForWindow(emitter, operand, window);
  SizeList low(2, sizes.constant(0)), high = low, shape{operand.sizes[0], operand.sizes[1]};
  for (int64_t d = 0; d < window.rank(); ++d) {
    low.push_back(window.before[d]);
    high.push_back(window.after[d]);
    shape.push_back(sizes.add(sizes.add(operand.sizes[d + 2], low.back()), high.back()));
  }
  Value fill = arith::ConstantOp::create(emitter.builder, emitter.loc, value);
  auto type = RankedTensorType::get(shapeOf(shape), storageType(operand.elementType));
  Tensor padded = emitter.fromValue(
      tensor::PadOp::create(emitter.builder, emitter.loc, type, emitter.value(operand), low, high, fill), shape,
      operand.elementType);
  return cropForWindow(emitter, padded, window);
}
