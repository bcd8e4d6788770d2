#include "runtime/drivers/null/NullDriver.h"

#include "runtime/hal/InlineStream.h"
#include "runtime/hal/QueuedStream.h"

namespace heddle {
namespace {

class NullStream final : public hal::InlineStream {
public:
  Status dispatch(const hal::Dispatch &dispatch) override {
    if (dispatch.workgroups < 0 || dispatch.workgroups > hal::kMaxWorkgroups) [[unlikely]]
      return hal::refuseWorkgroups(dispatch.workgroups);
    return {};
  }
};

class NullExecutable final : public hal::Executable {
public:
  explicit NullExecutable(size_t exports) { kernels_.resize(exports); }
};

class NullDevice final : public hal::Device {
public:
  NullDevice(DeviceInfo info, uint64_t limit)
      : Device(std::move(info)), budget_(std::make_shared<hal::MemoryBudget>(limit)) {}

  StatusOr<hal::BufferRef> allocate(uint64_t bytes) override { return hal::allocateHostBuffer(bytes, budget_); }
  StatusOr<std::unique_ptr<hal::Stream>> createStream(hal::StreamMode mode) override {
    std::unique_ptr<hal::Stream> stream = std::make_unique<NullStream>();
    if (mode == hal::StreamMode::Queued)
      return hal::createQueuedStream(std::move(stream));
    return stream;
  }
  StatusOr<std::unique_ptr<hal::Executable>> load(const hal::ExecutableSource &source) override {
    return std::unique_ptr<hal::Executable>(std::make_unique<NullExecutable>(source.symbols.size()));
  }

private:
  std::shared_ptr<hal::MemoryBudget> budget_;
};

class NullDriver final : public hal::Driver {
public:
  std::string_view name() const override { return "null"; }
  std::vector<DeviceInfo> enumerate() const override { return {describe("null")}; }

  StatusOr<DeviceInfo> query(const DeviceUri &uri) const override {
    static constexpr std::string_view known[] = {"memory"};
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
    return info;
  }

  StatusOr<std::shared_ptr<hal::Device>> open(const DeviceUri &uri) const override {
    StatusOr<DeviceInfo> info = query(uri);
    if (!info.ok())
      return info.takeStatus();
    uint64_t limit = info->memoryBytes ? info->memoryBytes : UINT64_MAX;
    return std::shared_ptr<hal::Device>(std::make_shared<NullDevice>(std::move(*info), limit));
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
