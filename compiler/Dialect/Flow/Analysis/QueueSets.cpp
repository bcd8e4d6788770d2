// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/QueueSets.h"

#include "compiler/Dialect/Device/IR/AffinityAlgebra.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

// Null unless it names queues.
static device::AffinityAttr withQueues(Attribute attribute) {
  auto affinity = dyn_cast_if_present<device::AffinityAttr>(attribute);
  return affinity && !affinity.getQueues().empty() ? affinity : device::AffinityAttr();
}

static device::AffinityAttr statedOn(Operation *op) {
  auto transfer = dyn_cast<TransferOp>(op);
  return withQueues(transfer ? transfer.getAffinity() : op->getAttr(kAffinityAttr));
}

bool mlir::heddle::flow::namesQueues(ModuleOp module) {
  return module
      ->walk([](Operation *op) {
        bool found = bool(statedOn(op));
        if (auto func = dyn_cast<func::FuncOp>(op))
          for (unsigned i = 0; i < func.getNumArguments(); ++i)
            found |= bool(withQueues(func.getArgAttr(i, kAffinityAttr)));
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

// Sets only grow, so walking the module until nothing changes ends.
class QueueSolver {
public:
  QueueSolver(ModuleOp module, const Affinities &affinities, llvm::DenseMap<Operation *, device::AffinityAttr> &ops,
              llvm::DenseMap<Value, device::AffinityAttr> &values)
      : module(module), affinities(affinities), ops(ops), values(values), symbols(module) {}

  void solve() {
    do {
      changed = false;
      for (auto func : module.getOps<func::FuncOp>())
        if (!func.isExternal())
          visitFunction(func);
    } while (changed);
  }

private:
  device::AffinityAttr around(device::AffinityAttr own, device::AffinityAttr outer) const { return own ? own : outer; }

  void visitFunction(func::FuncOp func) {
    device::AffinityAttr own = around(statedOn(func), statedOn(module));
    for (BlockArgument argument : func.getArguments()) {
      device::AffinityAttr stated = withQueues(func.getArgAttr(argument.getArgNumber(), kAffinityAttr));
      join(argument, stated ? stated : own);
    }
    visitRegion(func.getBody(), own);
  }

  void visitRegion(Region &region, device::AffinityAttr outer) {
    for (Block &block : region)
      for (Operation &op : block)
        visitOp(op, outer);
  }

  void visitOp(Operation &op, device::AffinityAttr outer) {
    device::AffinityAttr own = around(statedOn(&op), outer);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      joinAll(loop.getInitArgs(), loop.getRegionIterArgs());
      visitRegion(loop.getRegion(), own);
      joinAll(loop.getBody()->getTerminator()->getOperands(), loop.getRegionIterArgs());
      joinAll(loop.getRegionIterArgs(), loop.getResults());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      joinAll(loop.getInits(), loop.getBeforeArguments());
      visitRegion(loop.getBefore(), own);
      joinAll(loop.getConditionOp().getArgs(), loop.getAfterArguments());
      visitRegion(loop.getAfter(), own);
      joinAll(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
      joinAll(loop.getConditionOp().getArgs(), loop.getResults());
    } else if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op)) {
      for (Region &region : op.getRegions()) {
        visitRegion(region, own);
        if (!region.empty())
          joinAll(region.front().getTerminator()->getOperands(), op.getResults());
      }
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      visitCall(call);
    } else if (auto transfer = dyn_cast<TransferOp>(op)) {
      note(op, statedOn(&op));
    } else if (affinities.find(&op)) {
      visitCompute(op, own);
    }
  }

  void visitCall(func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return;
    joinAll(call.getOperands(), callee.getArguments());
    callee.walk([&](func::ReturnOp op) { joinAll(op.getOperands(), call.getResults()); });
  }

  void visitCompute(Operation &op, device::AffinityAttr own) {
    if (own && !isOn(affinities.find(&op), own))
      own = {};
    if (!own)
      forEachRead(op, [&](OpOperand &read) { own = joined(own, values.lookup(read.get()), affinities.find(&op)); });
    note(op, own);
  }

  void note(Operation &op, device::AffinityAttr set) {
    if (!set)
      return;
    device::AffinityAttr &known = ops[&op];
    changed |= known != set;
    known = set;
    for (Value result : op.getResults())
      join(result, set);
  }

  bool isOn(const Placement *placement, device::AffinityAttr set) const {
    return placement && affinities.getTopology().devices[placement->device] == set.getDevice().getValue();
  }

  // What is on another device says nothing about this one's queues.
  device::AffinityAttr joined(device::AffinityAttr known, device::AffinityAttr set, const Placement *placement) const {
    if (!set || !isOn(placement, set))
      return known;
    return cast<device::AffinityAttr>(device::joinOr(known, set));
  }

  void join(Value value, device::AffinityAttr set) {
    device::AffinityAttr known = values.lookup(value), next = joined(known, set, affinities.find(value));
    if (next == known)
      return;
    values[value] = next;
    changed = true;
  }

  void joinAll(ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip(from, to))
      join(target, values.lookup(source));
  }

  ModuleOp module;
  const Affinities &affinities;
  llvm::DenseMap<Operation *, device::AffinityAttr> &ops;
  llvm::DenseMap<Value, device::AffinityAttr> &values;
  SymbolTable symbols;
  bool changed = false;
};

} // namespace

QueueSets::QueueSets(ModuleOp module, const Affinities &affinities) {
  QueueSolver(module, affinities, ops, values).solve();
}
