// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the first op or dispatch of a stage that computes something else than the stage before did.
#ifndef HEDDLE_TOOLS_CHECK_LOCATE_H
#define HEDDLE_TOOLS_CHECK_LOCATE_H

#include "tools/check/Difference.h"

namespace mlir::heddle::check {

using reference::Step;

// The names a location mentions, innermost last: node names of the model, else "file:line:column".
SmallVector<std::string> namesOf(Location location);

// `@matmul_2 (node "MatMul_17")`, `linalg.exp (x.mlir:9:8)`.
std::string describe(const Step &step);

// The step of `bad` whose result is found at no step of `good` that stems from the same node. Steps without a
// counterpart (their node is gone, or nothing of that shape) are passed over. Null when every step agrees.
const Step *firstDifferent(ArrayRef<Step> bad, ArrayRef<Step> good, Bound bound);

} // namespace mlir::heddle::check

#endif // HEDDLE_TOOLS_CHECK_LOCATE_H
