// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/PhysicalDevice.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace heddle::vulkan {
namespace {

struct NamedFeature {
  const char *name;
  VkBool32 &(*member)(Features &);
};

#define HEDDLE_FEATURE(part, name)                                                                                     \
  NamedFeature {                                                                                                       \
    #name, [](Features &f) -> VkBool32 & { return f.part.name; }                                                       \
  }
// Those that generated kernels may ask for.
constexpr NamedFeature kFeatures[] = {
    HEDDLE_FEATURE(base.features, shaderFloat64),
    HEDDLE_FEATURE(base.features, shaderInt64),
    HEDDLE_FEATURE(base.features, shaderInt16),
    HEDDLE_FEATURE(v11, storageBuffer16BitAccess),
    HEDDLE_FEATURE(v11, variablePointersStorageBuffer),
    HEDDLE_FEATURE(v11, variablePointers),
    HEDDLE_FEATURE(v12, storageBuffer8BitAccess),
    HEDDLE_FEATURE(v12, shaderFloat16),
    HEDDLE_FEATURE(v12, shaderInt8),
    HEDDLE_FEATURE(v12, shaderBufferInt64Atomics),
    HEDDLE_FEATURE(v12, shaderSharedInt64Atomics),
    HEDDLE_FEATURE(v12, shaderSubgroupExtendedTypes),
    HEDDLE_FEATURE(v12, vulkanMemoryModel),
    HEDDLE_FEATURE(v12, bufferDeviceAddress),
};
#undef HEDDLE_FEATURE

struct SubgroupFeature {
  const char *name;
  VkSubgroupFeatureFlags bit;
};
constexpr SubgroupFeature kSubgroupFeatures[] = {
    {"VK_SUBGROUP_FEATURE_BASIC_BIT", VK_SUBGROUP_FEATURE_BASIC_BIT},
    {"VK_SUBGROUP_FEATURE_VOTE_BIT", VK_SUBGROUP_FEATURE_VOTE_BIT},
    {"VK_SUBGROUP_FEATURE_ARITHMETIC_BIT", VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
    {"VK_SUBGROUP_FEATURE_BALLOT_BIT", VK_SUBGROUP_FEATURE_BALLOT_BIT},
    {"VK_SUBGROUP_FEATURE_SHUFFLE_BIT", VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
    {"VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT", VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
    {"VK_SUBGROUP_FEATURE_CLUSTERED_BIT", VK_SUBGROUP_FEATURE_CLUSTERED_BIT},
};

void absence(PhysicalDevice &device, std::string reason) {
  device.info.available = false;
  device.info.reason = std::move(reason);
}

void chooseQueues(const InstanceFunctions &f, PhysicalDevice &device) {
  uint32_t count = 0;
  f.GetPhysicalDeviceQueueFamilyProperties(device.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  f.GetPhysicalDeviceQueueFamilyProperties(device.handle, &count, families.data());
  auto rank = [&](uint32_t i) { return (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) ? 1 : 2; }; // 2: for compute
  for (uint32_t i = 0; i < count; ++i)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
      if (!device.queues || rank(i) > rank(device.queueFamily)) {
        device.queueFamily = i;
        device.timestampBits = families[i].timestampValidBits;
        device.queues = families[i].queueCount;
        device.info.streams = std::min(device.queues, kMostQueues);
      }
  if (!device.queues)
    absence(device, "it has no queue for compute");
}

void chooseMemory(const InstanceFunctions &f, PhysicalDevice &device, bool unified) {
  VkPhysicalDeviceMemoryProperties memory;
  f.GetPhysicalDeviceMemoryProperties(device.handle, &memory);
  constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  // The first type with all of `wanted`, preferring the flags of `liked`.
  auto find = [&](VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags liked) -> std::optional<uint32_t> {
    for (VkMemoryPropertyFlags flags : {wanted | liked, wanted})
      for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((memory.memoryTypes[i].propertyFlags & flags) == flags)
          return i;
    return std::nullopt;
  };
  device.mappedType = find(local | host, cached);
  device.discreteType = find(local, 0).value_or(0);
  device.stagingType = find(host, cached).value_or(0);
  bool quick = device.mappedType && (memory.memoryTypes[*device.mappedType].propertyFlags & cached);
  device.memory = device.mappedType && (unified || quick) ? MemoryKind::Mapped : MemoryKind::Discrete;
  uint32_t type = device.memory == MemoryKind::Mapped ? *device.mappedType : device.discreteType;
  device.info.memoryBytes = memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size;
}

void readFeatures(const InstanceFunctions &f, PhysicalDevice &device, const VkPhysicalDeviceVulkan11Properties &v11) {
  Features features;
  features.link();
  f.GetPhysicalDeviceFeatures2(device.handle, &features.base);
  for (const NamedFeature &feature : kFeatures)
    if (feature.member(features))
      device.info.features.emplace_back(feature.name);
  if (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
    for (const SubgroupFeature &feature : kSubgroupFeatures)
      if (v11.subgroupSupportedOperations & feature.bit)
        device.info.features.emplace_back(feature.name);
  device.changesDescriptors &= features.v12.descriptorBindingStorageBufferUpdateAfterBind == VK_TRUE;
  if (!features.v12.timelineSemaphore)
    absence(device, "it has no timeline semaphores (timelineSemaphore)");
}

bool hasExtension(const InstanceFunctions &f, VkPhysicalDevice device, const char *name) {
  uint32_t count = 0;
  f.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  f.EnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  return std::any_of(extensions.begin(), extensions.begin() + count,
                     [&](const VkExtensionProperties &e) { return std::strcmp(e.extensionName, name) == 0; });
}

bool sharesDescriptors(const InstanceFunctions &f, VkPhysicalDevice device) {
  if (!hasExtension(f, device, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME))
    return false;
  VkPhysicalDeviceExternalBufferInfo info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExternalBufferProperties properties{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  f.GetPhysicalDeviceExternalBufferProperties(device, &info, &properties);
  constexpr VkExternalMemoryFeatureFlags both =
      VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
  VkExternalMemoryFeatureFlags has = properties.externalMemoryProperties.externalMemoryFeatures;
  return (has & both) == both && !(has & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT);
}

const char *typeName(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return "integrated GPU";
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return "discrete GPU";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return "virtual GPU";
  case VK_PHYSICAL_DEVICE_TYPE_CPU: return "computes on the CPU";
  default: return "of another kind";
  }
}

void readProperties(const InstanceFunctions &f, PhysicalDevice &device) {
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT import{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
  VkPhysicalDeviceMaintenance3Properties maintenance{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceFloatControlsProperties floats{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
  VkPhysicalDeviceVulkan11Properties v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceDescriptorIndexingProperties indexing{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES};
  properties.pNext = &indexing;
  indexing.pNext = &v11;
  v11.pNext = &maintenance;
  maintenance.pNext = &floats;
  device.importsHostMemory = hasExtension(f, device.handle, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (device.importsHostMemory)
    floats.pNext = &import;
  f.GetPhysicalDeviceProperties2(device.handle, &properties);
  const VkPhysicalDeviceLimits &limits = properties.properties.limits;
  device.floatControls = readFloatControls(floats);
  device.importAlignment = import.minImportedHostPointerAlignment;
  device.sharesDescriptors = sharesDescriptors(f, device.handle);
  device.maxAllocation = maintenance.maxMemoryAllocationSize;
  device.maxStorageRange = limits.maxStorageBufferRange;
  device.maxStorageBuffers = std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxPerStageResources);
  device.tickNs = limits.timestampPeriod;
  device.changesDescriptors = std::min(indexing.maxPerStageDescriptorUpdateAfterBindStorageBuffers,
                                       indexing.maxPerStageUpdateAfterBindResources) >= device.maxStorageBuffers;
  device.maxGroupsX = limits.maxComputeWorkGroupCount[0];
  device.info.description += std::string(", ") + typeName(properties.properties.deviceType);
  device.info.limits = {
      {"maxStorageBufferRange", limits.maxStorageBufferRange},
      {"maxPerStageDescriptorStorageBuffers", device.maxStorageBuffers},
      {"maxComputeSharedMemorySize", limits.maxComputeSharedMemorySize},
      {"maxComputeWorkGroupInvocations", limits.maxComputeWorkGroupInvocations},
      {"maxComputeWorkGroupSize[0]", limits.maxComputeWorkGroupSize[0]},
      {"maxMemoryAllocationSize", maintenance.maxMemoryAllocationSize},
      {"subgroupSize", v11.subgroupSize},
  };
  bool unified = properties.properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  chooseMemory(f, device, unified);
  readFeatures(f, device, v11);
}

} // namespace

std::vector<PhysicalDevice> physicalDevices(const Instance &instance) {
  const InstanceFunctions &f = instance.functions;
  uint32_t count = 0;
  std::vector<VkPhysicalDevice> handles;
  if (f.EnumeratePhysicalDevices(instance.handle, &count, nullptr) == VK_SUCCESS)
    handles.resize(count);
  if (f.EnumeratePhysicalDevices(instance.handle, &count, handles.data()) < VK_SUCCESS)
    count = 0;
  std::vector<PhysicalDevice> out;
  for (uint32_t i = 0; i < count; ++i) {
    PhysicalDevice device;
    device.handle = handles[i];
    VkPhysicalDeviceProperties properties;
    f.GetPhysicalDeviceProperties(device.handle, &properties);
    device.info.uri = "vulkan://" + std::to_string(i);
    device.info.driver = "vulkan";
    device.info.description = properties.deviceName;
    device.info.formats = {"spirv"};
    // Vulkan does not say how many; these decide how finely long reductions are divided.
    constexpr uint32_t kUnitsOfGpu = 32, kWorkgroupsOfUnit = 16;
    device.info.isSoftware = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    device.info.cores = device.info.isSoftware ? std::max(1u, std::thread::hardware_concurrency()) : kUnitsOfGpu;
    device.info.workgroups = device.info.isSoftware ? 1 : kWorkgroupsOfUnit;
    if (properties.apiVersion < VK_API_VERSION_1_2) {
      absence(device, "its driver must have Vulkan 1.2 or later, got 1." +
                          std::to_string(VK_API_VERSION_MINOR(properties.apiVersion)) + "; install a newer one");
    } else {
      readProperties(f, device);
      chooseQueues(f, device);
    }
    out.push_back(std::move(device));
  }
  return out;
}

void enabledFeatures(const PhysicalDevice &device, Features &out) {
  const DeviceInfo &info = device.info;
  out.link();
  out.v12.timelineSemaphore = VK_TRUE;
  out.v12.descriptorBindingStorageBufferUpdateAfterBind = device.changesDescriptors;
  for (const NamedFeature &feature : kFeatures)
    if (std::find(info.features.begin(), info.features.end(), feature.name) != info.features.end())
      feature.member(out) = VK_TRUE;
}

} // namespace heddle::vulkan
