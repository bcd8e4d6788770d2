// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call did when, on which device and stream: for `heddle trace`.
//
// An invocation with a sink has a Tracer, which puts itself before every stream of the call and is told about every
// instruction. Times are taken in the order of the streams (Stream::execute), so the same code serves inline and
// queued streams. Slices are given to the sink on the calling thread when the call is over and all streams are done,
// in order of issue. Without a sink a call runs the interpreter's plain loop and its own streams: tracing costs
// nothing.
//
//   invocation->setTrace([](const TraceSlice &slice) { … });
//   HEDDLE_RETURN_IF_ERROR(invocation->call(arguments, results));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_TRACE_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_TRACE_H

#include "runtime/executor/program/Program.h"
#include "runtime/hal/Stream.h"

#include <deque>
#include <functional>
#include <map>

namespace heddle {

class Invocation;

enum class TraceKind : uint8_t {
  Dispatch,
  Copy,
  Fill,
  Wait,   // the stream stands until an event is reached
  Record, // the point where an event is reached: no length
  Host    // an instruction on the thread that runs the program
};

struct TraceSlice {
  static constexpr int32_t kHost = -1;
  TraceKind kind = TraceKind::Host;
  const char *name = "";           // the export; of other work the instruction. Lives as long as the module
  const char *source = "";         // the model's node, where it is known
  int32_t device = kHost;          // of the program; kHost: the host's thread
  uint32_t stream = 0;             // 0: the call's own on that device
  uint64_t beginNs = 0, endNs = 0; // CLOCK_MONOTONIC
  uint64_t bytes = 0;              // moved by a copy or a fill; bound to a dispatch
  int32_t fromDevice = kHost, toDevice = kHost; // of a copy: whose memory; kHost: arguments, parameters, the host's
  uint64_t event = 0; // of Wait and Record: equal numbers are one event; 0: recorded by somebody else
};

using TraceSink = std::function<void(const TraceSlice &)>;

class Tracer {
public:
  Tracer(Invocation &invocation, TraceSink sink) : invocation_(invocation), sink_(std::move(sink)) {}

  // What is to measure a stream; wrap() gives it the stream, and the two do what that one did.
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
  friend class TracedStream;
  Status waitFor(hal::Event &event);
  TraceSlice &add(TraceKind kind, int32_t device, uint32_t stream);
  void describeDispatch(const DispatchOp &op);
  void describeCopy(const CopyOp &op);
  int32_t ownerOf(const std::byte *address) const;

  struct Range {
    const std::byte *end;
    int32_t device;
  };
  Invocation &invocation_;
  TraceSink sink_;
  std::deque<TraceSlice> slices_; // stable addresses: streams write times while more are added
  TraceSlice current_;            // what the instruction says about its operation
  uint64_t hostBeginNs_ = 0;
  std::map<const std::byte *, Range> owners_; // memory the program took, by its first byte
  std::map<const hal::Event *, uint64_t> recorded_;
  uint64_t events_ = 0;
  std::vector<hal::Stream *> streams_; // wrapped ones
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_TRACE_H
