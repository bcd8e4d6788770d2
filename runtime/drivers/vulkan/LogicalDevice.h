// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An opened Vulkan device: its handle, functions and queues. Shared by all that is made from it; thread-safe.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_LOGICALDEVICE_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_LOGICALDEVICE_H

#include "runtime/base/Fork.h"
#include "runtime/drivers/vulkan/PhysicalDevice.h"

#include <atomic>
#include <cstddef>
#include <mutex>

namespace heddle::vulkan {

// A queue of the hardware. Several streams may share one; the mutex is held while submitting.
struct HardwareQueue {
  VkQueue handle = VK_NULL_HANDLE;
  std::mutex mutex;
};

// A buffer in memory that the host sees, for staging and arguments.
struct HostChunk {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::byte *mapped = nullptr;
  uint64_t bytes = 0;
};

class LogicalDevice {
public:
  // `memory` and `physical.info` are as the URI wants them.
  static StatusOr<std::shared_ptr<LogicalDevice>> open(const Instance &instance, PhysicalDevice physical,
                                                       MemoryKind memory);
  ~LogicalDevice();
  LogicalDevice(const LogicalDevice &) = delete;
  LogicalDevice &operator=(const LogicalDevice &) = delete;

  HardwareQueue &nextQueue() { return *queues_[next_.fetch_add(1) % queues_.size()]; }
  StatusOr<HostChunk> createChunk(uint64_t bytes) const;
  void destroyChunk(HostChunk &chunk) const;
  // A failure of the function named `what`: OutOfMemory, DeviceLost, else Internal.
  Status failure(VkResult result, const char *what) const;
  // Kernels may reach memory by addresses (bufferDeviceAddress).
  bool hasAddresses() const { return hasAddresses_; }
  // Descriptors may change after commands that use them were recorded (descriptorBindingStorageBufferUpdateAfterBind).
  bool changesDescriptors() const { return physical.changesDescriptors; }
  bool lost() const { return lost_.load(std::memory_order_relaxed) || isParents(); }
  // The process forked since, and this is the child: nothing of the device may be used or given back here.
  bool isParents() const { return forkCount() != forks_; }

  const PhysicalDevice physical;
  const MemoryKind memory;
  VkDevice handle = VK_NULL_HANDLE;
  DeviceFunctions functions;

private:
  LogicalDevice(PhysicalDevice physical, MemoryKind memory) : physical(std::move(physical)), memory(memory) {}
  std::vector<std::unique_ptr<HardwareQueue>> queues_;
  std::atomic<size_t> next_{0};
  bool hasAddresses_ = false;
  mutable std::atomic<bool> lost_{false};
  uint32_t forks_ = forkCount();
};

// Returns from the function with `device`'s failure when a Vulkan call fails.
#define HEDDLE_VK(device, function, ...)                                                                               \
  if (VkResult heddleResult_ = (device).functions.function(__VA_ARGS__); heddleResult_ < VK_SUCCESS) [[unlikely]]      \
  return (device).failure(heddleResult_, "vk" #function)

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_LOGICALDEVICE_H
