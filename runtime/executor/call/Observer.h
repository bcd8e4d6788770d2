// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes down what a call does (call/Trace.h).
//
// An invocation with a sink has an observer, which stands before every stream of the call and is told about every
// instruction. Times are taken in the order of the streams (hal::Commands::stamp), so the same code serves inline and
// queued streams, and drivers need no hooks. Without a sink a call runs the interpreter's plain loop and its own
// streams: nothing is paid.
//
//   Observer observer(module, function, frame, sink);
//   devices.observe(&observer);              // before any call
//   observer.start();                        // around each call
//   …
//   observer.finish();
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_OBSERVER_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_OBSERVER_H

#include "heddle/contract/Collectives.h"
#include "runtime/executor/call/Frame.h"
#include "runtime/executor/call/Trace.h"

#include <deque>
#include <memory>

namespace heddle {

class Ranks;

class Observer {
public:
  // The stream of collectives, as a device; its index is 1.
  static constexpr uint32_t kCollectives = static_cast<uint32_t>(TraceSlice::kHost);

  // All but the sink are borrowed: the registers that instructions name. `ranks`: null where there is no mesh.
  Observer(const fb::Module &module, const Function &function, const Frame &frame, const Ranks *ranks, TraceSink sink)
      : module_(module), function_(function), frame_(frame), ranks_(ranks), sink_(std::move(sink)) {}

  // Does what the stream does, with a time before and after each command. The observer and the stream must outlive it.
  std::unique_ptr<hal::Commands> observed(hal::Commands &stream, uint32_t device, uint32_t index);
  // A point of the stream, by its number.
  StatusOr<uint64_t> record(hal::Commands &stream, uint32_t device, uint32_t index);
  // A wait of the stream for such a point, which `wait` does.
  template <typename Wait>
  Status wait(hal::Commands &stream, uint32_t device, uint32_t index, uint64_t number, Wait &&wait) {
    TraceSlice &slice = add(TraceKind::Wait, static_cast<int32_t>(device), index);
    slice.event = number;
    HEDDLE_RETURN_IF_ERROR(stream.stamp(&slice.beginNs));
    HEDDLE_RETURN_IF_ERROR(wait());
    return stream.stamp(&slice.endNs);
  }

  // Around a call; finish() hands the slices out, when all streams are done.
  void start();
  void finish();

  // Around each instruction. A stream's operation in between is called by what the instruction says.
  void begin(const Head &head);
  void end(const Head &head);
  // What the next operations on streams are called that no instruction asks for: staging.
  void label(const char *name, uint64_t bytes, int32_t fromDevice, int32_t toDevice);

private:
  class Measured;
  TraceSlice &add(TraceKind kind, int32_t device, uint32_t stream);
  void describeDispatch(const DispatchOp &op);
  void describeCopy(const CopyOp &op);
  void describeCollective(const CollectiveOp &op, std::span<const contract::Cut> cuts);

  const fb::Module &module_;
  const Function &function_;
  const Frame &frame_;
  const Ranks *ranks_;
  TraceSink sink_;
  std::deque<TraceSlice> slices_; // stable addresses: streams write times while more are added
  TraceSlice current_;            // what the instruction says about its operation
  uint64_t hostBeginNs_ = 0;
  uint64_t events_ = 0;
  std::vector<uint64_t> sequences_; // by channel (Ranks::channels)
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_OBSERVER_H
