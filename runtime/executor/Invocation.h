// The state of a call of one function: registers, slabs, remembered plans. Calls follow one another; only cancel() may
// come from another thread. After the first call with the same shapes a call allocates nothing but the results that the
// caller gave no memory for.
//
//   std::unique_ptr<Invocation> invocation = std::move(*Invocation::create(module, *module->entryPoints()[0]));
//   HEDDLE_RETURN_IF_ERROR(invocation->call(arguments, results));
#ifndef HEDDLE_RUNTIME_EXECUTOR_INVOCATION_H
#define HEDDLE_RUNTIME_EXECUTOR_INVOCATION_H

#include "runtime/executor/Module.h"
#include "runtime/executor/Trace.h"

namespace heddle {

struct BufferRegister {
  std::byte *address = nullptr;
  int64_t bytes = 0;
  uint32_t flags = 0; // kDefined, kWritable
  int32_t block = -1; // index of the allocation that `free` gives back, -1: none
};

struct StreamRegister {
  hal::Stream *stream = nullptr;
  uint32_t device = 0;
};

// Remembers the last plans of one `plan` instruction by their sizes.
class PlanMemo {
public:
  static constexpr uint32_t kEntries = 4;
  explicit PlanMemo(const fb::PlanSpec &spec);
  // Offsets for the sizes; total < 0: the sizes are negative or overflow. `missed` counts computed plans.
  std::span<const int64_t> find(std::span<const int64_t> sizes, int64_t &total, uint64_t &missed);
  std::span<int64_t> sizes() { return wanted_; } // where to put the sizes to look for

private:
  struct Entry {
    std::vector<int64_t> sizes, offsets;
    int64_t total = -1;
    bool used = false;
  };
  const fb::PlanSpec &spec_;
  std::vector<int64_t> wanted_;
  Entry entries_[kEntries];
  uint32_t last_ = 0;
};

struct CallStatistics {
  uint64_t calls = 0;
  uint64_t dispatches = 0, totalNs = 0, kernelNs = 0, allocations = 0, planMisses = 0; // of the last call
};

class Invocation {
public:
  // `function` is one of the module's. Io, OutOfMemory.
  static StatusOr<std::unique_ptr<Invocation>> create(std::shared_ptr<const Module> module, const Function &function);
  // Cancels a running call and waits for its end.
  ~Invocation();

  // As heddle_invocation_call() and heddle_invocation_start().
  Status call(std::span<const heddle_tensor> arguments, std::span<heddle_tensor> results);
  StatusOr<std::shared_ptr<hal::Event>> start(std::span<const heddle_tensor> arguments,
                                              std::span<heddle_tensor> results,
                                              std::vector<std::shared_ptr<hal::Event>> waits, hal::Stream *stream);
  void cancel();
  void setTimeout(uint64_t ns) { timeoutNs_ = ns; }
  void setProfiling(bool on) { profiling_ = on; }
  const CallStatistics &statistics() const { return statistics_; }
  // Later calls are traced; an empty sink ends it. Not while a call runs.
  void setTrace(TraceSink sink);
  bool profiling() const { return profiling_; }
  uint64_t slabBytes() const;
  const Module &module() const { return *module_; }

private:
  friend class Interpreter;
  friend class Tracer;
  // What can stop a call early; bits of interrupt_.
  static constexpr uint32_t kCancelled = 1, kDeadline = 2;

  // A result while a call runs.
  struct Result {
    std::byte *given = nullptr; // the caller's storage
    uint64_t givenBytes = 0;
    hal::BufferRef storage; // made for it by `result`
    BufferRegister value;   // by `set_result`
    uint64_t bytes = 0;
    bool set = false;
    int64_t dims[HEDDLE_MAX_RANK];
  };
  struct Block {
    hal::BufferRef buffer;
    uint32_t device;
    bool live;
  };
  struct DeviceState {
    std::vector<std::unique_ptr<hal::Stream>> streams; // 0: the call's own; then the extra ones
    hal::BufferRef slab;
    std::vector<hal::BufferRef> outgrown; // slabs that registers of the running call may still name
    bool slabUsed = false;
  };

  Invocation(std::shared_ptr<const Module> module, const Function &function);
  Status createStreams();
  Status checkArguments(std::span<const heddle_tensor> arguments);
  Status checkResults(std::span<const heddle_tensor> results);
  Status acquire();
  Status runBound(uint64_t startNs);
  Status runTraced();
  Status prepareResult(uint32_t index);
  Status finishResults(std::span<heddle_tensor> results);
  void clearCall();
  Status interrupted();
  Status waitFor(hal::Event &event);

  std::shared_ptr<const Module> module_;
  const Function &function_;
  std::vector<int64_t> scalars_;
  std::vector<BufferRegister> buffers_;
  std::vector<StreamRegister> streams_;
  std::vector<std::shared_ptr<hal::Event>> events_;
  std::vector<uint8_t> recorded_; // by event register: recorded in this call
  std::vector<void *> bindings_;
  std::vector<int64_t> constants_;
  std::vector<DeviceState> devices_;
  std::vector<Block> blocks_;
  std::vector<PlanMemo> memos_;
  std::vector<Result> results_;
  std::vector<hal::BufferRef> newStorage_; // for results the program returns from elsewhere
  std::atomic<uint32_t> interrupt_{0};
  std::atomic<bool> running_{false};
  std::shared_ptr<hal::Event> finished_; // of the asynchronous call that runs
  uint64_t timeoutNs_ = 0, deadlineNs_ = 0;
  bool profiling_ = false;
  std::unique_ptr<Tracer> tracer_; // null: off
  CallStatistics statistics_;
};

// Nanoseconds of the monotonic clock.
uint64_t nowNs();

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_INVOCATION_H
