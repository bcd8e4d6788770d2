// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a sum of products multiplies: for who emits the product itself, and not only the sum.
//
//   sum + ext(a) * ext(b)   → factors {a, ext}, {b, ext}
#ifndef HEDDLE_COMPILER_ANALYSIS_PRODUCTFACTORS_H
#define HEDDLE_COMPILER_ANALYSIS_PRODUCTFACTORS_H

#include "compiler/Analysis/Structure.h"

#include <array>

namespace mlir::heddle {

// One of the two inputs whose elements are multiplied, as they are or after one conversion.
struct ProductFactor {
  OpOperand *operand;
  Operation *conversion; // null: as they are
};

// Both, in the order of the product, where the body adds just their product to what its result was; of another body
// none. `structure`: of an op as it is now.
std::optional<std::array<ProductFactor, 2>> factorsOf(const Structure &structure);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_ANALYSIS_PRODUCTFACTORS_H
