// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The devices of a program while a call runs: its streams, its events, their order, and where memory comes from.
//
// The program runs on one thread. The call's own stream, and all of that device, are inline unless the device has
// queues of its own, or several streams and cores to share among them (Device::overlapsQueues): what was issued is
// done. Streams of other devices are queued (CommandStream.h), so that devices overlap; a program with one stream has
// none, and pays for none of this. Timelines order queued streams, on the devices where these can wait themselves; who
// waits inline holds the program, for as long as the clock allows. Who waits for streams that share cores works on
// them.
//
// Made once for an invocation; all calls are of one thread at a time. Streams live until it is destroyed; registers may
// name them all that time.
//
//   CallDevices devices(module, function, clock, statistics);
//   HEDDLE_RETURN_IF_ERROR(devices.createStreams());
//   HEDDLE_RETURN_IF_ERROR(devices.begin());                             // each call
//   HEDDLE_RETURN_IF_ERROR(devices.record(event, devices.stream(1, 0)));
//   HEDDLE_RETURN_IF_ERROR(devices.wait(event, devices.own()));
//   status = devices.drain(std::move(status));                           // where overlaps()
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_CALLDEVICES_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_CALLDEVICES_H

#include "runtime/executor/call/Clock.h"
#include "runtime/executor/call/CommandStream.h"
#include "runtime/executor/call/Frame.h"
#include "runtime/executor/call/MemoryAccess.h"

namespace heddle {

class Observer;

class CallDevices {
public:
  // All are borrowed. `statistics` counts what is allocated.
  CallDevices(std::span<const DeviceSlot> slots, const Function &function, const Clock &clock,
              CallStatistics &statistics);
  // The streams that the function uses, and what crosses its boundary. `collectives`: the work on the stream of
  // collectives, of threads of its own; without there is no such stream. Io when the system gives no thread.
  Status createStreams(hal::HostWork collectives = {});
  // A new call: no event is recorded, nothing that failed is left. OutOfMemory.
  Status begin();
  // Puts the observer before every stream; null: takes the one away that is there. Not while a call runs. Either all
  // streams are observed or (bad_alloc) none is.
  void observe(Observer *observer);

  const MemoryAccess &access() const { return access_; }
  // Some stream is queued, or some device has memory of its own: drain() is owed at the end of a call.
  bool overlaps() const { return overlaps_; }

  // Memory of a device, of the host; counted. OutOfMemory.
  StatusOr<hal::BufferRef> allocate(uint32_t device, uint64_t bytes);
  StatusOr<hal::BufferRef> allocateHost(uint64_t bytes);

  // The call's own stream; unset for a program without devices.
  StreamRegister own() const { return slots_.empty() ? StreamRegister() : stream(function_.source->device(), 0); }
  // 0: the device's stream of the call, or of its boundary; then the extra ones. Unset where there is none.
  StreamRegister stream(uint32_t device, uint32_t index) const {
    const std::vector<StreamState> &streams = streams_[device];
    if (index >= streams.size())
      return {};
    return {streams[index].commands(), streams[index].queued.get(), device, index};
  }
  // The extra stream of a number, made when it is first asked for; those above contract::kMaxStreams share the streams
  // below it. Io when the system gives no thread, OutOfMemory.
  StatusOr<StreamRegister> streamAt(uint32_t device, uint64_t number);
  // A stream of the device for copies that no instruction asks for.
  StreamRegister boundaryStream(uint32_t device) const;

  // The stream of collectives, which belongs to no device: the one behind the last; unset where there is none.
  StreamRegister collectives() const {
    return streams_.size() > slots_.size() ? stream(static_cast<uint32_t>(slots_.size()), 0) : StreamRegister();
  }
  bool runsCollectives(const StreamRegister &stream) const { return stream.device == slots_.size(); }

  // Commands that are not dispatches. On an inline stream they are done when they return.
  Status copy(const StreamRegister &stream, const hal::View &to, const hal::View &from) {
    flushBefore(stream);
    return stream.commands->copy(to, from);
  }
  Status fill(const StreamRegister &stream, const hal::View &to, uint64_t pattern, uint32_t patternBytes) {
    flushBefore(stream);
    return stream.commands->fill(to, pattern, patternBytes);
  }
  // Hands over what queued streams have recorded, before the program works itself.
  void flushBefore(const StreamRegister &stream) {
    if (pending_ && !stream.queued) [[unlikely]]
      flush();
  }
  void flush();

  // What is issued on `after` from now on waits for what was issued on `before`.
  Status order(const StreamRegister &before, const StreamRegister &after);
  // The same of every stream and `after`; of `before` and every stream that may copy or use memory of these flags.
  Status orderAfterAll(const StreamRegister &after);
  Status orderBeforeUsers(const StreamRegister &before, uint32_t flags);

  // Event registers: points of a stream. An event can be waited for once it was recorded in this call
  // (InvalidArgument); a later record gives the register another point.
  Status record(uint32_t event, const StreamRegister &stream);
  Status checkRecorded(uint32_t event) const;
  Status wait(uint32_t event, const StreamRegister &stream);
  Status await(uint32_t event);
  // Register `to` has the event of `from` from now on, recorded or not.
  void moveEvent(uint32_t to, uint32_t from) { events_[to] = events_[from]; }
  // Reached when all that was issued on the stream is done; at once where it is. Outlives the call.
  static hal::Point mark(const StreamRegister &stream) { return stream.queued ? stream.queued->mark() : hal::Point(); }
  // The program waits: for a point, for all that was issued on a stream.
  Status waitFor(const hal::Point &point);
  Status finish(const StreamRegister &stream);
  Status awaitAll();
  // Waits for all queued streams; those of a failed call leave out what they have not begun. The first cause: `status`,
  // else that of the first stream that failed; other failures become notes.
  Status drain(Status status);

private:
  // One of inline and queued is there; neither: unused.
  struct StreamState {
    std::unique_ptr<hal::Commands> inlined;
    std::unique_ptr<CommandStream> queued;
    std::unique_ptr<hal::Commands> observed; // before it; null: nobody looks
    hal::Commands *plain() const { return queued ? queued.get() : inlined.get(); }
    hal::Commands *commands() const { return observed ? observed.get() : plain(); }
  };
  struct EventRegister {
    hal::Point point;
    uint64_t number = 0; // the observer's
    bool recorded = false;
  };
  Status createStream(uint32_t device, uint32_t index);
  // Streams of the call's device, whatever the program calls it, its own among them.
  uint32_t ownStreams() const;
  template <typename Visit> void forEachStream(Visit &&visit);
  hal::Commands &plain(const StreamRegister &stream) { return *streams_[stream.device][stream.index].plain(); }
  // A stream as an observer names it.
  uint32_t deviceOf(const StreamRegister &stream) const;
  uint32_t indexOf(const StreamRegister &stream) const { return stream.index + (runsCollectives(stream) ? 1 : 0); }
  // The point where the stream is, seen by the observer.
  Status recordOn(const StreamRegister &stream, EventRegister &to);
  Status waitOn(const StreamRegister &stream, const EventRegister &event);

  std::span<const DeviceSlot> slots_;
  const Function &function_;
  const Clock &clock_;
  CallStatistics &statistics_;
  MemoryAccess access_;
  bool pending_ = false;                          // some queued stream has something to hand over
  std::vector<std::vector<StreamState>> streams_; // by device; behind them that of collectives
  bool overlaps_ = false;
  bool shares_ = false;          // the call's device has its cores work on several streams side by side,
  hal::Queue *shared_ = nullptr; // and this is one of them
  Observer *observer_ = nullptr;
  std::vector<EventRegister> events_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_CALLDEVICES_H
