// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Vulkan device may be asked for beyond what every one has, in Vulkan's words and in SPIR-V's.
#ifndef HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_VULKANFEATURES_H
#define HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_VULKANFEATURES_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVEnums.h"

namespace mlir::heddle::vulkan {

struct Feature {
  StringLiteral name; // a member of VkPhysicalDeviceFeatures and its later versions
  spirv::Capability capability;
};

inline constexpr Feature kFeatures[] = {
    {"shaderInt8", spirv::Capability::Int8},
    {"shaderInt16", spirv::Capability::Int16},
    {"shaderInt64", spirv::Capability::Int64},
    {"shaderFloat16", spirv::Capability::Float16},
    {"shaderFloat64", spirv::Capability::Float64},
    {"storageBuffer8BitAccess", spirv::Capability::StorageBuffer8BitAccess},
    {"storageBuffer16BitAccess", spirv::Capability::StorageBuffer16BitAccess},
    {"bufferDeviceAddress", spirv::Capability::PhysicalStorageBufferAddresses},
};

// In the dictionary of an executable target: limits that a device must keep to run its code, spelt as SpirvAbi.h says,
// such as "subgroupSize>=16".
inline constexpr StringLiteral kRequiredLimits = "requires";

// The executable target for devices whose subgroups make blocks of products pay (GpuBlock.h), where the function may
// have such a product and `executable` does not say what subgroups the device has.
SmallVector<device::ExecutableAttr> getRefinements(func::FuncOp function, device::ExecutableAttr executable);

// Those that code for the target may use: its `features`; all where it names none.
SmallVector<Feature> getFeatures(device::ExecutableAttr executable);

// "" where code for a value of this type is possible, else the feature it needs.
std::string explainUnsupported(Type element, ArrayRef<Feature> features);

} // namespace mlir::heddle::vulkan

#endif // HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_VULKANFEATURES_H
