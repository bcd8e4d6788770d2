// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual time: when each operation of each simulated stream begins and ends. One for the process; thread-safe.
//
// An operation is placed when it is issued, at the earliest time that its stream, the queue (or link) it uses, the
// semaphores its stream waited for, and the host allow. Queues and links do one thing at a time, in the order of issue.
// So a program issued by one thread has one timeline, however long anything really took. The host is infinitely fast
// but when it waits: what is issued after synchronize() or an inline operation begins after it.
//
//   SimTimeline &timeline = SimTimeline::process();
//   timeline.reset();
//   … call …
//   SimReport report = timeline.report();   // report.makespanNs, report.criticalPath
#ifndef HEDDLE_RUNTIME_DRIVERS_SIM_SIMTIMELINE_H
#define HEDDLE_RUNTIME_DRIVERS_SIM_SIMTIMELINE_H

#include "runtime/hal/Semaphore.h"

#include <map>
#include <string>
#include <vector>

namespace heddle::sim {

enum class SimKind : uint8_t { Dispatch, Copy, Fill };

struct SimOperation {
  static constexpr int64_t kNone = -1;
  SimKind kind = SimKind::Dispatch;
  std::string name;   // of the export, or "FROM -> TO"
  std::string device; // whose stream
  uint32_t stream = 0;
  uint64_t beginNs = 0, endNs = 0;
  int64_t cause = kNone; // the operation whose end let this one begin; none: nothing held it back
};

struct SimReport {
  uint64_t makespanNs = 0;              // from the first begin to the last end
  std::vector<SimOperation> operations; // as issued
  std::vector<size_t> criticalPath;     // of operations, first to last: each begins when the one before ends
  bool complete = true;                 // false: too many operations, the later ones are only in the makespan
  // "makespan 123.4 us; critical path: gpu matmul_0 100.0 us, gpu -> cpu 23.4 us".
  std::string text() const;
};

class SimTimeline {
public:
  static SimTimeline &process();

  // Forgets all operations; time starts at 0. Streams stay.
  void reset();
  SimReport report() const;

  uint32_t addStream(const std::string &device);
  // `resource`: the device or link that is busy meanwhile. `inlined`: the host waits for it.
  void operation(uint32_t stream, SimKind kind, std::string name, const std::string &resource, uint64_t ns,
                 bool inlined);
  // When what the stream was given so far ends.
  uint64_t now(uint32_t stream) const;
  // What the stream was given so far signals the point; what it is given from now on waits for the point.
  void signal(uint32_t stream, const hal::Point &point);
  void wait(uint32_t stream, const hal::Point &point);
  void synchronize(uint32_t stream);

private:
  // A time, and the operation that ends then.
  struct Point {
    uint64_t ns = 0;
    int64_t operation = SimOperation::kNone;
  };
  struct StreamState {
    std::string device;
    Point at;
  };
  struct Recorded {
    std::weak_ptr<hal::Semaphore> semaphore;
    Point at;
  };
  static constexpr size_t kMostOperations = 1 << 20, kLeastSignals = 4096;
  static void raise(Point &point, const Point &other);

  mutable std::mutex mutex_;
  std::vector<StreamState> streams_;
  std::map<std::string, Point> resources_;
  std::map<std::pair<const hal::Semaphore *, uint64_t>, Recorded> signals_;
  size_t mostSignals_ = kLeastSignals; // until some are looked through
  Point host_;
  std::vector<SimOperation> operations_;
  uint64_t firstNs_ = UINT64_MAX, lastNs_ = 0;
  bool complete_ = true;
};

} // namespace heddle::sim

#endif // HEDDLE_RUNTIME_DRIVERS_SIM_SIMTIMELINE_H
