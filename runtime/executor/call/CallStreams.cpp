// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The streams of a call, their events and their order.
//
// The program runs on one thread. The call's own stream, and all of that device, are inline unless the device has
// queues of its own: what was issued is done. Streams of other devices are queued, so that devices overlap; a program
// on one device has none, and pays for none of this.
#include "runtime/base/Guarded.h"
#include "runtime/executor/call/Invocation.h"

namespace heddle {

Status Invocation::createStreams() {
  uint32_t own = function_.source->device();
  for (uint32_t d = 0; d < devices_.size(); ++d) {
    const DeviceSlot &slot = module_->devices()[d];
    bool foreign = !slot.usesHostMemory(); // what was bound there may have to be fetched
    if (!slot.device || (!function_.devices[d] && !foreign))
      continue;
    uint32_t extra = function_.extraStreams[d];
    devices_[d].streams.resize(1 + extra);
    overlaps_ |= foreign;
    if (d == own || (foreign && extra == 0))
      HEDDLE_RETURN_IF_ERROR(createStream(d, 0));
    for (uint32_t i = 1; i <= extra; ++i)
      HEDDLE_RETURN_IF_ERROR(createStream(d, i));
  }
  return {};
}

Status Invocation::createStream(uint32_t device, uint32_t index) {
  const DeviceSlot &slot = module_->devices()[device];
  bool queued = slot.device->hasQueues() || !slot.isSame(module_->devices()[function_.source->device()]);
  StatusOr<std::unique_ptr<hal::Stream>> stream =
      slot.device->createStream(queued ? hal::StreamMode::Queued : hal::StreamMode::Inline);
  if (!stream.ok())
    return stream.takeStatus();
  devices_[device].streams[index] = {std::move(*stream), queued};
  overlaps_ |= queued;
  return {};
}

StreamRegister Invocation::streamOf(uint32_t device, uint32_t index) const {
  const DeviceState &state = devices_[device];
  if (index >= state.streams.size())
    return {};
  return {state.streams[index].stream.get(), device, state.streams[index].queued};
}

StreamRegister Invocation::boundaryStream(uint32_t device) const {
  bool extra = device != function_.source->device() && devices_[device].streams.size() > 1;
  return streamOf(device, extra ? 1 : 0);
}

// Round robin: those of earlier calls are free again.
std::shared_ptr<hal::Event> Invocation::freshEvent() {
  for (size_t i = 0; i < std::min<size_t>(spareEvents_.size(), 8); ++i) {
    nextEvent_ = (nextEvent_ + 1) % spareEvents_.size();
    if (spareEvents_[nextEvent_].use_count() != 1)
      continue;
    spareEvents_[nextEvent_]->reset();
    return spareEvents_[nextEvent_];
  }
  spareEvents_.push_back(std::make_shared<hal::Event>());
  return spareEvents_.back();
}

Status Invocation::record(hal::Stream &stream, const std::shared_ptr<hal::Event> &event) {
  Status status = guarded([&] { return stream.record(event); });
  if (!status.ok())
    event->signal(status.clone());
  return status;
}

Status Invocation::waitOn(const StreamRegister &stream, std::shared_ptr<hal::Event> event) {
  if (stream.queued || tracer_)
    return stream.stream->wait(std::move(event));
  return waitFor(*event);
}

Status Invocation::order(const StreamRegister &before, const StreamRegister &after) {
  if (before.stream == after.stream || !before.queued)
    return {};
  std::shared_ptr<hal::Event> event = freshEvent();
  HEDDLE_RETURN_IF_ERROR(record(*before.stream, event));
  return waitOn(after, std::move(event));
}

bool Invocation::canUse(uint32_t device, uint32_t flags) const {
  const DeviceSlot &slot = module_->devices()[device];
  if ((flags & kHostMemory) && slot.device && slot.device->readsHostMemory())
    return true;
  return (flags & kDeviceMemory) && module_->devices()[(flags & kSlotMask) - 1].isSame(slot);
}

bool Invocation::canCopy(uint32_t device, uint32_t flags) const {
  return (flags & kHostMemory) || canUse(device, flags);
}

Status Invocation::drain(Status status) {
  auto forEachQueued = [&](auto &&visit) {
    for (uint32_t d = 0; d < devices_.size(); ++d)
      for (StreamState &state : devices_[d].streams)
        if (state.queued)
          visit(d, *state.stream);
  };
  forEachQueued([&](uint32_t, hal::Stream &stream) {
    if (!status.ok() || tracer_) // a trace shows what the program does
      return;
    status = guarded([&] {
      std::shared_ptr<hal::Event> end = freshEvent();
      HEDDLE_RETURN_IF_ERROR(record(stream, end));
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
        status = std::move(status).note("also on " + module_->devices()[d].info.uri + ": " + own.message());
        return Status();
      });
  });
  return status;
}

} // namespace heddle
