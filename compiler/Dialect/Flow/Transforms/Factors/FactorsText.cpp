// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors as a test reads them.
#include "compiler/Dialect/Flow/Transforms/Factors.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::DimFactors;
using flow::Factor;
using flow::Factors;

static void print(llvm::raw_ostream &os, const Factor &factor) {
  static constexpr StringLiteral kKinds[] = {"parallel", "reduced", "whole"};
  os << kKinds[static_cast<size_t>(factor.kind)];
  if (factor.reduction)
    os << ' ' << flow::stringifyReduction(*factor.reduction);
  os << ' ';
  if (factor.extents.empty() || !factor.extents.front().attribute)
    os << '?';
  else if (std::optional<int64_t> size = factor.extents.front().getConstant())
    os << *size;
  else
    os << factor.extents.front().attribute;
  if (!factor.reason.empty())
    os << " (" << factor.reason << ')';
}

static void print(llvm::raw_ostream &os, ArrayRef<DimFactors> values) {
  os << '(';
  llvm::interleaveComma(values, os, [&](const DimFactors &dims) {
    os << '[';
    llvm::interleaveComma(dims, os, [&](ArrayRef<unsigned> dim) {
      os << '[';
      llvm::interleaveComma(dim, os);
      os << ']';
    });
    os << ']';
  });
  os << ')';
}

std::string Factors::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [number, factor] : llvm::enumerate(factors)) {
    os << (number ? ", " : "") << number << ' ';
    print(os, factor);
  }
  os << "; ";
  print(os, operands);
  os << " -> ";
  print(os, results);
  return text;
}
