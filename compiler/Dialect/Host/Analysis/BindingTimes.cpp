// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/BindingTimes.h"

using namespace mlir;
using namespace mlir::heddle::host;

StringRef mlir::heddle::host::stringify(BindingTime time) {
  switch (time) {
  case BindingTime::Compile: return "compile";
  case BindingTime::Bind: return "bind";
  case BindingTime::Call: return "call";
  case BindingTime::Data: return "data";
  }
  llvm_unreachable("unknown binding time");
}

BindingTimes::BindingTimes(FuncOp func) {
  for (BlockArgument argument : func.getBody().getArguments())
    times[argument] = BindingTime::Call;
  // Values only rise, so this ends; more than one round is needed only for values that loops carry.
  for (bool changed = true; changed;) {
    changed = false;
    func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { changed |= visit(op); });
  }
}

BindingTime BindingTimes::of(Value value) const {
  auto found = times.find(value);
  return found == times.end() ? BindingTime::Compile : found->second;
}

BindingTime BindingTimes::of(Operation *op) const {
  BindingTime time = latest(op->getResults());
  for (Value operand : op->getOperands())
    if (operand.getType().isIntOrIndex())
      time = std::max(time, of(operand));
  return time;
}

BindingTime BindingTimes::latest(ValueRange values) const {
  BindingTime time = BindingTime::Compile;
  for (Value value : values)
    time = std::max(time, of(value));
  return time;
}

bool BindingTimes::raise(Value value, BindingTime time) {
  if (time <= of(value))
    return false;
  times[value] = time;
  return true;
}

// What an op adds of its own to the times of its operands.
static BindingTime ownTime(Operation *op) {
  auto row = dyn_cast<HostOpInterface>(op);
  return row ? row.getBindingTime() : BindingTime::Compile;
}

bool BindingTimes::visit(Operation *op) {
  if (op->getNumRegions() != 0)
    return visitControlFlow(op);
  bool changed = false;
  BindingTime time = std::max(ownTime(op), latest(op->getOperands()));
  for (Value result : op->getResults())
    changed |= raise(result, time);
  return changed;
}

// A value that leaves a branch or loop is known when the values that may become it are, and what chooses among them.
bool BindingTimes::visitControlFlow(Operation *op) {
  bool changed = false;
  auto join = [&](ValueRange targets, ValueRange sources, BindingTime choice) {
    for (auto [target, source] : llvm::zip(targets, sources))
      changed |= raise(target, std::max(choice, of(source)));
  };
  auto yielded = [](Region &region) { return region.front().getTerminator()->getOperands(); };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    BindingTime trips = latest({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    changed |= raise(loop.getInductionVar(), trips);
    join(loop.getRegionIterArgs(), loop.getInitArgs(), BindingTime::Compile);
    join(loop.getRegionIterArgs(), yielded(loop.getRegion()), BindingTime::Compile);
    join(loop.getResults(), loop.getRegionIterArgs(), trips);
  } else if (auto loop = dyn_cast<StreamForOp>(op)) {
    changed |= raise(loop.getIndex(), of(loop.getTrips()));
    changed |= raise(loop.getSlot(), latest({loop.getTrips(), loop.getStreams()}));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    scf::ConditionOp condition = loop.getConditionOp();
    join(loop.getBeforeArguments(), loop.getInits(), BindingTime::Compile);
    join(loop.getBeforeArguments(), yielded(loop.getAfter()), BindingTime::Compile);
    join(loop.getAfterArguments(), condition.getArgs(), of(condition.getCondition()));
    join(loop.getResults(), condition.getArgs(), of(condition.getCondition()));
  } else {
    for (Region &region : op->getRegions())
      if (!region.empty())
        join(op->getResults(), yielded(region), latest(op->getOperands()));
  }
  return changed;
}
