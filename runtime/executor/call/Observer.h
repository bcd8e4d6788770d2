// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes down what a call does (call/Trace.h).
//
// An invocation with a sink has an observer, which stands before every stream of the call and is told about every
// instruction. Times are taken in the order of the streams (Stream::stamp), so the same code serves inline and queued
// streams, and drivers need no hooks. Without a sink a call runs the interpreter's plain loop and its own streams:
// nothing is paid.
//
//   Observer observer(module, function, frame, clock, sink);
//   devices.observe(&observer);              // before any call
//   observer.start();                        // around each call
//   …
//   observer.finish();
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_OBSERVER_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_OBSERVER_H

#include "runtime/executor/call/Clock.h"
#include "runtime/executor/call/Frame.h"
#include "runtime/executor/call/Trace.h"

#include <deque>
#include <map>
#include <memory>

namespace heddle {

class Observer {
public:
  // All but the sink are borrowed: the registers that instructions name, what ends a wait early.
  Observer(const fb::Module &module, const Function &function, const Frame &frame, const Clock &clock, TraceSink sink)
      : module_(module), function_(function), frame_(frame), clock_(clock), sink_(std::move(sink)) {}

  // What is to measure a stream; wrap() gives it the stream, and the two do what that one did. The observer must
  // outlive it, and asks it for the end of its work until unwrap().
  std::unique_ptr<hal::Stream> wrapper(uint32_t device, uint32_t index, bool queued);
  static std::unique_ptr<hal::Stream> wrap(std::unique_ptr<hal::Stream> wrapper, std::unique_ptr<hal::Stream> stream);
  // The stream that wrap() took.
  static std::unique_ptr<hal::Stream> unwrap(std::unique_ptr<hal::Stream> stream);

  // Around a call; finish() waits for the streams and hands the slices out.
  void start();
  void finish();

  // Around each instruction. A stream's operation in between is called by what the instruction says.
  void begin(const Head &head);
  void end(const Head &head);
  // What the next operations on streams are called that no instruction asks for: staging.
  void label(const char *name, uint64_t bytes, int32_t fromDevice, int32_t toDevice);

private:
  class Stream;
  struct Range {
    const std::byte *end;
    int32_t device;
  };
  TraceSlice &add(TraceKind kind, int32_t device, uint32_t stream);
  void describeDispatch(const DispatchOp &op);
  void describeCopy(const CopyOp &op);
  int32_t ownerOf(const std::byte *address) const;

  const fb::Module &module_;
  const Function &function_;
  const Frame &frame_;
  const Clock &clock_;
  TraceSink sink_;
  std::deque<TraceSlice> slices_; // stable addresses: streams write times while more are added
  TraceSlice current_;            // what the instruction says about its operation
  uint64_t hostBeginNs_ = 0;
  std::map<const std::byte *, Range> owners_; // memory the program took, by its first byte
  std::map<const hal::Event *, uint64_t> recorded_;
  uint64_t events_ = 0;
  std::vector<Stream *> streams_; // wrapped ones
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_OBSERVER_H
