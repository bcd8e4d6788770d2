// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_KERNEL_DIALECT
#define HEDDLE_KERNEL_DIALECT

include "mlir/IR/OpBase.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::mlir::heddle::kernel";
  let summary = "A kernel on its way to machine code, and what its caller hands it.";
  let description = [{
    Lives only inside the stage `codegen`. `kernel.program` holds one executable being compiled for one target, so that
    the passes of the stage can run on all programs at the same time. The other ops name the parts of the calling
    convention (KernelAbi.h) without fixing how they are passed.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::heddle::device::DeviceDialect"];
}

#endif // HEDDLE_KERNEL_DIALECT
