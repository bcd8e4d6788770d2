// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Factors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// The body of a structured op as a formula of its operands' elements: whether it is a sum of multiples of those of a
// set, which grows by what is added to them.
class LinearBody {
public:
  LinearBody(linalg::LinalgOp op, unsigned operand) : op(op), body(op.getBlock()), set(op->getNumOperands()) {
    set.set(operand);
  }

  bool run() {
    bool grew = true;
    for (bool holds = true; grew;) {
      grew = false;
      holds = walk(grew);
      if (!holds && !grew)
        return false;
    }
    return isLinear(body->getTerminator()->getOperand(0)) && isOfTensors();
  }

  SmallVector<unsigned> operands() const { return llvm::to_vector_of<unsigned>(set.set_bits()); }

private:
  // One walk over the body; false: it is no such sum, or the set grew.
  bool walk(bool &grew) {
    linear.clear();
    for (BlockArgument argument : body->getArguments())
      if (set.test(argument.getArgNumber()))
        linear.insert(argument);
    for (Operation &inner : body->without_terminator()) {
      std::optional<bool> is = classify(&inner, grew);
      if (!is)
        return false;
      if (*is)
        linear.insert(inner.getResult(0));
    }
    return true;
  }

  // Whether the op's result is a sum of multiples; none: neither that nor without any of the set.
  std::optional<bool> classify(Operation *inner, bool &grew) {
    unsigned count = llvm::count_if(inner->getOperands(), [&](Value value) { return isLinear(value); });
    bool nested = false;
    inner->walk([&](Operation *deep) {
      nested |= deep != inner && llvm::any_of(deep->getOperands(), [&](Value value) { return isLinear(value); });
    });
    if (count == 0)
      return nested ? std::nullopt : std::optional(false);
    if (isa<arith::AddFOp, arith::SubFOp, arith::AddIOp, arith::SubIOp>(inner)) {
      if (count == 2)
        return true;
      Value other = inner->getOperand(isLinear(inner->getOperand(0)) ? 1 : 0);
      auto argument = dyn_cast<BlockArgument>(other);
      if (argument && argument.getOwner() == body && !set.test(argument.getArgNumber())) {
        set.set(argument.getArgNumber());
        grew = true;
      }
      return std::nullopt;
    }
    if (isa<arith::MulFOp, arith::MulIOp>(inner))
      return count == 1 ? std::optional(true) : std::nullopt;
    if (isa<arith::NegFOp, arith::ExtFOp>(inner))
      return true;
    llvm::APFloat divisor(0.0);
    bool isQuotient = isa<arith::DivFOp>(inner) && isLinear(inner->getOperand(0)) && count == 1 &&
                      matchPattern(inner->getOperand(1), m_ConstantFloat(&divisor)) && divisor.isFiniteNonZero();
    return isQuotient ? std::optional(true) : std::nullopt;
  }

  bool isLinear(Value value) const { return linear.contains(value); }
  bool isOfTensors() const {
    return llvm::all_of(set.set_bits(),
                        [&](unsigned number) { return isa<RankedTensorType>(op->getOperand(number).getType()); });
  }

  linalg::LinalgOp op;
  Block *body;
  llvm::SmallBitVector set; // operands by number
  llvm::DenseSet<Value> linear;
};

} // namespace

SmallVector<unsigned> flow::linearWith(Operation *op, unsigned operand) {
  if (operand >= op->getNumOperands() || op->getNumResults() != 1 || !op->getResult(0).getType() ||
      !isa<RankedTensorType>(op->getOperand(operand).getType()))
    return {};
  // Of the results' type, so that nothing is rounded on the way.
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::CastOp>(op))
    return operand == 0 ? SmallVector<unsigned>{0} : SmallVector<unsigned>();
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || op->getNumRegions() != 1 || !structured.getBlock() ||
      structured.getBlock()->getTerminator()->getNumOperands() != 1)
    return {};
  LinearBody body(structured, operand);
  return body.run() ? body.operands() : SmallVector<unsigned>();
}
