// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual time: when each operation of each simulated stream begins and ends. One for the process; thread-safe.
//
// What is issued is recorded, and placed when somebody asks (SimGraph.h): each operation at the earliest time that its
// stream, the queue (or link) it uses, the semaphores its stream waited for, and the host thread allow. Queues and
// links do one thing at a time: what one thread issues in the order of issue, what several do in the order of arrival,
// and of names where that is equal (the thread's, as pthread_setname_np() gave it, the device's, the operation's). So a
// program has one timeline, however many threads issue it and however long anything really took.
//
// A host thread is infinitely fast but when it waits: what it issues after synchronize() or an inline operation begins
// after that, and so does what another thread issues that waited for it (hal/HostTime.h). A thread that has not waited
// for anybody begins at 0.
//
//   SimTimeline &timeline = SimTimeline::process();
//   timeline.reset();
//   … call …
//   SimReport report = timeline.report();   // report.makespanNs, report.criticalPath
#ifndef HEDDLE_RUNTIME_DRIVERS_SIM_SIMTIMELINE_H
#define HEDDLE_RUNTIME_DRIVERS_SIM_SIMTIMELINE_H

#include "runtime/drivers/sim/SimGraph.h"
#include "runtime/hal/HostTime.h"
#include "runtime/hal/Meeting.h"

#include <deque>
#include <optional>

namespace heddle::sim {

enum class SimKind : uint8_t { Dispatch, Copy, Fill, Collective };

struct SimOperation {
  SimKind kind = SimKind::Dispatch;
  std::string name;   // of the export, or "FROM -> TO"
  std::string device; // whose stream
  uint32_t stream = 0;
  uint64_t beginNs = 0, endNs = 0;
  int64_t cause = SimPoint::kNone; // the operation whose end let this one begin; none: nothing held it back
};

struct SimReport {
  uint64_t makespanNs = 0;              // from the first begin to the last end
  std::vector<SimOperation> operations; // as issued; by threads' names first
  std::vector<size_t> criticalPath;     // of operations, first to last: each begins when the one before ends
  bool complete = true;                 // false: too many operations, the later ones are only in the makespan
  // "makespan 123.4 us; critical path: gpu matmul_0 100.0 us, gpu -> cpu 23.4 us".
  std::string text() const;
};

class SimTimeline final : public hal::HostTimeKeeper {
public:
  static SimTimeline &process();

  // Forgets all operations; time starts at 0, for all threads. Streams stay.
  void reset();
  // Of what was recorded so far. Exact when no thread is issuing.
  SimReport report() const;

  // `meets`: its operations are meetings.
  uint32_t addStream(const std::string &device, bool meets = false);
  // `resource`: the device or link that is busy meanwhile. `inlined`: the host thread waits for it.
  void operation(uint32_t stream, SimKind kind, const std::string &name, const std::string &resource, uint64_t ns,
                 bool inlined);
  // An operation of each member of a group of ranks (hal/Meeting.h), which begins when all of them have come this far.
  // It has the rank's link for the first and ends later by the second. Meetings of a rank begin in the order of its
  // stream, and several are in flight as on an OverlapQueue: `views` are the bytes of this one.
  void meet(uint32_t stream, const hal::Meeting &meeting, const std::string &name, std::pair<uint64_t, uint64_t> ns,
            std::span<const hal::BoundView> views);
  // When what the stream was given so far ends, as far as is known now: what other threads issue later may come before.
  uint64_t now(uint32_t stream);
  // Writes that, and when the stream is drained what it was.
  void stamp(uint32_t stream, uint64_t *ns);
  // The stream's stamps are what the report says. When all that was issued so far is done.
  void settleStamps(uint32_t stream);
  // Nothing is written any more for the stream.
  void forgetStamps(uint32_t stream);
  // What the stream was given so far signals the point; what it is given from now on waits for the point.
  void signal(uint32_t stream, const hal::Point &point);
  void wait(uint32_t stream, const hal::Point &point);
  // The host thread waits for what the stream was given so far.
  void synchronize(uint32_t stream);

  uint64_t mark() override;
  void follow(uint64_t mark) override;
  void signals(const hal::Semaphore &semaphore, uint64_t value) override;
  void waited(const hal::Semaphore &semaphore, uint64_t value) override;

private:
  struct Stream {
    uint32_t device = 0; // text
    uint32_t number = 0; // of the device
    uint32_t at = SimNode::kStart;
    bool meets = false;
    // Of meetings: what the stream waited for, and the last ones with their bytes, the oldest first.
    uint32_t ready = SimNode::kStart;
    struct Flight {
      uint32_t end, allBefore;           // nodes: the meeting's, and when it and all before it have ended
      std::vector<hal::BoundView> views; // without buffers
    };
    std::deque<Flight> flights;
  };
  struct Stamp {
    uint64_t *ns;
    uint32_t node, stream;
  };
  // A thread.
  struct Host {
    uint32_t name = 0; // text
    uint32_t at = SimNode::kStart;
    uint32_t operations = 0;
    std::map<uint32_t, uint32_t> last; // what it issued last, by resource
  };
  struct Meeting {
    uint32_t begin = SimNode::kStart, latest = SimNode::kStart; // of all members; of those that have come
    int64_t came = 0;
  };
  using Value = std::pair<uint64_t, uint64_t>; // of a semaphore by its number
  static constexpr size_t kMostOperations = 1 << 20, kMostNodes = 1 << 22;

  Host &host();
  // A node behind both.
  uint32_t join(uint32_t a, uint32_t b);
  uint32_t nodeOf(const Value &value);
  void signalAt(const Value &value, uint32_t node);
  // The node at which the stream's next meeting can begin.
  uint32_t beginMeeting(Stream &stream, std::span<const hal::BoundView> views);
  void writeStamps(const std::vector<SimPlace> &places, std::optional<uint32_t> stream);
  // Where much is recorded it gets the place it has now, and is forgotten.
  void makeRoom();
  SimPoint known(SimPoint point) const;
  SimOperation describe(size_t operation, const SimNode &node, const SimPlace &place) const;

  mutable std::mutex mutex_;
  SimGraph graph_;
  std::vector<SimKind> kinds_; // of the operations of the graph, in order
  std::vector<Stream> streams_;
  std::map<uint32_t, uint32_t> streamsOf_; // by device
  std::vector<Host> hosts_;
  uint64_t age_ = 1, nodesAge_ = 1;                          // of hosts, of nodes: what is older is not known any more
  std::map<Value, uint32_t> signals_, awaited_;              // nodes; of values that nobody has signalled so far
  std::map<std::pair<int64_t, int64_t>, uint64_t> met_;      // how often, by group and rank
  std::map<std::pair<int64_t, uint64_t>, Meeting> meetings_; // that some have come to, by group and number
  std::vector<Stamp> stamps_;                                // to be written
  std::vector<SimOperation> settled_;
  uint64_t firstNs_ = UINT64_MAX, lastNs_ = 0; // of what is settled
  bool complete_ = true;
};

} // namespace heddle::sim

#endif // HEDDLE_RUNTIME_DRIVERS_SIM_SIMTIMELINE_H
