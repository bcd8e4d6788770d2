// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known, at one point of a host program, of the work issued before it: which stream comes after which access.
//
// The program's text is walked in order and every op has a time. A fact is one access that ran; `since` says for each
// stream from which time on it comes after that access. An event recorded on stream t at time p covers all facts with
// since[t] <= p, and a stream that waits for it comes after them from then on.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_STREAMFACTS_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_STREAMFACTS_H

#include "compiler/Dialect/Host/Analysis/Regions.h"
#include "compiler/Dialect/Host/IR/HostOps.h"

#include <map>

namespace mlir::heddle {

using Time = uint64_t;
inline constexpr Time kNever = ~Time{0};

// A place in the text where an event can be recorded: after an op, or at the start of a block (null op).
struct RecordPoint {
  Block *block;
  Operation *after;
  Time time;
};

struct StreamFact {
  bool writes;
  unsigned stream;
  RecordPoint point; // an event recorded there on `stream` covers the access; its block encloses whoever asks
  SmallVector<Time, 4> since;
};

// Numbers ops and values in the order in which they are first asked about, so that no order depends on addresses.
class ProgramNumbers {
public:
  unsigned of(void *pointer) { return numbers.try_emplace(pointer, numbers.size()).first->second; }

private:
  llvm::DenseMap<void *, unsigned> numbers;
};

class StreamFacts {
public:
  // In the order of the map: facts without a root, then those of carried roots, which may be other ones, then the rest.
  enum class RootKind { None, Carried, Plain };
  struct Key {
    RootKind kind;
    unsigned rootNumber;
    unsigned opNumber;
    unsigned access;
    Operation *op;
    void *root;
    bool operator<(const Key &other) const {
      return std::tie(kind, rootNumber, opNumber, access) <
             std::tie(other.kind, other.rootNumber, other.opNumber, other.access);
    }
  };
  using Map = std::map<Key, StreamFact>;

  // `numbers` outlives the facts and is that of all facts of a program.
  StreamFacts(unsigned streams, ProgramNumbers &numbers) : streams(streams), numbers(&numbers) {}

  // Notes that `op` touches `root` on a stream, whose work it is after from `now` on. `part`: which bytes of it, where
  // that is known.
  void add(Operation *op, unsigned access, Value root, bool writes, unsigned stream, Time now,
           const host::BufferRegion *part = nullptr);
  // Notes that `free` runs directly after `last`, the op before it on its stream: an event after the one covers both.
  void addFree(Operation *free, Value root, unsigned stream, Operation *last, Time time);
  // Forgets which buffer a free noted here ended.
  void endRoot(Operation *free, Value root);
  // The accesses of `root`, or of what may be it, that a stream is not known to come after and that a new access
  // conflicts with. `part`: which bytes of it are accessed, where that is known.
  SmallVector<Key> missing(Value root, bool writes, unsigned stream, const host::BufferRegion *part = nullptr) const;
  // All accesses that a stream is not known to come after.
  SmallVector<Key> missing(unsigned stream) const;
  // The order to wait for accesses in so that fewest waits are needed: first those that no other one implies, later
  // ones before earlier ones.
  void sortByNeed(SmallVectorImpl<Key> &keys) const;
  // The stream waits, from `now` on, for an event recorded at the point of the fact.
  void wait(unsigned stream, const StreamFact &fact, Time now);
  const StreamFact *find(const Key &key) const;

  // The host waited for a stream: all it comes after is past.
  void forgetKnownTo(unsigned stream);

  // At the join of two branches: an access of either ran, and is known to have where both know it.
  void join(const StreamFacts &other);
  // Leaves the regions of `left`: what they touched is seen through the values that `from[i]` is handed on to as
  // `to[i]`, and covered by events recorded at `point`. What belongs to the regions alone is forgotten. `isKnown`:
  // since then.
  void leave(Operation *left, ValueRange from, ValueRange to, RecordPoint point);
  // Adds to the start of a loop's body what an iteration leaves, `tail`, as known at `point`. Whether that is news.
  bool addIteration(const StreamFacts &tail, Operation *loop, RecordPoint point);
  // The accesses from inside `op` get the time of this round.
  void restart(Operation *op, RecordPoint point);

private:
  using Range = std::pair<Map::const_iterator, Map::const_iterator>;

  Key keyOf(Operation *op, unsigned access, void *root) const;
  Range factsOf(RootKind kind) const;
  Range factsOf(Value root) const;

  unsigned streams;
  ProgramNumbers *numbers;
  Map facts;
};

// The buffers that a value may be: views and arith.select are looked through.
void collectRoots(Value buffer, SmallVectorImpl<Value> &roots);
// Whether scf hands the root on, so that it may be another one.
bool isCarriedRoot(Value root);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_STREAMFACTS_H
