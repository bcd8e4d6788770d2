// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FaultyDevices.h"

#include "runtime/drivers/local/LocalDriver.h"
#include "runtime/drivers/null/NullDriver.h"
#include "runtime/drivers/sim/SimDriver.h"
#include "runtime/hal/Registry.h"

#include <atomic>

using namespace heddle;
using namespace heddle::test;

namespace {

std::atomic<int64_t> left{0};
std::atomic<bool> failed{false};

// OutOfMemory for what asks for memory, Io for the rest.
Status fault(const char *what, StatusCode code = StatusCode::Io) {
  if (left.load() <= 0 || left.fetch_sub(1) != 1)
    return {};
  failed = true;
  return Status(code, std::string("injected: ") + what);
}

class FaultyCommands final : public hal::Commands {
public:
  explicit FaultyCommands(std::unique_ptr<hal::Commands> inner) : inner_(std::move(inner)) {}
  Status dispatch(const hal::Dispatch &dispatch) override {
    HEDDLE_RETURN_IF_ERROR(fault("dispatch"));
    return inner_->dispatch(dispatch);
  }
  Status copy(const hal::View &to, const hal::View &from) override {
    HEDDLE_RETURN_IF_ERROR(fault("copy"));
    return inner_->copy(to, from);
  }
  Status fill(const hal::View &to, uint64_t pattern, uint32_t patternBytes) override {
    HEDDLE_RETURN_IF_ERROR(fault("fill"));
    return inner_->fill(to, pattern, patternBytes);
  }
  Status stamp(uint64_t *ns) override { return inner_->stamp(ns); }

private:
  std::unique_ptr<hal::Commands> inner_;
};

// A submission is an operation, and so is each of its waits and commands.
class FaultyQueue final : public hal::Queue {
public:
  explicit FaultyQueue(std::unique_ptr<hal::Queue> inner) : inner_(std::move(inner)) {}
  void submit(const hal::CommandBuffer *commands, std::span<const hal::Point> waits,
              std::span<const hal::Point> signals) override {
    Status status = fault("submission");
    for (size_t i = 0; i < waits.size() + (commands ? commands->size() : 0) && status.ok(); ++i)
      status = fault(i < waits.size() ? "wait" : "command");
    if (status.ok())
      return inner_->submit(commands, waits, signals);
    for (const hal::Point &point : signals)
      point.semaphore->fail(status.clone());
  }
  void drain() override { inner_->drain(); }

private:
  std::unique_ptr<hal::Queue> inner_;
};

class FaultyDevice final : public hal::Device {
public:
  explicit FaultyDevice(std::shared_ptr<hal::Device> inner) : Device(inner->info()), inner_(std::move(inner)) {}
  StatusOr<hal::BufferRef> allocate(uint64_t bytes) override {
    HEDDLE_RETURN_IF_ERROR(fault("allocation", StatusCode::OutOfMemory));
    return inner_->allocate(bytes);
  }
  StatusOr<std::unique_ptr<hal::Commands>> createInline() override {
    HEDDLE_RETURN_IF_ERROR(fault("stream"));
    StatusOr<std::unique_ptr<hal::Commands>> commands = inner_->createInline();
    if (!commands.ok())
      return commands;
    return std::unique_ptr<hal::Commands>(std::make_unique<FaultyCommands>(std::move(*commands)));
  }
  StatusOr<std::unique_ptr<hal::Queue>> createQueue() override {
    HEDDLE_RETURN_IF_ERROR(fault("stream"));
    StatusOr<std::unique_ptr<hal::Queue>> queue = inner_->createQueue();
    if (!queue.ok())
      return queue;
    return std::unique_ptr<hal::Queue>(std::make_unique<FaultyQueue>(std::move(*queue)));
  }
  StatusOr<std::unique_ptr<hal::Executable>> load(const hal::ExecutableSource &source) override {
    HEDDLE_RETURN_IF_ERROR(fault("executable"));
    return inner_->load(source);
  }
  StatusOr<hal::BufferRef> importHost(void *memory, uint64_t bytes) override {
    HEDDLE_RETURN_IF_ERROR(fault("import"));
    return inner_->importHost(memory, bytes);
  }
  bool hostAddressable() const override { return inner_->hostAddressable(); }
  bool readsHostMemory() const override { return inner_->readsHostMemory(); }
  uint64_t maxBindingBytes() const override { return inner_->maxBindingBytes(); }
  bool hasQueues() const override { return inner_->hasQueues(); }
  bool isEager() const override { return inner_->isEager(); }
  bool sharesExecutables(const hal::Device &other) const override {
    return inner_->sharesExecutables(*static_cast<const FaultyDevice &>(other).inner_);
  }
  bool lost() const override { return inner_->lost(); }

private:
  std::shared_ptr<hal::Device> inner_;
};

} // namespace

void Faults::arm(int64_t operations) {
  failed = false;
  left = operations;
}
bool Faults::disarm() {
  left = 0;
  return failed;
}

// The registry of this program, in place of runtime/drivers/Registry.cpp.

std::span<const hal::Driver *const> heddle::drivers() {
  static const hal::Driver *const all[] = {&localDriver(), &simDriver(), &nullDriver()};
  return all;
}

StatusOr<const hal::Driver *> heddle::findDriver(std::string_view name) {
  for (const hal::Driver *driver : drivers())
    if (driver->name() == name)
      return driver;
  return Status(StatusCode::NotFound, "no driver '" + std::string(name) + "'");
}

std::vector<DeviceInfo> heddle::enumerateDevices() { return localDriver().enumerate(); }
std::vector<DeviceInfo> heddle::enumerateDevices(std::span<const std::string>) { return localDriver().enumerate(); }

StatusOr<DeviceInfo> heddle::queryDevice(std::string_view text) {
  StatusOr<DeviceUri> uri = DeviceUri::parse(text);
  if (!uri.ok())
    return uri.takeStatus();
  StatusOr<const hal::Driver *> driver = findDriver(uri->driver);
  if (!driver.ok())
    return driver.takeStatus();
  return (*driver)->query(*uri);
}

StatusOr<std::shared_ptr<hal::Device>> heddle::openDevice(std::string_view text, bool) {
  HEDDLE_RETURN_IF_ERROR(fault("device"));
  StatusOr<DeviceUri> uri = DeviceUri::parse(text);
  if (!uri.ok())
    return uri.takeStatus();
  StatusOr<const hal::Driver *> driver = findDriver(uri->driver);
  if (!driver.ok())
    return driver.takeStatus();
  StatusOr<std::shared_ptr<hal::Device>> device = (*driver)->open(*uri);
  if (!device.ok())
    return device.takeStatus();
  return std::shared_ptr<hal::Device>(std::make_shared<FaultyDevice>(std::move(*device)));
}
