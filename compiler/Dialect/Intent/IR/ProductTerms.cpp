// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Intent/IR/ProductTerms.h"

#include "compiler/Dialect/Intent/IR/IntentOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::intent;

namespace {

class Reader {
public:
  Reader(linalg::GenericOp op, unsigned columns) : op(op), columns(columns), sum(op.getRegionOutputArgs()[0]) {}

  std::optional<ProductTerms> run() {
    Value total = op.getBody()->getTerminator()->getOperand(0);
    if (auto added = total.getDefiningOp<arith::AddFOp>(); added && added.getLhs() == sum)
      total = takeScale(added.getRhs());
    if (!addTerms(total) || found.terms.empty())
      return std::nullopt;
    return std::move(found);
  }

private:
  enum Kind { Row = 1, Column = 2, Sum = 4 };

  int kindOf(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBody()) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      return op.isDpsInit(operand) ? Sum : op.getMatchingIndexingMap(operand).isFunctionOfDim(columns) ? Column : Row;
    }
    int kind = 0;
    if (Operation *inner = value.getDefiningOp(); inner && inner->getBlock() == op.getBody())
      for (Value operand : inner->getOperands())
        kind |= kindOf(operand);
    return kind;
  }

  // Of (…) * scale what is in parentheses, of all else the value itself.
  Value takeScale(Value value) {
    auto product = value.getDefiningOp<arith::MulFOp>();
    if (!product || kindOf(product.getRhs()) != Column || kindOf(product.getLhs()) != (Row | Column))
      return value;
    found.scale = product.getRhs();
    return product.getLhs();
  }

  // Sums of products of a row's and a column's value, from the first on.
  bool addTerms(Value value) {
    if (value == sum)
      return true;
    if (auto added = value.getDefiningOp<arith::AddFOp>())
      return addTerms(added.getLhs()) && addTerms(added.getRhs());
    auto product = value.getDefiningOp<arith::MulFOp>();
    if (!product || kindOf(product.getLhs()) != Row || kindOf(product.getRhs()) != Column)
      return false;
    found.terms.push_back({product.getLhs(), product.getRhs()});
    return true;
  }

  linalg::GenericOp op;
  unsigned columns;
  Value sum;
  ProductTerms found;
};

} // namespace

std::optional<ProductTerms> intent::termsOf(linalg::GenericOp op, unsigned columns) {
  if (!op->hasAttr(kCodeAttr) || op->hasAttr(kRoundedAttr) || op.getNumDpsInits() != 1)
    return std::nullopt;
  return Reader(op, columns).run();
}

// Whether it is the lower or upper half of a byte, in 32 bits.
static bool isHalf(Value half) {
  Operation *inner = half.getDefiningOp();
  APInt constant;
  if (!isa_and_present<arith::AndIOp, arith::ShRUIOp>(inner) || !half.getType().isInteger(32) ||
      !matchPattern(inner->getOperand(1), m_ConstantInt(&constant)))
    return false;
  auto word = inner->getOperand(0).getDefiningOp<arith::ExtUIOp>();
  return word && word.getIn().getType().isInteger(8) && constant == (isa<arith::ShRUIOp>(inner) ? 4 : 15);
}

Value intent::halfOf(linalg::GenericOp op, Value value) {
  if (isHalf(value))
    return value;
  Operation *inner = value.getDefiningOp();
  if (!inner || inner->getBlock() != op.getBody() || inner->getNumOperands() == 0)
    return nullptr;
  Value half;
  for (Value operand : inner->getOperands()) {
    if (matchPattern(operand, m_Constant()))
      continue;
    Value found = halfOf(op, operand);
    if (!found || (half && half != found))
      return nullptr;
    half = found;
  }
  return half;
}
