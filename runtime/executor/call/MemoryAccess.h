// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who can use whose memory, among the devices of a program: answers of the devices (hal/Device.h) as bits of buffer
// registers (program/Program.h). Pure facts of a loaded module, any thread.
//
//   buffer.flags = kDefined | kWritable | access.flags(device);
//   if (!access.canUse(other, buffer.flags)) …
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_MEMORYACCESS_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_MEMORYACCESS_H

#include "runtime/executor/program/DeviceSlot.h"
#include "runtime/executor/program/Program.h"

#include <span>
#include <vector>

namespace heddle {

class MemoryAccess {
public:
  // Borrows the slots.
  explicit MemoryAccess(std::span<const DeviceSlot> devices);

  // Of memory that the device allocates: kHostMemory, kDeviceMemory or both, and whose it is.
  uint32_t flags(uint32_t device) const { return flags_[device]; }
  // Kernels of the device can use the memory.
  bool canUse(uint32_t device, uint32_t flags) const;
  // Copies on its streams can.
  bool canCopy(uint32_t device, uint32_t flags) const { return (flags & kHostMemory) || canUse(device, flags); }
  // The most bytes that a binding of the device has, as hal::Device::maxBindingBytes() counts them.
  uint64_t mostBytes(uint32_t device) const { return mostBytes_[device]; }
  // Whether a binding of this memory has no more.
  bool fits(uint32_t device, const PlacedBuffer &buffer) const {
    return static_cast<uint64_t>(buffer.bytes) + reinterpret_cast<uintptr_t>(buffer.address) % 256 <=
           mostBytes_[device];
  }

  // Whose memory it is that is not the host's: the device of the program.
  static uint32_t owner(uint32_t flags) { return (flags & kSlotMask) - 1; }

private:
  std::span<const DeviceSlot> devices_;
  std::vector<uint32_t> flags_;
  std::vector<uint64_t> mostBytes_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_MEMORYACCESS_H
