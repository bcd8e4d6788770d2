// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/PaddedReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

static TypedAttr paddingOf(tensor::PadOp pad) {
  Value padding = pad.getConstantPaddingValue();
  TypedAttr constant;
  return padding && matchPattern(padding, m_Constant(&constant)) ? constant : TypedAttr();
}

static std::optional<SmallVector<int64_t>> numbersOf(ArrayRef<OpFoldResult> amounts) {
  SmallVector<int64_t> numbers;
  for (OpFoldResult amount : amounts) {
    std::optional<int64_t> number = getConstantIntValue(amount);
    if (!number || *number < 0)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<PaddedRead> mlir::heddle::findPaddedRead(const flow::Factors &factors, unsigned operand, Value value) {
  auto pad = value.getDefiningOp<tensor::PadOp>();
  TypedAttr padding = pad ? paddingOf(pad) : TypedAttr();
  if (!padding)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> low = numbersOf(pad.getMixedLowPad()), high = numbersOf(pad.getMixedHighPad());
  if (!low || !high)
    return std::nullopt;
  PaddedRead read{pad, std::move(*low), std::move(*high), padding};
  bool isReached = false;
  for (auto [dim, walked] : llvm::enumerate(factors.operands[operand])) {
    if (!read.isPadded(dim))
      continue;
    if (!walked.empty())
      return std::nullopt;
    isReached |= factors.reaches[operand][dim].has_value();
  }
  return isReached ? std::optional(std::move(read)) : std::nullopt;
}

bool mlir::heddle::isReadThrough(tensor::PadOp pad) {
  return !pad->use_empty() && llvm::all_of(pad->getUses(), [&](OpOperand &use) {
    std::optional<flow::Factors> factors = flow::findFactors(use.getOwner());
    return factors && findPaddedRead(*factors, use.getOperandNumber(), pad.getResult());
  });
}

Value mlir::heddle::padAround(OpBuilder &builder, Location loc, const PaddedRead &read, Value source,
                              llvm::function_ref<std::optional<LocalPadding>(int64_t)> paddingOf) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> low(type.getRank(), builder.getIndexAttr(0)), high = low;
  SmallVector<int64_t> shape(type.getShape());
  bool isPadded = false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    std::optional<LocalPadding> padding = read.isPadded(dim) ? paddingOf(dim) : std::nullopt;
    if (!padding)
      continue;
    isPadded = true;
    low[dim] = padding->low;
    high[dim] = padding->high;
    std::optional<int64_t> front = getConstantIntValue(low[dim]), back = getConstantIntValue(high[dim]);
    bool isKnown = front && back && !ShapedType::isDynamic(shape[dim]);
    shape[dim] = isKnown ? shape[dim] + *front + *back : padding->size.value_or(ShapedType::kDynamic);
  }
  if (!isPadded)
    return source;
  Value padding = arith::ConstantOp::create(builder, loc, read.padding);
  return tensor::PadOp::create(builder, loc, RankedTensorType::get(shape, type.getElementType()), source, low, high,
                               padding);
}
