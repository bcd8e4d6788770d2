// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/CallDevices.h"

#include "runtime/base/Guarded.h"
#include "runtime/executor/call/Observer.h"
#include "runtime/executor/call/Wait.h"
#include "runtime/hal/HostTime.h"

namespace heddle {

CallDevices::CallDevices(std::span<const DeviceSlot> slots, const Function &function, const Clock &clock,
                         CallStatistics &statistics)
    : slots_(slots), function_(function), clock_(clock), statistics_(statistics), access_(slots),
      streams_(slots.size()), events_(function.source->events()) {}

template <typename Visit> void CallDevices::forEachStream(Visit &&visit) {
  for (uint32_t d = 0; d < streams_.size(); ++d)
    for (uint32_t i = 0; i < streams_[d].size(); ++i)
      if (streams_[d][i].plain())
        visit(d, i, streams_[d][i]);
}

uint32_t CallDevices::ownStreams() const {
  uint32_t count = 1;
  for (uint32_t d = 0; d < slots_.size(); ++d)
    if (slots_[d].isSame(slots_[function_.source->device()]))
      count += function_.extraStreams[d];
  return count;
}

uint32_t CallDevices::deviceOf(const StreamRegister &stream) const {
  return runsCollectives(stream) ? Observer::kCollectives : stream.device;
}

Status CallDevices::createStreams(hal::HostWork collectives) {
  if (collectives.make) {
    hal::Device *device = slots_.empty() ? nullptr : slots_[function_.source->device()].device.get();
    StatusOr<std::unique_ptr<hal::Queue>> queue =
        device ? device->createHostQueue(std::move(collectives)) : hal::createHostQueue(std::move(collectives));
    if (!queue.ok())
      return queue.takeStatus();
    streams_.emplace_back().resize(1);
    streams_.back()[0].queued = std::make_unique<CommandStream>(std::move(*queue), /*eager=*/true, pending_);
    overlaps_ = true;
  }
  uint32_t own = function_.source->device();
  if (!slots_.empty() && slots_[own].device)
    shares_ = slots_[own].device->overlapsQueues() && ownStreams() > 1;
  for (uint32_t d = 0; d < slots_.size(); ++d) {
    const DeviceSlot &slot = slots_[d];
    bool foreign = !slot.usesHostMemory(); // what was bound there may have to be fetched
    if (!slot.device || (!function_.devices[d] && !foreign))
      continue;
    uint32_t extra = function_.extraStreams[d];
    streams_[d].resize(1 + extra);
    overlaps_ |= foreign;
    if (d == own || (foreign && extra == 0))
      HEDDLE_RETURN_IF_ERROR(createStream(d, 0));
    for (uint32_t i = 1; i <= extra; ++i)
      HEDDLE_RETURN_IF_ERROR(createStream(d, i));
  }
  return {};
}

Status CallDevices::createStream(uint32_t device, uint32_t index) {
  const DeviceSlot &slot = slots_[device];
  StreamState &state = streams_[device][index];
  bool isOwn = slot.isSame(slots_[function_.source->device()]);
  if (isOwn && !shares_ && !slot.device->hasQueues()) {
    StatusOr<std::unique_ptr<hal::Commands>> inlined = slot.device->createInline();
    if (!inlined.ok())
      return inlined.takeStatus();
    state.inlined = std::move(*inlined);
    return {};
  }
  bool isHelped = isOwn && shares_;
  StatusOr<std::unique_ptr<hal::Queue>> queue = slot.device->createSharedQueue(isHelped);
  if (!queue.ok())
    return queue.takeStatus();
  if (isHelped)
    shared_ = queue->get();
  state.queued = std::make_unique<CommandStream>(std::move(*queue), slot.device->isEager(), pending_);
  overlaps_ = true;
  return {};
}

StatusOr<StreamRegister> CallDevices::streamAt(uint32_t device, uint64_t number) {
  uint32_t index = 1 + static_cast<uint32_t>(number % contract::kMaxStreams);
  std::vector<StreamState> &streams = streams_[device];
  if (index < streams.size() && streams[index].plain()) [[likely]]
    return stream(device, index);
  if (index >= streams.size())
    streams.resize(index + 1);
  HEDDLE_RETURN_IF_ERROR(createStream(device, index));
  StreamState &state = streams[index];
  if (state.queued)
    HEDDLE_RETURN_IF_ERROR(state.queued->begin());
  if (observer_)
    state.observed = observer_->observed(*state.plain(), device, index);
  return stream(device, index);
}

Status CallDevices::begin() {
  for (EventRegister &event : events_)
    event.recorded = false;
  if (!overlaps_) [[likely]]
    return {};
  Status status;
  pending_ = false;
  forEachStream([&](uint32_t, uint32_t, StreamState &state) {
    if (state.queued && status.ok())
      status = state.queued->begin();
  });
  return status;
}

void CallDevices::observe(Observer *observer) {
  std::vector<std::unique_ptr<hal::Commands>> observed; // all of them before any stream changes
  forEachStream([&](uint32_t d, uint32_t i, StreamState &state) {
    StreamRegister at = stream(d, i);
    observed.push_back(observer ? observer->observed(*state.plain(), deviceOf(at), indexOf(at)) : nullptr);
  });
  size_t next = 0;
  forEachStream([&](uint32_t, uint32_t, StreamState &state) { state.observed = std::move(observed[next++]); });
  observer_ = observer;
}

StatusOr<hal::BufferRef> CallDevices::allocate(uint32_t device, uint64_t bytes) {
  StatusOr<hal::BufferRef> buffer = slots_[device].device->allocate(bytes);
  statistics_.allocations += buffer.ok();
  return buffer;
}

StatusOr<hal::BufferRef> CallDevices::allocateHost(uint64_t bytes) {
  StatusOr<hal::BufferRef> buffer = hal::allocateHostBuffer(bytes);
  statistics_.allocations += buffer.ok();
  return buffer;
}

StreamRegister CallDevices::boundaryStream(uint32_t device) const {
  bool extra = device != function_.source->device() && streams_[device].size() > 1;
  return stream(device, extra ? 1 : 0);
}

void CallDevices::flush() {
  pending_ = false;
  forEachStream([](uint32_t, uint32_t, StreamState &state) {
    if (state.queued)
      state.queued->flush();
  });
}

Status CallDevices::order(const StreamRegister &before, const StreamRegister &after) {
  if (before.commands == after.commands || !before.queued)
    return {};
  EventRegister event;
  HEDDLE_RETURN_IF_ERROR(recordOn(before, event));
  return waitOn(after, event);
}

Status CallDevices::orderAfterAll(const StreamRegister &after) {
  Status status;
  forEachStream([&](uint32_t d, uint32_t i, StreamState &) {
    if (status.ok())
      status = order(stream(d, i), after);
  });
  return status;
}

Status CallDevices::orderBeforeUsers(const StreamRegister &before, uint32_t flags) {
  Status status;
  forEachStream([&](uint32_t d, uint32_t i, StreamState &) {
    if (status.ok() && (d == slots_.size() || access_.canCopy(d, flags)))
      status = order(before, stream(d, i));
  });
  return status;
}

Status CallDevices::recordOn(const StreamRegister &stream, EventRegister &to) {
  to.recorded = true;
  if (observer_) {
    StatusOr<uint64_t> number = observer_->record(plain(stream), deviceOf(stream), indexOf(stream));
    if (!number.ok())
      return number.takeStatus();
    to.number = *number;
  }
  to.point = stream.queued ? stream.queued->record() : hal::Point();
  return {};
}

Status CallDevices::waitOn(const StreamRegister &stream, const EventRegister &event) {
  auto wait = [&] { return stream.queued ? stream.queued->waitFor(event.point) : waitFor(event.point); };
  if (!observer_)
    return wait();
  return observer_->wait(plain(stream), deviceOf(stream), indexOf(stream), event.number, wait);
}

Status CallDevices::record(uint32_t event, const StreamRegister &stream) { return recordOn(stream, events_[event]); }

Status CallDevices::checkRecorded(uint32_t event) const {
  if (events_[event].recorded)
    return {};
  return Status(StatusCode::InvalidArgument, "an event is waited for before it is recorded");
}

Status CallDevices::wait(uint32_t event, const StreamRegister &stream) {
  HEDDLE_RETURN_IF_ERROR(checkRecorded(event));
  return waitOn(stream, events_[event]);
}

Status CallDevices::await(uint32_t event) {
  HEDDLE_RETURN_IF_ERROR(checkRecorded(event));
  HEDDLE_RETURN_IF_ERROR(waitFor(events_[event].point));
  hal::HostTime::waited(events_[event].point);
  return {};
}

Status CallDevices::waitFor(const hal::Point &point) {
  if (pending_)
    flush();
  return heddle::waitFor(point, clock_, shared_);
}

Status CallDevices::finish(const StreamRegister &stream) {
  if (!stream.queued)
    return {};
  HEDDLE_RETURN_IF_ERROR(waitFor(stream.queued->mark()));
  return stream.queued->drain();
}

Status CallDevices::awaitAll() {
  Status status;
  forEachStream([&](uint32_t, uint32_t, StreamState &state) {
    if (status.ok() && state.queued)
      status = guarded([&] { return waitFor(state.queued->record()); });
  });
  return status;
}

/// Whether one of two failures tells the other again: a group of ranks puts the rank in front of a member's failure,
/// and its notes behind, and each stream may be the first to fail.
static bool isSameCause(const Status &one, const Status &other) {
  return one.message().find(other.message()) != std::string_view::npos ||
         other.message().find(one.message()) != std::string_view::npos;
}

Status CallDevices::drain(Status status) {
  if (status.ok())
    status = awaitAll();
  forEachStream([&](uint32_t, uint32_t, StreamState &state) {
    if (!status.ok() && state.queued)
      state.queued->abandon(
          guarded([] { return Status(StatusCode::Cancelled, "the work on a stream was abandoned"); }));
  });
  forEachStream([&](uint32_t d, uint32_t, StreamState &state) {
    if (!state.queued)
      return;
    Status own = state.queued->drain();
    if (status.ok())
      status = std::move(own);
    else if (!own.ok() && own.code() != StatusCode::Cancelled && !isSameCause(own, status))
      (void)guarded([&] {
        std::string where = d < slots_.size() ? slots_[d].info.uri : "the stream of collectives";
        status = std::move(status).note("also on " + where + ": " + own.message());
        return Status();
      });
  });
  return status;
}

} // namespace heddle
