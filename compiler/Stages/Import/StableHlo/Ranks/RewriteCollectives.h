// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of a StableHLO program in the forms that Ops/Collectives.cpp lowers:
//
//   %a, %b = all_reduce(%x, %y)                    one op for each operand, in order
//   send(%x), then recv on the same channel        collective_permute, where recv stands
//   convert(remainder(divide(partition_id, 2), 4)) the coordinate along an axis of four, of which neighbours are two
//                                                  apart: how jax.lax.axis_index is printed
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_REWRITECOLLECTIVES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_REWRITECOLLECTIVES_H

#include "compiler/Stages/Import/StableHlo/Ranks/Ranks.h"

namespace mlir::heddle::hlo {

// On a partition_id of any integer type: the mesh and the axis whose coordinate it is.
inline constexpr llvm::StringLiteral kAxisAttr = "heddle.axis";

void rewriteCollectives(ModuleOp module, const Ranks &ranks);

// The n-th send between devices on a channel and the n-th recv on it, behind it in the same block, become a permutation
// by the pairs that send says; their tokens go. Others stay, and are refused by their names.
void joinSends(ModuleOp module);

// Whether the op is a collective or asks which rank this is.
bool tellsRanksApart(Operation *op);
bool hasCollectives(ModuleOp module);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_REWRITECOLLECTIVES_H
