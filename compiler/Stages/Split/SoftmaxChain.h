// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum of values weighted by a softmax of scores (attention), which can be computed in parts along what is summed:
//
//   scores = contraction(queries, keys)          and elementwise ops of it (scale, mask)
//   peak = max of rows;  power = exp(scores - peak);  sum = sum of rows of power
//   total = sum, or elementwise of sum and peak (sinks);  weights = power / total, rounded
//   result = contraction(weights, values)
//
// A part has a softmax of its own positions; parts are merged by what their peaks and sums tell.
#ifndef HEDDLE_COMPILER_STAGES_SPLIT_SOFTMAXCHAIN_H
#define HEDDLE_COMPILER_STAGES_SPLIT_SOFTMAXCHAIN_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::split {

struct SoftmaxChain {
  linalg::LinalgOp scores, peak, sum, product;
  linalg::GenericOp power, weights;
  OpOperand *total = nullptr; // of weights
  unsigned position = 0;      // dimension of the weights that is reduced
  AffineMap rows;             // from the weights' dimensions to those of peak, sum and total

  // The product's operand that is not the weights.
  OpOperand *getValues();
};

// The chain that ends with `product`; none where anything but its own ops reads the weights. Of ops in a region it is
// also none where what is computed there of positions cannot be cut along them; `region` is null before there are any.
std::optional<SoftmaxChain> matchSoftmaxChain(linalg::LinalgOp product, flow::RegionOp region);

// Whether the scores' columns are read for one row each, whose neighbours lie along what is reduced: code generation
// has no nest that computes such a chain in blocks of rows.
bool hasLoneRows(SoftmaxChain &chain);

} // namespace mlir::heddle::split

#endif // HEDDLE_COMPILER_STAGES_SPLIT_SOFTMAXCHAIN_H
