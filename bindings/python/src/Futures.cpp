// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Futures.h"

#include <chrono>

namespace nb = nanobind;

namespace heddle::python {
namespace {

using Clock = std::chrono::steady_clock;
// Between two looks at signals such as Ctrl-C.
constexpr uint64_t kSliceNs = 50'000'000;

} // namespace

Future::Future(nb::object function, std::unique_ptr<Frame> frame, Event event, nb::list after)
    : function_(std::move(function)), frame_(std::move(frame)), event_(std::move(event)), after_(std::move(after)) {}

std::vector<heddle_event *> Future::eventsOf(nb::handle after, nb::list &kept) {
  std::vector<heddle_event *> events;
  if (after.is_none())
    return events;
  nb::object all = nb::isinstance<Future>(after) ? nb::make_tuple(after) : nb::borrow(after);
  for (nb::handle future : all) {
    if (!nb::isinstance<Future>(future))
      invalid("after takes futures of start(), got an object of type " +
              std::string(nb::str(future.type().attr("__name__")).c_str()));
    auto &waited = nb::cast<Future &>(future);
    waited.forgetEnded();
    if (!waited.done())
      kept.append(future);
    events.push_back(waited.event().raw());
  }
  return events;
}

void Future::forgetEnded() {
  for (nb::handle future : after_)
    if (!nb::cast<Future &>(future).done())
      return;
  after_ = nb::list();
}

Future Future::start(nb::handle self, const nb::args &arguments, const nb::kwargs &named) {
  auto &function = nb::cast<Function &>(self);
  nb::object after;
  std::unique_ptr<Frame> frame;
  heddle_event *done = nullptr;
  nb::list kept;
  std::vector<heddle_event *> waits;
  try {
    frame = function.prepare(arguments, named, &after);
    waits = eventsOf(after, kept);
  } catch (const std::exception &error) {
    if (frame)
      function.recycle(std::move(frame));
    function.startRefusal(messageOf(error)); // the other ranks make the call
    throw;
  }
  try {
    check(frame->start(waits, &done));
  } catch (...) {
    function.recycle(std::move(frame));
    throw;
  }
  return Future(nb::borrow(self), std::move(frame), Event(done), std::move(kept));
}

Future::~Future() {
  if (!frame_)
    return;
  if (!done()) {
    heddle_invocation_cancel(frame_->invocation);
    wait();
  }
  nb::cast<Function &>(function_).recycle(std::move(frame_));
}

void Future::wait() const {
  nb::gil_scoped_release unlocked;
  heddle_status_release(heddle_event_wait(event_.raw(), HEDDLE_FOREVER));
}

bool Future::cancel() {
  if (done())
    return false;
  heddle_invocation_cancel(frame_->invocation);
  return true;
}

nb::object Future::result(nb::handle timeout) {
  double seconds = timeout.is_none() ? 1e9 : nb::cast<double>(timeout);
  Clock::time_point end =
      Clock::now() + std::chrono::nanoseconds(static_cast<int64_t>(std::clamp(seconds, 0.0, 1e9) * 1e9));
  while (!done()) {
    int64_t left = std::chrono::nanoseconds(end - Clock::now()).count();
    if (left <= 0)
      check(heddle_status_create(HEDDLE_DEADLINE_EXCEEDED, "the call still runs; wait longer, or cancel() it"));
    {
      nb::gil_scoped_release unlocked;
      heddle_status_release(heddle_event_wait(event_.raw(), std::min(kSliceNs, static_cast<uint64_t>(left))));
    }
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
  }
  harvest();
  check(heddle_event_wait(event_.raw(), 0));
  return results_;
}

void Future::harvest() {
  if (!frame_)
    return;
  std::unique_ptr<Frame> frame = std::move(frame_);
  auto &function = nb::cast<Function &>(function_);
  if (heddle_event_query(event_.raw()) == 1)
    results_ = function.collect(*frame);
  function.recycle(std::move(frame));
  after_ = nb::list();
}

} // namespace heddle::python
