// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Updates.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/State.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

// Memory that the call may write: state that it gives a new value, or what the caller donates.
static bool isWritableArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  if (!func || !func.isPublic())
    return false;
  Attribute state = func.getArgAttr(argument.getArgNumber(), kStateAttr);
  auto isStored = [&](unsigned result) { return func.getResultAttr(result, kStateAttr) == state; };
  return state ? llvm::any_of(llvm::seq(func.getNumResults()), isStored)
               : func.getArgAttr(argument.getArgNumber(), kDonatedAttr) != nullptr;
}

bool flow::isArgumentUpdate(tensor::InsertSliceOp op) {
  for (unsigned depth = 0; depth < 1000; ++depth) {
    if (!op.getDest().hasOneUse() || !op.hasUnitStride())
      return false;
    if (isWritableArgument(op.getDest()))
      return isa<func::FuncOp>(op->getParentOp());
    op = op.getDest().getDefiningOp<tensor::InsertSliceOp>();
    if (!op)
      return false;
  }
  return false;
}

bool flow::isUpdate(tensor::InsertSliceOp op) { return isRowUpdate(op) || isArgumentUpdate(op) || isPartOfLoop(op); }

// Nothing but its size is read by another op.
static bool isReadByOne(Value value) {
  return llvm::count_if(value.getUsers(), [](Operation *user) { return !isa<tensor::DimOp>(user); }) == 1;
}

static bool replacesCarried(tensor::InsertSliceOp op) {
  auto carried = dyn_cast<BlockArgument>(op.getDest());
  auto loop = carried ? dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || carried == loop.getInductionVar() || !carried.hasOneUse() || !op->hasOneUse())
    return false;
  OpOperand &use = *op.getResult().use_begin();
  return use.getOwner() == loop.getBody()->getTerminator() && use.getOperandNumber() + 1 == carried.getArgNumber();
}

// A branch hands on a tensor of free size in memory that is the block's own.
static bool replacesChosen(tensor::InsertSliceOp op) {
  auto branch = op.getDest().getDefiningOp<scf::IfOp>();
  return branch && branch->getBlock() == op->getBlock() && !op.getDestType().hasStaticShape() &&
         isReadByOne(op.getDest());
}

bool flow::isRowUpdate(tensor::InsertSliceOp op) {
  if (!replacesCarried(op) && !replacesChosen(op))
    return false;
  // Whole rows: only the first dimension is cut.
  for (int64_t d = 1; d < op.getDestType().getRank(); ++d)
    if (!isConstantIntValue(op.getMixedOffsets()[d], 0) || op.getStaticSizes()[d] != op.getDestType().getDimSize(d))
      return false;
  return op.getDestType().getRank() > 0 && op.hasUnitStride();
}

bool flow::isPartOfLoop(tensor::InsertSliceOp op) {
  return op.hasUnitStride() && op->getParentOp()->hasAttr(kStreamsAttr) && replacesCarried(op);
}

bool flow::startsStreamLoop(tensor::EmptyOp op) {
  if (!op->hasOneUse())
    return false;
  auto loop = dyn_cast<scf::ForOp>(*op->user_begin());
  return loop && loop->hasAttr(kStreamsAttr) && loop->getBlock() == op->getBlock();
}
