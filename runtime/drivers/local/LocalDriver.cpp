// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/local/LocalDriver.h"

#include "runtime/drivers/local/CpuFeatures.h"
#include "runtime/drivers/local/CpuQuota.h"
#include "runtime/drivers/local/SharedQueue.h"
#include "runtime/drivers/local/WorkerPool.h"
#include "runtime/hal/HostCommands.h"
#include "runtime/hal/KernelStatus.h"
#include "runtime/hal/ThreadQueue.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
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

class LocalCommands final : public hal::HostCommands {
public:
  LocalCommands(std::shared_ptr<WorkerPool> pool, std::shared_ptr<hal::MemoryPool> discrete)
      : HostCommands(discrete.get()), pool_(std::move(pool)), discrete_(std::move(discrete)) {}

  Status dispatch(const hal::Dispatch &dispatch) override {
    if (dispatch.workgroups < 0 || dispatch.workgroups > hal::kMaxWorkgroups) [[unlikely]]
      return hal::refuseWorkgroups(dispatch.workgroups);
    void *scratch = scratch_.get(dispatch.scratchBytes);
    if (!scratch && dispatch.scratchBytes) [[unlikely]]
      return kernelFailure(kNoScratch);
    if (isDiscrete()) [[unlikely]]
      return dispatchDiscrete(dispatch, scratch);
    return run(dispatch, dispatch.bindings.data(), scratch);
  }

private:
  Status run(const hal::Dispatch &dispatch, void *const *bindings, void *scratch) {
    HeddleKernelState state{bindings, dispatch.constants.data()};
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
  [[gnu::noinline]] Status dispatchDiscrete(const hal::Dispatch &dispatch, void *scratch) {
    StatusOr<std::span<void *const>> bindings = translate(dispatch);
    return bindings.ok() ? run(dispatch, bindings->data(), scratch) : bindings.takeStatus();
  }

  std::shared_ptr<WorkerPool> pool_;
  std::shared_ptr<hal::MemoryPool> discrete_; // null: the host sees the memory
  ScratchArena scratch_;
};

// The workers of a set of cores and a number of threads, shared while somebody uses them.
StatusOr<std::shared_ptr<WorkerPool>> workersOf(const std::vector<int> &cores, uint32_t threads) {
  static std::mutex mutex;
  static std::map<std::pair<std::vector<int>, uint32_t>, std::weak_ptr<WorkerPool>> known;
  std::lock_guard lock(mutex);
  std::weak_ptr<WorkerPool> &slot = known[{cores, threads}];
  if (std::shared_ptr<WorkerPool> pool = slot.lock())
    return pool;
  auto pool = std::make_shared<WorkerPool>();
  HEDDLE_RETURN_IF_ERROR(pool->start(cores, threads));
  slot = pool;
  return pool;
}

class LocalDevice final : public hal::Device {
public:
  LocalDevice(DeviceInfo info, uint64_t limit, bool discrete, std::shared_ptr<WorkerPool> pool)
      : Device(std::move(info)), pool_(std::move(pool)), memory_(std::make_shared<hal::MemoryPool>(limit)),
        discrete_(discrete ? memory_ : nullptr) {}
  bool hostAddressable() const override { return !discrete_; }
  bool readsHostMemory() const override { return !discrete_; }
  bool sharesExecutables(const hal::Device &other) const override { return other.info().driver == info().driver; }

  StatusOr<hal::BufferRef> allocate(uint64_t bytes) override {
    return discrete_ ? hal::allocateDiscrete(*discrete_, bytes) : memory_->allocate(bytes);
  }
  StatusOr<std::unique_ptr<hal::Commands>> createInline() override {
    return std::unique_ptr<hal::Commands>(std::make_unique<LocalCommands>(pool_, discrete_));
  }
  StatusOr<std::unique_ptr<hal::Queue>> createQueue() override {
    return hal::createThreadQueue(std::make_unique<LocalCommands>(pool_, discrete_),
                                  [cores = info().units] { pinThread(cores); });
  }
  StatusOr<std::unique_ptr<hal::Queue>> createSharedQueue(bool helped) override {
    if (!helped)
      HEDDLE_RETURN_IF_ERROR(pool_->startStandIn());
    return local::createSharedQueue(std::make_unique<LocalCommands>(pool_, discrete_), pool_);
  }
  bool overlapsQueues() const override { return !pool_->isAlone(); }

  StatusOr<std::unique_ptr<hal::Executable>> load(const hal::ExecutableSource &source) override {
    if (source.format != hostFormat())
      return Status(StatusCode::Unsupported, "this machine loads " + std::string(hostFormat()) + ", got executable '" +
                                                 source.name + "' of format " + source.format);
    return loadSharedObject(source);
  }

private:
  std::shared_ptr<WorkerPool> pool_;
  std::shared_ptr<hal::MemoryPool> memory_;
  std::shared_ptr<hal::MemoryPool> discrete_; // the same; null: the host sees it
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

// How many threads take part: what the URI says; one for each core that it names; else one for each core this process
// may use, but not more than its control group grants time for.
StatusOr<uint32_t> threadsOf(const DeviceUri &uri, size_t cores) {
  constexpr uint32_t kMost = 1024;
  if (const std::string *text = uri.find("threads")) {
    uint32_t threads = 0;
    auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), threads);
    if (error != std::errc() || end != text->data() + text->size() || threads < 1 || threads > kMost)
      return Status(StatusCode::InvalidArgument,
                    "threads= takes a number from 1 to " + std::to_string(kMost) + ", got '" + *text + "'");
    return threads;
  }
  auto threads = static_cast<uint32_t>(cores);
  std::optional<double> quota = uri.path.empty() ? cpuQuota() : std::nullopt;
  return quota && *quota < threads ? static_cast<uint32_t>(std::ceil(*quota)) : threads;
}

std::string describe(size_t cores, uint32_t threads) {
  std::string text = cpuName() + ", " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
  return threads == cores ? text : text + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
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
    static constexpr std::string_view known[] = {"threads", "cpu", "memory", "discrete"};
    HEDDLE_RETURN_IF_ERROR(uri.refuseUnknownOptions(known));
    StatusOr<std::vector<int>> cores = coresOf(uri);
    if (!cores.ok())
      return cores.takeStatus();
    StatusOr<uint32_t> threads = threadsOf(uri, cores->size());
    if (!threads.ok())
      return threads.takeStatus();
    const std::string *cpu = uri.find("cpu");
    StatusOr<std::vector<std::string>> features = featuresOfCpu(cpu ? *cpu : "host");
    if (!features.ok())
      return features.takeStatus();
    DeviceInfo info;
    info.uri = uri.text();
    info.driver = "local";
    info.description = describe(cores->size(), *threads);
    info.cores = info.streams = *threads;
    info.units = std::move(*cores);
    if (const std::string *discrete = uri.find("discrete"); discrete && *discrete != "yes" && *discrete != "no")
      return Status(StatusCode::InvalidArgument, "discrete= takes yes or no, got '" + *discrete + "'");
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
    StatusOr<std::shared_ptr<WorkerPool>> workers = workersOf(info->units, info->cores);
    if (!workers.ok())
      return workers.takeStatus();
    uint64_t limit = uri.find("memory") ? info->memoryBytes : UINT64_MAX;
    const std::string *discrete = uri.find("discrete");
    return std::shared_ptr<hal::Device>(
        std::make_shared<LocalDevice>(std::move(*info), limit, discrete && *discrete == "yes", std::move(*workers)));
  }
};

} // namespace

StatusOr<std::vector<int>> parseCores(std::string_view text) {
  Status malformed(StatusCode::InvalidArgument, "a set of cores is numbers below " + std::to_string(CPU_SETSIZE) +
                                                    " and ranges like 0-3,6, got '" + std::string(text) + "'");
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
