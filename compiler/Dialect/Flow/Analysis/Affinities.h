// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Affinity analysis: the device of every tensor value and op of a module, at any stage between `devices` and
// `schedule`.
//
// Rules (shared with users in docs/design/placement.md), the first that says something wins:
//
//   1. `heddle.affinity` on the op, argument or result; the affinity of a flow.transfer; that of the nearest op around
//      (a #device.optimal leaves the choice among its devices to the other rules);
//   2. the device of what the op reads (a tensor written in place counts before the others);
//   3. the device of what reads it;
//   4. the module's default device.
//
// Values flow through calls, scf.if, scf.for, scf.while and their back edges; what a loop carries has one device.
// Constants (ops that depend on no tensor but constants: parameters, literals, fills, empty tensors, views of them)
// have no device of their own: every use has them where it is. Several devices that compete are decided by the topology
// (AffinitySolver.h) and said so in reportCompetitions().
//
//   FailureOr<Affinities> affinities = Affinities::of(module);
//   if (const Placement *placement = affinities->find(op))
//     … affinities->getTopology().devices[placement->device] …
//
// A snapshot: rewriting the module makes what it knows of the rewritten ops void, nothing else.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_AFFINITIES_H
#define HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_AFFINITIES_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/Analysis/AffinityGraph.h"

namespace mlir::heddle::flow {

device::AffinityAttr getAffinity(MLIRContext *context, const Topology &topology, unsigned device);

class Affinities {
public:
  // Fails with a diagnostic at an affinity that names no device. `isPlaced`: after stage `place`, when constants are on
  // a device, too.
  static FailureOr<Affinities> of(ModuleOp module, bool isPlaced = false);

  const Topology &getTopology() const { return topology; }
  const AffinityGraph &getGraph() const { return graph; }

  // Null for constants, for what holds no tensor, and for what the analysis has not seen.
  const Placement *find(Value value) const;
  const Placement *find(Operation *op) const;
  bool isConstant(Operation *op) const { return graph.constants.contains(op); }

  ArrayRef<Operation *> getConstants() const { return graph.constants.getArrayRef(); } // in program order

  // In no particular order.
  void forEachOp(llvm::function_ref<void(Operation *, const Placement &)> visit) const;

  // Uses of tensors, constants too, each with the device that needs the value: operands of ops that compute, what
  // branches and loops hand on, what calls and returns pass. Not operands of transfers.
  void forEachUse(llvm::function_ref<void(OpOperand &, const Placement &)> visit) const;
  ArrayRef<TransferOp> getTransfers() const { return graph.transfers; }

  // The device of a function's result; the function must be of the module.
  const Placement *findResult(func::FuncOp func, unsigned result) const;

  // A remark at each op or value whose device competition decided; at most `limit`, then one that counts the others.
  void reportCompetitions(unsigned limit = 5) const;

  // A warning at each loop that carries a value from one device to another and back in every iteration.
  void reportLoops() const;

  device::AffinityAttr getAffinity(MLIRContext *context, unsigned device) const {
    return flow::getAffinity(context, topology, device);
  }

private:
  Topology topology;
  AffinityGraph graph;
  std::vector<Placement> placements;
};

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_AFFINITIES_H
