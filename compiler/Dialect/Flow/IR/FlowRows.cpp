// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowRows.h"

#include "compiler/Dialect/Syntax.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

SmallVector<OpFoldResult> RowsOp::getMixedSizes(unsigned i) {
  unsigned position = 0;
  for (Type earlier : TypeRange(getResultTypes()).take_front(i))
    position += cast<RankedTensorType>(earlier).getNumDynamicDims();
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : cast<RankedTensorType>(getResult(i).getType()).getShape())
    if (ShapedType::isDynamic(size))
      sizes.push_back(getResultDims()[position++]);
    else
      sizes.push_back(IntegerAttr::get(IndexType::get(getContext()), size));
  return sizes;
}

LogicalResult RowsOp::reifyResultShapes(OpBuilder &, ReifiedRankedShapedTypeDims &shapes) {
  for (unsigned i = 0; i < getNumResults(); ++i)
    shapes.push_back(getMixedSizes(i));
  return success();
}

LogicalResult RowsOp::verify() {
  int64_t dynamic = 0;
  for (Type type : getResultTypes())
    dynamic += cast<RankedTensorType>(type).getNumDynamicDims();
  if (dynamic != static_cast<int64_t>(getResultDims().size()))
    return emitOpError() << "needs one size for each dynamic dimension of its results: " << dynamic << ", got "
                         << getResultDims().size();
  Block &block = getBody().front();
  SmallVector<Type> expected{IndexType::get(getContext())};
  llvm::append_range(expected, getResultTypes());
  if (block.getArgumentTypes() != TypeRange(expected))
    return emitOpError() << "needs a body that takes the row and the results, got (" << block.getArgumentTypes() << ")";
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError() << "must end in a flow.yield of its result types";
  return success();
}

//===--- Versions ------------------------------------------------------------------------------------------------===//

// What becomes of a version at this use: it is only read, or it is handed on and replaced.
static bool replaces(OpOperand &use) {
  Operation *owner = use.getOwner();
  return isa<tensor::InsertOp, scf::ForOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, YieldOp>(owner);
}

// In a block a version is replaced by at most one op, and no op after that one uses it. A branch counts with what is in
// it and follows the same rule; a loop may not replace what it does not carry.
static LogicalResult verifyUses(Block &block, ArrayRef<OpOperand *> uses) {
  Operation *replacing = nullptr;
  llvm::MapVector<Operation *, SmallVector<OpOperand *>> branches;
  auto topOf = [&](OpOperand *use) { return block.findAncestorOpInBlock(*use->getOwner()); };
  for (OpOperand *use : uses) {
    Operation *owner = use->getOwner(), *top = topOf(use);
    if (isa<scf::IfOp>(top))
      branches[top].push_back(use);
    if (!replaces(*use)) {
      if (!isa<tensor::ExtractOp>(owner))
        return owner->emitOpError() << "may not use a result of flow.rows";
      continue;
    }
    if ((replacing && replacing != top) || (top != owner && !isa<scf::IfOp>(top)))
      return owner->emitOpError() << "replaces a result of flow.rows that is replaced elsewhere; carry it";
    replacing = top;
  }
  for (OpOperand *use : uses)
    if (Operation *top = topOf(use); replacing && top != use->getOwner() && top == replacing && !isa<scf::IfOp>(top))
      return use->getOwner()->emitOpError() << "uses a result of flow.rows that the loop around it carries";
    else if (replacing && replacing->isBeforeInBlock(top))
      return use->getOwner()->emitOpError() << "uses a result of flow.rows that was replaced before";
  for (auto &[top, inside] : branches)
    for (Region &region : top->getRegions()) {
      SmallVector<OpOperand *> here = llvm::filter_to_vector(
          inside, [&](OpOperand *use) { return region.isAncestor(use->getOwner()->getParentRegion()); });
      if (!here.empty() && failed(verifyUses(region.front(), here)))
        return failure();
    }
  return success();
}

static LogicalResult verifyVersion(Value version) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : version.getUses())
    uses.push_back(&use);
  return verifyUses(*version.getParentBlock(), uses);
}

//===--- Origins -------------------------------------------------------------------------------------------------===//

namespace {

// Follows each version to the result that it is a version of: what is written there must end as that result.
class Origins {
public:
  explicit Origins(RowsOp op) {
    for (auto [i, version] : llvm::enumerate(op.getVersions()))
      origins[version] = i;
  }

  LogicalResult verify(Block &block) {
    for (Operation &op : block)
      if (failed(verify(&op)))
        return failure();
    return success();
  }

private:
  // `to` continue what `from` are.
  LogicalResult follow(Operation *at, ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip_equal(from, to)) {
      if (!isa<TensorType>(target.getType()))
        continue;
      auto found = origins.find(source);
      if (found == origins.end())
        return at->emitOpError() << "hands on a tensor that is not a result of the flow.rows around it";
      origins[target] = found->second;
    }
    return success();
  }

  // `at` hands on `handed` where `expected` were.
  LogicalResult compare(Operation *at, ValueRange handed, ValueRange expected) {
    for (auto [a, b] : llvm::zip_equal(handed, expected)) {
      if (!isa<TensorType>(a.getType()))
        continue;
      auto found = origins.find(a);
      if (found == origins.end())
        return at->emitOpError() << "hands on a tensor that is not a result of the flow.rows around it";
      if (found->second != origins.lookup(b))
        return at->emitOpError() << "swaps results of flow.rows";
    }
    return success();
  }

  LogicalResult verify(Operation *op) {
    if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
      if (!origins.contains(insert.getDest()))
        return op->emitOpError() << "writes to a tensor that is not a result of the flow.rows around it";
      origins[insert.getResult()] = origins.lookup(insert.getDest());
      return success();
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(follow(op, loop.getInitArgs(), loop.getRegionIterArgs())) || failed(verify(*loop.getBody())) ||
          failed(compare(loop.getBody()->getTerminator(), loop.getYieldedValues(), loop.getInitArgs())))
        return failure();
      return follow(op, loop.getInitArgs(), loop.getResults());
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      scf::ConditionOp condition = loop.getConditionOp();
      if (failed(follow(op, loop.getInits(), loop.getBeforeArguments())) || failed(verify(*loop.getBeforeBody())) ||
          failed(follow(condition, condition.getArgs(), loop.getAfterArguments())) ||
          failed(verify(*loop.getAfterBody())) ||
          failed(compare(loop.getYieldOp(), loop.getYieldOp().getOperands(), loop.getInits())))
        return failure();
      return follow(condition, condition.getArgs(), loop.getResults());
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region &region : branch->getRegions())
        if (!region.empty() && failed(verify(region.front())))
          return failure();
      Operation *first = branch.thenBlock()->getTerminator();
      if (failed(follow(first, first->getOperands(), branch.getResults())))
        return failure();
      return branch.getElseRegion().empty()
                 ? success()
                 : compare(branch.elseBlock()->getTerminator(), branch.elseYield().getOperands(), branch.getResults());
    }
    if (auto yield = dyn_cast<YieldOp>(op))
      return compare(op, yield.getOperands(), op->getParentOfType<RowsOp>().getVersions());
    return success();
  }

  DenseMap<Value, unsigned> origins;
};

} // namespace

LogicalResult RowsOp::verifyRegions() {
  WalkResult walked = getBody().walk([&](Operation *op) -> WalkResult {
    for (Value result : op->getResults())
      if (isa<TensorType>(result.getType()) && failed(verifyVersion(result)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (isa<TensorType>(argument.getType()) && failed(verifyVersion(argument)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (Value version : getVersions())
    if (failed(verifyVersion(version)))
      return failure();
  return Origins(*this).verify(getBody().front());
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowRows.cpp.inc"
