// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured control flow of FunctionFlattener: jumps, and moves of the values that cross a region's border.
#include "compiler/Stages/Package/FunctionFlattener.h"

using namespace mlir;
using namespace mlir::heddle;

SmallVector<FunctionFlattener::Register> FunctionFlattener::freshAll(ValueRange values) {
  SmallVector<Register> out;
  for (Value value : values)
    out.push_back(reg(value));
  return out;
}

// A region of one block, its yielded values moved to `results`.
LogicalResult FunctionFlattener::flattenBranch(Region &region, ArrayRef<Register> results) {
  if (region.empty())
    return success();
  Operation *terminator = region.front().getTerminator();
  if (failed(flattenBlock(region.front())))
    return failure();
  move(results, terminator->getOperands());
  return success();
}

LogicalResult FunctionFlattener::flattenIf(scf::IfOp op) {
  SmallVector<Register> results = freshAll(op.getResults());
  Label whenTrue = newLabel(), whenFalse = newLabel(), end = newLabel();
  emit(Opcode::BranchIf, {of(op.getCondition()), target(whenTrue), target(whenFalse)});
  place(whenTrue);
  if (failed(flattenBranch(op.getThenRegion(), results)))
    return failure();
  emit(Opcode::Branch, {target(end)});
  place(whenFalse);
  if (failed(flattenBranch(op.getElseRegion(), results)))
    return failure();
  place(end);
  return success();
}

LogicalResult FunctionFlattener::flattenSwitch(scf::IndexSwitchOp op) {
  SmallVector<Register> results = freshAll(op.getResults());
  Label end = newLabel();
  for (auto [value, region] : llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
    Label match = newLabel(), next = newLabel();
    Register isCase = fresh(IndexType::get(op.getContext()));
    emit(Opcode::CmpEq, {word(isCase), of(op.getArg()), constant(value)});
    emit(Opcode::BranchIf, {word(isCase), target(match), target(next)});
    place(match);
    if (failed(flattenBranch(region, results)))
      return failure();
    emit(Opcode::Branch, {target(end)});
    place(next);
  }
  if (failed(flattenBranch(op.getDefaultRegion(), results)))
    return failure();
  place(end);
  return success();
}

// Carried values, the body's arguments and the loop's results share registers.
LogicalResult FunctionFlattener::flattenFor(scf::ForOp op) {
  if (op.getUnsignedCmp())
    return op.emitOpError() << "compares without sign, which an artifact's loops do not";
  Register index = reg(op.getInductionVar());
  SmallVector<Register> carried = freshAll(op.getRegionIterArgs());
  for (auto [result, target] : llvm::zip_equal(op.getResults(), carried))
    registers[result] = target;
  Label head = newLabel(), body = newLabel(), end = newLabel();
  emit(Opcode::Move, {word(index), of(op.getLowerBound())});
  move(carried, op.getInitArgs());
  place(head);
  Register more = fresh(IndexType::get(op.getContext()));
  emit(Opcode::CmpLt, {word(more), word(index), of(op.getUpperBound())});
  emit(Opcode::BranchIf, {word(more), target(body), target(end)});
  place(body);
  if (failed(flattenBranch(op.getRegion(), carried)))
    return failure();
  emit(Opcode::Add, {word(index), word(index), of(op.getStep())});
  emit(Opcode::Branch, {target(head)});
  place(end);
  return success();
}

// What the condition hands on is both the body's argument and the loop's result.
LogicalResult FunctionFlattener::flattenWhile(scf::WhileOp op) {
  SmallVector<Register> carried = freshAll(op.getBeforeArguments()), passed = freshAll(op.getAfterArguments());
  for (auto [result, target] : llvm::zip_equal(op.getResults(), passed))
    registers[result] = target;
  Label head = newLabel(), body = newLabel(), end = newLabel();
  move(carried, op.getInits());
  place(head);
  scf::ConditionOp condition = op.getConditionOp();
  if (failed(flattenBlock(*op.getBeforeBody())))
    return failure();
  move(passed, condition.getArgs());
  emit(Opcode::BranchIf, {of(condition.getCondition()), target(body), target(end)});
  place(body);
  if (failed(flattenBranch(op.getAfter(), carried)))
    return failure();
  emit(Opcode::Branch, {target(head)});
  place(end);
  return success();
}
