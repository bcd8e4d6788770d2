// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two contractions with rows between them, computed block by block: scores of a block of rows, what softmax makes of
// them, and their product with the values, without memory for all scores.
//
//   for each workgroup: one position of the outer dimensions x a block of rows
//     scores[block, :] = contraction             to scratch
//     weights[block, :] = row nest of the scores  to scratch
//     result[block, :] = contraction of weights, and its epilogue
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CHAINNEST_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CHAINNEST_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// The values a chain computes on its way.
struct ChainMatch {
  linalg::GenericOp scores;
  Value weights; // of rows of scores; an operand of `product`
  linalg::GenericOp product;
};

// Whether `value` is made of one contraction of whose operands one is computed from rows of another reduction.
std::optional<ChainMatch> matchChain(Value value, const NestAnalysis &analysis, const DenseSet<Operation *> &staged);

// The nest of `value` from those of the match's three values; none where they cannot be computed in blocks of rows.
std::optional<Nest> makeChain(const ChainMatch &match, Nest scores, Nest weights, Nest product,
                              const cpu::CpuFeatures &features);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CHAINNEST_H
