// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code of one variant, loaded on one device. Immutable; kernels live as long as the executable.
#ifndef HEDDLE_RUNTIME_HAL_EXECUTABLE_H
#define HEDDLE_RUNTIME_HAL_EXECUTABLE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

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
  std::vector<std::string> symbols; // one per export
};

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
