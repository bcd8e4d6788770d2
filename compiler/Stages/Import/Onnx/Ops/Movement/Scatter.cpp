// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ScatterND and ScatterElements: positions first, which must exist, then the scatter along one dimension.
#include "compiler/Stages/Import/Emit/Rows/ListOps.h"
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

static Tensor scatter(Emitter &emitter, Tensor &data, Tensor &positions, Tensor &updates, int64_t dim,
                      Combine combine) {
  if (!combine)
    return scatterAlong(emitter, data, positions, updates, dim, nullptr, false);
  auto body = [&](OpBuilder &b, Location loc, Value before, Value update) -> Value {
    Scalar s{b, loc, data.elementType};
    return combine(s, before, update);
  };
  return scatterAlong(emitter, data, positions, updates, dim, body, /*associative=*/true);
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
  Tensor rows = emitter.reshape(data, {sizes.product(scattered), rest});
  Tensor list = emitter.reshape(indices, {count, sizes.constant(*depth)});
  Tensor written = emitter.reshape(updates, {count, rest});
  Tensor positions = flatPositions(emitter, list, scattered);
  Tensor result = scatter(emitter, rows, positions, written, 0, combine);
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
  for (int64_t d = 0; d < data.rank(); ++d) {
    emitter.checkEqual(indices.sizes[d], updates.sizes[d], "ScatterElements: indices and updates must be of one shape");
    if (d != *axis)
      emitter.checkLessEqual(indices.sizes[d], data.sizes[d], "ScatterElements: the indices are larger than the data");
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
  SizeList shape = indices.sizes; // the same by the checks above
  for (auto [d, size] : llvm::enumerate(updates.sizes))
    shape[d] = getConstantIntValue(size) ? size : shape[d];
  Tensor written = emitter.fromValue(emitter.value(updates), shape, updates.elementType);
  node.setOutput(0, scatter(emitter, data, checked, written, *axis, combine));
  return success();
}

void mlir::heddle::importer::registerScatter(LoweringTable &table) {
  table.add("ScatterND", 11, lowerScatterNd);
  table.add("ScatterElements", 11, lowerScatterElements);
  table.add("Scatter", 9, lowerScatterElements);
}
