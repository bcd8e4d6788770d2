// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/TraceThrough.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;

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

flow::Extent mlir::heddle::traceThrough(Value tensor, int64_t dim) {
  flow::Extent extent = flow::traceExtent(tensor, dim);
  if (!extent.value || extent.dim < 0)
    return extent;
  if (auto argument = dyn_cast<BlockArgument>(extent.value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    bool isKept = loop && loop->hasAttr(kKeepsShapesAttr) && argument != loop.getInductionVar();
    return isKept ? traceThrough(loop.getTiedLoopInit(argument)->get(), extent.dim) : extent;
  }
  auto result = cast<OpResult>(extent.value);
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()); loop && loop->hasAttr(kKeepsShapesAttr))
    return traceThrough(loop.getInitArgs()[result.getResultNumber()], extent.dim);
  std::optional<flow::Extent> common;
  for (Value side : getSides(result)) {
    flow::Extent given = traceThrough(side, extent.dim);
    if (common && !(*common == given))
      return extent;
    common = given;
  }
  return common.value_or(extent);
}
