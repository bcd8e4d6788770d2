// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Border.h"
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/Nest.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static bool isZero(OpFoldResult amount) { return isConstantIntValue(amount, 0); }

tensor::PadOp mlir::heddle::codegen::matchBorder(Value value) {
  auto pad = value.getDefiningOp<tensor::PadOp>();
  if (!pad || !pad.getConstantPaddingValue() || !pad.getSource().getDefiningOp<linalg::LinalgOp>())
    return nullptr;
  auto isKnown = [](OpFoldResult amount) {
    std::optional<int64_t> constant = getConstantIntValue(amount);
    return constant && *constant >= 0;
  };
  return llvm::all_of(pad.getMixedLowPad(), isKnown) && llvm::all_of(pad.getMixedHighPad(), isKnown) ? pad : nullptr;
}

// Where the source begins along a dimension of the result.
static Value beginOf(FunctionScalars &scalars, tensor::PadOp pad, int64_t dim) {
  return scalars.constant(*getConstantIntValue(pad.getMixedLowPad()[dim]));
}

static Value endOf(FunctionScalars &scalars, tensor::PadOp pad, int64_t dim) {
  return scalars.add(beginOf(scalars, pad, dim), scalars.size(pad.getSource(), dim));
}

Buffer mlir::heddle::codegen::insideOf(ElementEmitter &emitter, tensor::PadOp pad, const Buffer &whole) {
  FunctionScalars &scalars = emitter.scalars;
  Buffer inside = whole;
  inside.base = whole.base ? whole.base : scalars.constant(0);
  for (auto [dim, stride] : llvm::zip_equal(whole.dims, whole.strides))
    inside.base = scalars.add(inside.base, scalars.mul(beginOf(scalars, pad, dim), stride));
  return inside;
}

Value mlir::heddle::codegen::isInBorder(ElementEmitter &emitter, tensor::PadOp pad, ArrayRef<LaneValue> index) {
  LaneBuilder &lanes = emitter.lanes;
  Value outside = arith::ConstantOp::create(lanes.builder, lanes.loc, lanes.builder.getBoolAttr(false));
  for (auto [dim, at] : llvm::enumerate(index)) {
    if (isZero(pad.getMixedLowPad()[dim]) && isZero(pad.getMixedHighPad()[dim]))
      continue;
    // As unsigned numbers: before the source is above every size.
    LaneValue inSource = lanes.sub(at, LaneValue::uniform(beginOf(emitter.scalars, pad, dim)));
    LaneValue size = LaneValue::uniform(emitter.scalars.size(pad.getSource(), dim));
    Value beyond = lanes.compare(arith::CmpIPredicate::uge, inSource, size).base;
    outside = lanes.builder.createOrFold<arith::OrIOp>(lanes.loc, outside, beyond);
  }
  return outside;
}

namespace {

// A box of positions along each dimension.
struct Box {
  SmallVector<Value> begin, end;
};

} // namespace

static void fill(ElementEmitter &emitter, const Box &box, const Buffer &whole, Value value, int64_t width, bool masks) {
  LaneBuilder &lanes = emitter.lanes;
  OpBuilder &builder = lanes.builder;
  SmallVector<Value> sizes;
  for (auto [begin, end] : llvm::zip_equal(box.begin, box.end))
    sizes.push_back(emitter.scalars.sub(end, begin));
  SmallVector<LaneValue> at(sizes.size());
  emitter.loops(ArrayRef(sizes).drop_back(), {}, [&](ArrayRef<Value> outer, ValueRange) -> SmallVector<Value> {
    for (auto [dim, i] : llvm::enumerate(outer))
      at[dim] = LaneValue::uniform(builder.createOrFold<arith::AddIOp>(lanes.loc, box.begin[dim], i));
    forEachVector(emitter, box.begin.back(), box.end.back(), width, masks, [&](LaneValue i) {
      at.back() = i;
      emitter.store(whole, at, LaneValue::uniform(value));
    });
    return {};
  });
}

// Along each padded dimension a box before the source and one after it, between the boxes of the dimensions before.
void mlir::heddle::codegen::emitBorder(ElementEmitter &emitter, tensor::PadOp pad, const Buffer &whole, int64_t width,
                                       bool masks) {
  FunctionScalars &scalars = emitter.scalars;
  Value value = scalars.get(pad.getConstantPaddingValue());
  Box box;
  box.end = scalars.sizes(pad.getResult());
  box.begin.assign(box.end.size(), scalars.constant(0));
  for (int64_t dim = 0; dim < static_cast<int64_t>(box.end.size()); ++dim) {
    Value begin = beginOf(scalars, pad, dim), end = endOf(scalars, pad, dim);
    if (!isZero(pad.getMixedLowPad()[dim])) {
      Box before = box;
      before.end[dim] = begin;
      fill(emitter, before, whole, value, width, masks);
    }
    if (!isZero(pad.getMixedHighPad()[dim])) {
      Box after = box;
      after.begin[dim] = end;
      fill(emitter, after, whole, value, width, masks);
    }
    box.begin[dim] = begin;
    box.end[dim] = end;
  }
}

Value mlir::heddle::codegen::flattenPixels(Value value) {
  constexpr int64_t kShort = 8;
  auto pad = value.getDefiningOp<tensor::PadOp>();
  if (!pad || !isa<BlockArgument>(pad.getSource()) || !pad.getConstantPaddingValue())
    return value;
  RankedTensorType type = pad.getResultType();
  int64_t rank = type.getRank(), channels = rank < 2 ? 0 : type.getDimSize(rank - 1);
  if (channels < 2 || channels > kShort || pad.getSourceType().getDimSize(rank - 1) != channels ||
      type.isDynamicDim(rank - 2) || pad.getSourceType().isDynamicDim(rank - 2))
    return value;
  OpBuilder builder(pad);
  SmallVector<OpFoldResult> low = pad.getMixedLowPad(), high = pad.getMixedHighPad();
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    groups.push_back({dim});
  groups.back().push_back(rank - 1);
  for (SmallVector<OpFoldResult> *amounts : {&low, &high}) {
    amounts->pop_back();
    std::optional<int64_t> pixels = getConstantIntValue(amounts->back());
    if (!pixels)
      return value;
    amounts->back() = builder.getIndexAttr(*pixels * channels);
  }
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.back() *= channels;
  Value rows = tensor::CollapseShapeOp::create(builder, pad.getLoc(), pad.getSource(), groups);
  return tensor::PadOp::create(builder, pad.getLoc(), type.clone(shape), rows, low, high,
                               pad.getConstantPaddingValue());
}

Nest mlir::heddle::codegen::makeBorder(tensor::PadOp pad, const cpu::CpuFeatures &features) {
  Nest border;
  border.kind = NestKind::Border;
  border.value = pad.getResult();
  border.masks = features.masks;
  RankedTensorType type = pad.getResultType();
  int64_t last = type.getRank() == 0 ? 1 : type.getShape().back();
  border.width =
      configureWidth(ShapedType::isDynamic(last) ? Size() : Size(last), storageBytes(type.getElementType()), features);
  return border;
}
