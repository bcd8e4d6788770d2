// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Codegen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_MOVEASINTEGERS
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

// The integer type of the same bits; null where the type is not of bf16.
static Type toInteger(Type type) {
  if (!getElementTypeOrSelf(type).isBF16())
    return {};
  Type integer = IntegerType::get(type.getContext(), 16);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(integer)) : integer;
}

// Ops that hand on bits and compute nothing of them.
static bool onlyMoves(Operation *op) {
  return isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::masked_gather,
             LLVM::masked_scatter, LLVM::SelectOp, LLVM::ShuffleVectorOp, LLVM::InsertElementOp,
             LLVM::ExtractElementOp>(op);
}

//===--- Types that nothing computes with -------------------------------------------------------------------------===//

// Ops that hand on values of a type and know nothing of it.
static bool carries(Operation *op) {
  return onlyMoves(op) || isa<BranchOpInterface>(op) ||
         isa<LLVM::BitcastOp, LLVM::ConstantOp, LLVM::UndefOp, LLVM::PoisonOp, LLVM::ZeroOp, LLVM::FreezeOp,
             LLVM::vector_insert, LLVM::vector_extract, LLVM::vector_interleave2>(op);
}

static bool isOf(Type type, Type element) { return getElementTypeOrSelf(type) == element; }

// Whether an op of the function has a say in values of `element`: a conversion, arithmetic, a call.
static bool computesWith(LLVM::LLVMFuncOp function, Type element) {
  auto is = [&](Type type) { return isOf(type, element); };
  return llvm::any_of(function.getArgumentTypes(), is) || is(function.getFunctionType().getReturnType()) ||
         function
             .walk([&](Operation *op) {
               bool meets = llvm::any_of(op->getOperandTypes(), is) || llvm::any_of(op->getResultTypes(), is);
               return meets && !carries(op) ? WalkResult::interrupt() : WalkResult::advance();
             })
             .wasInterrupted();
}

static Attribute asIntegers(Attribute value, Type integer) {
  if (auto real = dyn_cast<FloatAttr>(value))
    return IntegerAttr::get(integer, real.getValue().bitcastToAPInt());
  return cast<DenseElementsAttr>(value).bitcast(integer);
}

// All values of `element` become integers, and bitcasts between both nothing.
static void retype(LLVM::LLVMFuncOp function, Type element) {
  Type integer = IntegerType::get(function.getContext(), 16);
  auto changed = [&](Value value) {
    if (!isOf(value.getType(), element))
      return false;
    auto vector = dyn_cast<VectorType>(value.getType());
    value.setType(vector ? Type(vector.clone(integer)) : integer);
    return true;
  };
  SmallVector<LLVM::BitcastOp> casts;
  function.walk<WalkOrder::PreOrder>([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      changed(argument);
    for (Operation &op : *block) {
      for (OpResult result : op.getResults())
        if (auto constant = dyn_cast<LLVM::ConstantOp>(op); changed(result) && constant)
          constant.setValueAttr(asIntegers(constant.getValue(), integer));
      if (auto cast = dyn_cast<LLVM::BitcastOp>(op))
        casts.push_back(cast);
    }
  });
  for (LLVM::BitcastOp cast : casts)
    if (cast.getArg().getType() == cast.getType()) {
      cast.replaceAllUsesWith(cast.getArg());
      cast.erase();
    }
}

//===--- Types that something computes with
//------------------------------------------------------------------------===//

static Value toBits(OpBuilder &builder, Value value) {
  return LLVM::BitcastOp::create(builder, value.getLoc(), toInteger(value.getType()), value);
}

static void moveBits(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    if (toInteger(operand.get().getType()))
      operand.set(toBits(builder, operand.get()));
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    Type real = result.getType(), integer = toInteger(real);
    if (!integer)
      continue;
    result.setType(integer);
    Value back = LLVM::BitcastOp::create(builder, op->getLoc(), real, result);
    result.replaceAllUsesExcept(back, back.getDefiningOp());
  }
}

// What a branch hands to a block.
static void passBits(Block &block, BlockArgument argument) {
  Type real = argument.getType(), integer = toInteger(real);
  for (auto it = block.pred_begin(); it != block.pred_end(); ++it) {
    auto branch = cast<BranchOpInterface>((*it)->getTerminator());
    OpBuilder builder(branch);
    unsigned index = argument.getArgNumber();
    SuccessorOperands operands = branch.getSuccessorOperands(it.getSuccessorIndex());
    operands.slice(index, 1).assign(toBits(builder, operands[index]));
  }
  argument.setType(integer);
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Value back = LLVM::BitcastOp::create(builder, argument.getLoc(), real, argument);
  argument.replaceAllUsesExcept(back, back.getDefiningOp());
}

// What a block computes and another one uses.
static void carryBits(Value value) {
  SmallVector<OpOperand *> elsewhere;
  for (OpOperand &use : value.getUses())
    if (use.getOwner()->getBlock() != value.getParentBlock())
      elsewhere.push_back(&use);
  if (elsewhere.empty())
    return;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Value bits = toBits(builder, value);
  for (OpOperand *use : elsewhere) {
    builder.setInsertionPoint(use->getOwner());
    use->set(LLVM::BitcastOp::create(builder, value.getLoc(), value.getType(), bits));
  }
}

namespace {

struct MoveAsIntegers : mlir::heddle::impl::MoveAsIntegersBase<MoveAsIntegers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      for (Type element : {Type(BFloat16Type::get(&getContext())), Type(Float16Type::get(&getContext()))})
        if (!function.isExternal() && !computesWith(function, element))
          retype(function, element);
    SmallVector<Operation *> moves;
    getOperation().walk([&](Operation *op) {
      if (onlyMoves(op))
        moves.push_back(op);
    });
    for (Operation *op : moves)
      moveBits(op);
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal())
        leaveBlocks(function);
  }

  static void leaveBlocks(LLVM::LLVMFuncOp function) {
    for (Block &block : llvm::drop_begin(function.getBody()))
      for (BlockArgument argument : block.getArguments())
        if (toInteger(argument.getType()))
          passBits(block, argument);
    SmallVector<Value> values;
    function.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (toInteger(result.getType()))
          values.push_back(result);
    });
    for (Value value : values)
      carryBits(value);
  }
};

} // namespace
