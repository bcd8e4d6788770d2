// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Permutation.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encode;

bool encode::isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::all_of(llvm::enumerate(permutation),
                      [](auto it) { return static_cast<int64_t>(it.index()) == it.value(); });
}

Permutation encode::identity(int64_t rank) { return llvm::to_vector(llvm::seq<int64_t>(0, rank)); }

Permutation encode::inverse(ArrayRef<int64_t> permutation) {
  Permutation result(permutation.size());
  for (auto [i, source] : llvm::enumerate(permutation))
    result[source] = i;
  return result;
}

Permutation encode::compose(ArrayRef<int64_t> first, ArrayRef<int64_t> second) { return permuted(first, second); }

RankedTensorType encode::permuted(RankedTensorType type, ArrayRef<int64_t> permutation) {
  return RankedTensorType::get(permuted(type.getShape(), permutation), type.getElementType());
}

bool encode::isView(RankedTensorType type, ArrayRef<int64_t> permutation) {
  int64_t last = -1;
  for (int64_t source : permutation) {
    if (type.getDimSize(source) == 1)
      continue;
    if (source < last)
      return false;
    last = source;
  }
  return true;
}

// What is read twice is looked at once: a path for each way to read it would be too many.
bool encode::isConstant(Value value) {
  llvm::SmallDenseSet<Operation *> seen;
  for (SmallVector<Value> open{value}; !open.empty();) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op)
      return false;
    if (!seen.insert(op).second || isa<flow::ParameterLoadOp>(op) || matchPattern(op, m_Constant()))
      continue;
    if (!isa<linalg::LinalgOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::EmptyOp, tensor::ExtractSliceOp>(
            op) ||
        !isPure(op))
      return false;
    llvm::append_range(open, op->getOperands());
    llvm::SetVector<Value> read; // by tensor.extract, in the body
    getUsedValuesDefinedAbove(op->getRegions(), read);
    llvm::append_range(open, read);
  }
  return true;
}

// Dimensions of size 1 dropped and put back elsewhere.
static Value reshaped(OpBuilder &builder, Value value, RankedTensorType to) {
  Location loc = value.getLoc();
  auto from = cast<RankedTensorType>(value.getType());
  auto grouped = [](RankedTensorType type) {
    SmallVector<ReassociationIndices> groups;
    bool open = false; // the last group has a dimension that is not 1
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      bool unit = type.getDimSize(dim) == 1;
      if (groups.empty() || (open && !unit))
        groups.emplace_back();
      open = !unit || (open && !groups.empty());
      groups.back().push_back(dim);
    }
    return groups;
  };
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value), kept;
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (from.getDimSize(dim) != 1) {
      kept.push_back(sizes[dim]);
      shape.push_back(from.getDimSize(dim));
    }
  auto small = RankedTensorType::get(shape, from.getElementType());
  bool empty = shape.empty();
  Value dropped = value;
  if (small.getRank() != from.getRank())
    dropped = tensor::CollapseShapeOp::create(builder, loc, small, value,
                                              empty ? SmallVector<ReassociationIndices>() : grouped(from));
  if (small.getRank() == to.getRank())
    return dropped;
  SmallVector<OpFoldResult> output;
  size_t next = 0;
  for (int64_t size : to.getShape())
    output.push_back(size == 1 ? OpFoldResult(builder.getIndexAttr(1)) : kept[next++]);
  return tensor::ExpandShapeOp::create(builder, loc, to, dropped,
                                       empty ? SmallVector<ReassociationIndices>() : grouped(to), output);
}

Value encode::transposed(OpBuilder &builder, Value value, ArrayRef<int64_t> permutation) {
  if (isIdentity(permutation))
    return value;
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  if (auto earlier = value.getDefiningOp<linalg::TransposeOp>())
    return transposed(builder, earlier.getInput(), compose(earlier.getPermutation(), permutation));
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    Value init = transposed(builder, fill.getOutputs()[0], permutation);
    return linalg::FillOp::create(builder, loc, fill.getInputs(), ValueRange{init}).getResult(0);
  }
  SmallVector<OpFoldResult> sizes = permuted<OpFoldResult>(tensor::getMixedSizes(builder, loc, value), permutation);
  if (value.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  if (isView(type, permutation))
    return reshaped(builder, value, permuted(type, permutation));
  Value init = tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, value, init, permutation)->getResult(0);
}
