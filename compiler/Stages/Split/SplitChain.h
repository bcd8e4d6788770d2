// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes attention in parts along its positions, and merges them.
#ifndef HEDDLE_COMPILER_STAGES_SPLIT_SPLITCHAIN_H
#define HEDDLE_COMPILER_STAGES_SPLIT_SPLITCHAIN_H

#include "compiler/Stages/Split/SoftmaxChain.h"
#include "compiler/Stages/Split/SplitRegion.h"

namespace mlir::heddle::split {

// Sizes of a chain's rows and of what it computes of positions, as values before the region.
struct ChainShape {
  Shape product;
  llvm::DenseMap<Operation *, SmallVector<OpFoldResult>> sizes; // of the result of each linalg op of the region
};

// None where a size is computed in the region.
std::optional<ChainShape> readChainShape(OpBuilder &before, flow::RegionOp region, SoftmaxChain &chain);

// Replaces the region, which holds `chain` and what follows it, by a region that computes `count` parts and one that
// merges them. `why` is the count in words. Each part gives, for each row, the greatest of its scores (at least the
// least finite number), the sum of its powers and the values weighted by its own softmax:
//
//   m = max peaks[p];  s[p] = exp(peaks[p] - m);  l = sum sums[p] * s[p]
//   result = (sum results[p] * max(sums[p], least) * s[p]) / total(l, m)
//
// A part without a key that is seen has a sum of 0 and adds nothing; where no part has one, the result is what the
// whole gives: of a sum that begins with 0 not a number.
void splitChain(flow::RegionOp region, SoftmaxChain &chain, const ChainShape &shape, Value count,
                const std::string &why);

} // namespace mlir::heddle::split

#endif // HEDDLE_COMPILER_STAGES_SPLIT_SPLITCHAIN_H
