// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the results of a reduction are made of those of its parts.
#ifndef HEDDLE_COMPILER_STAGES_SPLIT_COMBINATION_H
#define HEDDLE_COMPILER_STAGES_SPLIT_COMBINATION_H

#include "compiler/Dialect/Flow/Transforms/Parts.h"

namespace mlir::heddle::split {

// One element wins over the results so far, or none of it does (a maximum with its position): only where it is greater
// (or less), so that of equal ones the first is kept, and a NaN never wins. Parts begin with what the op begins with.
struct Choice {
  Operation *comparison; // of an element and a result so far
  unsigned compared;     // that result
  bool elementIsLeft;    // of the comparison's operands
  bool elementIsTrue;    // of all choices' operands
};

struct Combination {
  SmallVector<flow::Combiner> each; // of each result by itself, whose parts begin with its neutral element; or
  std::optional<Choice> choice;     // all results at once
};

// Else the reason why parts of the op cannot be merged.
std::variant<Combination, std::string> findCombination(linalg::LinalgOp op);

// Each of `inits`, combined with the parts along the first dimension of its `parts` in their order.
SmallVector<Value> mergeParts(OpBuilder &builder, Location loc, const Combination &combination, ValueRange parts,
                              ValueRange inits);

} // namespace mlir::heddle::split

#endif // HEDDLE_COMPILER_STAGES_SPLIT_COMBINATION_H
