// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profiles.h"

#include "Interrupts.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace nb = nanobind;

namespace heddle::python {
namespace {

using Clock = std::chrono::steady_clock;

struct TracedCall {
  uint64_t ns = 0;
  std::vector<heddle_trace_slice> slices; // their strings live as long as the module
};

// The names that `heddle trace` has for them.
const char *nameOf(heddle_trace_kind kind) {
  static constexpr const char *kNames[] = {"dispatch", "copy", "fill", "wait", "record", "host", "collective"};
  return kind >= 0 && kind < static_cast<int>(std::size(kNames)) ? kNames[kind] : "other";
}

nb::object toPython(const TracedCall &call) {
  nb::list slices;
  for (const heddle_trace_slice &slice : call.slices)
    slices.append(nb::make_tuple(nameOf(slice.kind), slice.name, slice.source, slice.device, slice.stream,
                                 slice.begin_ns, slice.end_ns, slice.bytes));
  return slices;
}

// Asks `stop` while a call is made, and cancels it. Made and ended without the GIL.
class Stopper {
public:
  Stopper(heddle_invocation *invocation, const nb::object &stop)
      : thread([this, invocation, &stop] { watch(invocation, stop); }) {}
  ~Stopper() {
    {
      std::lock_guard lock(mutex);
      isOver = true;
    }
    over.notify_one();
    thread.join();
  }
  Stopper(const Stopper &) = delete;

private:
  void watch(heddle_invocation *invocation, const nb::object &stop) {
    std::unique_lock lock(mutex);
    while (!over.wait_for(lock, std::chrono::milliseconds(20), [this] { return isOver; })) {
      lock.unlock();
      bool isStopped = ask(stop);
      lock.lock();
      if (isStopped && !isOver)
        heddle_invocation_cancel(invocation);
      if (isStopped)
        return;
    }
  }
  // What it raises ends the call, too.
  static bool ask(const nb::object &stop) {
    nb::gil_scoped_acquire locked;
    try {
      return nb::cast<bool>(stop());
    } catch (const std::exception &) {
      return true;
    }
  }

  std::mutex mutex;
  std::condition_variable over;
  bool isOver = false;
  std::thread thread;
};

TracedCall callOnce(Frame &frame, const nb::object &stop, bool traced) {
  TracedCall call;
  heddle_trace_callback keep = [](void *user, const heddle_trace_slice *slice) {
    static_cast<std::vector<heddle_trace_slice> *>(user)->push_back(*slice);
  };
  if (traced)
    heddle_invocation_set_trace(frame.invocation, keep, &call.slices);
  heddle_status *status = nullptr;
  {
    Interruptible guard(frame.invocation);
    nb::gil_scoped_release unlocked;
    std::optional<Stopper> stopper;
    if (!stop.is_none())
      stopper.emplace(frame.invocation, stop);
    Clock::time_point begin = Clock::now();
    status = frame.call();
    call.ns = static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - begin).count());
  }
  if (traced)
    heddle_invocation_set_trace(frame.invocation, nullptr, nullptr);
  checkCall(status);
  return call;
}

} // namespace

nb::object traceCalls(Function &function, const nb::object &stop, uint32_t warmup, uint32_t calls,
                      const nb::args &arguments, const nb::kwargs &named) {
  nb::list times, slices;
  nb::object results;
  for (uint32_t i = 0; i < warmup + calls; ++i) {
    std::unique_ptr<Frame> frame = function.prepare(arguments, named);
    try {
      TracedCall call = callOnce(*frame, stop, i >= warmup);
      results = function.collect(*frame);
      if (i >= warmup) {
        times.append(call.ns);
        slices.append(toPython(call));
      }
    } catch (...) {
      function.recycle(std::move(frame));
      throw;
    }
    function.recycle(std::move(frame));
  }
  return nb::make_tuple(results, times, slices);
}

} // namespace heddle::python
