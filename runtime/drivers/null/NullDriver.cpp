// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/null/NullDriver.h"

#include "runtime/hal/HostCommands.h"
#include "runtime/hal/ThreadQueue.h"

#include <map>

namespace heddle {
namespace {

// When to lose a device: counts down over all devices of one URI.
struct Loss {
  std::atomic<int64_t> dispatchesLeft{0};
};

// The same for every device of the URI, for as long as the process lives.
std::shared_ptr<Loss> lossOf(const DeviceUri &uri, uint64_t dispatches) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Loss>> known;
  std::lock_guard lock(mutex);
  auto [at, isNew] = known.try_emplace(uri.text());
  if (isNew) {
    at->second = std::make_shared<Loss>();
    at->second->dispatchesLeft = static_cast<int64_t>(dispatches);
  }
  return at->second;
}

// What streams share with their device.
struct NullState {
  std::string uri;
  std::shared_ptr<Loss> loss; // null: never
  std::atomic<bool> lost{false};
};

class NullCommands final : public hal::HostCommands {
public:
  NullCommands(std::shared_ptr<NullState> state, std::shared_ptr<hal::MemoryPool> discrete)
      : HostCommands(discrete.get()), state_(std::move(state)), discrete_(std::move(discrete)) {}
  Status dispatch(const hal::Dispatch &dispatch) override {
    if (dispatch.workgroups < 0 || dispatch.workgroups > hal::kMaxWorkgroups) [[unlikely]]
      return hal::refuseWorkgroups(dispatch.workgroups);
    if (state_->loss) [[unlikely]]
      return loseInTime();
    return {};
  }

private:
  Status loseInTime() {
    if (state_->loss->dispatchesLeft.fetch_sub(1) == 1)
      state_->lost = true;
    if (state_->lost)
      return Status(StatusCode::DeviceLost, "the device '" + state_->uri + "' was lost");
    return {};
  }
  std::shared_ptr<NullState> state_;
  std::shared_ptr<hal::MemoryPool> discrete_; // null: the host sees the memory
};

class NullExecutable final : public hal::Executable {
public:
  explicit NullExecutable(size_t exports) { kernels_.resize(exports); }
};

class NullDevice final : public hal::Device {
public:
  NullDevice(DeviceInfo info, uint64_t limit, uint64_t maxBinding, bool discrete, std::shared_ptr<Loss> loss)
      : Device(std::move(info)), memory_(std::make_shared<hal::MemoryPool>(limit)), maxBinding_(maxBinding),
        discrete_(discrete ? memory_ : nullptr), state_(std::make_shared<NullState>()) {
    state_->uri = this->info().uri;
    state_->loss = std::move(loss);
  }
  bool hostAddressable() const override { return !discrete_; }
  bool readsHostMemory() const override { return !discrete_; }
  uint64_t maxBindingBytes() const override { return maxBinding_; }
  bool lost() const override { return state_->lost; }

  bool sharesExecutables(const hal::Device &other) const override { return other.info().driver == info().driver; }
  StatusOr<hal::BufferRef> allocate(uint64_t bytes) override {
    return discrete_ ? hal::allocateDiscrete(*discrete_, bytes) : memory_->allocate(bytes);
  }
  StatusOr<std::unique_ptr<hal::Commands>> createInline() override {
    return std::unique_ptr<hal::Commands>(std::make_unique<NullCommands>(state_, discrete_));
  }
  StatusOr<std::unique_ptr<hal::Queue>> createQueue() override {
    return hal::createThreadQueue(std::make_unique<NullCommands>(state_, discrete_));
  }
  StatusOr<std::unique_ptr<hal::Executable>> load(const hal::ExecutableSource &source) override {
    return std::unique_ptr<hal::Executable>(std::make_unique<NullExecutable>(source.symbols.size()));
  }

private:
  std::shared_ptr<hal::MemoryPool> memory_;
  uint64_t maxBinding_;
  std::shared_ptr<hal::MemoryPool> discrete_; // the same; null: the host sees it
  std::shared_ptr<NullState> state_;
};

class NullDriver final : public hal::Driver {
public:
  std::string_view name() const override { return "null"; }
  std::vector<DeviceInfo> enumerate() const override { return {describe("null")}; }

  StatusOr<DeviceInfo> query(const DeviceUri &uri) const override {
    static constexpr std::string_view known[] = {"memory", "lose", "discrete", "max-binding"};
    HEDDLE_RETURN_IF_ERROR(uri.refuseUnknownOptions(known));
    if (!uri.path.empty())
      return Status(StatusCode::InvalidArgument, "the null device has no parts, got 'null://" + uri.path + "'");
    DeviceInfo info = describe(uri.text());
    if (const std::string *memory = uri.find("memory")) {
      StatusOr<uint64_t> bytes = parseByteCount(*memory);
      if (!bytes.ok())
        return bytes.takeStatus();
      info.memoryBytes = *bytes;
    }
    for (const char *option : {"lose", "max-binding"})
      if (const std::string *count = uri.find(option))
        HEDDLE_RETURN_IF_ERROR(parseByteCount(*count).takeStatus());
    if (const std::string *discrete = uri.find("discrete"); discrete && *discrete != "yes")
      return Status(StatusCode::InvalidArgument, "discrete= takes yes, got '" + *discrete + "'");
    return info;
  }

  StatusOr<std::shared_ptr<hal::Device>> open(const DeviceUri &uri) const override {
    StatusOr<DeviceInfo> info = query(uri);
    if (!info.ok())
      return info.takeStatus();
    uint64_t limit = info->memoryBytes ? info->memoryBytes : UINT64_MAX;
    std::shared_ptr<Loss> loss;
    if (const std::string *lose = uri.find("lose"))
      loss = lossOf(uri, *parseByteCount(*lose));
    const std::string *binding = uri.find("max-binding");
    uint64_t maxBinding = binding ? *parseByteCount(*binding) : UINT64_MAX;
    return std::shared_ptr<hal::Device>(std::make_shared<NullDevice>(std::move(*info), limit, maxBinding,
                                                                     uri.find("discrete") != nullptr, std::move(loss)));
  }

private:
  static DeviceInfo describe(std::string uri) {
    DeviceInfo info;
    info.uri = std::move(uri);
    info.driver = "null";
    info.description = "accepts every program and computes nothing";
    info.cores = 1;
    info.acceptsAll = true;
    return info;
  }
};

} // namespace

const hal::Driver &nullDriver() {
  static const NullDriver driver;
  return driver;
}

} // namespace heddle
