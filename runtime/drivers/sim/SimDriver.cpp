// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/sim/SimDriver.h"

#include "runtime/drivers/sim/SimModel.h"
#include "runtime/drivers/sim/SimTimeline.h"
#include "runtime/hal/Registry.h"
#include "runtime/hal/ThreadQueue.h"
#include "runtime/match/LinkLimits.h"

#include <atomic>
#include <cmath>

namespace heddle {
namespace sim {
namespace {

// Whose memory an address is, of all simulated devices of the process.
class Owners {
public:
  static Owners &process() {
    static Owners owners;
    return owners;
  }
  void add(const std::byte *first, uint64_t bytes, const std::string &device) {
    std::lock_guard lock(mutex_);
    ranges_[first] = {first + std::max<uint64_t>(bytes, 1), device};
  }
  void remove(const std::byte *first) {
    std::lock_guard lock(mutex_);
    ranges_.erase(first);
  }
  std::string of(const void *address) const {
    auto *at = static_cast<const std::byte *>(address);
    std::lock_guard lock(mutex_);
    auto next = ranges_.upper_bound(at);
    if (next == ranges_.begin() || at >= std::prev(next)->second.end)
      return std::string(kHost);
    return std::prev(next)->second.device;
  }

private:
  struct Range {
    const std::byte *end;
    std::string device;
  };
  mutable std::mutex mutex_;
  std::map<const std::byte *, Range> ranges_;
};

class SimBuffer final : public hal::Buffer {
public:
  SimBuffer(hal::BufferRef memory, const std::string &device)
      : Buffer(memory->address(), memory->bytes()), memory_(std::move(memory)) {
    Owners::process().add(address(), bytes(), device);
  }
  ~SimBuffer() override { Owners::process().remove(address()); }

private:
  hal::BufferRef memory_;
};

// Puts commands on the timeline, after they were done where the host waits for them. `queue`: of the device, which does
// one thing at a time.
class SimCommands final : public hal::Commands {
public:
  SimCommands(std::unique_ptr<hal::Commands> inner, const SimModel &model, uint32_t queue)
      : inner_(std::move(inner)), model_(model), stream_(timeline().addStream(model.name)),
        queue_(queue ? model.name + " queue " + std::to_string(queue) : model.name) {}

  Status dispatch(const hal::Dispatch &dispatch) override {
    if (inner_)
      HEDDLE_RETURN_IF_ERROR(inner_->dispatch(dispatch));
    const hal::DispatchLabel *label = dispatch.label;
    uint64_t ns = model_.dispatchNs(dispatch.workgroups, label ? label->flops : 0, label ? label->bytes : 0);
    place(SimKind::Dispatch, label ? label->name : "kernel", queue_, ns);
    return {};
  }
  Status copy(const hal::View &to, const hal::View &from) override {
    if (inner_)
      HEDDLE_RETURN_IF_ERROR(inner_->copy(to, from));
    std::string source = Owners::process().of(from.address()), target = Owners::process().of(to.address());
    std::string name = source + " -> " + target;
    if (source == target)
      place(SimKind::Copy, name, queue_, model_.memoryNs(2 * to.bytes));
    else
      place(SimKind::Copy, name, name, moveNs(source, target, to.bytes));
    return {};
  }
  Status fill(const hal::View &to, uint64_t pattern, uint32_t patternBytes) override {
    if (inner_)
      HEDDLE_RETURN_IF_ERROR(inner_->fill(to, pattern, patternBytes));
    place(SimKind::Fill, "fill", queue_, model_.memoryNs(to.bytes));
    return {};
  }
  Status stamp(uint64_t *ns) override {
    if (inner_)
      *ns = timeline().now(stream_);
    else
      timeline().stamp(stream_, ns);
    return {};
  }

  static SimTimeline &timeline() { return SimTimeline::process(); }
  uint32_t stream() const { return stream_; }

private:
  void place(SimKind kind, const std::string &name, const std::string &resource, uint64_t ns) {
    timeline().operation(stream_, kind, name, resource, ns, /*inlined=*/inner_ != nullptr);
  }
  // The link belongs to its destination; towards the host, which has no model, it is this device's.
  uint64_t moveNs(const std::string &source, const std::string &target, uint64_t bytes) const;

  std::unique_ptr<hal::Commands> inner_; // null: a queue's, done by its thread
  const SimModel &model_;                // of the device, which outlives its streams
  uint32_t stream_;
  std::string queue_;
};

// Puts meetings of ranks on the timeline, on a stream beside the device's.
class SimMeetings final : public hal::Commands {
public:
  explicit SimMeetings(const SimModel &model)
      : model_(model), stream_(SimTimeline::process().addStream(model.name + " collectives", true)) {}

  Status dispatch(const hal::Dispatch &dispatch) override {
    std::optional<hal::Meeting> meeting = hal::Meeting::of(dispatch);
    if (!meeting)
      return {};
    auto kind = static_cast<contract::CollectiveKind>(meeting->kind);
    SimTimeline::process().meet(stream_, *meeting, std::string(contract::spelling(kind)),
                                model_.collectiveNs(kind, meeting->members, static_cast<uint64_t>(meeting->bytes)),
                                dispatch.views);
    return {};
  }
  Status copy(const hal::View &, const hal::View &) override { return {}; }
  Status fill(const hal::View &, uint64_t, uint32_t) override { return {}; }
  Status stamp(uint64_t *ns) override {
    SimTimeline::process().stamp(stream_, ns);
    return {};
  }
  uint32_t stream() const { return stream_; }

private:
  const SimModel &model_; // of the device, which outlives its streams
  uint32_t stream_;
};

// Does what `local` does, but for the time: that was virtual when the command was submitted.
class Timeless final : public hal::Commands {
public:
  explicit Timeless(std::unique_ptr<hal::Commands> inner) : inner_(std::move(inner)) {}
  Status dispatch(const hal::Dispatch &dispatch) override {
    if (!hal::Meeting::isIn(dispatch))
      return inner_->dispatch(dispatch);
    // A meeting's times are the timeline's, too.
    std::vector<int64_t> constants(dispatch.constants.begin(), dispatch.constants.end());
    constants[hal::Meeting::kBegin] = constants[hal::Meeting::kEnd] = 0;
    hal::Dispatch untimed = dispatch;
    untimed.constants = constants;
    return inner_->dispatch(untimed);
  }
  Status copy(const hal::View &to, const hal::View &from) override { return inner_->copy(to, from); }
  Status fill(const hal::View &to, uint64_t pattern, uint32_t patternBytes) override {
    return inner_->fill(to, pattern, patternBytes);
  }
  Status stamp(uint64_t *) override { return {}; }

private:
  std::unique_ptr<hal::Commands> inner_;
};

// `Placed` puts on the timeline what `inner` does.
template <typename Placed> class SimQueue final : public hal::Queue {
public:
  template <typename... Arguments>
  explicit SimQueue(std::unique_ptr<hal::Queue> inner, Arguments &&...arguments)
      : inner_(std::move(inner)), placed_(std::forward<Arguments>(arguments)...) {}
  ~SimQueue() override { SimTimeline::process().forgetStamps(placed_.stream()); }

  void submit(const hal::CommandBuffer *commands, std::span<const hal::Point> waits,
              std::span<const hal::Point> signals) override {
    SimTimeline &timeline = SimTimeline::process();
    for (const hal::Point &point : waits)
      timeline.wait(placed_.stream(), point);
    for (auto *at = commands ? commands->begin() : nullptr; at; at = commands->next(at))
      if (at->kind != hal::CommandBuffer::Kind::Call)
        (void)hal::CommandBuffer::perform(*at, placed_);
    for (const hal::Point &point : signals)
      timeline.signal(placed_.stream(), point);
    inner_->submit(commands, waits, signals);
  }
  void drain() override {
    SimTimeline::process().synchronize(placed_.stream());
    inner_->drain();
    SimTimeline::process().settleStamps(placed_.stream());
  }

private:
  std::unique_ptr<hal::Queue> inner_;
  Placed placed_;
};

class SimDevice final : public hal::Device {
public:
  SimDevice(DeviceInfo info, SimModel model, std::shared_ptr<hal::Device> host)
      : Device(std::move(info)), model_(std::move(model)), host_(std::move(host)),
        budget_(std::make_shared<hal::MemoryBudget>(model_.memoryBytes ? model_.memoryBytes : UINT64_MAX)) {
    models().add(model_);
    hal::HostTime::keepBy(SimTimeline::process());
  }

  StatusOr<hal::BufferRef> allocate(uint64_t bytes) override {
    StatusOr<hal::BufferRef> memory = hal::allocateHostBuffer(bytes, budget_);
    if (!memory.ok())
      return memory;
    return hal::BufferRef(new SimBuffer(std::move(*memory), model_.name));
  }
  StatusOr<std::unique_ptr<hal::Commands>> createInline() override {
    StatusOr<std::unique_ptr<hal::Commands>> inner = host_->createInline();
    if (!inner.ok())
      return inner;
    return std::unique_ptr<hal::Commands>(std::make_unique<SimCommands>(std::move(*inner), model_, nextQueue()));
  }
  StatusOr<std::unique_ptr<hal::Queue>> createQueue() override {
    StatusOr<std::unique_ptr<hal::Commands>> inner = host_->createInline();
    if (!inner.ok())
      return inner.takeStatus();
    return timed<SimCommands>(hal::createThreadQueue(std::make_unique<Timeless>(std::move(*inner))), nullptr, model_,
                              nextQueue());
  }
  StatusOr<std::unique_ptr<hal::Queue>> createHostQueue(hal::HostWork work) override {
    work.make = [make = std::move(work.make)] { return std::make_unique<Timeless>(make()); };
    return timed<SimMeetings>(hal::createHostQueue(std::move(work)), model_);
  }
  StatusOr<std::unique_ptr<hal::Executable>> load(const hal::ExecutableSource &source) override {
    return host_->load(source);
  }
  bool hasQueues() const override { return true; }
  bool isEager() const override { return true; }
  bool readsHostMemory() const override { return !model_.isDiscrete(); }
  bool sharesExecutables(const Device &other) const override {
    return this == &other || (other.info().driver == info().driver && other.info().features == info().features);
  }

  // The models of the devices opened so far, by name: a stream may move bytes to any of them.
  class Models {
  public:
    void add(const SimModel &model) {
      std::lock_guard lock(mutex_);
      models_[model.name] = model;
    }
    std::optional<SimModel> find(const std::string &name) const {
      std::lock_guard lock(mutex_);
      auto it = models_.find(name);
      return it == models_.end() ? std::nullopt : std::optional(it->second);
    }

  private:
    mutable std::mutex mutex_;
    std::map<std::string, SimModel> models_;
  };
  static Models &models() {
    static Models models;
    return models;
  }

private:
  // A queue of the host that does the commands, which `Placed` puts on the timeline when they are submitted.
  template <typename Placed, typename... Arguments>
  static StatusOr<std::unique_ptr<hal::Queue>> timed(StatusOr<std::unique_ptr<hal::Queue>> queue,
                                                     Arguments &&...arguments) {
    if (!queue.ok())
      return queue;
    return std::unique_ptr<hal::Queue>(
        std::make_unique<SimQueue<Placed>>(std::move(*queue), std::forward<Arguments>(arguments)...));
  }
  // In turn, so that the streams of a call are on as many queues as there are.
  uint32_t nextQueue() { return nextQueue_.fetch_add(1) % model_.queues; }

  SimModel model_;
  std::atomic<uint32_t> nextQueue_ = 0;
  std::shared_ptr<hal::Device> host_;
  std::shared_ptr<hal::MemoryBudget> budget_;
};

uint64_t SimCommands::moveNs(const std::string &source, const std::string &target, uint64_t bytes) const {
  if (target == model_.name)
    return model_.moveNs(source, bytes);
  if (std::optional<SimModel> other = SimDevice::models().find(target))
    return other->moveNs(source, bytes);
  return model_.moveNs(target, bytes);
}

// The one device that computes for all of them.
StatusOr<std::shared_ptr<hal::Device>> sharedHost() {
  static std::mutex mutex;
  static std::weak_ptr<hal::Device> shared;
  std::lock_guard lock(mutex);
  if (std::shared_ptr<hal::Device> device = shared.lock())
    return device;
  StatusOr<std::shared_ptr<hal::Device>> device = (*findDriver("local"))->open(*DeviceUri::parse("local"));
  if (device.ok())
    shared = *device;
  return device;
}

class SimDriver final : public hal::Driver {
public:
  std::string_view name() const override { return "sim"; }

  std::vector<DeviceInfo> enumerate() const override {
    StatusOr<DeviceInfo> info = query(*DeviceUri::parse("sim"));
    return info.ok() ? std::vector<DeviceInfo>{std::move(*info)} : std::vector<DeviceInfo>();
  }

  StatusOr<DeviceInfo> query(const DeviceUri &uri) const override {
    StatusOr<SimModel> model = SimModel::of(uri);
    if (!model.ok())
      return model.takeStatus();
    StatusOr<DeviceInfo> info = (*findDriver("local"))->query(*DeviceUri::parse("local"));
    if (!info.ok())
      return info;
    info->uri = uri.text();
    info->driver = "sim";
    info->standsFor = "local";
    info->description = "computes like local; its time is virtual, of a declared model";
    info->cores = model->units;
    info->streams = model->queues;
    info->isDefault = false;
    info->limits.emplace_back(kLinkRateLimit, static_cast<uint64_t>(std::llround(model->link.gbps * 1e9)));
    info->limits.emplace_back(kLinkDelayLimit, static_cast<uint64_t>(std::llround(model->link.us * 1e6)));
    if (model->memoryBytes)
      info->memoryBytes = model->memoryBytes;
    return info;
  }

  StatusOr<std::shared_ptr<hal::Device>> open(const DeviceUri &uri) const override {
    StatusOr<DeviceInfo> info = query(uri);
    if (!info.ok())
      return info.takeStatus();
    StatusOr<std::shared_ptr<hal::Device>> host = sharedHost();
    if (!host.ok())
      return host.takeStatus();
    return std::shared_ptr<hal::Device>(
        std::make_shared<SimDevice>(std::move(*info), *SimModel::of(uri), std::move(*host)));
  }
};

} // namespace
} // namespace sim

const hal::Driver &simDriver() {
  static const sim::SimDriver driver;
  return driver;
}

} // namespace heddle
