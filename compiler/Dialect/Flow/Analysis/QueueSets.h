// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which queues of its device an op's work may be issued on: a part of affinity analysis of its own, as most programs
// name no queues.
//
// An op has the queues of its affinity, or of what is around it, if those name some; else what any of its operands has,
// joined (device::joinOr). A transfer has those it names, and none without: it ends what its operand follows. Values
// flow through calls, branches and loops. An op without a set is free, and stage `place` issues it on queue 0.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_QUEUESETS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_QUEUESETS_H

#include "compiler/Dialect/Flow/Analysis/Affinities.h"

namespace mlir::heddle::flow {

// Whether any affinity of the module names queues. Without, nobody needs to ask further.
bool namesQueues(ModuleOp module);

class QueueSets {
public:
  QueueSets() = default; // of a module that names none
  QueueSets(ModuleOp module, const Affinities &affinities);

  bool empty() const { return ops.empty() && values.empty(); }
  // Null where nothing names queues; else an affinity that does.
  device::AffinityAttr find(Operation *op) const { return ops.lookup(op); }
  device::AffinityAttr find(Value value) const { return values.lookup(value); }

private:
  llvm::DenseMap<Operation *, device::AffinityAttr> ops;
  llvm::DenseMap<Value, device::AffinityAttr> values;
};

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_QUEUESETS_H
