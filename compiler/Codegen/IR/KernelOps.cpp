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
