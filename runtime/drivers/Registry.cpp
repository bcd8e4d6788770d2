// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/Registry.h"

#include "heddle/contract/Suggest.h"
#include "runtime/base/Fork.h"
#include "runtime/drivers/cuda/CudaDriver.h"
#include "runtime/drivers/local/LocalDriver.h"
#include "runtime/drivers/null/NullDriver.h"
#include "runtime/drivers/sim/SimDriver.h"
#include "runtime/drivers/vulkan/VulkanDriver.h"

#include <algorithm>
#include <map>

namespace heddle {
std::span<const hal::Driver *const> drivers() {
  static const hal::Driver *const all[] = {&cudaDriver(), &vulkanDriver(), &localDriver(), &simDriver(), &nullDriver()};
  return all;
}

namespace {

// The URI of the first GPU of cuda, or else of vulkan. NotFound says what was looked for.
StatusOr<DeviceUri> findGpu() {
  Status status(StatusCode::NotFound,
                "'gpu' is the first GPU of cuda or vulkan, and neither has one here; give another "
                "device, such as cpu");
  for (const hal::Driver *driver : {&cudaDriver(), &vulkanDriver()})
    for (const DeviceInfo &info : driver->enumerate()) {
      if (info.available && !info.isSoftware)
        return DeviceUri::parse(info.uri);
      status = std::move(status).note(
          info.uri + ": " +
          (info.available ? "'" + info.description + "' is the processor; it is used where it is named" : info.reason));
    }
  return status;
}

// A device's URI with its driver. `cpu` and `gpu` become the driver that they stand for here, so that what they name is
// one device with what that driver's own name does.
StatusOr<std::pair<DeviceUri, const hal::Driver *>> resolve(std::string_view text) {
  StatusOr<DeviceUri> uri = DeviceUri::parse(text);
  if (!uri.ok())
    return uri.takeStatus();
  if (uri->driver == "gpu") {
    StatusOr<DeviceUri> gpu = findGpu();
    if (!gpu.ok())
      return gpu.takeStatus();
    uri->driver = gpu->driver;
    uri->path = uri->path.empty() ? gpu->path : uri->path;
  }
  StatusOr<const hal::Driver *> driver = findDriver(uri->driver);
  if (!driver.ok())
    return driver.takeStatus();
  uri->driver = (*driver)->name();
  return std::pair(std::move(*uri), *driver);
}

} // namespace

StatusOr<const hal::Driver *> findDriver(std::string_view name) {
  if (name == "cpu")
    return &localDriver();
  std::vector<std::string_view> names = {"cpu", "gpu"};
  std::string list;
  for (const hal::Driver *driver : drivers()) {
    if (driver->name() == name)
      return driver;
    names.push_back(driver->name());
    list += (list.empty() ? "" : ", ") + std::string(driver->name());
  }
  return Status(StatusCode::NotFound, "the drivers are " + list + " (cpu is local, gpu is cuda or vulkan), got '" +
                                          std::string(name) + "'" + contract::didYouMean(name, names));
}

std::vector<DeviceInfo> enumerateDevices() {
  std::vector<DeviceInfo> all;
  for (const hal::Driver *driver : drivers())
    for (DeviceInfo &info : driver->enumerate())
      all.push_back(std::move(info));
  return all;
}

std::vector<DeviceInfo> enumerateDevices(std::span<const std::string> only) {
  std::vector<DeviceInfo> some;
  for (const hal::Driver *driver : drivers())
    if (std::find(only.begin(), only.end(), driver->name()) != only.end())
      for (DeviceInfo &info : driver->enumerate())
        some.push_back(std::move(info));
  return some;
}

StatusOr<DeviceInfo> queryDevice(std::string_view text) {
  auto resolved = resolve(text);
  if (!resolved.ok())
    return resolved.takeStatus();
  return resolved->second->query(resolved->first);
}

StatusOr<std::shared_ptr<hal::Device>> openDevice(std::string_view text, bool fresh) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, uint32_t>, std::weak_ptr<hal::Device>> opened; // by URI, in this process
  auto resolved = resolve(text);
  if (!resolved.ok())
    return resolved.takeStatus();
  const auto &[uri, driver] = *resolved;
  if (fresh)
    return driver->open(uri);
  std::lock_guard lock(mutex);
  std::weak_ptr<hal::Device> &slot = opened[{uri.text(), forkCount()}];
  if (std::shared_ptr<hal::Device> device = slot.lock(); device && !device->lost())
    return device;
  StatusOr<std::shared_ptr<hal::Device>> device = driver->open(uri);
  if (device.ok())
    slot = *device;
  return device;
}

} // namespace heddle
