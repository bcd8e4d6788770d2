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

namespace {

struct MoveAsIntegers : heddle::impl::MoveAsIntegersBase<MoveAsIntegers> {
  void runOnOperation() override {
    SmallVector<Operation *> moves;
    getOperation().walk([&](Operation *op) {
      if (onlyMoves(op))
        moves.push_back(op);
    });
    for (Operation *op : moves)
      rewrite(op);
  }

  static void rewrite(Operation *op) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (Type integer = toInteger(operand.get().getType()))
        operand.set(LLVM::BitcastOp::create(builder, op->getLoc(), integer, operand.get()));
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
};

} // namespace
