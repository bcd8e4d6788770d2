// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/Difference.h"

#include "tools/lib/Elements.h"
#include "tools/lib/Print.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;
using reference::ElementType;

static constexpr double kSafety = 4, kFunctions = 16;

static double unitRoundoff(Type type) {
  auto floating = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return floating ? std::ldexp(1.0, -static_cast<int>(floating.getFPMantissaWidth())) : 0;
}

static double reductionLength(linalg::LinalgOp op, int64_t largestDim) {
  double length = 1;
  for (auto [size, kind] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      length *= ShapedType::isDynamic(size) ? largestDim : size;
  return length;
}

Bound check::boundOf(Operation *root, int64_t largestDim) {
  double roundoff = 0, squares = 0;
  root->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (isa<RankedTensorType>(type))
        roundoff = std::max(roundoff, unitRoundoff(type));
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    double length = kFunctions + (linalgOp ? reductionLength(linalgOp, largestDim) : 0);
    if (linalgOp || isa<linalg::SoftmaxOp>(op))
      squares += length * length;
  });
  return {kSafety * roundoff * std::max(kFunctions, std::sqrt(squares))};
}

std::string check::accuracyOf(const Tensor &got, const Tensor &expected) {
  if (got.type != expected.type || got.shape != expected.shape || !::heddle::tools::isFloatType(got.type))
    return "";
  double scale = 0, most = 0, sum = 0;
  int64_t finite = 0;
  for (int64_t i = 0, count = got.count(); i < count; ++i) {
    double g = got.asDouble(i), e = expected.asDouble(i);
    if (!std::isfinite(g) || !std::isfinite(e))
      continue;
    scale = std::max(scale, std::fabs(e));
    most = std::max(most, std::fabs(g - e));
    sum += std::fabs(g - e);
    ++finite;
  }
  double divisor = scale > 0 ? scale : 1;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2g at most and %.2g on average, of the largest element",
                                                 most / divisor, finite > 0 ? sum / finite / divisor : 0);
  return text;
}

int64_t check::largestDim(ArrayRef<Tensor> tensors) {
  int64_t largest = 1;
  for (const Tensor &tensor : tensors)
    for (int64_t size : tensor.shape)
      largest = std::max(largest, size);
  return largest;
}

static std::string element(const Tensor &tensor, int64_t i) {
  return ::heddle::tools::formatElement(tensor.type, tensor.data + i * ::heddle::contract::byteSize(tensor.type));
}

static std::optional<Difference> exactDifference(const Tensor &got, const Tensor &expected) {
  size_t size = ::heddle::contract::byteSize(got.type);
  for (int64_t i = 0, count = got.count(); i < count; ++i)
    if (StringRef(got.data + i * size, size) != StringRef(expected.data + i * size, size))
      return Difference{i, "at " + ::heddle::tools::formatIndex(i, {got.shape.data(), got.shape.size()}) + ": " +
                               element(got, i) + " vs " + element(expected, i)};
  return std::nullopt;
}

std::optional<Difference> check::differenceOf(const Tensor &got, const Tensor &expected, Bound bound) {
  if (got.type != expected.type || got.shape != expected.shape)
    return Difference{-1, "is " + spell(got) + ", expected " + spell(expected)};
  if (!::heddle::tools::isFloatType(got.type))
    return exactDifference(got, expected);
  double scale = 0;
  int64_t count = got.count();
  for (int64_t i = 0; i < count; ++i)
    if (double value = std::fabs(expected.asDouble(i)); std::isfinite(value))
      scale = std::max(scale, value);
  double allowed = bound.relative * scale;
  for (int64_t i = 0; i < count; ++i) {
    double g = got.asDouble(i), e = expected.asDouble(i);
    if (g == e || (std::isnan(g) && std::isnan(e)) || std::fabs(g - e) <= allowed)
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << "at " << ::heddle::tools::formatIndex(i, {got.shape.data(), got.shape.size()})
                                   << ": " << element(got, i) << " vs " << element(expected, i) << " (bound "
                                   << llvm::format("%.1e", allowed) << ')';
    return Difference{i, text};
  }
  return std::nullopt;
}
