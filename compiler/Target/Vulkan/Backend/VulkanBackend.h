// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan devices as a registered target (compiler/Target/TargetRegistry.h): format "spirv", alias "vulkan".
#ifndef HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_VULKANBACKEND_H
#define HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_VULKANBACKEND_H

namespace mlir::heddle::vulkan {

// Once in a process; compiler/Pipelines/Registration.cpp does it.
void registerBackend();

} // namespace mlir::heddle::vulkan

#endif // HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_VULKANBACKEND_H
