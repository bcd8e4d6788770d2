#include "compiler/Dialect/Encoding/IR/EncodingOps.h"

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

bool mlir::heddle::encoding::isAbstract(Attribute encoding) { return isa_and_present<ContractionAttr>(encoding); }

bool mlir::heddle::encoding::isResolved(Attribute encoding) {
  return isa_and_present<LayoutAttr, IdentityAttr, ByDeviceAttr>(encoding);
}

bool mlir::heddle::encoding::isEncoded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (isAbstract(tensor.getEncoding()) || isResolved(tensor.getEncoding()));
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

#define GET_OP_CLASSES
#include "compiler/Dialect/Encoding/IR/EncodingOps.cpp.inc"
