// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/CallDevices.h"

#include "runtime/base/Guarded.h"
#include "runtime/executor/call/Observer.h"
#include "runtime/executor/call/Wait.h"

namespace heddle {
namespace {

// As the stream does; an event that could not be recorded has failed, so that nobody waits for it for ever: a later
// call asks for those of freed memory.
Status recordOn(hal::Stream &stream, const std::shared_ptr<hal::Event> &event) {
  Status status = guarded([&] { return stream.record(event); });
  if (!status.ok())
    event->signal(status.clone());
  return status;
}

} // namespace

// Round robin: those of earlier calls are free again.
std::shared_ptr<hal::Event> EventRing::fresh() {
  for (size_t i = 0; i < std::min<size_t>(events_.size(), 8); ++i) {
    next_ = (next_ + 1) % events_.size();
    if (events_[next_].use_count() != 1)
      continue;
    events_[next_]->reset();
    return events_[next_];
  }
  events_.push_back(std::make_shared<hal::Event>());
  return events_.back();
}

CallDevices::CallDevices(std::span<const DeviceSlot> slots, const Function &function, const Clock &clock,
                         CallStatistics &statistics)
    : slots_(slots), function_(function), clock_(clock), statistics_(statistics), access_(slots),
      streams_(slots.size()), events_(function.source->events()) {
  for (EventRegister &event : events_)
    event.event = std::make_shared<hal::Event>();
}

Status CallDevices::createStreams() {
  uint32_t own = function_.source->device();
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
  bool queued = slot.device->hasQueues() || !slot.isSame(slots_[function_.source->device()]);
  StatusOr<std::unique_ptr<hal::Stream>> stream =
      slot.device->createStream(queued ? hal::StreamMode::Queued : hal::StreamMode::Inline);
  if (!stream.ok())
    return stream.takeStatus();
  streams_[device][index] = {std::move(*stream), queued};
  overlaps_ |= queued;
  return {};
}

void CallDevices::observe(Observer *observer) {
  std::vector<std::unique_ptr<hal::Stream>> wrappers; // all of them before any stream changes
  for (uint32_t d = 0; observer && d < streams_.size(); ++d)
    for (uint32_t i = 0; i < streams_[d].size(); ++i)
      if (streams_[d][i].stream)
        wrappers.push_back(observer->wrapper(d, i, streams_[d][i].queued));
  size_t next = 0;
  for (std::vector<StreamState> &device : streams_)
    for (StreamState &state : device) {
      if (!state.stream)
        continue;
      if (observed_)
        state.stream = Observer::unwrap(std::move(state.stream));
      if (observer)
        state.stream = Observer::wrap(std::move(wrappers[next++]), std::move(state.stream));
    }
  observed_ = observer != nullptr;
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

Status CallDevices::order(const StreamRegister &before, const StreamRegister &after) {
  if (before.stream == after.stream || !before.queued)
    return {};
  std::shared_ptr<hal::Event> event = spare_.fresh();
  HEDDLE_RETURN_IF_ERROR(recordOn(*before.stream, event));
  return waitOn(after, std::move(event));
}

Status CallDevices::orderAfterAll(const StreamRegister &after) {
  for (uint32_t d = 0; d < streams_.size(); ++d)
    for (uint32_t i = 0; i < streams_[d].size(); ++i)
      if (streams_[d][i].stream)
        HEDDLE_RETURN_IF_ERROR(order(stream(d, i), after));
  return {};
}

Status CallDevices::orderBeforeUsers(const StreamRegister &before, uint32_t flags) {
  for (uint32_t d = 0; d < streams_.size(); ++d)
    for (uint32_t i = 0; i < streams_[d].size(); ++i)
      if (streams_[d][i].stream && access_.canCopy(d, flags))
        HEDDLE_RETURN_IF_ERROR(order(before, stream(d, i)));
  return {};
}

// Where streams overlap, somebody may still wait for what the register's event was.
Status CallDevices::record(uint32_t event, const StreamRegister &stream) {
  EventRegister &to = events_[event];
  if (overlaps_)
    to.event = spare_.fresh();
  else
    to.event->reset();
  to.recorded = true;
  return recordOn(*stream.stream, to.event);
}

Status CallDevices::checkRecorded(uint32_t event) const {
  if (events_[event].recorded)
    return {};
  return Status(StatusCode::InvalidArgument, "an event is waited for before it is recorded");
}

Status CallDevices::wait(uint32_t event, const StreamRegister &stream) {
  HEDDLE_RETURN_IF_ERROR(checkRecorded(event));
  return waitOn(stream, events_[event].event);
}

Status CallDevices::await(uint32_t event) {
  HEDDLE_RETURN_IF_ERROR(checkRecorded(event));
  return waitFor(*events_[event].event);
}

Status CallDevices::mark(const StreamRegister &stream, std::shared_ptr<hal::Event> &event) {
  event = nullptr;
  if (!stream.queued)
    return {};
  event = spare_.fresh();
  return recordOn(*stream.stream, event);
}

Status CallDevices::waitOn(const StreamRegister &stream, std::shared_ptr<hal::Event> event) {
  if (stream.queued || observed_)
    return stream.stream->wait(std::move(event));
  return waitFor(*event);
}

Status CallDevices::waitFor(hal::Event &event) const { return heddle::waitFor(event, clock_); }

Status CallDevices::finish(const StreamRegister &stream) {
  std::shared_ptr<hal::Event> reached;
  HEDDLE_RETURN_IF_ERROR(mark(stream, reached));
  if (reached)
    HEDDLE_RETURN_IF_ERROR(waitFor(*reached));
  return stream.stream->synchronize();
}

Status CallDevices::drain(Status status) {
  auto forEachQueued = [&](auto &&visit) {
    for (uint32_t d = 0; d < streams_.size(); ++d)
      for (StreamState &state : streams_[d])
        if (state.queued)
          visit(d, *state.stream);
  };
  forEachQueued([&](uint32_t, hal::Stream &stream) {
    if (!status.ok() || observed_) // a trace shows what the program does
      return;
    status = guarded([&] {
      std::shared_ptr<hal::Event> end = spare_.fresh();
      HEDDLE_RETURN_IF_ERROR(recordOn(stream, end));
      return waitFor(*end);
    });
  });
  if (!status.ok())
    forEachQueued([](uint32_t, hal::Stream &stream) { stream.abandon(); });
  // Only now, so that no stream keeps the abandonment for the next call.
  forEachQueued([&](uint32_t d, hal::Stream &stream) {
    Status own = stream.synchronize();
    if (status.ok())
      status = std::move(own);
    else if (!own.ok() && own.code() != StatusCode::Cancelled && own.message() != status.message())
      (void)guarded([&] {
        status = std::move(status).note("also on " + slots_[d].info.uri + ": " + own.message());
        return Status();
      });
  });
  return status;
}

} // namespace heddle
