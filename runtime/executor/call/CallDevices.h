// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The devices of a program while a call runs: its streams, its events, their order, and where memory comes from.
//
// The program runs on one thread. The call's own stream, and all of that device, are inline unless the device has
// queues of its own: what was issued is done. Streams of other devices are queued, so that devices overlap; a program
// on one device has none, and pays for none of this. Events order queued streams; who waits inline holds the program,
// for as long as the clock allows.
//
// Made once for an invocation; all calls are of one thread at a time. Streams live until it is destroyed; registers may
// name them all that time.
//
//   CallDevices devices(module, function, clock, statistics);
//   HEDDLE_RETURN_IF_ERROR(devices.createStreams());
//   devices.begin();                                                     // each call
//   HEDDLE_RETURN_IF_ERROR(devices.record(event, devices.stream(1, 0)));
//   HEDDLE_RETURN_IF_ERROR(devices.wait(event, devices.own()));
//   status = devices.drain(std::move(status));                           // where overlaps()
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_CALLDEVICES_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_CALLDEVICES_H

#include "runtime/executor/call/Clock.h"
#include "runtime/executor/call/Frame.h"
#include "runtime/executor/call/MemoryAccess.h"

namespace heddle {

class Observer;

// Events that are used again when nobody else holds them any more.
class EventRing {
public:
  // A pending event that belongs to the caller alone.
  std::shared_ptr<hal::Event> fresh();

private:
  std::vector<std::shared_ptr<hal::Event>> events_;
  size_t next_ = 0;
};

class CallDevices {
public:
  // All are borrowed. `statistics` counts what is allocated.
  CallDevices(std::span<const DeviceSlot> slots, const Function &function, const Clock &clock,
              CallStatistics &statistics);
  // The streams that the function uses, and what crosses its boundary. Io when the system gives no thread.
  Status createStreams();
  // A new call: no event is recorded.
  void begin() {
    for (EventRegister &event : events_)
      event.recorded = false;
  }
  // Puts the observer before every stream; null: takes the one away that is there. Not while a call runs. Either all
  // streams are wrapped or (bad_alloc) none is.
  void observe(Observer *observer);

  const MemoryAccess &access() const { return access_; }
  // Some stream is queued, or some device has memory of its own: drain() is owed at the end of a call.
  bool overlaps() const { return overlaps_; }

  // Memory of a device, of the host; counted. OutOfMemory.
  StatusOr<hal::BufferRef> allocate(uint32_t device, uint64_t bytes);
  StatusOr<hal::BufferRef> allocateHost(uint64_t bytes);

  // The call's own stream; unset for a program without devices.
  StreamRegister own() const { return streams_.empty() ? StreamRegister() : stream(function_.source->device(), 0); }
  // 0: the device's stream of the call, or of its boundary; then the extra ones. Unset where there is none.
  StreamRegister stream(uint32_t device, uint32_t index) const {
    const std::vector<StreamState> &streams = streams_[device];
    if (index >= streams.size())
      return {};
    return {streams[index].stream.get(), device, streams[index].queued};
  }
  // A stream of the device for copies that no instruction asks for.
  StreamRegister boundaryStream(uint32_t device) const;

  // What is issued on `after` from now on waits for what was issued on `before`.
  Status order(const StreamRegister &before, const StreamRegister &after);
  // The same of every stream and `after`; of `before` and every stream that may copy or use memory of these flags.
  Status orderAfterAll(const StreamRegister &after);
  Status orderBeforeUsers(const StreamRegister &before, uint32_t flags);

  // Event registers. An event can be waited for once it was recorded in this call (InvalidArgument); a later record
  // gives the register another one. record() fails the event where the stream cannot.
  Status record(uint32_t event, const StreamRegister &stream);
  Status checkRecorded(uint32_t event) const;
  Status wait(uint32_t event, const StreamRegister &stream);
  Status await(uint32_t event);
  // Register `to` has the event of `from` from now on, recorded or not.
  void moveEvent(uint32_t to, uint32_t from) { events_[to] = events_[from]; }
  // Sets `event` to what is reached when all that was issued on the stream is done; null: it is. Outlives the call.
  Status mark(const StreamRegister &stream, std::shared_ptr<hal::Event> &event);
  // The program waits: for an event, for all that was issued on a stream.
  Status waitFor(hal::Event &event) const;
  Status finish(const StreamRegister &stream);
  // Waits for all queued streams; those of a failed call leave out what they have not begun. The first cause: `status`,
  // else that of the first stream that failed; other failures become notes.
  Status drain(Status status);

private:
  struct StreamState {
    std::unique_ptr<hal::Stream> stream; // null: unused
    bool queued = false;
  };
  Status createStream(uint32_t device, uint32_t index);
  Status waitOn(const StreamRegister &stream, std::shared_ptr<hal::Event> event);

  std::span<const DeviceSlot> slots_;
  const Function &function_;
  const Clock &clock_;
  CallStatistics &statistics_;
  MemoryAccess access_;
  std::vector<std::vector<StreamState>> streams_; // by device
  bool overlaps_ = false;
  bool observed_ = false; // waits go to the streams, so that they are seen
  struct EventRegister {
    std::shared_ptr<hal::Event> event;
    bool recorded = false;
  };
  std::vector<EventRegister> events_;
  EventRing spare_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_CALLDEVICES_H
