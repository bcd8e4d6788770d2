// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/VulkanFunctions.h"

#include <dlfcn.h>

namespace heddle::vulkan {
namespace {

constexpr const char *kInstall =
    "; install a driver for your GPU, or lavapipe, which computes on the CPU (Debian: mesa-vulkan-drivers)";

Status unsupported(std::string why) { return Status(StatusCode::Unsupported, std::move(why)); }

StatusOr<const Instance *> createFrom(PFN_vkGetInstanceProcAddr find) {
  auto version = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(find(nullptr, "vkEnumerateInstanceVersion"));
  auto create = reinterpret_cast<PFN_vkCreateInstance>(find(nullptr, "vkCreateInstance"));
  uint32_t available = VK_API_VERSION_1_0;
  if (!create || !version || version(&available) != VK_SUCCESS || available < VK_API_VERSION_1_2)
    return unsupported("the Vulkan loader must be of version 1.2 or later, got 1." +
                       std::to_string(VK_API_VERSION_MINOR(available)) + "; install a newer libvulkan.so.1");
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pEngineName = "heddle";
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  auto instance = std::make_unique<Instance>();
  VkResult result = create(&info, nullptr, &instance->handle);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return unsupported(std::string("this machine has a Vulkan loader but no Vulkan driver") + kInstall);
  if (result != VK_SUCCESS)
    return unsupported("cannot start Vulkan (" + spelling(result) + ")" + kInstall);
#define HEDDLE_VULKAN_FIND(name)                                                                                       \
  instance->functions.name = reinterpret_cast<PFN_vk##name>(find(instance->handle, "vk" #name));
  HEDDLE_VULKAN_INSTANCE_FUNCTIONS(HEDDLE_VULKAN_FIND)
#undef HEDDLE_VULKAN_FIND
  return instance.release();
}

} // namespace

StatusOr<const Instance *> Instance::create(const char *loader) {
  void *library = dlopen(loader, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return unsupported(std::string("the Vulkan loader ") + loader +
                       " is not installed (Debian: libvulkan1); also install a driver for your GPU, or lavapipe, "
                       "which computes on the CPU (mesa-vulkan-drivers)");
  auto find = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (!find)
    return unsupported(std::string(loader) + " is not a Vulkan loader: it has no vkGetInstanceProcAddr");
  return createFrom(find);
}

StatusOr<const Instance *> Instance::get() {
  static const StatusOr<const Instance *> instance = create("libvulkan.so.1");
  if (instance.ok())
    return *instance;
  return instance.status().clone();
}

DeviceFunctions deviceFunctions(const Instance &instance, VkDevice device) {
  DeviceFunctions out;
#define HEDDLE_VULKAN_FIND(name)                                                                                       \
  out.name = reinterpret_cast<PFN_vk##name>(instance.functions.GetDeviceProcAddr(device, "vk" #name));
  HEDDLE_VULKAN_DEVICE_FUNCTIONS(HEDDLE_VULKAN_FIND)
  HEDDLE_VULKAN_FIND(GetMemoryHostPointerPropertiesEXT)
  HEDDLE_VULKAN_FIND(GetMemoryFdKHR)
#undef HEDDLE_VULKAN_FIND
  return out;
}

std::string spelling(VkResult result) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY: return "VK_ERROR_OUT_OF_HOST_MEMORY";
  case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
  case VK_ERROR_INITIALIZATION_FAILED: return "VK_ERROR_INITIALIZATION_FAILED";
  case VK_ERROR_DEVICE_LOST: return "VK_ERROR_DEVICE_LOST";
  case VK_ERROR_LAYER_NOT_PRESENT: return "VK_ERROR_LAYER_NOT_PRESENT";
  case VK_ERROR_EXTENSION_NOT_PRESENT: return "VK_ERROR_EXTENSION_NOT_PRESENT";
  case VK_ERROR_FEATURE_NOT_PRESENT: return "VK_ERROR_FEATURE_NOT_PRESENT";
  case VK_ERROR_TOO_MANY_OBJECTS: return "VK_ERROR_TOO_MANY_OBJECTS";
  case VK_ERROR_INVALID_EXTERNAL_HANDLE: return "VK_ERROR_INVALID_EXTERNAL_HANDLE";
  default: return "VkResult " + std::to_string(static_cast<int>(result));
  }
}

} // namespace heddle::vulkan
