// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An in-order queue of a device.
//
// Inline streams do each operation before they return, on the calling thread, and return its failure; they are used by
// one thread at a time. Queued streams return at once and run on a thread of the device; they take work from any
// thread. On a queued stream the first failure stops what follows until synchronize() returns it; execute() is the
// exception: its failure is its own, so that a failed call does not poison the next one. Memory named by an operation
// must live until the operation is done.
//
//   stream.fill(a, 64, 0, 1);
//   stream.copy(b, a, 64);
//   HEDDLE_RETURN_IF_ERROR(stream.synchronize());
#ifndef HEDDLE_RUNTIME_HAL_STREAM_H
#define HEDDLE_RUNTIME_HAL_STREAM_H

#include "runtime/base/Status.h"
#include "runtime/hal/Event.h"
#include "runtime/hal/Executable.h"

#include <functional>

namespace heddle::hal {

// More workgroups than this are refused: no program needs them, and a wrong one would never end.
inline constexpr int64_t kMaxWorkgroups = int64_t{1} << 32;

// Where a dispatch comes from, for messages and traces. Lives as long as the module.
struct DispatchLabel {
  std::string name;              // of the export
  std::string location;          // "the dispatch comes from 'x' (file:3)", or ""
  uint64_t flops = 0, bytes = 0; // computed, and read and written, as the compiler counted; both 0: nobody knows
};

// What a kernel does with a binding.
struct BindingAccess {
  uint64_t bytes = 0;
  bool writes = false;
};

struct Dispatch {
  const Kernel *kernel = nullptr;
  int64_t workgroups = 0;   // 0: nothing runs
  int64_t scratchBytes = 0; // per worker
  std::span<void *const> bindings;
  std::span<const int64_t> constants;
  const DispatchLabel *label = nullptr; // queued streams put it into failures (describeFailure), inline ones do not
  // One each for the bindings; empty: not known. Known on devices with memory of their own.
  std::span<const BindingAccess> accesses = {};
};

// The failure with the dispatch's name before its message and the location behind it; as it is without a label.
Status describeFailure(const DispatchLabel *label, Status failure);

class Stream {
public:
  virtual ~Stream() = default;
  // Runs the kernel over [0, workgroups). KernelFailed when it returns an error. A queued stream copies the spans.
  virtual Status dispatch(const Dispatch &dispatch) = 0;
  // Either address is one of this device's or one that the host can dereference: host memory, mapped files, buffers of
  // devices that are hostAddressable(). The driver stages where it must, from memory it keeps for that.
  virtual Status copy(void *to, const void *from, uint64_t bytes) = 0;
  // The address is one of this device's. `patternBytes` is 1, 2, 4 or 8 and divides `bytes`.
  virtual Status fill(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) = 0;
  // The event is reached (or fails) when everything issued before is done. The event must outlive that.
  virtual Status record(std::shared_ptr<Event> event) = 0;
  // What is issued later waits for the event; a failed event fails this stream.
  virtual Status wait(std::shared_ptr<Event> event) = 0;
  // Runs a host function in the stream's order.
  virtual Status execute(std::function<void()> function) = 0;
  // Waits for everything issued. Returns the first failure since the last call, and forgets it.
  virtual Status synchronize() = 0;
  // Writes the time when everything issued before is done, and before what is issued later begins: of the monotonic
  // clock, or the device's virtual time. `ns` must live until then.
  virtual Status stamp(uint64_t *ns);
  // Operations issued and not begun are left out, and fail the stream with Cancelled until synchronize(); events are
  // still reached. Best effort, does not block; a driver that cannot does nothing. Any thread.
  virtual void abandon() {}
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_STREAM_H
