// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What code generation asks about a GPU, of whatever format: plain data, read from the dictionary of an executable
// target. Whatever is not there is what every device has.
#ifndef HEDDLE_COMPILER_TARGET_GPU_GPUFEATURES_H
#define HEDDLE_COMPILER_TARGET_GPU_GPUFEATURES_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Target/Forms/TargetFact.h"

#include <vector>

namespace mlir::heddle::gpu {

struct GpuFeatures {
  int64_t invocations = 64;         // of a workgroup; a power of two
  int64_t sharedBytes = 16 << 10;   // memory that a workgroup's invocations share
  int64_t subgroup = 0;             // invocations that run in step; 0: not known
  int64_t bindingBytes = 128 << 20; // of one tensor
  int64_t elements = INT32_MAX;     // of one tensor: indices have 32 bits
  int64_t bindings = 15;            // tensors of one kernel
  bool addresses = false;           // kernels may reach tensors by addresses: the two limits before do not hold then
};

// Keys `workgroup`, `maxComputeSharedMemorySize`, `maxStorageBufferRange`, `maxPerStageDescriptorStorageBuffers` (one
// of which is the argument block), `subgroupSize`; the latter four as Vulkan spells its limits and properties.
ArrayRef<StringRef> getLimitNames();
GpuFeatures getFeatures(device::ExecutableAttr executable);
// `workgroup_invocations`, `shared_bytes`, and `subgroup` where it is known.
std::vector<TargetFact> getFacts(device::ExecutableAttr executable);

// Whether the executable's function has tensors that only addresses reach: too large, or too many.
bool needsAddresses(Operation *function, const GpuFeatures &features);

// Whether it has tensors of free sizes, and addresses reach them.
bool mayNeedAddresses(Operation *function, const GpuFeatures &features);

// "" when they are such as code can be made for; else what is wrong with one of the keys.
std::string explainInvalid(device::ExecutableAttr executable);

// "" when a value can be kept on these: else a reason. The function is an executable's on tensors.
std::string explainUnsupported(Operation *function, const GpuFeatures &features);

} // namespace mlir::heddle::gpu

#endif // HEDDLE_COMPILER_TARGET_GPU_GPUFEATURES_H
