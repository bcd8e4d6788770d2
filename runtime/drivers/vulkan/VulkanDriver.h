// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUs by Vulkan: `vulkan` or `vulkan://N` with N as `heddle devices` lists them.
//
// The loader libvulkan.so.1 is opened when a device is first asked for; a machine without it, or without a device, has
// an absent device that says what to install. Options:
//   memory=2g              limits what is allocated
//   memory-type=discrete   stages everything, as for memory that the host cannot address; mapped: the opposite. Else
//                          what fits the device
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_VULKANDRIVER_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_VULKANDRIVER_H

#include "runtime/hal/Driver.h"

namespace heddle {

const hal::Driver &vulkanDriver();

} // namespace heddle

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_VULKANDRIVER_H
