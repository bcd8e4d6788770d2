// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code of one variant, loaded on one device. Immutable; kernels live as long as the executable.
#ifndef HEDDLE_RUNTIME_HAL_EXECUTABLE_H
#define HEDDLE_RUNTIME_HAL_EXECUTABLE_H

#include "heddle/contract/Launch.h"
#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {
struct DeviceInfo;
} // namespace heddle

namespace heddle::hal {

// An export on a device. `native` belongs to the driver: a HeddleKernel for local.
struct Kernel {
  void *native = nullptr;
  bool reachesAll = false; // Device::maxBindingBytes() does not limit its bindings
};

// What to load. Borrowed during the load only.
struct ExecutableSource {
  std::string name; // for messages
  std::string format;
  std::span<const std::byte> code;
  std::vector<std::string> symbols;            // one per export
  std::vector<contract::Launch> launches = {}; // one per export; empty where the format needs none
};

// Unsupported where a workgroup of the launch records is larger than the device takes: `invocations` and `sharedBytes`
// name the limits among DeviceInfo::limits that say so.
Status checkLaunches(const ExecutableSource &source, const DeviceInfo &info, std::string_view invocations,
                     std::string_view sharedBytes);

class Executable {
public:
  virtual ~Executable() = default;
  // One per symbol of the source, in its order.
  std::span<const Kernel> kernels() const { return kernels_; }

protected:
  std::vector<Kernel> kernels_;
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_EXECUTABLE_H
