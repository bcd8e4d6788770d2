// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/OwnValues.h"

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;

bool mlir::heddle::isWholeProgram(func::FuncOp function) {
  if (function->hasAttr(kWholeProgramAttr))
    return true;
  return function
      .walk([](Operation *op) {
        return isa<flow::ShardOp, flow::PartOp, flow::WholeOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

OwnValues::OwnValues(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), kShardingAttr))
      add(argument);
  for (bool changed = true; changed;) {
    changed = false;
    function.walk([&](Operation *op) { changed |= visit(op); });
  }
}

bool OwnValues::readBy(Operation *op) const {
  return op
      ->walk([&](Operation *nested) {
        return llvm::any_of(nested->getOperands(), [&](Value value) { return contains(value); })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool OwnValues::visitFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  bool changed = false;
  // Another number of iterations is another value of all that it carries.
  bool bounds = contains(loop.getLowerBound()) || contains(loop.getUpperBound()) || contains(loop.getStep());
  if (bounds)
    changed |= add(loop.getInductionVar());
  for (auto [init, argument, yielded, result] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getResults()))
    if (bounds || contains(init) || contains(yielded)) {
      changed |= add(argument);
      changed |= add(result);
    }
  return changed;
}

bool OwnValues::visitWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  bool changed = false;
  bool condition = contains(loop.getConditionOp().getCondition());
  for (auto [init, argument, yielded] :
       llvm::zip_equal(loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getOperands()))
    if (condition || contains(init) || contains(yielded))
      changed |= add(argument);
  for (auto [given, argument, result] :
       llvm::zip_equal(loop.getConditionOp().getArgs(), loop.getAfterArguments(), loop.getResults()))
    if (condition || contains(given)) {
      changed |= add(argument);
      changed |= add(result);
    }
  return changed;
}

bool OwnValues::visitBranch(Operation *op) {
  bool changed = false;
  bool condition = llvm::any_of(op->getOperands(), [&](Value value) { return contains(value); });
  for (OpResult result : op->getResults())
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      Value yielded = region.front().getTerminator()->getOperand(result.getResultNumber());
      if (condition || contains(yielded))
        changed |= add(result);
    }
  return changed;
}

bool OwnValues::visit(Operation *op) {
  if (isa<scf::ForOp>(op))
    return visitFor(op);
  if (isa<scf::WhileOp>(op))
    return visitWhile(op);
  if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op))
    return visitBranch(op);
  bool begins = isa<flow::PartOp, flow::CoordinateOp, flow::MemberOp, flow::CollectiveOpInterface>(op);
  if (isa<flow::WholeOp>(op) || op->getNumResults() == 0 || (!begins && !readBy(op)))
    return false;
  bool changed = false;
  for (Value result : op->getResults())
    changed |= add(result);
  return changed;
}
