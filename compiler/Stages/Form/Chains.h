// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains: a contraction of rows that are computed from another contraction, which share a dispatch so that what lies
// between them needs no memory. Attention is one, and so is anything of its structure:
//
//   scores = contraction(queries, keys)
//   weights = elementwise ops and reductions of rows of scores (scale, mask, softmax)
//   result = contraction(weights, values), and its epilogue
//
// Code generation computes a block of rows of all three at a time (compiler/Codegen/Plan/ChainPlanner.h); what is asked
// here is what it needs for that.
#ifndef HEDDLE_COMPILER_STAGES_FORM_CHAINS_H
#define HEDDLE_COMPILER_STAGES_FORM_CHAINS_H

#include "mlir/IR/Operation.h"

namespace mlir::heddle::fusion {

// Whether the producer joins the consumer as part of a chain: rows that read scores and give weights join the
// contraction that reads these, then scores join both. Nothing outside reads the producer, which is not asked here.
bool isPartOfChain(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer);

} // namespace mlir::heddle::fusion

#endif // HEDDLE_COMPILER_STAGES_FORM_CHAINS_H
