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
