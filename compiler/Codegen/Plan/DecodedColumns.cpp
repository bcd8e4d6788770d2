// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/DecodedColumns.h"

#include "compiler/Codegen/Plan/ContractionOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

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
    for (const DecodedColumns::Term &term : decoded.terms)
      addTables(term.column);
    decoded.run = findRun(reductions.back());
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

  // What DecodedColumns::run is.
  std::optional<unsigned> findRun(unsigned innermost) {
    std::optional<unsigned> first;
    for (auto [i, term] : llvm::enumerate(decoded.terms)) {
      auto argument = dyn_cast<BlockArgument>(term.row);
      if (!argument || argument.getOwner() != op.getBody())
        return std::nullopt;
      OpOperand *operand = op.getMatchingOpOperand(argument);
      if (!first)
        first = operand->getOperandNumber();
      if (operand->get() != op->getOperand(*first) || !isRun(*first, *operand, i, innermost))
        return std::nullopt;
    }
    return first;
  }

  // Whether `operand` is read `ahead` elements after the operand `first`, which goes on by the number of terms.
  bool isRun(unsigned first, OpOperand &operand, int64_t ahead, unsigned innermost) {
    AffineMap from = op.getMatchingIndexingMap(&op->getOpOperand(first)), map = op.getMatchingIndexingMap(&operand);
    AffineExpr step = getAffineDimExpr(innermost, map.getContext());
    int64_t terms = decoded.terms.size();
    auto difference = [&](AffineExpr a, AffineExpr b) {
      auto constant = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(a - b, map.getNumDims(), map.getNumSymbols()));
      return constant ? std::optional(constant.getValue()) : std::nullopt;
    };
    if (map.getNumResults() == 0)
      return false;
    for (auto [i, index, before] : llvm::enumerate(map.getResults(), from.getResults())) {
      bool isLast = i + 1 == map.getNumResults();
      if (!index.isPureAffine() || difference(index, before) != (isLast ? ahead : 0) ||
          difference(index.replace(step, step + 1), index) != (isLast ? terms : 0))
        return false;
    }
    return true;
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

  // The one half of a byte that the value depends on, null if there is none or more.
  Value findHalf(Value value) {
    if (isHalf(value))
      return value;
    Operation *inner = value.getDefiningOp();
    if (!inner || inner->getBlock() != op.getBody() || inner->getNumOperands() == 0)
      return nullptr;
    Value half;
    for (Value operand : inner->getOperands()) {
      if (matchPattern(operand, m_Constant()))
        continue;
      Value found = findHalf(operand);
      if (!found || (half && half != found))
        return nullptr;
      half = found;
    }
    return half;
  }

  // The value where `half` is `number`; null where it cannot be computed.
  static Attribute evaluate(Value value, Value half, int64_t number) {
    Attribute constant;
    if (value == half)
      return IntegerAttr::get(value.getType(), number);
    if (matchPattern(value, m_Constant(&constant)))
      return constant;
    Operation *inner = value.getDefiningOp();
    SmallVector<Attribute> operands;
    for (Value operand : inner->getOperands())
      if (operands.push_back(evaluate(operand, half, number)); !operands.back())
        return nullptr;
    SmallVector<OpFoldResult> results;
    if (failed(inner->fold(operands, results)) || results.size() != 1)
      return nullptr;
    if (auto folded = dyn_cast<Attribute>(results.front()))
      return folded;
    for (auto [operand, known] : llvm::zip_equal(inner->getOperands(), operands))
      if (operand == cast<Value>(results.front()))
        return known;
    return nullptr;
  }

  // Of the largest parts of a column's value that have one.
  void addTables(Value value) {
    Operation *inner = value.getDefiningOp();
    if (!inner || inner->getBlock() != op.getBody())
      return;
    Value half = value.getType().isF32() ? findHalf(value) : Value();
    if (!half) {
      for (Value operand : inner->getOperands())
        addTables(operand);
      return;
    }
    DecodedColumns::Table table{value, half, {}};
    for (int64_t i = 0; i < 16; ++i) {
      auto entry = dyn_cast_if_present<FloatAttr>(evaluate(value, half, i));
      if (!entry)
        return;
      table.entries[i] = entry.getValue().convertToFloat();
    }
    decoded.tables.push_back(table);
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
