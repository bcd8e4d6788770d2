// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the target `cuda`; see Passes.td.
#ifndef HEDDLE_COMPILER_TARGET_CUDA_BACKEND_PASSES_H
#define HEDDLE_COMPILER_TARGET_CUDA_BACKEND_PASSES_H

#include "compiler/Codegen/IR/KernelOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::heddle::cuda {

// "sm_80", "ptx80".
StringRef getArchitecture(device::ExecutableAttr executable);
StringRef getPtxVersion(device::ExecutableAttr executable);
// What a device must have to run code for it, however little memory it shares (PtxAbi.h).
ArrayAttr getRequiredFeatures(device::ExecutableAttr executable);
// Whether LLVM compiles PTX of version 8.0 for it: "sm_80", "sm_90a".
bool isArchitecture(StringRef name);

#define GEN_PASS_DECL
#include "compiler/Target/CUDA/Backend/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Target/CUDA/Backend/Passes.h.inc"

} // namespace mlir::heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_BACKEND_PASSES_H
