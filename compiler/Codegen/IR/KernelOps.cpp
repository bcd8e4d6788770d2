// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/IR/KernelOps.h"

using namespace mlir;
using namespace mlir::heddle::kernel;

#include "compiler/Codegen/IR/KernelDialect.cpp.inc"

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/Codegen/IR/KernelOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "compiler/Codegen/IR/KernelOps.cpp.inc"

LogicalResult DotOp::verify() {
  if (getLhs().getType().getNumElements() != getGroup() * getAcc().getType().getNumElements())
    return emitOpError("needs ") << getGroup() << " elements for each lane of the accumulator, got "
                                 << getLhs().getType() << " for " << getAcc().getType();
  bool isFloat = isa<FloatType>(getLhs().getType().getElementType());
  if (isFloat != isa<FloatType>(getAcc().getType().getElementType()))
    return emitOpError("sums integers to i32 and floats to f32, got ")
           << getLhs().getType() << " for " << getAcc().getType();
  if (isFloat && (getLhsSigned() || getRhsSigned()))
    return emitOpError("takes signs of integers only, got ") << getLhs().getType();
  if (getThroughWords() && (!getLhs().getType().getElementType().isInteger(8) || getLhsSigned() || !getRhsSigned()))
    return emitOpError("adds products of unsigned bytes and signed ones through words, in this order");
  return success();
}

LogicalResult PermuteOp::verify() {
  int64_t lanes = getSource().getType().getNumElements();
  if (getPlaces().getType().getNumElements() != lanes || (lanes != 8 && lanes != 16))
    return emitOpError("needs a place for each of 8 or 16 lanes, got ")
           << getPlaces().getType() << " for " << getSource().getType();
  return success();
}

LogicalResult MicrokernelOp::verify() {
  if (getSteps().empty() || getStrides().size() + 1 != getSteps().size())
    return emitOpError("needs a loop, and a stride for each but the innermost, got ")
           << getStrides().size() << " for " << getSteps().size() << " loops";
  if (!getNext().empty() && getNext().size() != 2)
    return emitOpError("takes an offset and a stride of what is asked for next, got ")
           << getNext().size() << " operands";
  if (getPanel() % getWidth() != 0)
    return emitOpError("needs panels of whole vectors, got ") << getPanel() << " columns for vectors of " << getWidth();
  bool isOfBytes = getRows().getType().getElementType().isInteger(8);
  if (getRows().getType().getElementType().isInteger() != getColumns().getType().getElementType().isInteger() ||
      isOfBytes != (getRowSigned() != getColumnSigned()))
    return emitOpError("takes floats, or bytes of which one operand is signed");
  size_t operands = getOperandMemory().size();
  if (getOperandOffsets().size() != operands || getOperandStrides().size() != operands ||
      (operands > 0 && !getEpilogue()))
    return emitOpError("needs an offset and a stride for each operand of its epilogue");
  return success();
}

LogicalResult TileConfigureOp::verify() {
  if (getRows().size() != 8 || getBytes().size() != 8)
    return emitOpError("needs rows and bytes of 8 registers, got ") << getRows().size() << " and " << getBytes().size();
  for (auto [rows, bytes] : llvm::zip_equal(getRows(), getBytes()))
    if (rows < 0 || rows > 16 || bytes < 0 || bytes > 64 || (rows == 0) != (bytes == 0))
      return emitOpError("takes up to 16 rows of up to 64 bytes, got ") << rows << " rows of " << bytes << " bytes";
  return success();
}
