// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison of a result with what was expected.
#ifndef HEDDLE_TOOLS_LIB_COMPARE_H
#define HEDDLE_TOOLS_LIB_COMPARE_H

#include "tools/lib/HostTensor.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::tools {

// |got - expected| <= atol + rtol * |expected|. NaN equals NaN, infinities only themselves.
struct Tolerance {
  double atol = 0;
  double rtol = 0;
};

// What is used without --atol and --rtol: integers exactly; f32 and f64 1e-5 + 1e-4·|e|, f16 1e-3 + 1e-2·|e|,
// bf16 1e-2 + 5e-2·|e| (each some ten to hundred roundings of the type: what reassociated sums differ by).
Tolerance defaultTolerance(ElementType type);

struct Comparison {
  int64_t different = 0; // elements outside the tolerance
  int64_t first = -1;    // flat index of the first of them
  int64_t worst = -1;    // flat index of the largest absolute error, different or not; -1: all errors are 0
  double worstError = 0; // of it; infinity when one side is NaN or infinite and the other is not
};

// Of two tensors of the same type and sizes.
Comparison compare(TensorView got, TensorView expected, Tolerance tolerance);

// The text of a difference, or nothing when they agree: types and sizes first, then the values ("3 of 6 elements
// differ; first at [0, 2]: got 3, expected 4; worst at …").
std::optional<std::string> describeDifference(TensorView got, TensorView expected, Tolerance tolerance);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_COMPARE_H
