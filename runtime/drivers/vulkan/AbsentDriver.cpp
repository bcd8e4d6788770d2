// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a build without Vulkan's headers has instead of the driver: an absent device that says so.
#include "runtime/drivers/vulkan/VulkanDriver.h"

namespace heddle {
namespace {

constexpr const char *kReason = "this build of the runtime is without Vulkan; configure with -DHEDDLE_VULKAN=ON, "
                                "which needs Vulkan's headers";

Status refuse(const DeviceUri &uri) {
  return Status(StatusCode::Unsupported, "the device '" + uri.text() + "' is absent: " + kReason);
}

class AbsentVulkanDriver final : public hal::Driver {
public:
  std::string_view name() const override { return "vulkan"; }
  std::vector<DeviceInfo> enumerate() const override {
    DeviceInfo absent;
    absent.uri = absent.driver = "vulkan";
    absent.available = false;
    absent.reason = kReason;
    return {std::move(absent)};
  }
  StatusOr<DeviceInfo> query(const DeviceUri &uri) const override { return refuse(uri); }
  StatusOr<std::shared_ptr<hal::Device>> open(const DeviceUri &uri) const override { return refuse(uri); }
};

} // namespace

const hal::Driver &vulkanDriver() {
  static const AbsentVulkanDriver driver;
  return driver;
}

} // namespace heddle
