// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operands of a contraction by dot products can be used from where they lie.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_DOTROWS_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_DOTROWS_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// The operand is memory, not computed.
bool isInMemory(linalg::GenericOp op, unsigned operand);

// Neighbours along the loop are neighbours in the operand's memory, and nothing else of it moves with the loop.
bool isRunAlong(linalg::GenericOp op, unsigned operand, unsigned loop);

// Whether rows must go to scratch before they are used: widened, shifted, padded to whole groups or computed. `nest`
// is `integer`; of the rest its step and dimensions are asked.
bool mustPackRows(const ContractionPlan &nest);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_DOTROWS_H
