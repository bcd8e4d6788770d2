// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_VULKAN_PASSES
#define HEDDLE_VULKAN_PASSES

include "mlir/Pass/PassBase.td"

def ConvertToSpirv : Pass<"vulkan-convert-to-spirv", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Turns @kernel, the code of one invocation, into a spirv.module with the calling convention of SpirvAbi.h";
  let description = [{
    Memory becomes storage buffers, one for each binding and the argument block; indices are 32 bits wide. What the device's features
    (`features` of its executable target) do not allow is an error. A kernel that may need addresses (`kernel.may_need_addresses`) becomes
    two modules: the second reaches tensors by addresses.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect", "::mlir::gpu::GPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def SerializeSpirv : Pass<"vulkan-serialize-spirv", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Makes the program's spirv.modules its `object`, one after the other";
  let description = [{
    Before it spirv-lower-abi-attrs and spirv-update-vce are run on the modules. What the code of the first needs of a device becomes the
    attribute `kernel.features`, in Vulkan's words.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

#endif // HEDDLE_VULKAN_PASSES
