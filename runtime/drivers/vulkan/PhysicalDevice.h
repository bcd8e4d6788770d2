// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Vulkan device is, asked once without opening it, and which of its memory and queues Heddle uses: plain data.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_PHYSICALDEVICE_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_PHYSICALDEVICE_H

#include "runtime/drivers/vulkan/FloatControls.h"
#include "runtime/match/DeviceInfo.h"

#include <optional>

namespace heddle::vulkan {

// Mapped: the host addresses the device's memory itself. Discrete: it does not; everything is staged.
enum class MemoryKind : uint8_t { Mapped, Discrete };

// Of a device that are used.
inline constexpr uint32_t kMostQueues = 4;

struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceInfo info; // uri "vulkan://N"; absent, with the reason, when Heddle cannot use it
  uint32_t queueFamily = 0;
  uint32_t queues = 0;                      // of its family
  MemoryKind memory = MemoryKind::Discrete; // the kind that fits the device
  std::optional<uint32_t> mappedType;       // memory types; none: no such memory
  uint32_t discreteType = 0;
  uint32_t stagingType = 0; // visible to the host, coherent
  uint64_t maxAllocation = 0;
  uint64_t maxStorageRange = 0;
  uint32_t maxStorageBuffers = 0;
  uint32_t maxGroupsX = 0;
  bool changesDescriptors = false; // after commands that use them were recorded
  bool importsHostMemory = false;
  uint64_t importAlignment = 0;
  bool sharesDescriptors = false; // of memory, opaque ones, out and in, for buffers as they come
  FloatControls floatControls;
  double tickNs = 1;          // of the queues' clock
  uint32_t timestampBits = 0; // that it has; 0: there is none

  int64_t toNs(uint64_t ticks) const { return static_cast<int64_t>(static_cast<long double>(ticks) * tickNs); }
};

// All devices of the instance, in its order.
std::vector<PhysicalDevice> physicalDevices(const Instance &instance);

// The features a kernel may need, to be turned on when the device is opened. Chained by link(), after which it must not
// move.
struct Features {
  VkPhysicalDeviceFeatures2 base{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  void link() {
    base.pNext = &v11;
    v11.pNext = &v12;
  }
};
// Exactly those of info.features, timeline semaphores, and descriptors that change where there are. `out` is linked.
void enabledFeatures(const PhysicalDevice &device, Features &out);

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_PHYSICALDEVICE_H
