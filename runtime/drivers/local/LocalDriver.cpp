#include "runtime/drivers/local/LocalDriver.h"

#include "runtime/drivers/local/CpuFeatures.h"
#include "runtime/drivers/local/WorkerPool.h"
#include "runtime/hal/InlineStream.h"
#include "runtime/hal/KernelStatus.h"
#include "runtime/hal/QueuedStream.h"

#include <algorithm>
#include <charconv>
#include <sched.h>
#include <unistd.h>

namespace heddle {
namespace local {
namespace {

Status kernelFailure(int32_t status) {
  if (status == kNoScratch)
    return Status(StatusCode::OutOfMemory, "a worker cannot allocate its scratch memory");
  return hal::kernelFailure(status);
}

class LocalStream final : public hal::InlineStream {
public:
  explicit LocalStream(std::shared_ptr<WorkerPool> pool) : pool_(std::move(pool)) {}

  Status dispatch(const hal::Dispatch &dispatch) override {
    if (dispatch.workgroups < 0 || dispatch.workgroups > hal::kMaxWorkgroups) [[unlikely]]
      return hal::refuseWorkgroups(dispatch.workgroups);
    void *scratch = scratch_.get(dispatch.scratchBytes);
    if (!scratch && dispatch.scratchBytes) [[unlikely]]
      return kernelFailure(kNoScratch);
    HeddleKernelState state{dispatch.bindings.data(), dispatch.constants.data()};
    auto kernel = reinterpret_cast<HeddleKernel>(dispatch.kernel->native);
    int32_t status = 0;
    if (dispatch.workgroups > 1)
      status = pool_->run(kernel, state, dispatch.workgroups, dispatch.scratchBytes, scratch);
    else if (dispatch.workgroups == 1)
      status = kernel(&state, 0, 1, scratch);
    if (status) [[unlikely]]
      return kernelFailure(status);
    return {};
  }

private:
  std::shared_ptr<WorkerPool> pool_;
  ScratchArena scratch_;
};

class LocalDevice final : public hal::Device {
public:
  LocalDevice(DeviceInfo info, std::vector<int> cores)
      : Device(std::move(info)), cores_(std::move(cores)), pool_(std::make_shared<WorkerPool>()) {
    budget_ = std::make_shared<hal::MemoryBudget>(limit());
  }
  Status start() { return pool_->start(cores_); }

  StatusOr<hal::BufferRef> allocate(uint64_t bytes) override { return hal::allocateHostBuffer(bytes, budget_); }

  StatusOr<std::unique_ptr<hal::Stream>> createStream(hal::StreamMode mode) override {
    std::unique_ptr<hal::Stream> stream = std::make_unique<LocalStream>(pool_);
    if (mode == hal::StreamMode::Queued)
      return hal::createQueuedStream(std::move(stream), [cores = cores_] { pinThread(cores); });
    return stream;
  }

  StatusOr<std::unique_ptr<hal::Executable>> load(const hal::ExecutableSource &source) override {
    if (source.format != hostFormat())
      return Status(StatusCode::Unsupported, "this machine loads " + std::string(hostFormat()) + ", got executable '" +
                                                 source.name + "' of format " + source.format);
    return loadSharedObject(source);
  }

private:
  uint64_t limit() const { return DeviceUri::parse(info().uri)->find("memory") ? info().memoryBytes : UINT64_MAX; }
  std::vector<int> cores_;
  std::shared_ptr<WorkerPool> pool_;
  std::shared_ptr<hal::MemoryBudget> budget_;
};

std::string spellCores(const std::vector<int> &cores) {
  std::string out;
  for (size_t i = 0; i < cores.size();) {
    size_t last = i;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1)
      ++last;
    out += (out.empty() ? "" : ",") + std::to_string(cores[i]);
    if (last > i)
      out += "-" + std::to_string(cores[last]);
    i = last + 1;
  }
  return out;
}

// The cores the URI names, all of which this process may use.
StatusOr<std::vector<int>> coresOf(const DeviceUri &uri) {
  std::vector<int> allowed = allowedCores();
  if (uri.path.empty())
    return allowed;
  StatusOr<std::vector<int>> cores = parseCores(uri.path);
  if (cores.ok())
    for (int core : *cores)
      if (!std::binary_search(allowed.begin(), allowed.end(), core))
        return Status(StatusCode::NotFound, "this process may use the cores " + spellCores(allowed) + ", got core " +
                                                std::to_string(core) + " in '" + uri.text() + "'");
  return cores;
}

class LocalDriver final : public hal::Driver {
public:
  std::string_view name() const override { return "local"; }

  std::vector<DeviceInfo> enumerate() const override {
    DeviceUri uri;
    uri.driver = "local";
    StatusOr<DeviceInfo> info = query(uri);
    if (!info.ok())
      return {};
    info->isDefault = true;
    return {*info};
  }

  StatusOr<DeviceInfo> query(const DeviceUri &uri) const override {
    static constexpr std::string_view known[] = {"cpu", "memory"};
    HEDDLE_RETURN_IF_ERROR(uri.refuseUnknownOptions(known));
    StatusOr<std::vector<int>> cores = coresOf(uri);
    if (!cores.ok())
      return cores.takeStatus();
    const std::string *cpu = uri.find("cpu");
    StatusOr<std::vector<std::string>> features = featuresOfCpu(cpu ? *cpu : "host");
    if (!features.ok())
      return features.takeStatus();
    DeviceInfo info;
    info.uri = uri.text();
    info.driver = "local";
    info.description = cpuName() + ", " + std::to_string(cores->size()) + (cores->size() == 1 ? " core" : " cores");
    info.cores = static_cast<uint32_t>(cores->size());
    info.memoryBytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    info.features = std::move(*features);
    info.formats = {std::string(hostFormat())};
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
    auto device = std::make_shared<LocalDevice>(std::move(*info), *coresOf(uri));
    HEDDLE_RETURN_IF_ERROR(device->start());
    return std::shared_ptr<hal::Device>(std::move(device));
  }
};

} // namespace

StatusOr<std::vector<int>> parseCores(std::string_view text) {
  Status malformed(StatusCode::InvalidArgument,
                   "a set of cores is numbers and ranges like 0-3,6, got '" + std::string(text) + "'");
  std::vector<int> cores;
  const char *at = text.data(), *end = at + text.size();
  auto number = [&](int &value) {
    auto [next, error] = std::from_chars(at, end, value);
    at = next;
    return error == std::errc() && value >= 0 && value < CPU_SETSIZE;
  };
  for (bool first = true; first || at != end; first = false) {
    int low = 0, high = 0;
    if ((!first && *at++ != ',') || !number(low))
      return malformed;
    high = low;
    if (at != end && *at == '-' && (++at, !number(high) || high < low))
      return malformed;
    for (int core = low; core <= high; ++core)
      cores.push_back(core);
  }
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

std::vector<int> allowedCores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return {0};
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set))
      cores.push_back(core);
  return cores;
}

} // namespace local

const hal::Driver &localDriver() {
  static const local::LocalDriver driver;
  return driver;
}

} // namespace heddle
