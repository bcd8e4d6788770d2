// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Structure.h"
#include "compiler/Stages/Encode/Passes.h"
#include "compiler/Stages/Encode/Permutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_KEEPNARROW
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

static bool isNarrow(Type type) { return type.isF16() || type.isBF16(); }

// What an elementwise op widens as it is; null where the op does anything else.
static Value widened(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  auto widen = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
  return widen && widen.getIn() == op.getBlock()->getArgument(0) ? op.getDpsInputs()[0] : nullptr;
}

// The constant before it was widened, with the transposes and reshapes that follow; null where there is none.
static Value narrowConstant(OpBuilder &builder, Value value) {
  if (Value source = widened(value))
    return encode::isConstant(source) && isNarrow(getElementTypeOrSelf(source)) ? source : Value();
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<linalg::TransposeOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return nullptr;
  Value source = narrowConstant(builder, op->getOperand(0));
  if (!source)
    return nullptr;
  auto type = cast<RankedTensorType>(value.getType()).clone(getElementTypeOrSelf(source));
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    if (!type.hasStaticShape())
      return nullptr;
    Value empty = tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(), type.getElementType());
    return linalg::TransposeOp::create(builder, op->getLoc(), source, empty, transpose.getPermutation())->getResult(0);
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return tensor::ExpandShapeOp::create(builder, op->getLoc(), type, source, expand.getReassociationIndices());
  return tensor::CollapseShapeOp::create(builder, op->getLoc(), type, source,
                                         cast<tensor::CollapseShapeOp>(op).getReassociationIndices());
}

// The operand along which the columns of an f32 product run; null: none, or both.
static OpOperand *findColumns(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics() ||
      !getElementTypeOrSelf(op->getResult(0)).isF32() || Structure::of(op).arithmetic != Arithmetic::Float)
    return nullptr;
  std::optional<ProductSides> sides = findSides(op);
  return sides ? sides->columns : nullptr;
}

namespace {

struct KeepNarrow : mlir::heddle::impl::KeepNarrowBase<KeepNarrow> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> found;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (findColumns(op))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : found) {
      unsigned columns = findColumns(op)->getOperandNumber();
      rewriter.setInsertionPoint(op);
      Value narrow = narrowConstant(rewriter, op->getOperand(columns));
      if (!narrow)
        continue;
      FailureOr<linalg::GenericOp> generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!*generic)
        generic = linalg::generalizeNamedOp(rewriter, op);
      if (failed(generic)) {
        op->emitError("cannot be written as a linalg.generic");
        return signalPassFailure();
      }
      widenInside(rewriter, *generic, columns, narrow);
    }
  }

  static void widenInside(IRRewriter &rewriter, linalg::GenericOp op, unsigned operand, Value narrow) {
    BlockArgument argument = op.getBlock()->getArgument(operand);
    Type wide = argument.getType();
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(operand, narrow);
      argument.setType(getElementTypeOrSelf(narrow));
      rewriter.setInsertionPointToStart(op.getBlock());
      auto extend = arith::ExtFOp::create(rewriter, op.getLoc(), wide, argument);
      argument.replaceAllUsesExcept(extend, extend);
    });
  }
};

} // namespace
