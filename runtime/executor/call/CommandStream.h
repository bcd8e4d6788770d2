// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream of a call whose work is done while the program goes on: commands are recorded, and handed to a queue of the
// device some at a time. Each hand-over signals the next value of the stream's timeline, so a point in the stream is a
// value of it, which other queues wait for.
//
// What is recorded is handed over when the stream's end is to be known (record), before it waits for something, when
// much has gathered, and when the program is going to be busy or to wait itself (CallDevices::flush).
//
// Kept from call to call; a timeline that failed ends with its call. One thread.
//
//   HEDDLE_RETURN_IF_ERROR(stream.begin());                  // each call
//   HEDDLE_RETURN_IF_ERROR(stream.waitFor(point));           // what comes later waits
//   HEDDLE_RETURN_IF_ERROR(stream.dispatch(dispatch));
//   hal::Point end = stream.record();                        // handed over
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_COMMANDSTREAM_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_COMMANDSTREAM_H

#include "runtime/hal/Device.h"

#include <deque>

namespace heddle {

class CommandStream final : public hal::Commands {
public:
  // `pending` is set when something is recorded and not handed over. `eager`: nothing ever is.
  CommandStream(std::unique_ptr<hal::Queue> queue, bool eager, bool &pending);

  // A new call. Nothing of the last one is left.
  Status begin();

  Status dispatch(const hal::Dispatch &dispatch) override { return recorded(open_->dispatch(dispatch)); }
  Status copy(const hal::View &to, const hal::View &from) override { return recorded(open_->copy(to, from)); }
  Status fill(const hal::View &to, uint64_t pattern, uint32_t patternBytes) override {
    return recorded(open_->fill(to, pattern, patternBytes));
  }
  Status stamp(uint64_t *ns) override { return recorded(open_->stamp(ns)); }

  // What is recorded from now on begins when the point is reached.
  Status waitFor(hal::Point point);
  void flush();
  // Reached when all that was recorded is done. mark() leaves it to a later hand-over to signal it.
  hal::Point mark() const { return {timeline_, submitted_ + (isPending() ? 1 : 0)}; }
  hal::Point record() {
    flush();
    return {timeline_, submitted_};
  }
  // Leaves out what has not begun. drain() is owed.
  void abandon(Status cause);
  // Returns when nothing of the stream runs any more, with the first failure of this call.
  Status drain();

private:
  static constexpr uint32_t kMost = 128; // commands that wait to be handed over
  // A buffer, and the value that says that its commands are done.
  struct Recorded {
    std::unique_ptr<hal::CommandBuffer> commands = std::make_unique<hal::CommandBuffer>();
    uint64_t doneAt = 0;
  };

  bool isPending() const { return !open_->empty() || !waits_.empty(); }
  Status recorded(Status status) {
    if (!status.ok()) [[unlikely]]
      return status;
    pending_ = true;
    if (eager_ || open_->size() >= kMost) [[unlikely]]
      flush();
    return {};
  }
  void openNext();

  std::unique_ptr<hal::Queue> queue_;
  bool eager_;
  bool &pending_;
  std::shared_ptr<hal::Semaphore> timeline_ = std::make_shared<hal::Semaphore>();
  uint64_t submitted_ = 0;
  std::deque<Recorded> ring_; // the oldest first; the last is open
  hal::CommandBuffer *open_ = nullptr;
  std::vector<hal::Point> waits_; // of what is recorded next
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_COMMANDSTREAM_H
