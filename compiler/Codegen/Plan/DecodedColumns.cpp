// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/DecodedColumns.h"

#include "compiler/Codegen/Plan/ContractionOperands.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

// Whether a value of the body differs from step to step of the loop.
static bool varies(linalg::GenericOp op, Value value, unsigned loop) {
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBody())
    return dependsOn(op.getMatchingOpOperand(argument), loop);
  Operation *inner = value.getDefiningOp();
  return inner && inner->getBlock() == op.getBody() &&
         llvm::any_of(inner->getOperands(), [&](Value operand) { return varies(op, operand, loop); });
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
static void addTables(linalg::GenericOp op, Value value, DecodedColumns &decoded) {
  Operation *inner = value.getDefiningOp();
  if (!inner || inner->getBlock() != op.getBody())
    return;
  Value half = value.getType().isF32() ? intent::halfOf(op, value) : Value();
  if (!half) {
    for (Value operand : inner->getOperands())
      addTables(op, operand, decoded);
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

// Whether `operand` is read `ahead` elements after the operand `first`, which goes on by `terms` with each step.
static bool isRun(linalg::GenericOp op, unsigned first, OpOperand &operand, int64_t ahead, int64_t terms,
                  unsigned innermost) {
  AffineMap from = op.getMatchingIndexingMap(&op->getOpOperand(first)), map = op.getMatchingIndexingMap(&operand);
  AffineExpr step = getAffineDimExpr(innermost, map.getContext());
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

// What DecodedColumns::run is.
static std::optional<unsigned> findRun(linalg::GenericOp op, const DecodedColumns &decoded, unsigned innermost) {
  std::optional<unsigned> first;
  for (auto [i, term] : llvm::enumerate(decoded.terms)) {
    auto argument = dyn_cast<BlockArgument>(term.row);
    if (!argument || argument.getOwner() != op.getBody())
      return std::nullopt;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!first)
      first = operand->getOperandNumber();
    if (operand->get() != op->getOperand(*first) || !isRun(op, *first, *operand, i, decoded.terms.size(), innermost))
      return std::nullopt;
  }
  return first;
}

std::optional<DecodedColumns> mlir::heddle::codegen::findDecodedColumns(linalg::GenericOp op, unsigned lane) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  std::optional<intent::ProductTerms> terms = intent::termsOf(op, lane);
  if (!terms || reductions.empty() || !op.getRegionOutputArgs()[0].getType().isF32())
    return std::nullopt;
  DecodedColumns decoded;
  static_cast<intent::ProductTerms &>(decoded) = std::move(*terms);
  decoded.scaleOfBlocks = decoded.scale && !varies(op, decoded.scale, reductions.back());
  for (const DecodedColumns::Term &term : decoded.terms)
    addTables(op, term.column, decoded);
  decoded.run = findRun(op, decoded, reductions.back());
  return decoded;
}
