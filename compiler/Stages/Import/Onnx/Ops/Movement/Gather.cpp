// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gather and its kin: elements at indices that are data.
#include "compiler/Stages/Import/Onnx/Ops/Movement/Gather.h"

#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/IndexBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// The index an element of an index tensor stands for: negative ones count from the end; out of range fails the call.
static Value checkedIndex(OpBuilder &b, Location loc, Value element, Value size) {
  Scalar s{b, loc};
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value fromFront = s.select(s.less(index, zero), s.add(index, size), index);
  return flow::CheckedIndexOp::create(b, loc, fromFront, size);
}

// The argument that the value holds the elements of, whatever its shape and width; null where they are computed.
static BlockArgument findArgument(Value value) {
  auto onlyConverts = [](linalg::GenericOp op) {
    return op.getNumDpsInputs() == 1 && llvm::all_of(*op.getBody(), [](Operation &inner) {
             return isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, linalg::YieldOp>(inner);
           });
  };
  while (Operation *op = value.getDefiningOp()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op) &&
        !(generic && onlyConverts(generic)))
      return {};
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

// An argument that is indices into `size` rows says so, for who makes up inputs (kIndexBoundAttr).
static void noteBound(Value indices, std::optional<int64_t> size) {
  BlockArgument argument = findArgument(indices);
  auto entry = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  if (!entry || !size)
    return;
  auto before = entry.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kIndexBoundAttr);
  int64_t bound = before ? std::min(before.getInt(), *size) : *size;
  entry.setArgAttr(argument.getArgNumber(), kIndexBoundAttr, Builder(entry.getContext()).getI64IntegerAttr(bound));
}

Tensor mlir::heddle::importer::gatherRows(Emitter &emitter, Tensor &table, Tensor &indices) {
  Value source = emitter.value(table), size = emitter.sizes.value(table.sizes[0]);
  SizeList shape = indices.sizes, aligned = indices.sizes;
  shape.push_back(table.sizes[1]);
  aligned.push_back(emitter.sizes.constant(1));
  Tensor wide = emitter.reshape(indices, aligned);
  return emitter.generate(shape, table.elementType, {&wide}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    SmallVector<Value> at{checkedIndex(b, loc, v[0], size), v.back()};
    return tensor::ExtractOp::create(b, loc, source, at);
  });
}

// On the contents of a vector, with constant indices.
static std::optional<Tensor> gatherContents(NodeContext &node) {
  Tensor &data = *node.input(0), &indices = *node.input(1);
  std::optional<SmallVector<int64_t>> constants = node.constantInts(1);
  if (!data.contents || data.rank() != 1 || !constants)
    return std::nullopt;
  int64_t size = data.contents->size();
  SizeList elements;
  for (int64_t i : *constants) {
    if (i < -size || i >= size)
      return std::nullopt;
    elements.push_back((*data.contents)[i < 0 ? i + size : i]);
  }
  return node.emitter.fromContents(data.elementType, indices.sizes, std::move(elements));
}

static LogicalResult requireIndices(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  return node.input(1)->isInteger() ? success() : node.refuse("the indices must be integers");
}

static FailureOr<Tensor> gatherAlong(NodeContext &node, Tensor &data, int64_t axis) {
  Emitter &emitter = node.emitter;
  Tensor &indices = *node.input(1);
  ArrayRef<OpFoldResult> all(data.sizes);
  SizeList shape(all.take_front(axis)), rest(all.drop_front(axis + 1));
  llvm::append_range(shape, indices.sizes);
  llvm::append_range(shape, rest);
  // A constant index is a slice.
  std::optional<SmallVector<int64_t>> constants = node.constantInts(1);
  if (constants && constants->size() == 1 && data.staticSize(axis)) {
    int64_t size = *data.staticSize(axis), index = constants->front();
    if (index < -size || index >= size)
      return node.refuse("index " + Twine(index) + " is outside a dimension of size " + Twine(size));
    SizeList offsets(data.rank(), emitter.sizes.constant(0)), extents = data.sizes;
    offsets[axis] = emitter.sizes.constant(index < 0 ? index + size : index);
    extents[axis] = emitter.sizes.constant(1);
    Tensor part = emitter.slice(data, offsets, extents, SmallVector<int64_t>(data.rank(), 1));
    return emitter.reshape(part, shape);
  }
  noteBound(emitter.value(indices), data.staticSize(axis));
  // The indices stand at the dimensions from `axis` on: trailing unit dimensions align them with the result.
  SizeList aligned = indices.sizes;
  aligned.append(rest.size(), emitter.sizes.constant(1));
  Tensor wide = emitter.reshape(indices, aligned);
  Value source = emitter.value(data), size = emitter.sizes.value(data.sizes[axis]);
  int64_t indexRank = indices.rank();
  return emitter.generate(shape, data.elementType, {&wide}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    ValueRange loops = v.drop_front();
    SmallVector<Value> at(loops.take_front(axis));
    at.push_back(checkedIndex(b, loc, v[0], size));
    llvm::append_range(at, loops.drop_front(axis + indexRank));
    return tensor::ExtractOp::create(b, loc, source, at);
  });
}

// Rows of a quantised table: the bytes are gathered, and scales where rows have blocks of their own.
static FailureOr<Tensor> gatherQuantized(NodeContext &node, const Quantization &table) {
  Quantization gathered = table;
  auto gather = [&](Tensor &part) {
    FailureOr<Tensor> rows = gatherAlong(node, part, 0);
    if (succeeded(rows))
      part = *rows;
    return rows;
  };
  if (failed(gather(gathered.source)))
    return failure();
  if (gathered.block > 0 && (failed(gather(gathered.scale)) || (gathered.zeroPoint && gathered.zeroPoint->rank() > 0 &&
                                                                failed(gather(*gathered.zeroPoint)))))
    return failure();
  if (gathered.axis)
    *gathered.axis += node.input(1)->rank() - 1;
  return node.emitter.fromQuantization(std::move(gathered));
}

static LogicalResult lowerGather(NodeContext &node) {
  if (failed(requireIndices(node)))
    return failure();
  Tensor &data = *node.input(0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), data.rank());
  if (!axis)
    return failure();
  if (std::optional<Tensor> known = gatherContents(node)) {
    node.setOutput(0, std::move(*known));
    return success();
  }
  bool asBytes = data.quantized && data.quantized->source.data && *axis == 0 && data.quantized->axis != 0;
  FailureOr<Tensor> rows = asBytes ? gatherQuantized(node, *data.quantized) : gatherAlong(node, data, *axis);
  if (failed(rows))
    return failure();
  node.setOutput(0, *rows);
  return success();
}

static LogicalResult lowerGatherElements(NodeContext &node) {
  if (failed(requireIndices(node)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &data = *node.input(0), &indices = *node.input(1);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), data.rank());
  if (!axis)
    return failure();
  if (indices.rank() != data.rank())
    return node.refuse("the indices must have the rank of the data");
  for (int64_t d = 0; d < data.rank(); ++d)
    if (d != *axis) {
      if (emitter.sizes.lessEqual(emitter.sizes.add(data.sizes[d], emitter.sizes.constant(1)), indices.sizes[d]))
        return node.refuse("the indices are larger than the data in dimension " + Twine(d));
      emitter.checkLessEqual(indices.sizes[d], data.sizes[d], "GatherElements: the indices are larger than the data");
    }
  Value source = emitter.value(data), size = emitter.sizes.value(data.sizes[*axis]);
  node.setOutput(0, emitter.generate(indices.sizes, data.elementType, {&indices},
                                     [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                       SmallVector<Value> at(v.drop_front());
                                       at[*axis] = checkedIndex(b, loc, v[0], size);
                                       return tensor::ExtractOp::create(b, loc, source, at);
                                     }));
  return success();
}

// indices [b…, i…, n] into data [b…, d1…dn, rest…]: the last dimension holds a whole position.
static LogicalResult lowerGatherNd(NodeContext &node) {
  if (failed(requireIndices(node)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &data = *node.input(0), &indices = *node.input(1);
  int64_t batch = node.getInt("batch_dims", 0);
  if (indices.rank() < 1 || batch < 0 || batch >= indices.rank() || batch >= data.rank())
    return node.refuse("batch_dims = " + Twine(batch) + " does not fit the operands");
  std::optional<int64_t> depth = indices.staticSize(indices.rank() - 1);
  if (!depth || *depth < 1 || *depth > data.rank() - batch)
    return node.refuseFree("the last dimension of the indices must be fixed and fit the data");
  SizeList shape(ArrayRef<OpFoldResult>(indices.sizes).drop_back());
  int64_t outer = shape.size();
  for (int64_t d = 0; d < batch; ++d)
    emitter.checkEqual(indices.sizes[d], data.sizes[d], "GatherND: batch dimensions must be equal");
  llvm::append_range(shape, ArrayRef<OpFoldResult>(data.sizes).drop_front(batch + *depth));
  Value source = emitter.value(data), positions = emitter.value(indices);
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < *depth; ++i)
    sizes.push_back(emitter.sizes.value(data.sizes[batch + i]));
  node.setOutput(0,
                 emitter.generate(shape, data.elementType, {}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                   SmallVector<Value> at(v.take_front(batch));
                   for (int64_t i = 0; i < *depth; ++i) {
                     SmallVector<Value> where(v.take_front(outer));
                     where.push_back(arith::ConstantIndexOp::create(b, loc, i));
                     at.push_back(checkedIndex(b, loc, tensor::ExtractOp::create(b, loc, positions, where), sizes[i]));
                   }
                   llvm::append_range(at, v.drop_front(outer));
                   return tensor::ExtractOp::create(b, loc, source, at);
                 }));
  return success();
}

static Value toIndex(Scalar &s, Value x, Type type) {
  Type index = s.b.getIndexType();
  return type.isUnsignedInteger() ? Value(arith::IndexCastUIOp::create(s.b, s.loc, index, x))
                                  : Value(arith::IndexCastOp::create(s.b, s.loc, index, x));
}

// How many classes: a size, or an integer or float that only the call knows.
static std::optional<OpFoldResult> readDepth(NodeContext &node) {
  Emitter &emitter = node.emitter;
  Tensor &given = *node.input(1);
  if (given.staticCount() != 1)
    return std::nullopt;
  Tensor depth = given;
  if (!depth.isInteger())
    depth = emitter.elementwise({&given}, given.sizes, emitter.builder.getI64Type(),
                                [&](OpBuilder &b, Location loc, ValueRange v) {
                                  return convert({b, loc}, v[0], given.elementType, b.getI64Type());
                                });
  if (!emitter.readContents(depth))
    return std::nullopt;
  SizeList list = *depth.contents;
  emitter.requireSizes(list, "OneHot: the depth is negative");
  return list.front();
}

// One at the index, off elsewhere; an index out of range gives only off.
static LogicalResult lowerOneHot(NodeContext &node) {
  if (failed(node.requireInputs(3)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &indices = *node.input(0), &values = *node.input(2);
  std::optional<OpFoldResult> depth = readDepth(node);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), indices.rank() + 1);
  if (!axis)
    return failure();
  if (!depth || values.rank() != 1 || (values.staticSize(0) && values.staticSize(0) != 2))
    return node.refuse("needs a depth of one number and two values, off and on");
  emitter.checkEqual(values.sizes[0], emitter.sizes.constant(2), "OneHot: needs two values, off and on");
  SizeList shape = indices.sizes, aligned = indices.sizes;
  shape.insert(shape.begin() + *axis, *depth);
  aligned.insert(aligned.begin() + *axis, emitter.sizes.constant(1));
  Tensor wide = emitter.reshape(indices, aligned);
  Value size = emitter.sizes.value(*depth), source;
  SmallVector<Attribute> literals;
  if (values.data)
    llvm::append_range(literals, values.data->literal().getValues<Attribute>());
  else
    source = emitter.value(values);
  auto element = [&](OpBuilder &b, Location loc, int64_t i) -> Value {
    if (!source)
      return arith::ConstantOp::create(b, loc, cast<TypedAttr>(literals[i]));
    Value at = arith::ConstantIndexOp::create(b, loc, i);
    return tensor::ExtractOp::create(b, loc, source, at);
  };
  Type i64 = emitter.builder.getI64Type();
  node.setOutput(0, emitter.generate(shape, values.elementType, {&wide}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    Value index = indices.isInteger() ? toIndex(s, v[0], indices.elementType)
                                      : toIndex(s, convert(s, v[0], indices.elementType, i64), i64);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value fromFront = s.select(s.less(index, zero), s.add(index, size), index);
    Value off = element(b, loc, 0), on = element(b, loc, 1);
    return s.select(s.equal(fromFront, v[1 + *axis]), on, off);
  }));
  return success();
}

void mlir::heddle::importer::registerGather(LoweringTable &table) {
  table.add("Gather", 1, lowerGather);
  table.add("GatherElements", 11, lowerGatherElements);
  table.add("GatherND", 11, lowerGatherNd);
  table.add("OneHot", 9, lowerOneHot);
}
