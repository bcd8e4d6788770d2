// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the reduction of a dispatch region in parts, and merges them in the op's place.
#ifndef HEDDLE_COMPILER_STAGES_SPLIT_SPLITREGION_H
#define HEDDLE_COMPILER_STAGES_SPLIT_SPLITREGION_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Stages/Split/PartCount.h"
#include "compiler/Stages/Split/Reduction.h"

namespace mlir::heddle::split {

// Sizes of a reduction in a region, as values before the region.
struct Shape {
  Problem problem;
  unsigned loop = 0;                 // that is cut
  SmallVector<OpFoldResult> results; // of each dimension of the result
};

// None where a size is computed in the region. `reduction` is one that findReduction gives.
std::optional<Shape> readShape(OpBuilder &before, flow::RegionOp region, const Reduction &reduction);
// The sizes of the result of any op; none as above.
std::optional<SmallVector<OpFoldResult>> readResultSizes(OpBuilder &before, flow::RegionOp region, linalg::LinalgOp op);

// A region of its own before `region` for `op` and what it is computed from; `region` uses its result.
flow::RegionOp peel(flow::RegionOp region, linalg::LinalgOp op, ArrayRef<OpFoldResult> sizes);

// Replaces the region, whose only reduction is `op`, by a region that computes `count` parts and one that merges them.
// `why` is the count in words.
void splitRegion(flow::RegionOp region, linalg::LinalgOp op, const Shape &shape, Value count, const std::string &why);

} // namespace mlir::heddle::split

#endif // HEDDLE_COMPILER_STAGES_SPLIT_SPLITREGION_H
