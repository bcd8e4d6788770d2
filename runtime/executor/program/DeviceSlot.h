// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device of the program and what it got.
#ifndef HEDDLE_RUNTIME_EXECUTOR_PROGRAM_DEVICESLOT_H
#define HEDDLE_RUNTIME_EXECUTOR_PROGRAM_DEVICESLOT_H

#include "runtime/hal/Device.h"
#include "runtime/match/Match.h"

namespace heddle {

struct DeviceSlot {
  DeviceRequirement requirement;
  DeviceMatch match;
  DeviceInfo info;                                           // of the runtime device it got
  std::shared_ptr<hal::Device> device;                       // null: the program does not use it
  std::vector<std::shared_ptr<hal::Executable>> executables; // by executable; null: not used here
  std::vector<uint32_t> variants;                            // by executable: which one is loaded

  bool isSame(const DeviceSlot &other) const {
    return match.matched && other.match.matched && match.instance == other.match.instance;
  }
  // Kernels can use all host memory, and the host the device's: it has none of its own.
  bool usesHostMemory() const { return !device || (device->hostAddressable() && device->readsHostMemory()); }
};

// What the instruction `query` gives: how many cores a device has, how many streams of a call it works on at once, or
// how many workgroups each core.
inline int64_t answer(const DeviceInfo &info, uint32_t question) {
  return question == 0 ? info.cores : question == 1 ? info.streams : info.workgroups;
}

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_PROGRAM_DEVICESLOT_H
