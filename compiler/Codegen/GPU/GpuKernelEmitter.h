// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the kernel of an executable's function on tensors as code of one invocation of a GPU.
#ifndef HEDDLE_COMPILER_CODEGEN_GPU_GPUKERNELEMITTER_H
#define HEDDLE_COMPILER_CODEGEN_GPU_GPUKERNELEMITTER_H

#include "compiler/Target/GPU/GpuFeatures.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::codegen {

// How many bindings and index arguments the dispatch has, on the function emitted; some may have no use.
inline constexpr StringLiteral kBindingsAttr = "kernel.bindings", kConstantsAttr = "kernel.constants";
// On the same: its tensors are reached by addresses (gpu::needsAddresses), where the target has a choice.
inline constexpr StringLiteral kAddressesAttr = "kernel.addresses";
// On the same: it has tensors of free sizes, which may turn out to be such (gpu::mayNeedAddresses).
inline constexpr StringLiteral kMayNeedAddressesAttr = "kernel.may_need_addresses";

// On a kernel.program whose code is made, the launch record of its variant (contract/Launch.h): array<i64: x, y, z,
// bytes of shared memory>.
inline constexpr StringLiteral kLaunchAttr = "kernel.launch";
void setLaunch(Operation *program, int64_t invocations, int64_t sharedBytes);

// Emits, in front of `source`: @kernel_invocation, without arguments (its memory, sizes and place are ops of the
// dialect kernel), @workgroups, kTooManyElements of SpirvAbi.h where a tensor has too many, and @scratch, which is 0.
// `report` gets a line for each result. Fails with a diagnostic at the op that has no code.
LogicalResult emitGpuKernel(func::FuncOp source, const gpu::GpuFeatures &features, std::string *report);

// Whether the code has products in blocks (GpuNest.h).
bool usesBlocks(func::FuncOp source, const gpu::GpuFeatures &features);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_GPU_GPUKERNELEMITTER_H
