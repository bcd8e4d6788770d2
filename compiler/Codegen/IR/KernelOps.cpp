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
  int64_t products = getLhs().getType().getElementType().isInteger(8) ? 4 : 2;
  if (getLhs().getType().getNumElements() != products * getAcc().getType().getNumElements())
    return emitOpError("needs ") << products << " elements for each lane of the accumulator, got " << getLhs().getType()
                                 << " for " << getAcc().getType();
  return success();
}

LogicalResult PermuteOp::verify() {
  int64_t lanes = getSource().getType().getNumElements();
  if (getPlaces().getType().getNumElements() != lanes || (lanes != 8 && lanes != 16))
    return emitOpError("needs a place for each of 8 or 16 lanes, got ")
           << getPlaces().getType() << " for " << getSource().getType();
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
