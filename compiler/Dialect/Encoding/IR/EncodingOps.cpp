// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::heddle::encoding;

#include "compiler/Dialect/Encoding/IR/EncodingDialect.cpp.inc"

void EncodingDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Encoding/IR/EncodingOps.cpp.inc"
      >();
}

bool mlir::heddle::encoding::isAbstract(Attribute encoding) {
  return isa_and_present<ContractionAttr, ConvolutionAttr, QuantizedAttr>(encoding);
}

bool mlir::heddle::encoding::isOfConstant(Attribute encoding) {
  std::optional<AbstractEncoding> use = getAbstract(encoding);
  return use ? use->constant : isa_and_present<QuantizedAttr>(encoding);
}

bool mlir::heddle::encoding::isResolved(Attribute encoding) {
  return isa_and_present<LayoutAttr, IdentityAttr, ByDeviceAttr, ByTargetAttr>(encoding);
}

bool mlir::heddle::encoding::isEncoded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (isAbstract(tensor.getEncoding()) || isResolved(tensor.getEncoding()));
}

template <typename AttrT> static AbstractEncoding toData(AttrT encoding, bool isConvolution) {
  return {isConvolution,
          static_cast<unsigned>(encoding.getRole()),
          SmallVector<Type>(encoding.getTypes()),
          SmallVector<AffineMap>(encoding.getMaps()),
          SmallVector<int64_t>(encoding.getSizes()),
          encoding.getConstant()};
}

std::optional<AbstractEncoding> mlir::heddle::encoding::getAbstract(Attribute encoding) {
  if (auto contraction = dyn_cast_if_present<ContractionAttr>(encoding))
    return toData(contraction, false);
  if (auto convolution = dyn_cast_if_present<ConvolutionAttr>(encoding))
    return toData(convolution, true);
  return std::nullopt;
}

Attribute mlir::heddle::encoding::getAttribute(MLIRContext *context, const AbstractEncoding &use) {
  if (use.isConvolution)
    return ConvolutionAttr::get(context, static_cast<ConvolutionRole>(use.role), use.types, use.maps, use.sizes,
                                use.constant);
  return ContractionAttr::get(context, static_cast<Role>(use.role), use.types, use.maps, use.sizes, use.constant);
}

RankedTensorType mlir::heddle::encoding::withEncoding(RankedTensorType type, Attribute encoding) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
}

static LogicalResult verifyChange(Operation *op, Type plain, StringRef plainName, Type encoded, StringRef encodedName) {
  auto plainType = cast<RankedTensorType>(plain), encodedType = cast<RankedTensorType>(encoded);
  if (plainType.getEncoding())
    return op->emitOpError() << "needs a " << plainName << " without an encoding, got " << plainType;
  if (!isEncoded(encoded))
    return op->emitOpError() << "needs a " << encodedName << " with an encoding of this dialect, got " << encodedType;
  if (plainType.getShape() != encodedType.getShape() || plainType.getElementType() != encodedType.getElementType())
    return op->emitOpError() << "changes the encoding only, got " << op->getOperand(0).getType() << " to "
                             << op->getResult(0).getType();
  return success();
}

LogicalResult SetOp::verify() {
  return verifyChange(*this, getSource().getType(), "source", getResult().getType(), "result");
}

LogicalResult UnsetOp::verify() {
  return verifyChange(*this, getResult().getType(), "result", getSource().getType(), "source");
}

// set(unset(x)) is x where the encodings are equal; else it is a relayout and stays.
OpFoldResult SetOp::fold(FoldAdaptor) {
  auto unset = getSource().getDefiningOp<UnsetOp>();
  return unset && unset.getSource().getType() == getResult().getType() ? unset.getSource() : OpFoldResult();
}

OpFoldResult UnsetOp::fold(FoldAdaptor) {
  auto set = getSource().getDefiningOp<SetOp>();
  return set ? set.getSource() : OpFoldResult();
}

// The sizes are those of the source.
static LogicalResult reifySource(OpBuilder &builder, Operation *op, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(0)));
  return success();
}

LogicalResult SetOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  return reifySource(builder, *this, shapes);
}

LogicalResult UnsetOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  return reifySource(builder, *this, shapes);
}

LogicalResult SliceOp::verify() {
  RankedTensorType source = getSource().getType(), result = getResult().getType();
  if (!isa_and_present<LayoutAttr, IdentityAttr>(source.getEncoding()))
    return emitOpError() << "needs a source whose layout is known (#encoding.layout or #encoding.identity), got "
                         << source << "; unset it, take a plain slice and set that";
  if (source.getEncoding() != result.getEncoding() || source.getElementType() != result.getElementType() ||
      source.getRank() != result.getRank())
    return emitOpError() << "keeps the layout, the element type and the rank, got " << source << " to " << result;
  int64_t rank = source.getRank();
  for (auto [list, values] : {std::pair(getStaticOffsets(), getOffsets()), std::pair(getStaticSizes(), getSizes())})
    if (static_cast<int64_t>(list.size()) != rank ||
        llvm::count_if(list, ShapedType::isDynamic) != static_cast<int64_t>(values.size()))
      return emitOpError() << "needs an offset and a size for each of " << rank << " dimensions, got "
                           << getStaticOffsets().size() << " and " << getStaticSizes().size();
  auto layout = dyn_cast<LayoutAttr>(source.getEncoding());
  for (int64_t d = 0; d < rank; ++d) {
    int64_t granule = layout ? layout.getGranule(d) : 1, size = getStaticSizes()[d], got = result.getDimSize(d);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(got))
      continue;
    // Part of the last granule may be padding.
    if (got > size * granule || got <= (size - 1) * granule)
      return emitOpError() << "takes " << size << " granules of " << granule << " along dimension " << d
                           << ", got a result of size " << got;
  }
  return success();
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Encoding/IR/EncodingOps.cpp.inc"
