// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/RoundedProduct.h"

#include "compiler/Codegen/Plan/Panels.h"
#include "compiler/Dialect/Intent/IR/IntentOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

// Operands by the order that kRoundedAttr says; none where there are not as many.
static std::optional<RoundedProduct> findOperands(linalg::GenericOp op, double zero) {
  auto typeOf = [&](unsigned operand) { return getElementTypeOrSelf(op->getOperand(operand).getType()); };
  unsigned inputs = op.getNumDpsInputs(), next = 0;
  RoundedProduct product{};
  while (next < inputs && typeOf(next).isInteger(8))
    ++next;
  product.perByte = next;
  product.rowScales = next++;
  product.zero = zero;
  if (next < inputs && typeOf(next).isInteger(32))
    product.rowSums = next++;
  product.codes = next++;
  product.scales = next++;
  if (next < inputs)
    product.zeros = next++;
  bool isWhole = next == inputs && (product.perByte == 1 || product.perByte == 2) && typeOf(product.codes).isInteger(8);
  return isWhole ? std::optional(product) : std::nullopt;
}

std::optional<RoundedProduct> codegen::findRoundedProduct(linalg::GenericOp op, unsigned lane,
                                                          const cpu::CpuFeatures &features) {
  auto rounded = op->getAttrOfType<DictionaryAttr>(intent::kRoundedAttr);
  auto code = op->getAttrOfType<TypeAttr>(intent::kCodeAttr);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (!rounded || !code || reductions.empty())
    return std::nullopt;
  std::optional<RoundedProduct> product = findOperands(op, rounded.getAs<FloatAttr>("zero").getValueAsDouble());
  if (!product ||
      op.getStaticLoopRanges()[reductions.back()] * product->perByte != rounded.getAs<IntegerAttr>("block").getInt())
    return std::nullopt; // it is computed in parts
  product->isByte = code.getValue().getIntOrFloatBitWidth() > 4;
  Panels codes = panelsOf(op->getOpOperand(product->codes), lane);
  product->panel = codes.columns;
  int64_t width = features.vectorBytes / 4;
  auto isLaidOut = [&](unsigned operand) {
    Panels panels = panelsOf(op->getOpOperand(operand), lane);
    return panels.arePlain() && panels.columns == product->panel;
  };
  if (!codes.areGroups(RoundedProduct::kGroup, reductions.back()) ||
      codes.order.front() != getAffineDimExpr(lane, op.getContext()) || product->panel % width != 0 ||
      !isLaidOut(product->scales) || (product->zeros && !isLaidOut(*product->zeros)) ||
      !llvm::all_of(op.getDpsInputs(), [](Value input) { return isa<BlockArgument>(input); }))
    return std::nullopt;
  using Dots = RoundedProduct::Dots;
  if (features.mixedSignDots)
    product->dots = Dots::Mixed;
  else if (features.equalSignDots && (!product->isByte || product->rowSums > 0))
    product->dots = Dots::Signed;
  else if (features.dotsThroughWords)
    product->dots = Dots::Words;
  else
    return std::nullopt;
  return product;
}

// Instructions of a tile for a group of bytes, and for its share of a block's end.
static int64_t costOf(const RoundedProduct &product, int64_t rows, int64_t vectors) {
  constexpr int64_t kApart = 3, kEnd = 4, kGroupsOfBlock = 4, kLoop = 4;
  int64_t ofDot = product.dots == RoundedProduct::Dots::Words ? 3 : 1, sums = rows * vectors;
  return ofDot * product.parts() * sums + rows * product.perByte + kApart * vectors +
         (kEnd * sums + vectors) / kGroupsOfBlock + kLoop;
}

ContractionOverride codegen::configureRounded(const RoundedProduct &product, const ContractionShape &shape,
                                              const cpu::CpuFeatures &features) {
  constexpr int64_t kMostRows = 8, kMostVectors = 8, kManyRows = 840;
  int64_t width = features.vectorBytes / 4, inPanel = product.panel / width;
  int64_t wanted = shape.m.empty() ? 1 : std::max<int64_t>(shape.m.back().value_or(kManyRows), 1);
  int64_t needed = shape.n ? std::max<int64_t>(llvm::divideCeil(*shape.n, width), 1) : kMostVectors;
  ContractionOverride best;
  double bestCost = 0;
  for (int64_t vectors = 1; vectors <= std::min({kMostVectors, inPanel, needed}); vectors *= 2)
    for (int64_t rows = 1; rows <= std::min(kMostRows, wanted); ++rows) {
      int64_t apart = (rows == 1 ? 1 : vectors) * product.parts();
      if (inPanel % vectors != 0 || 2 * rows * vectors + apart + 2 > features.vectorRegisters)
        continue;
      int64_t left = wanted % rows, whole = wanted / rows * costOf(product, rows, vectors);
      double cost =
          static_cast<double>(whole + (left > 0 ? costOf(product, left, vectors) : 0)) / static_cast<double>(vectors);
      if (bestCost != 0 && cost >= bestCost)
        continue;
      bestCost = cost;
      best.tile.assign(shape.m.size(), 1);
      if (!best.tile.empty())
        best.tile.back() = rows;
      best.vectors = vectors;
    }
  return best;
}
