// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/ProgramRun.h"

#include "compiler/Dialect/Host/Interpreter/Fold.h"

using namespace mlir;
using namespace mlir::heddle::host;

LogicalResult ProgramRun::step(Operation *op, State &) {
  if (betweenOps)
    betweenOps();
  if (auto row = dyn_cast<HostOpInterface>(op))
    return row.step(machine);
  if (isa<arith::ArithDialect>(op->getDialect()))
    return stepArith(op);
  return isa<scf::YieldOp, scf::ConditionOp, YieldOp>(op) ? success() : machine.fail(op, "cannot be interpreted");
}

LogicalResult ProgramRun::stepArith(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    bool chosen = machine.integer(select.getCondition());
    machine.set(select.getResult(), machine.get(chosen ? select.getTrueValue() : select.getFalseValue()));
    return success();
  }
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(IntegerAttr::get(operand.getType(), machine.integer(operand)));
  FailureOr<SmallVector<Attribute>> folded = fold(op, operands);
  if (failed(folded) || !llvm::all_of(*folded, llvm::IsaPred<IntegerAttr>))
    return machine.fail(op, "has no value for these operands");
  for (auto [result, attribute] : llvm::zip_equal(op->getResults(), *folded)) {
    APInt value = cast<IntegerAttr>(attribute).getValue();
    bool isBool = value.getBitWidth() == 1;
    machine.set(result, isBool ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue());
  }
  return success();
}

FailureOr<bool> ProgramRun::takes(mlir::Region &region, State &) {
  if (auto branch = dyn_cast<scf::IfOp>(region.getParentOp()))
    return (machine.integer(branch.getCondition()) != 0) == (region.getRegionNumber() == 0);
  // The default's region comes first.
  auto choice = cast<scf::IndexSwitchOp>(region.getParentOp());
  int64_t value = machine.integer(choice.getArg());
  if (region.getRegionNumber() == 0)
    return !llvm::is_contained(choice.getCases(), value);
  return choice.getCases()[region.getRegionNumber() - 1] == value;
}

LogicalResult ProgramRun::leaveBranch(Operation *op, MutableArrayRef<BranchEnd<State>> ends, State &) {
  for (BranchEnd<State> &end : ends)
    if (!end.isEmpty())
      machine.assign(op->getResults(), end.terminator()->getOperands());
  return success();
}

LogicalResult ProgramRun::handOn(const Crossing &crossing, State &) {
  if (auto loop = dyn_cast<StreamForOp>(crossing.loop))
    return handOnStreams(loop, crossing.kind);
  if (crossing.kind == Crossing::Kind::Enter)
    trips[crossing.loop] = 0;
  machine.assign(crossing.to, crossing.from);
  return success();
}

StreamId ProgramRun::streamOf(StreamForOp loop, int64_t slot) {
  return machine.extraStream(loop.getDeviceAttr(), loop.getFirst() + static_cast<unsigned>(slot));
}

// Each stream that iterations run on waits for the stream of issue; that one waits for them in the end.
LogicalResult ProgramRun::handOnStreams(StreamForOp loop, Crossing::Kind kind) {
  int64_t streams = machine.integer(loop.getStreams()), used = std::min(streams, machine.integer(loop.getTrips()));
  if (streams <= 0)
    return machine.fail(loop, "takes turns on one stream or more, got " + Twine(streams));
  StreamId issue = machine.stream(loop.getIssue());
  if (kind == Crossing::Kind::Leave) {
    for (int64_t slot = 0; slot < used; ++slot)
      machine.wait(issue, machine.record(streamOf(loop, slot)));
    return success();
  }
  int64_t index = kind == Crossing::Kind::Enter ? 0 : machine.integer(loop.getIndex()) + 1;
  if (kind == Crossing::Kind::Enter) {
    std::shared_ptr<Event> start = machine.record(issue);
    for (int64_t slot = 0; slot < used; ++slot)
      machine.wait(streamOf(loop, slot), start);
  } else if (loop.getOrdered() && index < machine.integer(loop.getTrips())) {
    machine.wait(streamOf(loop, index % streams), machine.record(machine.stream(loop.getMine())));
  }
  machine.set(loop.getIndex(), index);
  machine.set(loop.getSlot(), index % streams);
  machine.set(loop.getMine(), streamOf(loop, index % streams));
  return success();
}

FailureOr<bool> ProgramRun::begins(Operation *op, State &) {
  if (auto loop = dyn_cast<StreamForOp>(op))
    return machine.integer(loop.getTrips()) > 0;
  auto loop = cast<scf::ForOp>(op);
  if (int64_t step = machine.integer(loop.getStep()); step <= 0)
    return LogicalResult(machine.fail(loop, "needs a positive step, got " + Twine(step)));
  machine.set(loop.getInductionVar(), machine.integer(loop.getLowerBound()));
  return machine.integer(loop.getLowerBound()) < machine.integer(loop.getUpperBound());
}

FailureOr<bool> ProgramRun::passes(scf::ConditionOp condition, State &) {
  return machine.integer(condition.getCondition()) != 0;
}

FailureOr<bool> ProgramRun::again(Operation *op, State &, State &) {
  if (auto streams = dyn_cast<StreamForOp>(op))
    return machine.integer(streams.getIndex()) < machine.integer(streams.getTrips());
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop) {
    if (++trips[op] == mostTrips)
      return LogicalResult(machine.fail(op, "did not end after " + Twine(mostTrips) + " trips"));
    return true;
  }
  // The distance that is left has no sign and does not overflow.
  uint64_t at = machine.integer(loop.getInductionVar()), end = machine.integer(loop.getUpperBound());
  uint64_t step = machine.integer(loop.getStep());
  machine.set(loop.getInductionVar(), static_cast<int64_t>(at + step));
  return step < end - at;
}
