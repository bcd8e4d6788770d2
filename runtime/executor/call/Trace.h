// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call did when, on which device and stream, as plain data: for `heddle trace`. Made by the observer
// (call/Observer.h).
//
//   invocation->setTrace([](const TraceSlice &slice) { … });
//   HEDDLE_RETURN_IF_ERROR(invocation->call(arguments, results));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_TRACE_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_TRACE_H

#include <cstdint>
#include <functional>

namespace heddle {

enum class TraceKind : uint8_t {
  Dispatch,
  Copy,
  Fill,
  Wait,      // the stream stands until an event is reached
  Record,    // the point where an event is reached: no length
  Host,      // an instruction on the thread that runs the program
  Collective // from this rank's arrival to its end
};

struct TraceSlice {
  static constexpr int32_t kHost = -1;
  TraceKind kind = TraceKind::Host;
  const char *name = "";           // the export; of other work the instruction. Lives as long as the module
  const char *source = "";         // the model's node, where it is known
  int32_t device = kHost;          // of the program; kHost: the host's thread
  uint32_t stream = 0;             // 0: the call's own on that device; of kHost 1: the stream of collectives
  uint64_t beginNs = 0, endNs = 0; // CLOCK_MONOTONIC
  uint64_t bytes = 0;              // moved by a copy or a fill; bound to a dispatch; of a collective's two ends here
  int32_t fromDevice = kHost, toDevice = kHost; // of a copy: whose memory; kHost: arguments, parameters, the host's
  uint64_t event = 0; // of Wait and Record: equal numbers are one event; 0: recorded by somebody else
  // Of Collective: how many ranks meet, the first of them, and which of their collectives in this call it is.
  uint32_t groupSize = 0, groupFirst = 0;
  uint64_t sequence = 0;
};

// Slices come on the calling thread when the call is over and all streams are done, in order of issue.
using TraceSink = std::function<void(const TraceSlice &)>;

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_TRACE_H
