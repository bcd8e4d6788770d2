// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Evaluation/Movement.h"

#include "compiler/Evaluation/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace mlir::heddle::evaluation;

static SmallVector<int64_t> repeated(int64_t rank, int64_t value) { return SmallVector<int64_t>(rank, value); }

static ArrayRef<int64_t> resultShape(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType()).getShape();
}

static Type resultElement(Operation *op) { return getElementTypeOrSelf(op->getResult(0).getType()); }

// `source` into the part of row-major `target` that starts at `offsets` and takes every step-th element.
static void writePart(const Array &source, const Array &target, char *data, ArrayRef<int64_t> offsets,
                      ArrayRef<int64_t> steps) {
  Array part = target.sliced(offsets, source.shape, steps);
  copyElements(source, data + (part.origin - target.origin), part.strides);
}

// An array filled with one scalar, to be written to.
static Array filled(Type elementType, ArrayRef<int64_t> shape, const Array &scalar, char *&data) {
  Array result = Array::allocate(elementType, shape, data);
  copyElements(Array::splat(elementType, shape, scalar.origin), data, result.strides);
  return result;
}

// A scalar attribute as an array of rank 0.
static Array readScalar(Attribute value, Type type) {
  Lanes lanes;
  if (auto integer = dyn_cast<IntegerAttr>(value))
    lanes.integers[0] = type.isInteger(1) ? integer.getValue().getZExtValue() : integer.getValue().getSExtValue();
  else if (type.isF64())
    lanes.doubles[0] = cast<FloatAttr>(value).getValueAsDouble();
  else
    lanes.singles[0] = static_cast<float>(cast<FloatAttr>(value).getValueAsDouble());
  char *data;
  Array scalar = Array::allocate(type, {}, data);
  selectStore(type)(lanes, data, 0, 1);
  return scalar;
}

static Attribute paddingOf(Value padding) {
  Attribute constant;
  return padding && matchPattern(padding, m_Constant(&constant)) && isa<IntegerAttr, FloatAttr>(constant) ? constant
                                                                                                          : Attribute();
}

//===--- One function for each op --------------------------------------------------------------------------------===//

static Array insertSlice(tensor::InsertSliceOp op, ArrayRef<Array> inputs) {
  char *data;
  Array result = Array::allocate(inputs[1].elementType, inputs[1].shape, data);
  copyElements(inputs[1], data, result.strides);
  Array source = inputs[0].reshaped(op.getStaticSizes()); // with the unit dimensions that were dropped
  writePart(source, result, data, op.getStaticOffsets(), op.getStaticStrides());
  return result;
}

static Array concatenate(tensor::ConcatOp op, ArrayRef<Array> inputs) {
  char *data;
  Array result = Array::allocate(resultElement(op), resultShape(op), data);
  SmallVector<int64_t> offsets = repeated(result.rank(), 0), ones = repeated(result.rank(), 1);
  for (const Array &input : inputs) {
    writePart(input, result, data, offsets, ones);
    offsets[op.getDim()] += input.shape[op.getDim()];
  }
  return result;
}

static Array pad(tensor::PadOp op, ArrayRef<Array> inputs) {
  Array scalar = readScalar(paddingOf(op.getConstantPaddingValue()), resultElement(op));
  char *data;
  Array result = filled(resultElement(op), resultShape(op), scalar, data);
  // Negative padding cuts off.
  const Array &source = inputs[0];
  SmallVector<int64_t> from, to, sizes;
  for (auto [size, low, high] : llvm::zip(source.shape, op.getStaticLow(), op.getStaticHigh())) {
    from.push_back(std::max<int64_t>(-low, 0));
    to.push_back(std::max<int64_t>(low, 0));
    sizes.push_back(size + std::min<int64_t>(low, 0) + std::min<int64_t>(high, 0));
  }
  SmallVector<int64_t> ones = repeated(source.rank(), 1);
  writePart(source.sliced(from, sizes, ones), result, data, to, ones);
  return result;
}

static Array fromElements(tensor::FromElementsOp op, ArrayRef<Array> inputs) {
  char *data;
  Array result = Array::allocate(resultElement(op), resultShape(op), data);
  unsigned width = byteWidth(result.elementType);
  for (auto [i, input] : llvm::enumerate(inputs))
    std::memcpy(data + i * width, input.origin, width);
  return result;
}

// Where the packed result's dimensions come from: the outer ones of the source's tiles, then the tiles'. With the
// source's dimension d seen as [tiles, tile] wherever it is tiled.
struct PackedDims {
  SmallVector<int64_t> padded;      // the source's sizes, rounded up to whole tiles
  SmallVector<int64_t> split;       // the same with every tiled dimension as two
  SmallVector<int64_t> permutation; // from `split` to the packed order
};

template <typename PackOp> static PackedDims getPackedDims(PackOp op, ArrayRef<int64_t> plain) {
  PackedDims dims;
  SmallVector<int64_t> outer, inner(op.getInnerDimsPos().size());
  for (auto [d, size] : llvm::enumerate(plain)) {
    auto tiled = llvm::find(op.getInnerDimsPos(), static_cast<int64_t>(d));
    outer.push_back(dims.split.size());
    if (tiled == op.getInnerDimsPos().end()) {
      dims.padded.push_back(size);
      dims.split.push_back(size);
      continue;
    }
    size_t which = tiled - op.getInnerDimsPos().begin();
    int64_t tile = op.getStaticInnerTiles()[which], tiles = llvm::divideCeil(size, tile);
    dims.padded.push_back(tiles * tile);
    inner[which] = dims.split.size() + 1;
    dims.split.append({tiles, tile});
  }
  ArrayRef<int64_t> order = op.getOuterDimsPerm();
  for (size_t d = 0; d < outer.size(); ++d)
    dims.permutation.push_back(outer[order.empty() ? d : order[d]]);
  llvm::append_range(dims.permutation, inner);
  return dims;
}

static Array pack(linalg::PackOp op, ArrayRef<Array> inputs) {
  PackedDims dims = getPackedDims(op, inputs[0].shape);
  char *data;
  Attribute padding =
      op.getPaddingValue() ? paddingOf(op.getPaddingValue()) : Builder(op).getZeroAttr(resultElement(op));
  Array padded = filled(resultElement(op), dims.padded, readScalar(padding, resultElement(op)), data);
  writePart(inputs[0], padded, data, repeated(padded.rank(), 0), repeated(padded.rank(), 1));
  return padded.reshaped(dims.split).permuted(dims.permutation);
}

static Array unpack(linalg::UnPackOp op, ArrayRef<Array> inputs) {
  ArrayRef<int64_t> shape = resultShape(op);
  PackedDims dims = getPackedDims(op, shape);
  SmallVector<int64_t> inverse(dims.permutation.size());
  for (auto [d, source] : llvm::enumerate(dims.permutation))
    inverse[source] = d;
  Array plain = inputs[0].permuted(inverse).reshaped(dims.padded);
  return plain.sliced(repeated(plain.rank(), 0), shape, repeated(plain.rank(), 1));
}

// A slice may drop unit dimensions, which changes nothing about where elements lie.
static Array extractSlice(tensor::ExtractSliceOp op, ArrayRef<Array> inputs) {
  Array part = inputs[0].sliced(op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Array result = part;
  result.shape.clear();
  result.strides.clear();
  for (int64_t d = 0; d < part.rank(); ++d)
    if (!dropped.test(d)) {
      result.shape.push_back(part.shape[d]);
      result.strides.push_back(part.strides[d]);
    }
  return result;
}

//===--- Choice --------------------------------------------------------------------------------------------------===//

static bool areStatic(ArrayRef<int64_t> values) { return !llvm::any_of(values, ShapedType::isDynamic); }

static bool hasStaticParts(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<tensor::ExtractSliceOp, tensor::InsertSliceOp>([](auto slice) {
        return areStatic(slice.getStaticOffsets()) && areStatic(slice.getStaticSizes()) &&
               areStatic(slice.getStaticStrides());
      })
      .Case([](tensor::PadOp pad) {
        return areStatic(pad.getStaticLow()) && areStatic(pad.getStaticHigh()) &&
               paddingOf(pad.getConstantPaddingValue());
      })
      .Case([](linalg::PackOp pack) {
        return areStatic(pack.getStaticInnerTiles()) && (!pack.getPaddingValue() || paddingOf(pack.getPaddingValue()));
      })
      .Case([](linalg::UnPackOp unpack) { return areStatic(unpack.getStaticInnerTiles()); })
      .Case<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ConcatOp, tensor::SplatOp,
            tensor::FromElementsOp>([](auto) { return true; })
      .Default([](Operation *) { return false; });
}

bool mlir::heddle::evaluation::isMovement(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return (tensor ? tensor.hasStaticShape() : type.isIntOrIndexOrFloat()) &&
           byteWidth(getElementTypeOrSelf(type)) != 0;
  };
  return hasStaticParts(op) && llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic);
}

Array mlir::heddle::evaluation::moveElements(Operation *op, ArrayRef<Array> inputs) {
  return llvm::TypeSwitch<Operation *, Array>(op)
      .Case([&](tensor::CastOp) { return inputs[0]; })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto) { return inputs[0].reshaped(resultShape(op)); })
      .Case([&](tensor::ExtractSliceOp slice) { return extractSlice(slice, inputs); })
      .Case([&](tensor::InsertSliceOp slice) { return insertSlice(slice, inputs); })
      .Case([&](tensor::ConcatOp concat) { return concatenate(concat, inputs); })
      .Case([&](tensor::PadOp padOp) { return pad(padOp, inputs); })
      .Case([&](tensor::SplatOp) { return Array::splat(resultElement(op), resultShape(op), inputs[0].origin); })
      .Case([&](tensor::FromElementsOp elements) { return fromElements(elements, inputs); })
      .Case([&](linalg::PackOp packOp) { return pack(packOp, inputs); })
      .Case([&](linalg::UnPackOp unpackOp) { return unpack(unpackOp, inputs); });
}
