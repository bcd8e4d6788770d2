// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A structured op whose reduction can be computed in parts.
#ifndef HEDDLE_COMPILER_STAGES_SPLIT_REDUCTION_H
#define HEDDLE_COMPILER_STAGES_SPLIT_REDUCTION_H

#include "compiler/Dialect/Heddle/IR/SplitRequest.h"
#include "compiler/Stages/Split/Combination.h"

namespace mlir::heddle::split {

struct Reduction {
  linalg::LinalgOp op;
  unsigned loop; // that is cut
  Combination combination;
};

// The reduction of `op`, cut along the loop that is asked for, else along its longest one, the outermost of equal ones.
// Or the reason why there is none.
std::variant<Reduction, std::string> findReduction(linalg::LinalgOp op, std::optional<unsigned> asked = std::nullopt);

// Whether the op sums products, like a matrix product or a convolution: code generation computes its results in blocks,
// and data tiling lays constant operands out.
bool isProduct(linalg::LinalgOp op);
// How many results one workgroup computes.
int64_t countTogether(linalg::LinalgOp op);

// Whether the strategies `default` and `reproducible` may split the op: "" or the reason why not. The number of parts,
// which may be one, is decided later. `strictFloat`: sums and products of floats keep their order.
std::string refuseByDefault(linalg::LinalgOp op, bool strictFloat);
// "", or the reason where the op can be split, but not under --strict-float.
std::string refuseStrictly(const Reduction &reduction);
// Whether the op says that it stays whole: one part (`heddle.split`), whatever it reduces.
bool isKeptWhole(linalg::LinalgOp op);
// What an error begins with where what is asked for cannot be had: "has heddle.split, but cannot be split: ", or who
// asks.
std::string refusalOf(const SplitRequest &request);
// Whether the reduction is long enough for a reader to ask why it is not split.
bool isCandidate(linalg::LinalgOp op);

} // namespace mlir::heddle::split

#endif // HEDDLE_COMPILER_STAGES_SPLIT_REDUCTION_H
