// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device promises of floating-point numbers if a module asks for it: zeros with signs, infinities and NaN that
// stay, subnormal numbers, rounding to nearest even. Without it drivers may make 0 of x * 0.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_FLOATCONTROLS_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_FLOATCONTROLS_H

#include "runtime/drivers/vulkan/VulkanFunctions.h"

#include <array>
#include <span>
#include <vector>

namespace heddle::vulkan {

// One of SPIR-V's execution modes, with the capability it needs, for floats of 16, 32 and 64 bits.
struct FloatControl {
  uint32_t mode, capability;
  std::array<bool, 3> supported;
  // Whether the 32-bit floats, or all, may have it while others have it not.
  VkShaderFloatControlsIndependence independence;
};
using FloatControls = std::vector<FloatControl>;

FloatControls readFloatControls(const VkPhysicalDeviceFloatControlsProperties &properties);

// The SPIR-V module, whose lengths are checked, asking for all that the device supports for the floats it uses. As it
// is where it uses none or asks already.
std::vector<uint32_t> withFloatControls(std::span<const uint32_t> words, const FloatControls &controls);

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_FLOATCONTROLS_H
