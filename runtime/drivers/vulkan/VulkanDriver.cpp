// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/VulkanDriver.h"

#include "runtime/drivers/vulkan/VulkanQueue.h"

#include <charconv>

namespace heddle {
namespace vulkan {
namespace {

// Its pointers mean nothing to other libraries; its file descriptors do.
class VulkanMemory final : public hal::ExternalMemory {
public:
  explicit VulkanMemory(MemoryPool &pool) : pool_(pool) {}
  StatusOr<hal::BufferRef> allocateShared(uint64_t bytes) override { return pool_.allocateShared(bytes); }
  StatusOr<int> exportDescriptor(hal::Buffer &buffer) override { return pool_.exportDescriptor(buffer); }
  StatusOr<hal::BufferRef> importDescriptor(int descriptor, uint64_t bytes) override {
    return pool_.importDescriptor(descriptor, bytes);
  }

private:
  MemoryPool &pool_;
};

class VulkanDevice final : public hal::Device {
public:
  VulkanDevice(DeviceInfo info, std::shared_ptr<LogicalDevice> device, uint64_t limit)
      : Device(std::move(info)), device_(std::move(device)), pool_(std::make_shared<MemoryPool>(device_, limit)),
        external_(*pool_) {}

  Status start() {
    StatusOr<std::unique_ptr<PipelineLibrary>> library = PipelineLibrary::create(device_);
    if (!library.ok())
      return library.takeStatus();
    library_ = std::move(*library);
    return {};
  }

  StatusOr<hal::BufferRef> allocate(uint64_t bytes) override { return pool_->allocate(bytes); }
  StatusOr<hal::BufferRef> importHost(void *memory, uint64_t bytes) override { return pool_->import(memory, bytes); }
  StatusOr<std::unique_ptr<hal::Executable>> load(const hal::ExecutableSource &source) override {
    return library_->load(source, library_);
  }
  StatusOr<std::unique_ptr<hal::Queue>> createQueue() override {
    StatusOr<std::unique_ptr<engines::Engine>> engine = createVulkanEngine(device_, pool_);
    if (!engine.ok())
      return engine.takeStatus();
    return engines::createDeviceQueue(std::move(*engine));
  }
  hal::ExternalMemory *external() override { return &external_; }
  bool hostAddressable() const override { return device_->memory == MemoryKind::Mapped; }
  bool readsHostMemory() const override { return false; }
  uint64_t maxBindingBytes() const override { return device_->physical.maxStorageRange; }
  bool hasQueues() const override { return true; }
  bool lost() const override { return device_->lost(); }

private:
  std::shared_ptr<LogicalDevice> device_;
  std::shared_ptr<MemoryPool> pool_;
  VulkanMemory external_;
  std::shared_ptr<PipelineLibrary> library_;
};

// What the URI names, with its options applied.
struct Choice {
  const Instance *instance = nullptr;
  PhysicalDevice physical;
  MemoryKind memory = MemoryKind::Discrete;
  uint64_t limit = UINT64_MAX;
};

StatusOr<PhysicalDevice> pick(const DeviceUri &uri, std::vector<PhysicalDevice> devices) {
  size_t index = 0;
  const char *end = uri.path.data() + uri.path.size();
  if (!uri.path.empty())
    if (auto [at, error] = std::from_chars(uri.path.data(), end, index); error != std::errc() || at != end)
      return Status(StatusCode::InvalidArgument,
                    "a Vulkan device is vulkan://N, N being a number of `heddle devices`, got '" + uri.text() + "'");
  if (index >= devices.size())
    return Status(StatusCode::NotFound, "this machine has " + std::to_string(devices.size()) +
                                            (devices.size() == 1 ? " Vulkan device" : " Vulkan devices") + ", got '" +
                                            uri.text() + "'; see `heddle devices`");
  return std::move(devices[index]);
}

StatusOr<MemoryKind> memoryKind(const DeviceUri &uri, const PhysicalDevice &physical) {
  const std::string *type = uri.find("memory-type");
  if (!type)
    return physical.memory;
  if (*type == "discrete")
    return MemoryKind::Discrete;
  if (*type != "mapped")
    return Status(StatusCode::InvalidArgument, "memory-type= takes mapped or discrete, got '" + *type + "'");
  if (!physical.mappedType)
    return Status(StatusCode::Unsupported,
                  "the host cannot address the memory of " + physical.info.uri + "; leave memory-type=mapped away");
  return MemoryKind::Mapped;
}

StatusOr<Choice> choose(const DeviceUri &uri) {
  static constexpr std::string_view known[] = {"memory", "memory-type"};
  HEDDLE_RETURN_IF_ERROR(uri.refuseUnknownOptions(known));
  StatusOr<const Instance *> instance = Instance::get();
  if (!instance.ok())
    return instance.takeStatus().prefix("the device '" + uri.text() + "' is absent: ");
  StatusOr<PhysicalDevice> physical = pick(uri, physicalDevices(**instance));
  if (!physical.ok())
    return physical.takeStatus();
  if (!physical->info.available)
    return Status(StatusCode::Unsupported, "the device '" + uri.text() + "' is absent: " + physical->info.reason);
  Choice choice{*instance, std::move(*physical)};
  choice.physical.info.uri = uri.text();
  StatusOr<MemoryKind> kind = memoryKind(uri, choice.physical);
  if (!kind.ok())
    return kind.takeStatus();
  choice.memory = *kind;
  if (const std::string *memory = uri.find("memory")) {
    StatusOr<uint64_t> bytes = parseByteCount(*memory);
    if (!bytes.ok())
      return bytes.takeStatus();
    choice.limit = choice.physical.info.memoryBytes = *bytes;
  }
  return choice;
}

class VulkanDriver final : public hal::Driver {
public:
  std::string_view name() const override { return "vulkan"; }

  std::vector<DeviceInfo> enumerate() const override {
    std::vector<DeviceInfo> out;
    StatusOr<const Instance *> instance = Instance::get();
    if (instance.ok())
      for (PhysicalDevice &device : physicalDevices(**instance))
        out.push_back(std::move(device.info));
    if (out.empty()) {
      DeviceInfo absent;
      absent.uri = absent.driver = "vulkan";
      absent.available = false;
      absent.reason = instance.ok() ? "Vulkan lists no device" : instance.status().message();
      out.push_back(std::move(absent));
    }
    return out;
  }

  StatusOr<DeviceInfo> query(const DeviceUri &uri) const override {
    StatusOr<Choice> choice = choose(uri);
    if (!choice.ok())
      return choice.takeStatus();
    return std::move(choice->physical.info);
  }

  StatusOr<std::shared_ptr<hal::Device>> open(const DeviceUri &uri) const override {
    StatusOr<Choice> choice = choose(uri);
    if (!choice.ok())
      return choice.takeStatus();
    DeviceInfo info = choice->physical.info;
    StatusOr<std::shared_ptr<LogicalDevice>> logical =
        LogicalDevice::open(*choice->instance, std::move(choice->physical), choice->memory);
    if (!logical.ok())
      return logical.takeStatus();
    auto device = std::make_shared<VulkanDevice>(std::move(info), std::move(*logical), choice->limit);
    HEDDLE_RETURN_IF_ERROR(device->start());
    return std::shared_ptr<hal::Device>(std::move(device));
  }
};

} // namespace
} // namespace vulkan

const hal::Driver &vulkanDriver() {
  static const vulkan::VulkanDriver driver;
  return driver;
}

} // namespace heddle
