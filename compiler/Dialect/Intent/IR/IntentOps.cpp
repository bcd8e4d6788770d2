// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Intent/IR/IntentOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle::intent;

bool mlir::heddle::intent::isCodeType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() == 8 || (integer.isUnsigned() && integer.getWidth() >= 2 && integer.getWidth() < 8);
  return isa<FloatType>(type) && (type.getIntOrFloatBitWidth() == 8 || type.getIntOrFloatBitWidth() == 4);
}

bool mlir::heddle::intent::isRoundedBlock(int64_t block) {
  return block >= kLeastRoundedBlock && block <= kMostRoundedBlock && llvm::isPowerOf2_64(block);
}

int64_t QuantizedProductOp::getCodesPerByte() {
  ArrayRef<int64_t> shape = getCodes().getType().getShape();
  int64_t bytes = 1;
  for (int64_t size : shape.drop_back())
    bytes *= size;
  return bytes == getDepth() ? 1 : 2;
}

int64_t QuantizedProductOp::getBlock() {
  RankedTensorType codes = getCodes().getType();
  return codes.getRank() == 3 ? codes.getDimSize(1) * getCodesPerByte() : 0;
}

// Whether the shape is that of one value, of one for each column, or of one for each column of a block.
static bool isPerBlock(ArrayRef<int64_t> shape, ArrayRef<int64_t> codes) {
  return codes.size() == 3 && shape == ArrayRef<int64_t>{codes.front(), codes.back()};
}
static bool isPerColumn(ArrayRef<int64_t> shape, ArrayRef<int64_t> codes) {
  return shape.empty() || shape == codes.take_back();
}

LogicalResult QuantizedProductOp::verify() {
  RankedTensorType rows = getRows().getType(), codes = getCodes().getType(), scales = getScales().getType();
  ArrayRef<int64_t> shape = codes.getShape();
  if (!isCodeType(getCode()))
    return emitOpError() << "has codes of i8, ui8, ui2 to ui7 or floats of 8 or 4 bits, got " << getCode()
                         << "; signed codes of fewer bits are stored from 0 up, with a zero that is as much larger";
  if ((shape.size() != 2 && shape.size() != 3) || !codes.hasStaticShape() || codes.getNumElements() == 0)
    return emitOpError() << "needs codes [k, n] or [blocks, k of a block, n] of known sizes, got " << codes;
  int64_t k = rows.getDimSize(1), bytes = codes.getNumElements() / shape.back();
  bool isNarrow = getCode().getIntOrFloatBitWidth() <= 4;
  if (k != bytes && (!isNarrow || k != 2 * bytes))
    return emitOpError() << "needs a code for each of the " << (ShapedType::isDynamic(k) ? "?" : Twine(k).str())
                         << " columns of the rows, one a byte" << (isNarrow ? " or two" : "") << ", got " << codes;
  if (codes.getRank() == 3 ? !isPerBlock(scales.getShape(), shape) : !isPerColumn(scales.getShape(), shape))
    return emitOpError() << "needs scales " << (codes.getRank() == 3 ? "[blocks, n]" : "of one element, or [n]")
                         << ", got " << scales;
  if (Value zeros = getZeros()) {
    auto type = cast<RankedTensorType>(zeros.getType());
    if (!isPerColumn(type.getShape(), shape) && !isPerBlock(type.getShape(), shape))
      return emitOpError() << "needs zeros of one element, [n], or [blocks, n] where codes have blocks, got " << type;
    if (isa<FloatType>(getCode()))
      return emitOpError() << "has codes that are floats, which have no zeros";
  }
  auto integer = dyn_cast<IntegerType>(getCode());
  if (getRounded() && (static_cast<int64_t>(*getRounded()) != getBlock() || !isRoundedBlock(getBlock()) || !integer ||
                       !integer.isUnsigned()))
    return emitOpError() << "rounds rows in blocks of unsigned codes, a power of two from " << kLeastRoundedBlock
                         << " to " << kMostRoundedBlock << ", got " << *getRounded() << " for " << codes << " of "
                         << getCode();
  RankedTensorType result = getResult().getType();
  if (result.getDimSize(0) != rows.getDimSize(0) || result.getDimSize(1) != shape.back())
    return emitOpError() << "gives a row of " << shape.back() << " columns for each of " << rows << ", got " << result;
  return success();
}

LogicalResult QuantizedProductOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back({tensor::getMixedSize(builder, getLoc(), getRows(), 0), builder.getIndexAttr(getColumns())});
  return success();
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Intent/IR/IntentOps.cpp.inc"
