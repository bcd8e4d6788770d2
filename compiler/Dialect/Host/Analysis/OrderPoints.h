// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The points of a host program, streams and events, and what is known to come before each: the part of the proof of
// order (VerifyOrder.cpp) that does not ask what bytes an access touches.
//
// A fact is one access and the points that come after it. `record` and `wait` add points, regions of scf hand them on
// under other names, and a loop over streams has two of its own: the end of an iteration, and that of all of them.
//
//   OrderPoints points(func, assumptions);
//   fact.after.insert(points.numberOf(stream));
//   points.addPoint(facts, {stream}, event);        // event comes after whatever stream comes after
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ORDERPOINTS_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ORDERPOINTS_H

#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Dialect/Host/Analysis/PointSet.h"

namespace mlir::heddle::host {

// One access that ran, in any number of iterations, and all points, streams and events, known to come after it. An
// access may have several facts, one for each history; every instance of it is described by one of them.
struct Fact {
  Operation *op;
  unsigned access;    // index in accessesOf(op); the caller's own use for ops that are no access
  Value root;         // the buffer under its name at this point of the program
  Value outside;      // what a loop carried in, where the access was to what it carried; else null
  Operation *crossed; // see mayOverlap()
  bool isOfSlot;      // in an earlier iteration of `crossed`, a loop over streams, that had the slot of this one
  bool isSomewhere;   // in `root`, whose offsets count from elsewhere than the access's
  PointSet after;
  const Access *what; // that of `op` and `access`; null for the caller's

  bool operator<(const Fact &other) const { return key() < other.key(); }

private:
  std::tuple<Operation *, unsigned, Operation *, bool, bool, const PointSet &, void *, void *> key() const {
    return {op, access, crossed, isOfSlot, isSomewhere, after, root.getAsOpaquePointer(), outside.getAsOpaquePointer()};
  }
};

// In the order of the program; what is in it twice says nothing more.
using Facts = std::vector<Fact>;

class OrderPoints {
public:
  // Borrows the assumptions.
  OrderPoints(FuncOp func, const Assumptions &assumptions);

  unsigned numberOf(Value value) { return numbers.of(pointOf(value)); }
  // The streams that a branch may have chosen; the value itself if none did.
  void collectChoices(Value stream, SmallVectorImpl<Value> &choices);
  // What comes before the stream of an iteration comes before the end of its loop, and of those around it.
  void joinLoops(Value stream, Fact &fact);
  // `point` comes after whatever one of `befores` comes after, and after nothing else any more.
  void addPoint(Facts &facts, ArrayRef<Value> befores, Value point);
  // Drops the events that nobody asks about after the op.
  void forgetEvents(Operation *lastWait, Facts &facts);

  // Facts at the start of a region: what comes before `from[i]` comes before `to[i]`, which is the same point.
  Facts enter(const Facts &facts, ValueRange from, ValueRange to);
  // Facts where the regions of `left` end, for its results or its next iteration: names from inside end, but for those
  // that `from[i]` hands on to `to[i]`.
  Facts rename(const Facts &facts, Operation *left, bool isNextIteration, ValueRange from, ValueRange to);

private:
  Value pointOf(Value value);
  // Two points of a run of a loop over streams that its values stand for: what comes after all iterations, and what
  // comes after an iteration on its own stream, which the next iteration of its slot comes after.
  unsigned joinOf(StreamForOp loop) { return numbers.of(loop.getSlot()); }
  unsigned endOf(StreamForOp loop) { return numbers.of(loop.getIndex()); }
  void findStreams();
  void findLastWaits();
  bool hasOtherStreams(StreamForOp loop);
  void addTurns(StreamForOp loop, Facts &facts);
  SmallVector<std::pair<unsigned, unsigned>> pointsHandedOn(ValueRange from, ValueRange to);
  std::optional<std::pair<unsigned, unsigned>> joinHandedOn(Operation *left, bool isNextIteration);
  void renameRoot(Fact changed, bool isSomewhere, Operation *left, ValueRange from, ValueRange to, Facts &renamed);

  FuncOp func;
  const Assumptions &assumptions;
  PointNumbers numbers;
  llvm::DenseMap<Operation *, bool> mixedLoops;                 // hasOtherStreams()
  llvm::DenseMap<Operation *, SmallVector<Value, 1>> lastWaits; // the events that nobody asks about after an op
  PointSet allStreams; // all that a program can use which carries and chooses none; else empty
  llvm::DenseMap<std::pair<StringRef, uint32_t>, Value> streams;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ORDERPOINTS_H
