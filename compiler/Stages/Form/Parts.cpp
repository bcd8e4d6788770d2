// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/Parts.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Stages/Form/Fusion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::heddle;

// Whether the value is there before `place`, or can be: index arithmetic and sizes of what is there.
static bool canPrecede(Value value, Operation *place, unsigned depth = 0) {
  constexpr unsigned kDeepest = 64;
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != place->getBlock() || def->isBeforeInBlock(place))
    return true;
  bool isMovable = isa<arith::ArithDialect>(def->getDialect()) || isa<tensor::DimOp, tensor::EmptyOp>(def);
  return depth < kDeepest && isMovable && isPure(def) && def != place &&
         llvm::all_of(def->getOperands(), [&](Value operand) { return canPrecede(operand, place, depth + 1); });
}

static void movePreceding(Value value, Operation *place) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != place->getBlock() || def->isBeforeInBlock(place))
    return;
  for (Value operand : def->getOperands())
    movePreceding(operand, place);
  def->moveBefore(place);
}

// What the place is computed of: offsets, sizes, and the tensor that is written.
static SmallVector<Value> listPlace(tensor::InsertSliceOp op) {
  SmallVector<Value> values{flow::findMemory(op)};
  llvm::append_range(values, op.getOffsets());
  llvm::append_range(values, op.getSizes());
  return values;
}

// What the op reads of the memory that it would write: nothing may be both.
static bool reads(Operation *maker, Value memory) {
  SmallVector<Value> read(maker->getOperands());
  if (auto region = dyn_cast<flow::RegionOp>(maker))
    llvm::append_range(read, fusion::getCaptures(region));
  return llvm::any_of(read, [&](Value value) {
    auto before = value.getDefiningOp<tensor::InsertSliceOp>();
    return value == memory || (before && flow::findMemory(before) == memory);
  });
}

bool parts::isPlaceable(tensor::InsertSliceOp op, Operation *maker) {
  std::optional<flow::InsertedValue> inserted = flow::findInserted(op);
  if (!maker || maker->getBlock() != op->getBlock() || !inserted || inserted->value.getDefiningOp() != maker ||
      reads(maker, flow::findMemory(op)))
    return false;
  return llvm::all_of(listPlace(op), [&](Value value) { return canPrecede(value, maker); });
}

void parts::hoistPlace(tensor::InsertSliceOp op, Operation *maker) {
  for (Value value : listPlace(op))
    movePreceding(value, maker);
}
