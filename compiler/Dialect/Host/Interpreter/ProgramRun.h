// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a host program on a machine, one way through its control flow: host ops by their steps, arith by its folders.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_PROGRAMRUN_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_PROGRAMRUN_H

#include "compiler/Dialect/Host/Analysis/Walker.h"
#include "compiler/Dialect/Host/IR/HostMachine.h"

#include <limits>

namespace mlir::heddle::host {

class ProgramRun : public WalkDefaults {
public:
  // The machine has the values. `betweenOps` is called ahead of each op.
  explicit ProgramRun(HostMachine &machine, std::function<void()> betweenOps = {},
                      int64_t mostTrips = std::numeric_limits<int64_t>::max())
      : machine(machine), betweenOps(std::move(betweenOps)), mostTrips(mostTrips) {}

  // From the first op to host.return. Failure: the machine's fail() or stop() was called.
  LogicalResult run(FuncOp func) { return Walker(*this).walk(func.getBody().front(), nothing); }

  // For the walker. The values are the machine's: there is no other state.
  struct State {};
  LogicalResult step(Operation *op, State &);
  FailureOr<bool> takes(mlir::Region &region, State &);
  LogicalResult leaveBranch(Operation *op, MutableArrayRef<BranchEnd<State>> ends, State &);
  LogicalResult handOn(const Crossing &crossing, State &);
  FailureOr<bool> begins(Operation *loop, State &);
  FailureOr<bool> passes(scf::ConditionOp condition, State &);
  FailureOr<bool> again(Operation *loop, State &, State &);

private:
  LogicalResult stepArith(Operation *op);
  LogicalResult handOnStreams(StreamForOp loop, Crossing::Kind kind);
  StreamId streamOf(StreamForOp loop, int64_t slot);

  HostMachine &machine;
  std::function<void()> betweenOps;
  int64_t mostTrips; // of an scf.while
  llvm::DenseMap<Operation *, int64_t> trips;
  State nothing;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_PROGRAMRUN_H
