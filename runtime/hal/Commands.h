// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work for a device: dispatches, copies, fills. Who takes commands either does each at once, on the calling thread
// (Device::createInline), or keeps them for a queue (CommandBuffer). Commands have one order, and each sees what those
// before it wrote: a driver finds out itself where its device needs a barrier.
//
//   CommandBuffer commands;
//   commands.fill(View::of(a), 0, 1);
//   commands.copy(View::of(b), View::of(a));
//   queue.submit(&commands, {}, {{done, 1}});
//
// Memory that a command names must live until the command is done.
#ifndef HEDDLE_RUNTIME_HAL_COMMANDS_H
#define HEDDLE_RUNTIME_HAL_COMMANDS_H

#include "runtime/base/Status.h"
#include "runtime/hal/Buffer.h"
#include "runtime/hal/Executable.h"

#include <memory>

namespace heddle::hal {

// More workgroups than this are refused: no program needs them, and a wrong one would never end.
inline constexpr int64_t kMaxWorkgroups = int64_t{1} << 32;

// Where a dispatch comes from, for messages and traces. Lives as long as the module.
struct DispatchLabel {
  std::string name;              // of the export
  std::string location;          // "the dispatch comes from 'x' (file:3)", or ""
  uint64_t flops = 0, bytes = 0; // computed, and read and written, as the compiler counted; both 0: nobody knows
};

// A binding of a device with memory of its own.
struct BoundView {
  View view;
  bool writes = true; // as far as is known
};

struct Dispatch {
  const Kernel *kernel = nullptr;
  int64_t workgroups = 0;   // 0: nothing runs
  int64_t scratchBytes = 0; // per worker
  // Where the bindings begin: for devices that read host memory. The others take `views`.
  std::span<void *const> bindings;
  std::span<const int64_t> constants;
  const DispatchLabel *label = nullptr; // queues put it into failures (describeFailure), inline devices do not
  std::span<const BoundView> views = {};
};

// The failure with the dispatch's name before its message and the location behind it; as it is without a label.
Status describeFailure(const DispatchLabel *label, Status failure);

class Commands {
public:
  virtual ~Commands() = default;
  // Runs the kernel over [0, workgroups). KernelFailed when it returns an error.
  virtual Status dispatch(const Dispatch &dispatch) = 0;
  // `to.bytes` bytes. Either side is memory of the device or memory that the host can address: the driver stages where
  // it must, from memory it keeps for that.
  virtual Status copy(const View &to, const View &from) = 0;
  // Memory of the device. `patternBytes` is 1, 2, 4 or 8 and divides `to.bytes`.
  virtual Status fill(const View &to, uint64_t pattern, uint32_t patternBytes) = 0;
  // Writes the time when all commands before are done and those behind have not begun: of the monotonic clock, or the
  // device's virtual time. `ns` must live until then.
  virtual Status stamp(uint64_t *ns) = 0;
};

// Commands as plain data, one behind the other in one piece of memory. Recording copies spans, and can only fail for
// want of memory. May be submitted again and again; clear() keeps the memory. One thread.
class CommandBuffer final : public Commands {
public:
  enum class Kind : uint32_t { Dispatch, Copy, Fill, Stamp, Call };
  struct Command {
    Kind kind;
    uint32_t units; // of 8 bytes, itself included
  };

  Status dispatch(const Dispatch &dispatch) override;
  Status copy(const View &to, const View &from) override;
  Status fill(const View &to, uint64_t pattern, uint32_t patternBytes) override;
  Status stamp(uint64_t *ns) override;
  // Runs a function of the host in the order of the commands, on queues that are threads (hal/ThreadQueue.h). What it
  // throws for want of memory is dropped. As the last command it may destroy the buffer.
  Status call(void (*function)(void *), void *user);

  void clear() {
    used_ = count_ = 0;
    readsHost_ = false;
  }
  bool empty() const { return count_ == 0; }
  uint32_t size() const { return count_; }
  // Some copy reads memory that has no buffer.
  bool readsHost() const { return readsHost_; }

  // The first command, and the one behind `command`; null at the end.
  const Command *begin() const { return used_ ? at(0) : nullptr; }
  const Command *next(const Command *command) const {
    const auto *behind = reinterpret_cast<const uint64_t *>(command) + command->units;
    return behind < units_.get() + used_ ? reinterpret_cast<const Command *>(behind) : nullptr;
  }
  // Has `device` do the command. A call is done at once.
  static Status perform(const Command &command, Commands &device);
  // A dispatch's; null for what is none.
  static const DispatchLabel *labelOf(const Command &command);
  // A command that is a dispatch; the two ends of one that is a copy, the first of one that is a fill.
  static Dispatch dispatchOf(const Command &command);
  static std::pair<View, View> endsOf(const Command &command);
  // A fill's, and how wide it is; zeros for what is none.
  static std::pair<uint64_t, uint64_t> patternOf(const Command &command);

private:
  template <typename T> T *append(Kind kind, size_t extraUnits = 0);
  Status grow(size_t units);
  const Command *at(size_t unit) const { return reinterpret_cast<const Command *>(units_.get() + unit); }

  std::unique_ptr<uint64_t[]> units_;
  size_t used_ = 0, capacity_ = 0;
  uint32_t count_ = 0;
  bool readsHost_ = false;
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_COMMANDS_H
