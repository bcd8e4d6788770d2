// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two contractions with rows between them, as in attention: whether a value is such a chain, and its plan.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_CHAINPLANNER_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_CHAINPLANNER_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// The values a chain computes on its way.
struct ChainMatch {
  linalg::GenericOp scores;
  Value weights; // of rows of scores; an operand of `product`
  linalg::GenericOp product;
};

// The operand of the one contraction that `value` is made of whose elements need functions or reductions, each for
// several rows of a column; null where there is none, or more than one.
Value findWeights(Value value, const NestAnalysis &analysis, const DenseSet<Operation *> &staged);

// Whether `value` is made of one contraction of whose operands one is computed from rows of another reduction.
std::optional<ChainMatch> matchChain(Value value, const NestAnalysis &analysis, const DenseSet<Operation *> &staged);

// The nest of `value` from those of the match's three values; none where they cannot be computed in blocks of rows.
std::optional<Nest> makeChain(const ChainMatch &match, Nest scores, Nest weights, Nest product,
                              const cpu::CpuFeatures &features);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_CHAINPLANNER_H
