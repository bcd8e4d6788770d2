// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each stream of a finished host program is known to come after, by position in program order.
//
// A stream comes after its own work, after what an event covers that it waited for, and after all that the host waited
// for before it issued more. Of branches one side runs: behind them holds what holds behind each side, and what the
// other side would have issued is nothing. What loops hold is not looked into: their work counts from their end on.
// Streams that the program carries or chooses are not known.
//
//   StreamOrder order(func);
//   order.isAfter(dispatch, stream, order.positionOf(alloc))   // is what `stream` is given from there on after it?
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_STREAMORDER_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_STREAMORDER_H

#include "compiler/Dialect/Host/IR/HostOps.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::heddle {

class StreamOrder {
public:
  explicit StreamOrder(host::FuncOp func);

  // Of an op in program order, what its regions hold behind it.
  uint32_t positionOf(Operation *op) const { return positions.lookup(op); }
  // The last position up to which work of `op` is issued: its own, or the end of the outermost loop that it stands in.
  uint32_t lastIssue(Operation *op) const;
  // Of the last op.
  uint32_t end() const { return positions.size() - 1; }

  // All host.stream ops of one device and index are one stream; none for a stream that is not known.
  std::optional<unsigned> numberOf(Value stream) const;

  // The stream that an op is issued on: of what a loop over streams holds, the one that the loop is issued on.
  static Value queueOf(Operation *op);

  // Whether work that is issued on `stream` from `position` on comes after all that `op`, which runs on a stream, does.
  bool isAfter(Operation *op, unsigned stream, uint32_t position) const;

  // Whether no call runs both: they stand in different sides of a branch that is in no loop.
  static bool areExclusive(Operation *a, Operation *b);

private:
  // By stream, up to which position, that not included, its work is over.
  using Clock = SmallVector<uint32_t>;
  // Of streams.
  using Clocks = llvm::MapVector<unsigned, Clock>;
  // Behind a side of a branch: what the streams come after that came after less in front of it, and up to which
  // position, that not included, each stream was issued work.
  struct SideEnd {
    Clocks clocks;
    Clock issued;
  };

  void findStreams();
  void visit(Operation &op);
  void visitBranch(Operation &op);
  SideEnd visitSide(Region &side, uint32_t end);
  void noteWork(Operation &op);
  void setClock(unsigned stream, Clock clock, uint32_t position);
  void raise(unsigned stream, const Clock &to, uint32_t position);
  uint32_t lastInside(Operation *op) const;

  host::FuncOp func;
  llvm::DenseMap<Operation *, uint32_t> positions;
  llvm::DenseMap<Value, unsigned> streams;
  SmallVector<Clock> now;                                       // by stream
  Clock issued;                                                 // by stream, as SideEnd has it
  SmallVector<Clocks> saved;                                    // of each side that the walk is in, as it began
  SmallVector<SmallVector<std::pair<uint32_t, Clock>>> history; // by stream: from which position on it was so
  llvm::DenseMap<Value, Clock> events;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_STREAMORDER_H
