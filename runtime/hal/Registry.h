// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drivers of this build, by name. Immutable; any thread. Declared here, so that the executor needs no driver; the
// list itself is in runtime/drivers/Registry.cpp.
//
//   StatusOr<std::shared_ptr<hal::Device>> device = openDevice("local://0-1");
#ifndef HEDDLE_RUNTIME_HAL_REGISTRY_H
#define HEDDLE_RUNTIME_HAL_REGISTRY_H

#include "runtime/hal/Driver.h"

namespace heddle {

std::span<const hal::Driver *const> drivers();
// Also `cpu` (local). NotFound lists the drivers, with the nearest name.
StatusOr<const hal::Driver *> findDriver(std::string_view name);
// Every device of every driver, present or absent, in the order of preference.
std::vector<DeviceInfo> enumerateDevices();
// Those of some drivers. The others are not asked, which for a GPU's can take a tenth of a second.
std::vector<DeviceInfo> enumerateDevices(std::span<const std::string> only);
// Of a URI's drivers two are kinds: `cpu` is local, `gpu` the first GPU of cuda or vulkan; where there is none NotFound
// says what was looked for.
StatusOr<DeviceInfo> queryDevice(std::string_view uri);
// Opened devices are shared by URI while somebody holds them, so that two modules on one device use one set of
// workers; `fresh` makes a second logical copy.
StatusOr<std::shared_ptr<hal::Device>> openDevice(std::string_view uri, bool fresh = false);

} // namespace heddle

#endif // HEDDLE_RUNTIME_HAL_REGISTRY_H
