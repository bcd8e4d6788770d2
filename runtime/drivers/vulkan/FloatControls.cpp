// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/FloatControls.h"

#include <cstring>

namespace heddle::vulkan {
namespace {

// Of the SPIR-V specification, sections 2.3, 2.4 and 3.
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpExtension = 10, kOpEntryPoint = 15, kOpExecutionMode = 16, kOpCapability = 17, kOpTypeFloat = 22;
constexpr uint32_t kDenormPreserve = 4459, kSignedZeroInfNanPreserve = 4461, kRoundingModeRTE = 4462;
constexpr uint32_t kCapabilityAfterMode = 5; // each capability's number is its mode's and this
constexpr char kExtension[] = "SPV_KHR_float_controls";
constexpr uint32_t kWidths[] = {16, 32, 64};

// What of a module matters here; positions are of words.
struct Outline {
  size_t afterCapabilities = kHeaderWords, afterEntryPoints = kHeaderWords;
  std::vector<uint32_t> entryPoints;
  std::array<bool, 3> uses{};
  bool asks = false;
};

Outline outlineOf(std::span<const uint32_t> words) {
  Outline outline;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    uint32_t operation = words[at] & 0xffff, length = words[at] >> 16;
    if (operation == kOpCapability) {
      outline.afterCapabilities = at + length;
    } else if (operation == kOpEntryPoint && length > 2) {
      outline.afterEntryPoints = at + length;
      outline.entryPoints.push_back(words[at + 2]);
    } else if (operation == kOpExecutionMode && length > 2) {
      outline.asks |= words[at + 2] >= kDenormPreserve && words[at + 2] <= kRoundingModeRTE;
    } else if (operation == kOpTypeFloat && length > 2) {
      for (size_t i = 0; i < std::size(kWidths); ++i)
        outline.uses[i] |= words[at + 2] == kWidths[i];
    }
  }
  return outline;
}

// Whether the mode may be asked for, for floats of width `i`, by a module that uses floats of some widths.
bool mayAsk(const FloatControl &control, size_t i, const std::array<bool, 3> &uses) {
  if (!uses[i] || !control.supported[i])
    return false;
  auto agrees = [&](size_t other) { return !uses[other] || control.supported[other]; };
  switch (control.independence) {
  case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL: return true;
  case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY: return i == 1 || (agrees(0) && agrees(2));
  default: return agrees(0) && agrees(1) && agrees(2);
  }
}

std::vector<uint32_t> extensionWords() {
  std::vector<uint32_t> words(1 + (sizeof(kExtension) + 3) / 4);
  words[0] = static_cast<uint32_t>(words.size()) << 16 | kOpExtension;
  std::memcpy(&words[1], kExtension, sizeof(kExtension));
  return words;
}

} // namespace

FloatControls readFloatControls(const VkPhysicalDeviceFloatControlsProperties &p) {
  auto control = [](uint32_t mode, VkBool32 half, VkBool32 single, VkBool32 wide,
                    VkShaderFloatControlsIndependence independence) {
    return FloatControl{mode, mode + kCapabilityAfterMode, {half != 0, single != 0, wide != 0}, independence};
  };
  return {control(kSignedZeroInfNanPreserve, p.shaderSignedZeroInfNanPreserveFloat16,
                  p.shaderSignedZeroInfNanPreserveFloat32, p.shaderSignedZeroInfNanPreserveFloat64,
                  VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL),
          control(kDenormPreserve, p.shaderDenormPreserveFloat16, p.shaderDenormPreserveFloat32,
                  p.shaderDenormPreserveFloat64, p.denormBehaviorIndependence),
          control(kRoundingModeRTE, p.shaderRoundingModeRTEFloat16, p.shaderRoundingModeRTEFloat32,
                  p.shaderRoundingModeRTEFloat64, p.roundingModeIndependence)};
}

std::vector<uint32_t> withFloatControls(std::span<const uint32_t> words, const FloatControls &controls) {
  Outline outline = outlineOf(words);
  std::vector<uint32_t> head, modes;
  for (const FloatControl &control : controls) {
    size_t before = modes.size();
    for (size_t i = 0; i < std::size(kWidths); ++i)
      for (uint32_t entryPoint : outline.entryPoints)
        if (!outline.asks && mayAsk(control, i, outline.uses))
          modes.insert(modes.end(), {4 << 16 | kOpExecutionMode, entryPoint, control.mode, kWidths[i]});
    if (modes.size() > before)
      head.insert(head.end(), {2 << 16 | kOpCapability, control.capability});
  }
  std::vector<uint32_t> result(words.begin(), words.end());
  if (modes.empty())
    return result;
  std::vector<uint32_t> extension = extensionWords();
  head.insert(head.end(), extension.begin(), extension.end());
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(outline.afterEntryPoints), modes.begin(), modes.end());
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(outline.afterCapabilities), head.begin(), head.end());
  return result;
}

} // namespace heddle::vulkan
