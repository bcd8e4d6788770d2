// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a call of one function: registers, slabs, remembered plans, streams. Calls follow one another; only
// cancel() may come from another thread. After the first call with the same shapes a call allocates nothing but the
// results that the caller gave no memory for.
//
//   std::unique_ptr<Invocation> invocation = std::move(*Invocation::create(module, *module->entryPoints()[0]));
//   HEDDLE_RETURN_IF_ERROR(invocation->call(arguments, results));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_INVOCATION_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_INVOCATION_H

#include "runtime/executor/call/PlanMemo.h"
#include "runtime/executor/call/Trace.h"
#include "runtime/executor/load/Module.h"
#include "runtime/executor/load/State.h"

namespace heddle {

struct BufferRegister : PlacedBuffer {
  int32_t block = -1; // index of the allocation that `free` gives back, -1: none
};

struct StreamRegister {
  hal::Stream *stream = nullptr;
  uint32_t device = 0;
  bool queued = false; // else what was issued is done
};

struct CallStatistics {
  uint64_t calls = 0;
  // Of the last call.
  uint64_t dispatches = 0, totalNs = 0, kernelNs = 0, allocations = 0, planMisses = 0, copiedBytes = 0;
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
  // Runs a bind function, once. The invocation's memory goes to the binding.
  Status bind(Binding &binding);
  void cancel();
  void setTimeout(uint64_t ns) { timeoutNs_ = ns; }
  // Whose values later calls of an entry point with state use; there must be one. Busy while a call runs.
  Status setState(std::shared_ptr<State> state);
  void setProfiling(bool on) { profiling_ = on; }
  const CallStatistics &statistics() const { return statistics_; }
  // Later calls are traced; an empty sink ends it. Not while a call runs.
  void setTrace(TraceSink sink);
  bool profiling() const { return profiling_; }
  uint64_t slabBytes() const;
  const Module &module() const { return *module_; }
  // A call failed because a device was lost: no later one can succeed.
  // In the child of a fork a call that ran on another thread is given up.
  void beforeFork() {}
  void afterForkInParent() {}
  void afterForkInChild();
  bool lostDevice() const { return lostDevice_.load(std::memory_order_relaxed); }
  const Function &function() const { return function_; }

private:
  friend class Interpreter;
  friend class Tracer;
  // What can stop a call early; bits of interrupt_.
  static constexpr uint32_t kCancelled = 1, kDeadline = 2;

  // A result while a call runs.
  struct Result {
    std::byte *given = nullptr; // the caller's storage
    uint64_t givenBytes = 0;
    hal::BufferRef storage;  // what the caller gets, where it gave none
    hal::BufferRef imported; // the caller's storage as the device's memory
    BufferRegister value;    // by `set_result`
    uint64_t bytes = 0;
    bool set = false;
    bool refusesImport = false;
    int64_t dims[HEDDLE_MAX_RANK];
    hal::BufferRef onDevice;              // kept from call to call, where the device does not use host memory
    bool held = false;                    // a global's next value: `storage` is memory of its device
    const heddle_tensor *donor = nullptr; // the argument in whose memory it lies, while there is room
    std::byte *donated() const {
      return donor && bytes <= donor->bytes ? static_cast<std::byte *>(donor->data) : nullptr;
    }
  };
  struct Block {
    hal::BufferRef buffer;
    uint32_t device;
    bool live;
    std::shared_ptr<hal::Event> freed; // on a queued stream: reached when the block may be used again
  };
  struct StreamState {
    std::unique_ptr<hal::Stream> stream;
    bool queued = false;
  };
  struct DeviceState {
    std::vector<StreamState> streams; // 0: the call's own, or that of its boundary; then the extra ones; null: unused
    hal::BufferRef slab;
    std::vector<hal::BufferRef> outgrown; // slabs that registers of the running call may still name
    bool slabUsed = false;
  };
  // An argument on a device that does not read host memory.
  struct Staged {
    hal::BufferRef buffer, imported;
    bool refusesImport = false;
  };
  // Host memory between two devices that cannot see each other's.
  struct Bounce {
    hal::BufferRef memory;
    std::shared_ptr<hal::Event> free;
  };

  Invocation(std::shared_ptr<const Module> module, const Function &function);
  Status checkArguments(std::span<const heddle_tensor> arguments);
  Status checkResults(std::span<const heddle_tensor> results);
  Status checkDonations(std::span<const heddle_tensor> arguments, std::span<const heddle_tensor> results);
  // The caller's storage for a result, if there is any, has room for so many bytes.
  Status checkRoom(uint32_t index, uint64_t bytes) const;
  // Before a call that writes memory which outlives it: what can be refused ahead.
  Status checkAhead();
  Status checkCall(std::span<const heddle_tensor> arguments, std::span<const heddle_tensor> results);
  void setDeadline(uint64_t startNs);
  Status acquire();
  Status runBound(uint64_t startNs);
  Status runStaged();
  Status prepareResult(uint32_t index);
  Status finishResults(std::span<heddle_tensor> results);
  void clearCall();
  // An asynchronous call: handed to the stream; then run there.
  Status issue(hal::Stream &stream, uint64_t start, std::span<heddle_tensor> results,
               std::vector<std::shared_ptr<hal::Event>> waits);
  void runIssued(uint64_t start, uint64_t ticket, std::span<heddle_tensor> results,
                 std::span<const std::shared_ptr<hal::Event>> waits);
  Status interrupted();
  Status waitFor(hal::Event &event);
  void giveMemory(std::vector<hal::BufferRef> &to);

  // CallState.cpp: the values of globals in a call.
  Status runOn(uint64_t startNs, uint64_t ticket);
  Status waitTurn(uint64_t ticket);
  Status bindState();
  Status beginState(const StateUse &use, StateValue &value);
  Status writeState(uint32_t device, std::byte *to, const std::byte *from, uint64_t bytes);
  Status checkState();
  void keepState();
  void dropState(const Status &failure, bool started);

  // Boundary.cpp: what crosses the boundary of a call to devices that do not use host memory.
  Status stageArguments();
  Status stageArgument(uint32_t index, Staged &staged);
  StatusOr<BufferRegister> placeResult(Result &result, uint32_t device, uint64_t bytes);
  Status stageResults();
  // What was imported is the caller's again.
  void releaseImports();
  StatusOr<std::byte *> homeOf(uint32_t index);

  // CallStreams.cpp: streams, events and their order.
  Status createStreams();
  Status createStream(uint32_t device, uint32_t index);
  StreamRegister streamOf(uint32_t device, uint32_t index) const;
  // A stream of the device for copies of its own.
  StreamRegister boundaryStream(uint32_t device) const;
  // What is issued on `after` from now on waits for what was issued on `before`.
  Status order(const StreamRegister &before, const StreamRegister &after);
  // As the stream does; an event that could not be recorded has failed, so that nobody waits for it for ever: a later
  // call asks for those of freed memory.
  static Status record(hal::Stream &stream, const std::shared_ptr<hal::Event> &event);
  Status waitOn(const StreamRegister &stream, std::shared_ptr<hal::Event> event);
  std::shared_ptr<hal::Event> freshEvent();
  // Waits for all queued streams. The first cause: `status`, else that of the first stream that failed.
  Status drain(Status status);
  // Kernels of the device can use the memory; copies on its streams can.
  bool canUse(uint32_t device, uint32_t flags) const;
  bool canCopy(uint32_t device, uint32_t flags) const;

  std::shared_ptr<const Module> module_;
  const Function &function_;
  std::vector<int64_t> scalars_;
  std::vector<int64_t> ahead_;   // Interpreter::rehearse()
  std::vector<uint8_t> unknown_; // the same: depends on what a device computes
  std::vector<BufferRegister> buffers_;
  std::vector<StreamRegister> streams_;
  std::vector<std::shared_ptr<hal::Event>> events_;
  std::vector<uint8_t> recorded_; // by event register: recorded in this call
  std::vector<void *> bindings_;
  std::vector<hal::BindingAccess> accesses_; // of one dispatch, as bindings_
  std::vector<int64_t> constants_;
  std::vector<DeviceState> devices_;
  std::vector<uint32_t> memoryFlags_; // by device: of its buffers
  std::vector<uint64_t> maxBinding_;  // by device: hal::Device::maxBindingBytes()
  bool overlaps_ = false;             // some stream is queued
  std::vector<std::shared_ptr<hal::Event>> spareEvents_;
  size_t nextEvent_ = 0;
  std::vector<Block> blocks_;
  std::vector<PlanMemo> memos_;
  std::vector<Result> results_;
  std::vector<Staged> staged_; // as Function::staged
  std::vector<Bounce> bounces_;
  std::vector<hal::BufferRef> newStorage_; // for results the program returns from elsewhere
  uint64_t readWord_ = 0;                  // what `read` brings from a device
  std::shared_ptr<State> state_;           // null: the function uses none
  std::vector<heddle_tensor> donors_;      // by Function::donations: the caller's tensor
  Binding *binding_ = nullptr;
  std::unique_ptr<Tracer> tracer_; // null: off
  std::atomic<uint32_t> interrupt_{0};
  std::atomic<bool> running_{false};
  std::atomic<bool> lostDevice_{false};
  std::shared_ptr<hal::Event> finished_; // of the asynchronous call that runs
  uint64_t timeoutNs_ = 0, deadlineNs_ = 0;
  bool profiling_ = false;
  CallStatistics statistics_;
  bool forked_ = false; // while a call ran, which is the parent's
  ForkMember<Invocation> fork_{this};
};

// A BindRunner (load/Module.h): by an invocation of its own, for at most five seconds, packing apart.
Status runBindFunction(std::shared_ptr<const Module> module, const Function &function, Binding &binding);

// Nanoseconds of the monotonic clock.
uint64_t nowNs();

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_INVOCATION_H
