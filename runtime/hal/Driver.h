// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kind of device. Stateless; thread-safe. Drivers are found by name in runtime/hal/Registry.h.
#ifndef HEDDLE_RUNTIME_HAL_DRIVER_H
#define HEDDLE_RUNTIME_HAL_DRIVER_H

#include "runtime/base/DeviceUri.h"
#include "runtime/hal/Device.h"

namespace heddle::hal {

class Driver {
public:
  virtual ~Driver() = default;
  virtual std::string_view name() const = 0;
  // The devices of this machine, and those that are absent with the reason. Opens none.
  virtual std::vector<DeviceInfo> enumerate() const = 0;
  // What the URI names, without opening it. InvalidArgument for what the URI says wrong, NotFound for what is not
  // there.
  virtual StatusOr<DeviceInfo> query(const DeviceUri &uri) const = 0;
  virtual StatusOr<std::shared_ptr<Device>> open(const DeviceUri &uri) const = 0;
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_DRIVER_H
