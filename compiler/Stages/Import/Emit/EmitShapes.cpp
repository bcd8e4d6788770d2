// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emitter's reshapes, transposes, slices and broadcasts.
#include "compiler/Stages/Import/Emit/Emitter.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// Repeated elements are listed up to this many.
static constexpr int64_t kMaximumContents = 64;

//===--- Reshape -------------------------------------------------------------------------------------------------===//

namespace {

// Dimensions [from.first, from.second) of the operand become [to.first, to.second) of the result.
struct DimGroup {
  int64_t fromBegin, fromEnd, toBegin, toEnd;
};

} // namespace

// The finest grouping in which every group has provably as many elements on both sides; nothing if there is none.
static std::optional<SmallVector<DimGroup>> groupDims(Sizes &sizes, ArrayRef<OpFoldResult> from,
                                                      ArrayRef<OpFoldResult> to) {
  auto prefixes = [&](ArrayRef<OpFoldResult> dims) {
    SizeList products{sizes.constant(1)};
    for (OpFoldResult dim : dims)
      products.push_back(sizes.mul(products.back(), dim));
    return products;
  };
  SizeList a = prefixes(from), b = prefixes(to);
  if (!sizes.equal(a.back(), b.back()))
    return std::nullopt;
  SmallVector<DimGroup> groups;
  size_t i = 0, j = 0;
  for (size_t nextI = 1; nextI < a.size(); ++nextI)
    for (size_t nextJ = j + 1; nextJ < b.size(); ++nextJ)
      if (sizes.equal(a[nextI], b[nextJ])) {
        groups.push_back({static_cast<int64_t>(i), static_cast<int64_t>(nextI), static_cast<int64_t>(j),
                          static_cast<int64_t>(nextJ)});
        i = nextI;
        j = nextJ;
        break;
      }
  if (groups.empty()) // one side has rank 0
    return groups;
  groups.back().fromEnd = from.size();
  groups.back().toEnd = to.size();
  return groups;
}

static SmallVector<ReassociationIndices> reassociation(ArrayRef<DimGroup> groups, bool from) {
  SmallVector<ReassociationIndices> result;
  for (const DimGroup &group : groups)
    result.push_back(
        llvm::to_vector<2>(from ? llvm::seq(group.fromBegin, group.fromEnd) : llvm::seq(group.toBegin, group.toEnd)));
  return result;
}

// Dimensions that both lists are made of by merging neighbours; nothing if there are none.
static std::optional<SizeList> commonFactors(Sizes &sizes, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to,
                                             SmallVectorImpl<ReassociationIndices> &fromGroups,
                                             SmallVectorImpl<ReassociationIndices> &toGroups) {
  SizeList factors;
  size_t i = 0, j = 0;
  OpFoldResult left = from[0], right = to[0];
  fromGroups.assign(from.size(), {});
  toGroups.assign(to.size(), {});
  while (true) {
    fromGroups[i].push_back(factors.size());
    toGroups[j].push_back(factors.size());
    std::optional<OpFoldResult> moreLeft, moreRight;
    if (!sizes.equal(left, right)) {
      moreLeft = sizes.exactDiv(left, right);
      moreRight = sizes.exactDiv(right, left);
      if (!moreLeft && !moreRight)
        return std::nullopt;
    }
    factors.push_back(moreLeft ? right : left);
    if (!moreLeft)
      ++i;
    if (!moreRight)
      ++j;
    if (i == from.size() || j == to.size())
      break;
    left = moreLeft ? *moreLeft : from[i];
    right = moreRight ? *moreRight : to[j];
  }
  if (i != from.size() || j != to.size())
    return std::nullopt;
  return factors;
}

// By an expand_shape and then a collapse_shape: a view that does not hide what its consumers have in common.
Value Emitter::refineValue(Value value, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to) {
  SmallVector<ReassociationIndices> fromGroups, toGroups;
  std::optional<SizeList> factors = commonFactors(sizes, from, to, fromGroups, toGroups);
  if (!factors || factors->size() == from.size() || factors->size() == to.size())
    return {};
  Type element = getElementTypeOrSelf(value);
  auto fine = RankedTensorType::get(shapeOf(*factors), element);
  Value split = tensor::ExpandShapeOp::create(builder, loc, fine, value, fromGroups, *factors);
  shapes[split] = *factors;
  Value merged =
      tensor::CollapseShapeOp::create(builder, loc, RankedTensorType::get(shapeOf(to), element), split, toGroups);
  shapes[merged] = llvm::to_vector(to);
  return merged;
}

Value Emitter::reshapeValue(Value value, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to) {
  std::optional<SmallVector<DimGroup>> groups = groupDims(sizes, from, to);
  if (!groups)
    return {};
  bool merges = llvm::any_of(*groups, [](const DimGroup &g) { return g.fromEnd - g.fromBegin > 1; });
  bool splits = llvm::any_of(*groups, [](const DimGroup &g) { return g.toEnd - g.toBegin > 1; });
  if (merges && splits)
    if (Value refined = refineValue(value, from, to))
      return refined;
  Type element = getElementTypeOrSelf(value);
  auto emit = [&](Value result, ArrayRef<OpFoldResult> shape) {
    shapes[result] = llvm::to_vector(shape);
    return result;
  };
  SizeList middle;
  for (const DimGroup &group : *groups)
    middle.push_back(group.toEnd - group.toBegin == 1
                         ? to[group.toBegin]
                         : sizes.product(from.slice(group.fromBegin, group.fromEnd - group.fromBegin)));
  if (middle.size() != from.size())
    value = emit(tensor::CollapseShapeOp::create(builder, loc, RankedTensorType::get(shapeOf(middle), element), value,
                                                 reassociation(*groups, true)),
                 middle);
  if (middle.size() != to.size())
    value = emit(tensor::ExpandShapeOp::create(builder, loc, RankedTensorType::get(shapeOf(to), element), value,
                                               reassociation(*groups, false), to),
                 to);
  return value;
}

// The dimensions 0 to rank - 1 as one group.
static SmallVector<ReassociationIndices> together(size_t rank) {
  if (rank == 0)
    return {};
  return {llvm::to_vector<2>(llvm::seq<int64_t>(rank))};
}

// Neither asks for a proof: products of many sizes have none (Sizes::product).
Value Emitter::flatten(Value value, ArrayRef<OpFoldResult> from, OpFoldResult count) {
  if (from.size() == 1)
    return value;
  auto type = RankedTensorType::get(shapeOf({count}), getElementTypeOrSelf(value));
  Value flat = from.empty()
                   ? Value(tensor::ExpandShapeOp::create(builder, loc, type, value, together(0), SizeList{count}))
                   : Value(tensor::CollapseShapeOp::create(builder, loc, type, value, together(from.size())));
  shapes[flat] = {count};
  return flat;
}

Value Emitter::unflatten(Value flat, ArrayRef<OpFoldResult> to) {
  if (to.size() == 1)
    return flat;
  auto type = RankedTensorType::get(shapeOf(to), getElementTypeOrSelf(flat));
  if (to.empty())
    return tensor::CollapseShapeOp::create(builder, loc, type, flat, together(0));
  return tensor::ExpandShapeOp::create(builder, loc, type, flat, together(to.size()), to);
}

static bool isEmpty(ArrayRef<OpFoldResult> sizes) {
  return llvm::any_of(sizes, [](OpFoldResult size) { return getConstantIntValue(size) == 0; });
}

// Whether the axis of a quantisation is one of the new shape, too: the same one, or one that ends where it ends and has
// whole blocks. Its scales and zeros are then those of the new shape.
static bool moveAxis(Emitter &emitter, Quantization &quantized, ArrayRef<OpFoldResult> to) {
  SmallVector<int64_t> from = shapeOf(quantized.source.sizes), shape = shapeOf(to);
  if (ShapedType::isDynamicShape(from) || ShapedType::isDynamicShape(shape))
    return false;
  int64_t axis = *quantized.axis, behind = ShapedType::getNumElements(ArrayRef(from).drop_front(axis + 1)), found = 0;
  int64_t rank = shape.size();
  while (found < rank && ShapedType::getNumElements(ArrayRef(shape).drop_front(found + 1)) != behind)
    ++found;
  while (found + 1 < rank && shape[found] == 1)
    ++found; // dimensions of size 1 stand behind it
  if (found == rank || ShapedType::getNumElements(ArrayRef(shape).drop_front(found + 1)) != behind)
    return false;
  if (quantized.block == 0 ? shape[found] != from[axis] : shape[found] % quantized.block != 0)
    return false;
  quantized.axis = found;
  if (quantized.block == 0)
    return true;
  SizeList sizes(to);
  sizes[found] = emitter.sizes.constant(shape[found] / quantized.block);
  quantized.scale = emitter.reshape(quantized.scale, sizes);
  if (quantized.zeroPoint && quantized.zeroPoint->rank() > 0)
    quantized.zeroPoint = emitter.reshape(*quantized.zeroPoint, sizes);
  return true;
}

Tensor Emitter::reshape(Tensor &tensor, ArrayRef<OpFoldResult> to) {
  SmallVector<int64_t> shape = shapeOf(to);
  bool isWhole = !ShapedType::isDynamicShape(shape) && tensor.staticCount() == staticCount(to);
  if (tensor.data && isWhole) {
    Tensor result = fromData(tensor.data->reshaped(shape));
    result.name = tensor.name;
    return result;
  }
  if (tensor.contents && isWhole)
    return fromContents(tensor.elementType, to, *tensor.contents);
  if (tensor.quantized) {
    Quantization moved = *tensor.quantized;
    if (!moved.axis || moveAxis(*this, moved, to)) {
      moved.source = reshape(moved.source, to);
      return fromQuantization(std::move(moved));
    }
  }
  constexpr char kDiffers[] = "Reshape: the new shape has another number of elements";
  if (isEmpty(tensor.sizes) && !isEmpty(to)) // that they are none is known in the call
    checkEqual(sizes.product(to), sizes.constant(0), kDiffers);
  if (isEmpty(tensor.sizes) || isEmpty(to))
    return empty(tensor.elementType, to);
  // Look through earlier reshapes.
  Value root = value(tensor);
  while (Operation *def = root.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def) || !shapes.contains(def->getOperand(0)))
      break;
    root = def->getOperand(0);
  }
  SizeList rootSizes = shapes[root];
  if (Value result = reshapeValue(root, rootSizes, to))
    return fromValue(result, to, tensor.elementType);
  if (Value result = reshapeValue(tensor.value, tensor.sizes, to))
    return fromValue(result, to, tensor.elementType);
  // Not provably of one size: check, flatten, and cut anew.
  OpFoldResult count = sizes.product(tensor.sizes), wanted = sizes.product(to);
  checkEqual(count, wanted, kDiffers);
  Value flat = flatten(tensor.value, tensor.sizes, count);
  auto castTo = [&](int64_t size) {
    auto type = RankedTensorType::get(size, getElementTypeOrSelf(flat));
    if (flat.getType() != type)
      flat = tensor::CastOp::create(builder, loc, type, flat);
  };
  if (getConstantIntValue(count) && getConstantIntValue(wanted)) // which differ: no cast goes from one to the other
    castTo(ShapedType::kDynamic);
  castTo(shapeOf({wanted}).front());
  return fromValue(unflatten(flat, to), to, tensor.elementType);
}

//===--- Transpose and slice -------------------------------------------------------------------------------------===//

static bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::all_of(llvm::enumerate(permutation),
                      [](auto it) { return static_cast<int64_t>(it.index()) == it.value(); });
}

// Unit dimensions take no part: they are dropped first and come back by a reshape.
// Larger constants are moved once, when stage encode knows where all of their elements go.
static constexpr int64_t kTransposedHere = 64 << 10;

Tensor Emitter::transpose(Tensor &tensor, ArrayRef<int64_t> permutation) {
  if (isIdentity(permutation))
    return tensor;
  if (tensor.data && static_cast<int64_t>(tensor.data->bytes.size()) <= kTransposedHere) {
    Tensor result = fromData(tensor.data->transposed(permutation));
    result.name = tensor.name;
    return result;
  }
  if (tensor.contents)
    return pickContents(tensor, applyPermutation(shapeOf(tensor.sizes), permutation), [&](ArrayRef<int64_t> at) {
      return applyPermutation(at, invertPermutationVector(permutation));
    });
  if (tensor.quantized) {
    Quantization moved = *tensor.quantized;
    auto turn = [&](Tensor &part) {
      // Constants of any size stay constants: products look at their weights.
      if (!part.data)
        return transpose(part, permutation);
      Tensor turned = fromData(part.data->transposed(permutation));
      turned.name = part.name;
      return turned;
    };
    moved.source = turn(moved.source);
    if (moved.block > 0) {
      moved.scale = turn(moved.scale);
      if (moved.zeroPoint && moved.zeroPoint->rank() > 0)
        moved.zeroPoint = turn(*moved.zeroPoint);
    }
    if (moved.axis)
      moved.axis = llvm::find(permutation, *moved.axis) - permutation.begin();
    return fromQuantization(std::move(moved));
  }
  SizeList to, kept;
  SmallVector<int64_t> position(tensor.rank(), -1), inner;
  for (int64_t d = 0; d < tensor.rank(); ++d)
    if (!tensor.isStaticSize(d, 1)) {
      position[d] = kept.size();
      kept.push_back(tensor.sizes[d]);
    }
  for (int64_t source : permutation) {
    to.push_back(tensor.sizes[source]);
    if (position[source] >= 0)
      inner.push_back(position[source]);
  }
  Tensor operand = reshape(tensor, kept);
  value(operand);
  if (linalg::TransposeOp earlier = transposeOf(operand)) {
    for (int64_t &source : inner)
      source = earlier.getPermutation()[source];
    operand = fromValue(earlier.getInput(), shapes[earlier.getInput()], tensor.elementType);
  }
  if (!isIdentity(inner)) {
    SizeList moved = llvm::map_to_vector(inner, [&](int64_t source) { return operand.sizes[source]; });
    Value init = empty(tensor.elementType, moved).value;
    operand = fromValue(linalg::TransposeOp::create(builder, loc, operand.value, init, inner)->getResult(0), moved,
                        tensor.elementType);
  }
  return reshape(operand, to);
}

Tensor Emitter::slice(Tensor &tensor, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> extents,
                      ArrayRef<int64_t> steps) {
  bool whole = llvm::all_of(llvm::seq<int64_t>(0, tensor.rank()), [&](int64_t d) {
    return steps[d] == 1 && sizes.equal(offsets[d], sizes.constant(0)) && sizes.equal(extents[d], tensor.sizes[d]);
  });
  if (whole)
    return tensor;
  if (isEmpty(extents) || isEmpty(tensor.sizes))
    return filled(tensor.elementType, extents, builder.getZeroAttr(storageType(tensor.elementType)));
  auto strides = llvm::map_to_vector(steps, [&](int64_t step) { return sizes.constant(step); });
  auto type = RankedTensorType::get(shapeOf(extents), storageType(tensor.elementType));
  return fromValue(tensor::ExtractSliceOp::create(builder, loc, type, value(tensor), offsets, extents,
                                                  ArrayRef<OpFoldResult>(strides)),
                   extents, tensor.elementType);
}

// Joins a few at a time, then what was joined: the code of one dispatch grows with its operands.
Tensor Emitter::concatenate(SmallVector<Value> parts, int64_t axis, ArrayRef<OpFoldResult> sizes, Type elementType) {
  constexpr size_t kMostParts = 64;
  while (parts.size() > kMostParts) {
    SmallVector<Value> joined;
    for (ArrayRef<Value> rest = parts; !rest.empty(); rest = rest.drop_front(std::min(kMostParts, rest.size())))
      joined.push_back(rest.size() == 1
                           ? rest.front()
                           : Value(tensor::ConcatOp::create(builder, loc, axis, rest.take_front(kMostParts))));
    parts = std::move(joined);
  }
  auto type = RankedTensorType::get(shapeOf(sizes), storageType(elementType));
  return fromValue(tensor::ConcatOp::create(builder, loc, type, axis, parts), sizes, elementType);
}

//===--- Broadcast -----------------------------------------------------------------------------------------------===//

std::optional<OpFoldResult> Emitter::broadcastSize(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> fixedA = getConstantIntValue(a), fixedB = getConstantIntValue(b);
  if (fixedA == 1 || sizes.equal(a, b))
    return b;
  if (fixedB == 1)
    return a;
  if (fixedA && fixedB)
    return std::nullopt;
  const char *message = "sizes of operands neither equal nor 1";
  // A capped size, min(a, 512), is 1 only with the size it caps: then nothing is broadcast.
  if (sizes.isCapOf(b, a) || sizes.isCapOf(a, b)) {
    checkEqual(a, b, message);
    return sizes.isCapOf(b, a) ? a : b;
  }
  Value x = sizes.value(a), y = sizes.value(b), one = sizes.value(sizes.constant(1));
  Value &result = broadcasts[{x.getAsOpaquePointer(), y.getAsOpaquePointer()}];
  if (result)
    return fixedA ? a : fixedB ? b : OpFoldResult(result);
  auto equals = [&](Value l, Value r) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, l, r);
  };
  Value ok = equals(x, y), xIsOne;
  if (!fixedA)
    ok = arith::OrIOp::create(builder, loc, ok, xIsOne = equals(x, one));
  if (!fixedB)
    ok = arith::OrIOp::create(builder, loc, ok, equals(y, one));
  flow::CheckOp::create(builder, loc, ok, builder.getStringAttr(message));
  result = fixedA || fixedB ? x : Value(arith::SelectOp::create(builder, loc, xIsOne, y, x));
  return fixedA ? a : fixedB ? b : sizes.atom(result);
}

std::optional<SizeList> Emitter::broadcastSizes(ArrayRef<SizeList> shapes) {
  size_t rank = 0;
  for (const SizeList &shape : shapes)
    rank = std::max(rank, shape.size());
  SizeList result(rank, sizes.constant(1));
  for (const SizeList &shape : shapes)
    for (size_t i = 0; i < shape.size(); ++i) {
      OpFoldResult &size = result[rank - shape.size() + i];
      std::optional<OpFoldResult> wider = broadcastSize(size, shape[i]);
      if (!wider)
        return std::nullopt;
      size = *wider;
    }
  return result;
}

Tensor Emitter::broadcast(Tensor &tensor, ArrayRef<OpFoldResult> to) {
  bool same =
      tensor.rank() == static_cast<int64_t>(to.size()) &&
      llvm::all_of(llvm::zip(tensor.sizes, to), [&](auto it) { return sizes.equal(std::get<0>(it), std::get<1>(it)); });
  if (same)
    return tensor;
  std::optional<int64_t> count = staticCount(to);
  if (tensor.staticCount() == 1 && count == 1)
    return reshape(tensor, to);
  if (tensor.contents && tensor.contents->size() == 1 && count && *count >= 0 && *count <= kMaximumContents)
    return fromContents(tensor.elementType, to, SizeList(*count, tensor.contents->front()));
  return elementwise({&tensor}, to, tensor.elementType, [](OpBuilder &, Location, ValueRange v) { return v[0]; });
}
