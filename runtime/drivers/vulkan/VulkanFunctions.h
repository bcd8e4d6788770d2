// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan's functions, found at run time: the runtime links no loader. A member without its library is null.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_VULKANFUNCTIONS_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_VULKANFUNCTIONS_H

#define VK_NO_PROTOTYPES
#include "runtime/base/Status.h"

#include <vulkan/vulkan_core.h>

namespace heddle::vulkan {

#define HEDDLE_VULKAN_INSTANCE_FUNCTIONS(F)                                                                            \
  F(CreateDevice)                                                                                                      \
  F(EnumerateDeviceExtensionProperties)                                                                                \
  F(EnumeratePhysicalDevices)                                                                                          \
  F(GetDeviceProcAddr)                                                                                                 \
  F(GetPhysicalDeviceExternalBufferProperties)                                                                         \
  F(GetPhysicalDeviceFeatures2)                                                                                        \
  F(GetPhysicalDeviceMemoryProperties)                                                                                 \
  F(GetPhysicalDeviceProperties)                                                                                       \
  F(GetPhysicalDeviceProperties2)                                                                                      \
  F(GetPhysicalDeviceQueueFamilyProperties)

#define HEDDLE_VULKAN_DEVICE_FUNCTIONS(F)                                                                              \
  F(AllocateCommandBuffers)                                                                                            \
  F(AllocateDescriptorSets)                                                                                            \
  F(AllocateMemory)                                                                                                    \
  F(BeginCommandBuffer)                                                                                                \
  F(BindBufferMemory)                                                                                                  \
  F(CmdBindDescriptorSets)                                                                                             \
  F(CmdBindPipeline)                                                                                                   \
  F(CmdCopyBuffer)                                                                                                     \
  F(CmdDispatch)                                                                                                       \
  F(CmdFillBuffer)                                                                                                     \
  F(CmdPipelineBarrier)                                                                                                \
  F(CmdResetQueryPool)                                                                                                 \
  F(CmdWriteTimestamp)                                                                                                 \
  F(CreateBuffer)                                                                                                      \
  F(CreateCommandPool)                                                                                                 \
  F(CreateComputePipelines)                                                                                            \
  F(CreateDescriptorPool)                                                                                              \
  F(CreateDescriptorSetLayout)                                                                                         \
  F(CreatePipelineCache)                                                                                               \
  F(CreatePipelineLayout)                                                                                              \
  F(CreateQueryPool)                                                                                                   \
  F(CreateSemaphore)                                                                                                   \
  F(CreateShaderModule)                                                                                                \
  F(DestroyBuffer)                                                                                                     \
  F(DestroyCommandPool)                                                                                                \
  F(DestroyDescriptorPool)                                                                                             \
  F(DestroyDescriptorSetLayout)                                                                                        \
  F(DestroyDevice)                                                                                                     \
  F(DestroyPipeline)                                                                                                   \
  F(DestroyPipelineCache)                                                                                              \
  F(DestroyPipelineLayout)                                                                                             \
  F(DestroyQueryPool)                                                                                                  \
  F(DestroySemaphore)                                                                                                  \
  F(DestroyShaderModule)                                                                                               \
  F(EndCommandBuffer)                                                                                                  \
  F(FreeMemory)                                                                                                        \
  F(GetBufferDeviceAddress)                                                                                            \
  F(GetBufferMemoryRequirements)                                                                                       \
  F(GetDeviceQueue)                                                                                                    \
  F(GetQueryPoolResults)                                                                                               \
  F(MapMemory)                                                                                                         \
  F(QueueSubmit)                                                                                                       \
  F(QueueWaitIdle)                                                                                                     \
  F(ResetCommandPool)                                                                                                  \
  F(ResetDescriptorPool)                                                                                               \
  F(UpdateDescriptorSets)                                                                                              \
  F(WaitSemaphores)

#define HEDDLE_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;
struct InstanceFunctions {
  HEDDLE_VULKAN_INSTANCE_FUNCTIONS(HEDDLE_VULKAN_MEMBER)
};
struct DeviceFunctions {
  HEDDLE_VULKAN_DEVICE_FUNCTIONS(HEDDLE_VULKAN_MEMBER)
  // Null without their extensions.
  PFN_vkGetMemoryHostPointerPropertiesEXT GetMemoryHostPointerPropertiesEXT = nullptr;
  PFN_vkGetMemoryFdKHR GetMemoryFdKHR = nullptr;
};
#undef HEDDLE_VULKAN_MEMBER

// The process's Vulkan instance. Lives until the process ends.
struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  InstanceFunctions functions;

  // Unsupported says what to install.
  static StatusOr<const Instance *> get();
  // The same for a loader of another name; makes an instance each time.
  static StatusOr<const Instance *> create(const char *loader);
};

DeviceFunctions deviceFunctions(const Instance &instance, VkDevice device);

// "VK_ERROR_DEVICE_LOST", or the number.
std::string spelling(VkResult result);

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_VULKANFUNCTIONS_H
