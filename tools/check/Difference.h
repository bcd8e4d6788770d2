// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What counts as a different result, and why that much.
#ifndef HEDDLE_TOOLS_CHECK_DIFFERENCE_H
#define HEDDLE_TOOLS_CHECK_DIFFERENCE_H

#include "compiler/Reference/Reference.h"

#include <optional>
#include <string>

namespace mlir::heddle::check {

using reference::Tensor;

// How far two floating-point results of the same computation may lie apart when sums are done in another order,
// products contracted and functions approximated to a few units in the last place. A sum of L products of magnitude m,
// so of a result about sqrt(L)·m, is off by at most L·u·(L·m) and in practice by sqrt(L)·u·(L·m) = L·u·|result|: the
// bound is kSafety·u·(kFunctions + L) times the largest finite element of the expected tensor. Independent ops add in
// quadrature. u is the unit roundoff of the coarsest floating-point type involved. Integers and booleans are compared
// exactly.
struct Bound {
  double relative = 0; // of the largest finite element
};

// Of the whole entry point or of one function. `largestDim` stands for reduced dimensions of unknown size.
Bound boundOf(Operation *root, int64_t largestDim);

struct Difference {
  int64_t element = -1; // flat; -1: type or shape differ
  std::string text;     // "at [3, 4]: 1.25 vs 1.5 (bound 1e-5)": got first
};

// None when they agree. NaN agrees with NaN, an infinity with itself.
std::optional<Difference> differenceOf(const Tensor &got, const Tensor &expected, Bound bound);

// "0.0012 at most and 0.00021 on average, of the largest element": of finite elements. "" where types or shapes differ
// or the elements are no floats.
std::string accuracyOf(const Tensor &got, const Tensor &expected);

// The largest size among the tensors' dimensions; at least 1.
int64_t largestDim(ArrayRef<Tensor> tensors);

} // namespace mlir::heddle::check

#endif // HEDDLE_TOOLS_CHECK_DIFFERENCE_H
