// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call that was started and may still run.
#ifndef HEDDLE_PYTHON_FUTURES_H
#define HEDDLE_PYTHON_FUTURES_H

#include "Calls.h"

namespace heddle::python {

// Keeps the entry point, the arguments, the caller's storage and the futures that it waits for until the call has
// ended. Methods need the GIL and give it up while they wait; any thread. Dropped before its end, it cancels the call
// and waits for it.
class Future {
public:
  // `self`: the Function as Python has it.
  static Future start(nanobind::handle self, const nanobind::args &arguments, const nanobind::kwargs &named);
  Future(Future &&other) noexcept = default;
  Future &operator=(Future &&) = delete;
  ~Future();

  bool done() const { return heddle_event_query(event_.raw()) != 0; }
  const Event &event() const { return event_; }
  // The call's results, or its failure. `timeout` in seconds or None; the call runs on when that is over.
  nanobind::object result(nanobind::handle timeout);
  // Blocks until the call has ended, without its results.
  void wait() const;
  // Whether the call was still running.
  bool cancel();

private:
  Future(nanobind::object function, std::unique_ptr<Frame> frame, Event event, nanobind::list after);
  void harvest();
  // Lets go of what it waited for, where that has ended: a chain of calls does not grow with its length.
  void forgetEnded();
  static std::vector<heddle_event *> eventsOf(nanobind::handle after, nanobind::list &kept);

  nanobind::object function_;    // invalid once moved from
  std::unique_ptr<Frame> frame_; // null once the results are taken
  Event event_;
  nanobind::list after_; // futures: dropped, they would cancel what this call waits for
  nanobind::object results_;
};

} // namespace heddle::python

#endif // HEDDLE_PYTHON_FUTURES_H
