// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/TraceThrough.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::Extent;

// What a branch may give for one of its results; empty: it is none.
static SmallVector<Value> getSides(OpResult result) {
  Operation *op = result.getOwner();
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return {select.getTrueValue(), select.getFalseValue()};
  SmallVector<Value> sides;
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    for (Region &region : op->getRegions())
      sides.push_back(region.front().getTerminator()->getOperand(result.getResultNumber()));
  return sides;
}

static bool isFromOutside(Extent extent, Operation *op) {
  return !extent.value || !op->isAncestor(extent.value.getParentBlock()->getParentOp());
}

Extent ExtentTracer::traceAt(Value value, int64_t dim) {
  return dim < 0 ? trace(OpFoldResult(value)) : trace(value, dim);
}

bool ExtentTracer::isKept(scf::ForOp loop, unsigned number, int64_t dim) {
  return trace(loop.getRegionIterArgs()[number], dim) == trace(loop.getInitArgs()[number], dim);
}

Extent ExtentTracer::follow(const Extent &extent) {
  constexpr unsigned kMostSteps = 1000; // of one question
  if (!extent.value)
    return extent;
  Key key{extent.value, extent.dim};
  for (const auto *found : {&assumed, &known})
    if (auto entry = found->find(key); entry != found->end())
      return entry->second;
  if (assumed.empty())
    steps = 0;
  if (++steps > kMostSteps)
    return extent;
  Extent traced = followNew(extent);
  if (assumed.empty()) // it holds without a proviso
    known.try_emplace(key, traced);
  return traced;
}

Extent ExtentTracer::followNew(const Extent &extent) {
  if (auto argument = dyn_cast<BlockArgument>(extent.value)) {
    Operation *around = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(around); loop && argument != loop.getInductionVar())
      return carried(extent, loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get());
    auto loop = dyn_cast<scf::WhileOp>(around);
    unsigned number = argument.getArgNumber();
    if (loop && argument.getOwner() == loop.getBeforeBody())
      return carried(extent, loop.getInits()[number], loop.getYieldOp().getOperand(number));
    return loop ? given(extent, loop, loop.getConditionOp().getArgs()[number]) : extent;
  }
  auto result = cast<OpResult>(extent.value);
  unsigned number = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return given(extent, loop, loop.getRegionIterArgs()[number]);
  if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
    return given(extent, loop, loop.getConditionOp().getArgs()[number]);
  return given(extent, result.getOwner(), getSides(result));
}

// What a loop says to keep, and what it keeps, is what it began with.
Extent ExtentTracer::carried(const Extent &extent, Value init, Value yielded) {
  Extent first = traceAt(init, extent.dim);
  Operation *loop = cast<BlockArgument>(extent.value).getOwner()->getParentOp();
  if (extent.dim >= 0 && loop->hasAttr(kKeepsShapesAttr))
    return first;
  Key key{extent.value, extent.dim};
  assumed.try_emplace(key, first);
  bool isKept = traceAt(yielded, extent.dim) == first;
  assumed.erase(key);
  return isKept ? first : extent;
}

// What all values have that `op` may give, if it is known around the op.
Extent ExtentTracer::given(const Extent &extent, Operation *op, ValueRange values) {
  std::optional<Extent> common;
  for (Value value : values) {
    Extent one = traceAt(value, extent.dim);
    if ((common && !(*common == one)) || !isFromOutside(one, op))
      return extent;
    common = one;
  }
  return common.value_or(extent);
}
