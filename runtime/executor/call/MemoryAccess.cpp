// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/MemoryAccess.h"

namespace heddle {

MemoryAccess::MemoryAccess(std::span<const DeviceSlot> devices) : devices_(devices) {
  for (uint32_t d = 0; d < devices.size(); ++d) {
    const DeviceSlot &slot = devices[d];
    mostBytes_.push_back(slot.device ? slot.device->maxBindingBytes() : UINT64_MAX);
    bool readable = slot.usesHostMemory() || slot.device->hostAddressable();
    flags_.push_back((slot.usesHostMemory() ? 0 : kDeviceMemory) | (readable ? kHostMemory : 0) | (1 + d));
  }
}

bool MemoryAccess::canUse(uint32_t device, uint32_t flags) const {
  const DeviceSlot &slot = devices_[device];
  if ((flags & kHostMemory) && slot.device && slot.device->readsHostMemory())
    return true;
  return (flags & kDeviceMemory) && devices_[owner(flags)].isSame(slot);
}

} // namespace heddle
