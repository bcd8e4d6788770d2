// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/LogicalDevice.h"

#include <algorithm>

namespace heddle::vulkan {
StatusOr<std::shared_ptr<LogicalDevice>> LogicalDevice::open(const Instance &instance, PhysicalDevice physical,
                                                             MemoryKind memory) {
  std::shared_ptr<LogicalDevice> device(new LogicalDevice(std::move(physical), memory));
  const PhysicalDevice &from = device->physical;
  float priorities[kMostQueues];
  std::fill(std::begin(priorities), std::end(priorities), 1.0f);
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = from.queueFamily;
  queue.queueCount = std::min(from.queues, kMostQueues);
  queue.pQueuePriorities = priorities;
  Features features;
  enabledFeatures(from, features);
  device->hasAddresses_ = features.v12.bufferDeviceAddress;
  std::vector<const char *> extensions;
  if (from.importsHostMemory)
    extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (from.sharesDescriptors)
    extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.pNext = &features.base;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkResult result = instance.functions.CreateDevice(from.handle, &info, nullptr, &device->handle);
  if (result != VK_SUCCESS)
    return device->failure(result, "vkCreateDevice");
  device->functions = deviceFunctions(instance, device->handle);
  for (uint32_t i = 0; i < queue.queueCount; ++i) {
    auto hardware = std::make_unique<HardwareQueue>();
    device->functions.GetDeviceQueue(device->handle, from.queueFamily, i, &hardware->handle);
    device->queues_.push_back(std::move(hardware));
  }
  return device;
}

LogicalDevice::~LogicalDevice() {
  if (functions.DestroyDevice && !isParents())
    functions.DestroyDevice(handle, nullptr);
}

StatusOr<HostChunk> LogicalDevice::createChunk(uint64_t bytes) const {
  HostChunk chunk;
  chunk.bytes = bytes;
  auto fill = [&]() -> Status {
    VkBufferCreateInfo buffer{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    buffer.size = bytes;
    buffer.usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    HEDDLE_VK(*this, CreateBuffer, handle, &buffer, nullptr, &chunk.buffer);
    VkMemoryRequirements needs;
    functions.GetBufferMemoryRequirements(handle, chunk.buffer, &needs);
    VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = physical.stagingType;
    HEDDLE_VK(*this, AllocateMemory, handle, &allocation, nullptr, &chunk.memory);
    HEDDLE_VK(*this, BindBufferMemory, handle, chunk.buffer, chunk.memory, 0);
    HEDDLE_VK(*this, MapMemory, handle, chunk.memory, 0, VK_WHOLE_SIZE, 0, reinterpret_cast<void **>(&chunk.mapped));
    return {};
  };
  if (Status status = fill(); !status.ok()) {
    destroyChunk(chunk);
    return status;
  }
  return chunk;
}

void LogicalDevice::destroyChunk(HostChunk &chunk) const {
  functions.DestroyBuffer(handle, chunk.buffer, nullptr);
  functions.FreeMemory(handle, chunk.memory, nullptr);
  chunk = {};
}

Status LogicalDevice::failure(VkResult result, const char *what) const {
  std::string where = "on " + physical.info.uri;
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY: return Status(StatusCode::OutOfMemory, "no memory " + where + " for " + what);
  case VK_ERROR_DEVICE_LOST:
    lost_.store(true, std::memory_order_relaxed);
    return Status(StatusCode::DeviceLost,
                  "the device " + physical.info.uri + " (" + physical.info.description +
                      ") is lost: a kernel ran too long, or its driver failed; call again to use it anew");
  default: return Status(StatusCode::Internal, std::string(what) + " failed " + where + ": " + spelling(result));
  }
}

} // namespace heddle::vulkan
