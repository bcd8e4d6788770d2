// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ScatterND and ScatterElements: positions first, then one update after the other.
#include "compiler/Stages/Import/Emit/Rows/ParallelRows.h"
#include "compiler/Stages/Import/Emit/Rows/ScatterSorted.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

using Combine = Value (*)(Scalar &, Value, Value);

// How a written element meets what is there; null for "none", where the last one stays.
static LogicalResult readReduction(NodeContext &node, Combine &combine) {
  std::string kind = node.getString("reduction", "none");
  combine = nullptr;
  if (kind == "add")
    combine = [](Scalar &s, Value x, Value y) { return s.add(x, y); };
  else if (kind == "mul")
    combine = [](Scalar &s, Value x, Value y) { return s.mul(x, y); };
  else if (kind == "max")
    combine = [](Scalar &s, Value x, Value y) { return s.max(x, y); };
  else if (kind == "min")
    combine = [](Scalar &s, Value x, Value y) { return s.min(x, y); };
  else if (kind != "none")
    return node.refuse("reduction '" + kind + "' is unknown; known: none, add, mul, max, min");
  return success();
}

// An index counted from the front, as an i64; one out of range fails the call.
static Value checkedPosition(Scalar &s, Value element, Value size) {
  Value index = arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), element);
  Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0);
  index = s.select(s.less(index, zero), s.add(index, size), index);
  return flow::CheckedIndexOp::create(s.b, s.loc, index, size);
}

static Value toI64(Scalar &s, Value index) { return arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), index); }

// The positions in a list of `sizes` dimensions that the rows of `indices` [count, sizes.size()] name, flat: [count].
static Tensor flatPositions(Emitter &emitter, Tensor &indices, ArrayRef<OpFoldResult> sizes) {
  Value source = emitter.value(indices);
  SmallVector<Value> extents = llvm::map_to_vector(sizes, [&](OpFoldResult size) { return emitter.sizes.value(size); });
  return emitter.generate({indices.sizes[0]}, emitter.builder.getI64Type(), {},
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            Scalar s{b, loc};
                            Value flat = arith::ConstantIndexOp::create(b, loc, 0);
                            for (auto [i, size] : llvm::enumerate(extents)) {
                              Value column = arith::ConstantIndexOp::create(b, loc, static_cast<int64_t>(i));
                              Value element = tensor::ExtractOp::create(b, loc, source, ValueRange{v[0], column});
                              flat = s.add(s.mul(flat, size), checkedPosition(s, element, size));
                            }
                            return toI64(s, flat);
                          });
}

static Tensor scatter(Emitter &emitter, Tensor &data, Tensor &positions, Tensor &updates, Combine combine) {
  Type type = data.elementType;
  auto body = [&](OpBuilder &b, Location loc, Value before, Value update) -> Value {
    Scalar s{b, loc, type};
    return combine ? combine(s, before, update) : update;
  };
  if (emitter.forms.shortRows)
    return scatterSorted(emitter, data, positions, updates, /*replaces=*/!combine, body);
  return scatterInOrder(emitter, data, positions, updates, body);
}

// [before the axis, along it, behind it].
static SizeList columnsOf(Sizes &sizes, ArrayRef<OpFoldResult> all, int64_t axis) {
  return SizeList{sizes.product(all.take_front(axis)), all[axis], sizes.product(all.drop_front(axis + 1))};
}

// ScatterElements whose updates may, or may not, be fewer than the data's other dimensions have: only the call knows.
// The data are copied once. Behind the axis there is at most one dimension.
static Tensor scatterOpenPart(Emitter &emitter, Tensor &data, Tensor &positions, Tensor &updates, int64_t axis,
                              Combine combine) {
  Sizes &sizes = emitter.sizes;
  SizeList columns = columnsOf(sizes, updates.sizes, axis);
  Tensor rows = emitter.reshape(data, columnsOf(sizes, data.sizes, axis)), where = emitter.reshape(positions, columns),
         written = emitter.reshape(updates, columns);
  OuterSizes outer{SizeList(ArrayRef(data.sizes).take_front(axis)), SizeList(ArrayRef(updates.sizes).take_front(axis))};
  auto body = [&](OpBuilder &b, Location loc, Value before, Value update) -> Value {
    Scalar s{b, loc, data.elementType};
    return combine ? combine(s, before, update) : update;
  };
  Tensor result = scatterPartInOrder(emitter, rows, where, written, outer, body);
  return emitter.reshape(result, data.sizes);
}

static LogicalResult requireOperands(NodeContext &node) {
  if (failed(node.requireInputs(3)))
    return failure();
  Tensor &data = *node.input(0), &indices = *node.input(1), &updates = *node.input(2);
  if (!indices.isInteger() || data.elementType != updates.elementType)
    return node.refuse("the indices must be integers, and the updates of the data's type");
  return success();
}

static LogicalResult lowerScatterNd(NodeContext &node) {
  Combine combine;
  if (failed(requireOperands(node)) || failed(readReduction(node, combine)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &data = *node.input(0), &indices = *node.input(1), &updates = *node.input(2);
  std::optional<int64_t> depth = indices.rank() < 1 ? std::nullopt : indices.staticSize(indices.rank() - 1);
  if (!depth || *depth < 1 || *depth > data.rank())
    return node.refuseFree("the last dimension of the indices must be fixed and fit the data");
  ArrayRef<OpFoldResult> scattered = ArrayRef<OpFoldResult>(data.sizes).take_front(*depth);
  OpFoldResult rest = sizes.product(ArrayRef<OpFoldResult>(data.sizes).drop_front(*depth));
  OpFoldResult count = sizes.product(ArrayRef<OpFoldResult>(indices.sizes).drop_back());
  if (getConstantIntValue(count) == 0) {
    node.setOutput(0, data);
    return success();
  }
  OpFoldResult one = sizes.constant(1);
  Tensor rows = emitter.reshape(data, {one, sizes.product(scattered), rest});
  Tensor list = emitter.reshape(indices, {count, sizes.constant(*depth)});
  Tensor written = emitter.reshape(updates, {one, count, rest});
  Tensor flat = flatPositions(emitter, list, scattered), positions = emitter.reshape(flat, {one, count});
  Tensor result = scatter(emitter, rows, positions, written, combine);
  node.setOutput(0, emitter.reshape(result, data.sizes));
  return success();
}

// Along one axis; the updates' other dimensions may be shorter than the data's.
static LogicalResult lowerScatterElements(NodeContext &node) {
  Combine combine;
  if (failed(requireOperands(node)) || failed(readReduction(node, combine)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &data = *node.input(0), &indices = *node.input(1), &updates = *node.input(2);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), data.rank());
  if (!axis)
    return failure();
  if (indices.rank() != data.rank() || updates.rank() != data.rank())
    return node.refuse("data, indices and updates must have one rank");
  if (indices.staticCount() == 0) {
    node.setOutput(0, data);
    return success();
  }
  SizeList offsets(data.rank(), sizes.constant(0)), part = data.sizes;
  for (int64_t d = 0; d < data.rank(); ++d) {
    emitter.checkEqual(indices.sizes[d], updates.sizes[d], "ScatterElements: indices and updates must be of one shape");
    if (d != *axis) {
      part[d] = indices.sizes[d];
      emitter.checkLessEqual(part[d], data.sizes[d], "ScatterElements: the indices are larger than the data");
    }
  }
  if (data.staticCount() == 0) {
    emitter.checkEqual(sizes.product(indices.sizes), sizes.constant(0),
                       "ScatterElements: indices into an empty tensor");
    node.setOutput(0, data);
    return success();
  }
  Value size = sizes.value(data.sizes[*axis]);
  Tensor checked = emitter.elementwise({&indices}, indices.sizes, emitter.builder.getI64Type(),
                                       [&](OpBuilder &b, Location loc, ValueRange v) {
                                         Scalar s{b, loc};
                                         return toI64(s, checkedPosition(s, v[0], size));
                                       });
  auto columns = [&](const Tensor &tensor) { return columnsOf(sizes, tensor.sizes, *axis); };
  bool whole =
      llvm::all_of(llvm::zip(part, data.sizes), [&](auto it) { return sizes.equal(std::get<0>(it), std::get<1>(it)); });
  bool isOpen = !whole && llvm::any_of(llvm::concat<OpFoldResult>(part, data.sizes),
                                       [](OpFoldResult size) { return !getConstantIntValue(size); });
  if (isOpen && data.rank() - *axis <= 2 && !emitter.forms.shortRows) {
    node.setOutput(0, scatterOpenPart(emitter, data, checked, updates, *axis, combine));
    return success();
  }
  Tensor cut = emitter.slice(data, offsets, part, SmallVector<int64_t>(data.rank(), 1));
  Tensor rows = emitter.reshape(cut, columns(cut)), positions = emitter.reshape(checked, columns(indices)),
         written = emitter.reshape(updates, columns(indices));
  Tensor scattered = scatter(emitter, rows, positions, written, combine), result = emitter.reshape(scattered, part);
  if (!whole) {
    SizeList steps(data.rank(), sizes.constant(1));
    Value merged = tensor::InsertSliceOp::create(emitter.builder, emitter.loc, emitter.value(result),
                                                 emitter.value(data), offsets, part, steps);
    result = emitter.fromValue(merged, data.sizes, data.elementType);
  }
  node.setOutput(0, result);
  return success();
}

void mlir::heddle::importer::registerScatter(LoweringTable &table) {
  table.add("ScatterND", 11, lowerScatterNd);
  table.add("ScatterElements", 11, lowerScatterElements);
  table.add("Scatter", 9, lowerScatterElements);
}
