// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the target `vulkan`; see Passes.td.
#ifndef HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_PASSES_H
#define HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_PASSES_H

#include "compiler/Codegen/IR/KernelOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::heddle::vulkan {

#define GEN_PASS_DECL
#include "compiler/Target/Vulkan/Backend/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Target/Vulkan/Backend/Passes.h.inc"

} // namespace mlir::heddle::vulkan

#endif // HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_PASSES_H
