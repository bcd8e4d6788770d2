// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Extents.h"

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/Transforms/AlignedOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::Extent;

std::optional<int64_t> Extent::getConstant() const {
  auto number = dyn_cast_if_present<IntegerAttr>(attribute);
  return number ? std::optional(number.getInt()) : std::nullopt;
}

static Extent asExtent(OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return {Builder(size.getContext()).getIndexAttr(*known), {}, -1};
  return {{}, cast<Value>(size), -1};
}

Extent flow::traceExtent(OpFoldResult size) {
  Extent extent = asExtent(size);
  if (extent.attribute)
    return extent;
  if (auto dim = extent.value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> number = dim.getConstantIndex())
      return flow::traceExtent(dim.getSource(), *number);
  if (auto named = extent.value.getDefiningOp<flow::DimensionOp>())
    return {named.getNameAttr(), {}, -1};
  return extent;
}

// A tensor of the same sizes by definition; null at the end.
static Value stepBack(Value tensor) {
  auto result = dyn_cast<OpResult>(tensor);
  if (!result)
    return {};
  if (auto structured = dyn_cast<linalg::LinalgOp>(result.getOwner()))
    return structured.getDpsInits()[result.getResultNumber()];
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(result.getOwner()))
    return softmax.getOutput();
  if (isa<tensor::CastOp, flow::TransferOp>(result.getOwner()))
    return result.getOwner()->getOperand(0);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(result.getOwner()))
    return insert.getDest();
  if (OpTrait::hasElementwiseMappableTraits(result.getOwner()) &&
      llvm::all_of(result.getOwner()->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return result.getOwner()->getOperand(0);
  return {};
}

// The one dimension of a group that is not 1; none: there are several, or none is.
static std::optional<int64_t> findLone(RankedTensorType type, ArrayRef<int64_t> group) {
  std::optional<int64_t> lone;
  for (int64_t dim : group) {
    if (type.getShape()[dim] == 1)
      continue;
    if (lone)
      return std::nullopt;
    lone = dim;
  }
  return lone;
}

Extent flow::stepExtent(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return {Builder(type.getContext()).getIndexAttr(type.getDimSize(dim)), {}, -1};
  if (Value before = stepBack(tensor))
    return {{}, before, dim};
  Operation *def = tensor.getDefiningOp();
  if (auto collective = dyn_cast_if_present<flow::CollectiveOpInterface>(def))
    return asExtent(OpFoldResult(collective.getResultDims()[type.getDynamicDimIndex(dim)]));
  if (std::optional<SmallVector<bool>> aligned = def ? flow::findAligned(def, dim) : std::nullopt)
    return {{}, def->getOperand(0), dim};
  if (auto empty = dyn_cast_if_present<tensor::EmptyOp>(def))
    return asExtent(empty.getMixedSizes()[dim]);
  if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(def))
    return asExtent(expand.getMixedOutputShape()[dim]);
  if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(def))
    if (std::optional<int64_t> lone = findLone(collapse.getSrcType(), collapse.getReassociationIndices()[dim]))
      return {{}, collapse.getSrc(), *lone};
  if (auto slice = dyn_cast_if_present<tensor::ExtractSliceOp>(def)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    int64_t kept = -1;
    for (int64_t left = dim; left >= 0; --left)
      while (dropped.test(++kept))
        ;
    return asExtent(slice.getMixedSizes()[kept]);
  }
  auto argument = dyn_cast<BlockArgument>(tensor);
  auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  auto names = func ? func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kDimsAttr) : ArrayAttr();
  if (names && !cast<StringAttr>(names[dim]).empty())
    return {names[dim], {}, -1};
  return {{}, tensor, dim};
}

Extent flow::traceExtent(Value tensor, int64_t dim) {
  for (Extent at{{}, tensor, dim};;) {
    Extent before = stepExtent(at.value, at.dim);
    if (before == at || before.attribute)
      return before;
    if (before.dim < 0)
      return traceExtent(OpFoldResult(before.value));
    at = before;
  }
}

SmallVector<Extent> flow::findInputs(Value tensor, int64_t dim) {
  SmallVector<Extent> inputs;
  Operation *def = tensor.getDefiningOp();
  if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(def))
    for (int64_t merged : collapse.getReassociationIndices()[dim])
      inputs.push_back({{}, collapse.getSrc(), merged});
  if (auto join = dyn_cast_if_present<tensor::ConcatOp>(def))
    for (Value input : join.getInputs())
      inputs.push_back({{}, input, dim});
  if (auto pad = dyn_cast_if_present<tensor::PadOp>(def))
    inputs = {{{}, pad.getSource(), dim}, asExtent(pad.getMixedLowPad()[dim]), asExtent(pad.getMixedHighPad()[dim])};
  return inputs;
}

SmallVector<Extent> flow::traceLoop(linalg::LinalgOp op, unsigned loop) {
  SmallVector<Extent> extents;
  AffineExpr alone = getAffineDimExpr(loop, op.getContext());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr == alone && isa<RankedTensorType>(operand.get().getType()))
        extents.push_back(traceExtent(operand.get(), dim));
  // A number says more than a name, and that more than a value; last comes what asks a tensor.
  auto rank = [](const Extent &extent) {
    return extent.getConstant() ? 0 : extent.attribute ? 1 : extent.dim < 0 ? 2 : 3;
  };
  SmallVector<Extent> sorted;
  for (int wanted = 0; wanted < 4; ++wanted)
    llvm::copy_if(extents, std::back_inserter(sorted), [&](const Extent &extent) { return rank(extent) == wanted; });
  return sorted;
}

SmallVector<Extent> flow::traceExtents(Operation *op, int64_t axis) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return traceLoop(structured, axis);
  return {traceExtent(op->getResult(0), axis)};
}

static bool isProvedEqual(const Extent &a, const Extent &b) {
  if (!a.value || !b.value)
    return false;
  using Set = ValueBoundsConstraintSet;
  auto variable = [](const Extent &extent) {
    return extent.dim < 0 ? Set::Variable(extent.value) : Set::Variable(extent.value, extent.dim);
  };
  FailureOr<bool> equal = Set::areEqual(variable(a), variable(b));
  return succeeded(equal) && *equal;
}

bool flow::areEqual(ArrayRef<Extent> a, ArrayRef<Extent> b) {
  auto contains = [](ArrayRef<Extent> list, const Extent &one) { return llvm::is_contained(list, one); };
  if (llvm::any_of(a, [&](const Extent &one) { return contains(b, one); }))
    return true;
  return !a.empty() && !b.empty() && isProvedEqual(a.back(), b.back());
}

OpFoldResult flow::materialize(OpBuilder &builder, Location loc, const Extent &extent, SizeOf sizeOf) {
  if (std::optional<int64_t> known = extent.getConstant())
    return builder.getIndexAttr(*known);
  if (auto name = dyn_cast_if_present<StringAttr>(extent.attribute))
    return OpFoldResult(Value(flow::DimensionOp::create(builder, loc, builder.getIndexType(), name)));
  if (extent.dim < 0)
    return OpFoldResult(extent.value);
  if (auto collapse = extent.value.getDefiningOp<tensor::CollapseShapeOp>()) {
    Value product = arith::ConstantIndexOp::create(builder, loc, 1);
    ReassociationIndices merged = collapse.getReassociationIndices()[extent.dim];
    for (int64_t dim : merged) {
      OpFoldResult size = materialize(builder, loc, traceExtent(collapse.getSrc(), dim), sizeOf);
      product = builder.createOrFold<arith::MulIOp>(loc, product, getValueOrCreateConstantIndexOp(builder, loc, size));
    }
    return OpFoldResult(product);
  }
  if (auto join = extent.value.getDefiningOp<tensor::ConcatOp>();
      join && join.getDim() == static_cast<uint64_t>(extent.dim)) {
    Value sum = arith::ConstantIndexOp::create(builder, loc, 0);
    for (Value input : join.getInputs()) {
      OpFoldResult size = materialize(builder, loc, traceExtent(input, extent.dim), sizeOf);
      sum = builder.createOrFold<arith::AddIOp>(loc, sum, getValueOrCreateConstantIndexOp(builder, loc, size));
    }
    return OpFoldResult(sum);
  }
  if (auto pad = extent.value.getDefiningOp<tensor::PadOp>()) {
    AffineExpr size = builder.getAffineDimExpr(0) + builder.getAffineSymbolExpr(0) + builder.getAffineSymbolExpr(1);
    return affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(1, 2, size),
        {materialize(builder, loc, traceExtent(pad.getSource(), extent.dim), sizeOf), pad.getMixedLowPad()[extent.dim],
         pad.getMixedHighPad()[extent.dim]});
  }
  if (OpFoldResult size = sizeOf ? sizeOf(extent.value, extent.dim) : OpFoldResult())
    return size;
  return OpFoldResult(Value(tensor::DimOp::create(builder, loc, extent.value, extent.dim)));
}

flow::Product flow::Product::operator*(const Product &other) const {
  Product product{factor * other.factor, names};
  llvm::append_range(product.names, other.names);
  llvm::sort(product.names, [](StringAttr a, StringAttr b) { return a.getValue() < b.getValue(); });
  return product;
}

std::optional<flow::Product> flow::Product::dividedBy(const Product &other) const {
  if (factor % other.factor != 0)
    return std::nullopt;
  Product quotient{factor / other.factor, names};
  for (StringAttr name : other.names) {
    auto *found = llvm::find(quotient.names, name);
    if (found == quotient.names.end())
      return std::nullopt;
    quotient.names.erase(found);
  }
  return quotient;
}

static std::optional<flow::Product> asProduct(Value value, unsigned depth) {
  constexpr unsigned kDeepest = 16;
  auto product = value.getDefiningOp<arith::MulIOp>();
  if (product && depth < kDeepest) {
    auto left = asProduct(product.getLhs(), depth + 1), right = asProduct(product.getRhs(), depth + 1);
    return left && right ? std::optional(*left * *right) : std::nullopt;
  }
  Extent extent = flow::traceExtent(OpFoldResult(value));
  return extent.value ? std::nullopt : flow::asProduct(extent);
}

std::optional<flow::Product> flow::asProduct(const Extent &extent) {
  if (std::optional<int64_t> known = extent.getConstant())
    return *known > 0 ? std::optional(Product{*known, {}}) : std::nullopt;
  if (auto name = dyn_cast_if_present<StringAttr>(extent.attribute))
    return Product{1, {name}};
  return extent.dim < 0 ? ::asProduct(extent.value, 0) : std::nullopt;
}

OpFoldResult flow::materialize(OpBuilder &builder, Location loc, const Product &product) {
  if (std::optional<int64_t> known = product.getConstant())
    return builder.getIndexAttr(*known);
  Value value = arith::ConstantIndexOp::create(builder, loc, product.factor);
  for (StringAttr name : product.names) {
    Value size = DimensionOp::create(builder, loc, builder.getIndexType(), name);
    value = builder.createOrFold<arith::MulIOp>(loc, size, value);
  }
  return OpFoldResult(value);
}

std::optional<OpFoldResult> flow::divideExactly(OpBuilder &builder, Location loc, ArrayRef<Extent> equal,
                                                const Product &divisor) {
  if (divisor.isOne())
    return materialize(builder, loc, equal.front());
  for (const Extent &extent : equal) {
    std::optional<Product> product = asProduct(extent);
    if (std::optional<Product> quotient = product ? product->dividedBy(divisor) : std::nullopt)
      return materialize(builder, loc, *quotient);
    // A number times what is no product of names.
    auto scaled = extent.value && extent.dim < 0 ? extent.value.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
    std::optional<int64_t> factor = scaled ? getConstantIntValue(scaled.getRhs()) : std::nullopt;
    if (factor && *factor > 0 && divisor.names.empty() && *factor % divisor.factor == 0)
      return OpFoldResult(builder.createOrFold<arith::MulIOp>(
          loc, scaled.getLhs(), arith::ConstantIndexOp::create(builder, loc, *factor / divisor.factor)));
  }
  return std::nullopt;
}

SmallVector<OpFoldResult> flow::traceSizes(OpBuilder &builder, Location loc, Value tensor) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < cast<RankedTensorType>(tensor.getType()).getRank(); ++dim)
    sizes.push_back(materialize(builder, loc, traceExtent(tensor, dim)));
  return sizes;
}
