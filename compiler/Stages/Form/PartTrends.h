// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How index arithmetic in a loop's body changes with the loop's numbers, whatever its bounds are.
#ifndef HEDDLE_COMPILER_STAGES_FORM_PARTTRENDS_H
#define HEDDLE_COMPILER_STAGES_FORM_PARTTRENDS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace mlir::heddle::parts {

// For each dimension of the loop, whether the longest part is at its end: all sizes of slices grow with it, or stay.
// None where sizes grow and shrink, or it cannot be told.
std::optional<SmallVector<bool>> findLongestByTrend(scf::ForallOp loop);

// Whether each dimension of the loop moves what is written along a dimension of its own, by at least its size.
bool areApartByTrend(scf::ForallOp loop);

// Fails with a diagnostic where a dimension of the loop has no say in where a result is written.
LogicalResult refuseEqualPlaces(scf::ForallOp loop);

} // namespace mlir::heddle::parts

#endif // HEDDLE_COMPILER_STAGES_FORM_PARTTRENDS_H
