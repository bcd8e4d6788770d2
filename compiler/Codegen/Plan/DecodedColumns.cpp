// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/DecodedColumns.h"

#include "compiler/Codegen/Plan/ContractionOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

namespace {

class Matcher {
public:
  Matcher(linalg::GenericOp op, unsigned lane) : op(op), lane(lane) {}

  std::optional<DecodedColumns> run() {
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    if (op.getNumDpsInits() != 1 || reductions.empty() || !readsBytes())
      return std::nullopt;
    sum = op.getRegionOutputArgs()[0];
    Value total = op.getBody()->getTerminator()->getOperand(0);
    if (!sum.getType().isF32())
      return std::nullopt;
    if (auto added = total.getDefiningOp<arith::AddFOp>(); added && added.getLhs() == sum)
      total = matchScale(added.getRhs(), reductions.back());
    if (!addTerms(total) || decoded.terms.empty())
      return std::nullopt;
    return std::move(decoded);
  }

private:
  enum Kind { Row = 1, Column = 2, Sum = 4 };

  bool readsBytes() {
    return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
      return getElementTypeOrSelf(operand->get().getType()).isInteger(8) &&
             dependsOn(op.getMatchingIndexingMap(operand), lane);
    });
  }

  int kindOf(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBody()) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      return op.isDpsInit(operand) ? Sum : dependsOn(op.getMatchingIndexingMap(operand), lane) ? Column : Row;
    }
    int kind = 0;
    if (Operation *inner = value.getDefiningOp(); inner && inner->getBlock() == op.getBody())
      for (Value operand : inner->getOperands())
        kind |= kindOf(operand);
    return kind;
  }

  // Of (…) * scale what is in parentheses, of all else the value itself.
  Value matchScale(Value value, unsigned innermost) {
    auto product = value.getDefiningOp<arith::MulFOp>();
    if (!product || kindOf(product.getRhs()) != Column || kindOf(product.getLhs()) != (Row | Column))
      return value;
    decoded.scale = product.getRhs();
    decoded.scaleOfBlocks = !varies(decoded.scale, innermost);
    return product.getLhs();
  }

  bool varies(Value value, unsigned loop) {
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBody())
      return dependsOn(op.getMatchingIndexingMap(op.getMatchingOpOperand(argument)), loop);
    Operation *inner = value.getDefiningOp();
    return inner && inner->getBlock() == op.getBody() &&
           llvm::any_of(inner->getOperands(), [&](Value operand) { return varies(operand, loop); });
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
    decoded.terms.push_back({product.getLhs(), product.getRhs()});
    return true;
  }

  linalg::GenericOp op;
  unsigned lane;
  Value sum;
  DecodedColumns decoded;
};

} // namespace

std::optional<DecodedColumns> mlir::heddle::codegen::matchDecodedColumns(linalg::GenericOp op, unsigned lane) {
  return Matcher(op, lane).run();
}
