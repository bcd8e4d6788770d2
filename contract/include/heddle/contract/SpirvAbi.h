// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calling convention between generated SPIR-V kernels and the runtime: format "spirv".
//
// A module holds one GLCompute entry point per export, named as the variant's symbol; code and launch record (Launch.h)
// have its workgroup's size. All memory is reached through descriptor set 0, storage buffers of class StorageBuffer:
//
//   binding i < n   the dispatch's i-th tensor. The descriptor starts at the tensor's address rounded down to
//                   kDescriptorAlignment; the argument block says how many bytes later the tensor starts.
//   binding n       the argument block, an array of 32-bit words, n being the number of tensors:
//                     [0]            status: 0 at the start; a kernel that fails stores a HeddleKernelStatus (plainly:
//                                    which of several failures is kept does not matter)
//                     [1]            number of workgroups
//                     [2 + i]        bytes from the start of descriptor i to its tensor, a multiple of the element's
//                                    size, less than kDescriptorAlignment
//                     [2 + n + 2c]   low word of constant c (KernelAbi.h: 64-bit, sizes and scalars)
//                     [3 + n + 2c]   high word of constant c
//                     [2 + n + 2k + 2i], then the high word: the address of tensor i, k being the number of constants;
//                                    0 on a device without bufferDeviceAddress
//
// A module that declares the capability PhysicalStorageBufferAddresses reaches tensors by these addresses alone, so
// that neither their size nor their number is limited by what descriptors reach: its one descriptor is binding 0, the
// argument block. The code of a variant may be two modules, one after the other: the second has the same entry points
// and reaches tensors by addresses, for dispatches with a tensor larger than a descriptor reaches, on devices that can
// run it; the features are those of the first.
//
// Workgroups are numbered linearly: id = x + y * NumWorkgroups.x, z is 0. The grid may be larger than the number of
// workgroups, so a kernel returns at once where id >= word [1] (unsigned). A written tensor overlaps no other tensor;
// bytes beside it in its descriptor belong to others and must stay as they are. There is no scratch: `@scratch` gives
// 0.
//
// What a kernel needs of the device beyond Vulkan 1.2 is listed in the variant's `features`, spelt as the members of
// VkPhysicalDeviceFeatures and its later versions (shaderFloat16, storageBuffer8BitAccess, …), and for subgroup
// operations as VkSubgroupFeatureFlagBits (VK_SUBGROUP_FEATURE_ARITHMETIC_BIT). A limit above the least that every
// device has is one of these features, too: "subgroupSize>=16", with the names of DeviceInfo::limits, which are those
// of VkPhysicalDeviceLimits and VkPhysicalDeviceVulkan11Properties.
#ifndef HEDDLE_CONTRACT_SPIRVABI_H
#define HEDDLE_CONTRACT_SPIRVABI_H

#include <cstdint>
#include <string_view>

namespace heddle::contract::spirv {

inline constexpr std::string_view kFormat = "spirv";
inline constexpr uint32_t kDescriptorSet = 0;
// Vulkan promises that minStorageBufferOffsetAlignment divides it.
inline constexpr uint64_t kDescriptorAlignment = 256;

inline constexpr uint32_t kStatusWord = 0;
inline constexpr uint32_t kWorkgroupsWord = 1;
inline constexpr uint32_t kFirstOffsetWord = 2;

// The largest number of workgroups of a dispatch: the rounded grid stays below 2^32.
inline constexpr int64_t kMaxWorkgroups = INT32_MAX;
// What `@workgroups` gives where a tensor has more elements than a kernel counts: its indices have 32 bits.
inline constexpr int64_t kMaxElements = INT32_MAX;
inline constexpr int64_t kTooManyElements = INT64_MIN;

// What every Vulkan device has; a kernel within these needs no look at limits.
inline constexpr uint32_t kLeastInvocations = 128;        // per workgroup
inline constexpr uint32_t kLeastSharedBytes = 16 << 10;   // memory of a workgroup
inline constexpr uint64_t kLeastStorageRange = 128 << 20; // bytes of one descriptor
inline constexpr uint32_t kLeastStorageBuffers = 4;       // descriptors of one kernel, the argument block among them

constexpr uint32_t argumentBinding(uint32_t bindings) { return bindings; }
constexpr uint32_t offsetWord(uint32_t binding) { return kFirstOffsetWord + binding; }
// The constant's low word; the high one is next.
constexpr uint32_t constantWord(uint32_t bindings, uint32_t constant) {
  return kFirstOffsetWord + bindings + 2 * constant;
}
// The low word of the tensor's address; the high one is next.
constexpr uint32_t addressWord(uint32_t bindings, uint32_t constants, uint32_t binding) {
  return constantWord(bindings, constants) + 2 * binding;
}
constexpr uint32_t argumentWords(uint32_t bindings, uint32_t constants) {
  return addressWord(bindings, constants, bindings);
}

struct Grid {
  uint32_t x, y;
};
// The grid for `workgroups` in [1, kMaxWorkgroups] on a device that takes at most `maxX` (at least 65535) along x.
constexpr Grid gridOf(int64_t workgroups, uint32_t maxX) {
  auto n = static_cast<uint32_t>(workgroups);
  uint32_t x = n < maxX ? n : maxX;
  return {x, static_cast<uint32_t>((uint64_t{n} + x - 1) / x)};
}

} // namespace heddle::contract::spirv

#endif // HEDDLE_CONTRACT_SPIRVABI_H
