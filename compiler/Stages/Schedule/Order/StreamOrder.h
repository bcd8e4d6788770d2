// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each stream of a finished host program is known to come after, by position in program order.
//
// Only what always runs is looked at: records, waits and host waits of the entry block. A stream comes after its own
// work, after what an event covers that it waited for, and after all that the host waited for before it issued more.
// Work in branches and loops counts from their end on. Streams that the program carries or chooses are not known.
//
//   StreamOrder order(func);
//   order.isAfter(dispatch, stream, order.positionOf(alloc))   // is what `stream` is given from there on after it?
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_STREAMORDER_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_STREAMORDER_H

#include "compiler/Dialect/Host/IR/HostOps.h"

namespace mlir::heddle {

class StreamOrder {
public:
  explicit StreamOrder(host::FuncOp func);

  // Of an op in program order, what its regions hold behind it.
  uint32_t positionOf(Operation *op) const { return positions.lookup(op); }
  // The last position up to which work of `op` is issued: its own, or the end of the loop or branch that it stands in.
  uint32_t lastIssue(Operation *op) const;
  // Of the last op.
  uint32_t end() const { return positions.size() - 1; }

  // All host.stream ops of one device and index are one stream; none for a stream that is not known.
  std::optional<unsigned> numberOf(Value stream) const;

  // The stream that an op is issued on: of what a loop over streams holds, the one that the loop is issued on.
  static Value queueOf(Operation *op);

  // Whether work that is issued on `stream` from `position` on comes after all that `op`, which runs on a stream, does.
  bool isAfter(Operation *op, unsigned stream, uint32_t position) const;

private:
  // By stream, up to which position, that not included, its work is over.
  using Clock = SmallVector<uint32_t>;

  void findStreams();
  void visit(Operation &op);
  void raise(unsigned stream, const Clock &to, uint32_t position);

  host::FuncOp func;
  llvm::DenseMap<Operation *, uint32_t> positions;
  llvm::DenseMap<Value, unsigned> streams;
  SmallVector<Clock> now;                                       // by stream
  SmallVector<SmallVector<std::pair<uint32_t, Clock>>> history; // by stream: from which position on it was so
  llvm::DenseMap<Value, Clock> events;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_STREAMORDER_H
