// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ReverseSequence and CenterCropPad.
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// The first elements along the time axis, as many as the sequence of a batch is long, in reverse.
static LogicalResult lowerReverseSequence(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &lengths = *node.input(1);
  int64_t batch = node.getInt("batch_axis", 1), time = node.getInt("time_axis", 0);
  if (x.rank() < 2 || std::min(batch, time) != 0 || std::max(batch, time) != 1)
    return node.refuse("batch_axis and time_axis must be 0 and 1 or 1 and 0, got " + Twine(batch) + " and " +
                       Twine(time));
  if (!lengths.isInteger() || lengths.rank() != 1 || emitter.sizes.different(lengths.sizes[0], x.sizes[batch]))
    return node.refuse("sequence_lens must have one integer for each batch");
  emitter.checkEqual(lengths.sizes[0], x.sizes[batch], "ReverseSequence: every batch must have one length");
  SizeList aligned(x.rank() - batch, emitter.sizes.constant(1));
  aligned[0] = lengths.sizes[0];
  Tensor wide = emitter.reshape(lengths, aligned);
  Value source = emitter.value(x),
        limit = emitter.sizes.value(emitter.sizes.add(x.sizes[time], emitter.sizes.constant(1)));
  node.setOutput(
      0, emitter.generate(x.sizes, x.elementType, {&wide}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Scalar s{b, loc};
        Value length = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]);
        length = flow::CheckedIndexOp::create(b, loc, length, limit);
        SmallVector<Value> at(v.drop_front());
        Value i = at[time], last = s.sub(length, arith::ConstantIndexOp::create(b, loc, 1));
        at[time] = s.select(s.less(i, length), s.sub(last, i), i);
        return tensor::ExtractOp::create(b, loc, source, at);
      }));
  return success();
}

// Cut or filled with zeros at both ends; of an odd number of elements the end has one more.
static LogicalResult lowerCenterCropPad(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &x = *node.input(0);
  std::optional<SmallVector<int64_t>> axes = node.getInts("axes");
  axes = node.normalizeAxes(axes ? *axes : llvm::to_vector(llvm::seq<int64_t>(0, x.rank())), x.rank());
  if (!axes)
    return failure();
  std::optional<SizeList> given = node.readContents(1);
  if (!given || given->size() != axes->size())
    return node.refuse("the shape must be a list of " + Twine(axes->size()) + " integers");
  emitter.requireSizes(*given, "CenterCropPad: a size must not be negative");
  OpFoldResult zero = sizes.constant(0), two = sizes.constant(2);
  SizeList offsets(x.rank(), zero), extents = x.sizes, low = offsets, high = offsets, shape = x.sizes;
  for (auto [axis, size] : llvm::zip(*axes, *given)) {
    OpFoldResult surplus = sizes.max(zero, sizes.sub(x.sizes[axis], size)),
                 missing = sizes.max(zero, sizes.sub(size, x.sizes[axis]));
    offsets[axis] = sizes.floorDiv(surplus, two);
    extents[axis] = sizes.sub(x.sizes[axis], surplus);
    low[axis] = sizes.floorDiv(missing, two);
    high[axis] = sizes.sub(missing, low[axis]);
    shape[axis] = size;
  }
  Tensor cut = emitter.slice(x, offsets, extents, SmallVector<int64_t>(x.rank(), 1));
  Value fill = arith::ConstantOp::create(emitter.builder, emitter.loc, makeAttribute(x.elementType, 0));
  auto type = RankedTensorType::get(shapeOf(shape), storageType(x.elementType));
  Value padded = tensor::PadOp::create(emitter.builder, emitter.loc, type, emitter.value(cut), low, high, fill);
  node.setOutput(0, emitter.fromValue(padded, shape, x.elementType));
  return success();
}

void mlir::heddle::importer::registerReordering(LoweringTable &table) {
  table.add("ReverseSequence", 10, lowerReverseSequence);
  table.add("CenterCropPad", 18, lowerCenterCropPad);
}
