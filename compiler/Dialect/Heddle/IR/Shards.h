// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes by which ranks-propagate tells ranks-partition how ranks share the values of a whole program
// (docs/design/shardings.md). Nobody else writes or reads them, and none is left behind ranks-partition.
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SHARDS_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SHARDS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::heddle {

// On a function: it is about whole values, also where no op says so (any more). ranks-partition takes it away.
inline constexpr llvm::StringLiteral kWholeProgramAttr = "heddle.whole_program";
// On a flow.shard: by dimension a priority (array<i64>); what has a lower number is propagated first, 0 without it.
inline constexpr llvm::StringLiteral kShardPrioritiesAttr = "heddle.shard_priorities";
// On a flow.shard: which way shardings go through it, "forward" to its readers, "backward" to its operand, or "none";
// both ways without it.
inline constexpr llvm::StringLiteral kShardDirectionAttr = "heddle.shard_direction";
// On a tensor op: a #flow.sharding whose dimensions are the op's factors (flow/Analysis/Factors.h), in their order.
// Without it every rank computes all of the op. With partial sums: those of the operands that the next attribute lists,
// and of the result besides its own.
inline constexpr llvm::StringLiteral kShardLoopsAttr = "heddle.shard_loops";
// Beside it: numbers of the operands that are read as partial sums (array<i64>), which the op is linear in.
inline constexpr llvm::StringLiteral kShardPartialAttr = "heddle.shard_partial";
// Beside heddle.shard_loops: numbers of the operands (array<i64>, captured tensors behind the op's own) that are read
// whole where cut loops need a part only, which ranks would exchange: somebody else reads them whole.
inline constexpr llvm::StringLiteral kShardWholeAttr = "heddle.shard_whole";
// On an scf op with results: an array with a #flow.sharding for each result, or a unit for what is no tensor or is
// whole on every rank. Of an scf.for also what it carries; of an scf.while also what its condition hands on.
inline constexpr llvm::StringLiteral kShardCarriedAttr = "heddle.shard_carried";
// On an scf.while: the same for what goes into its condition.
inline constexpr llvm::StringLiteral kShardCarriedInAttr = "heddle.shard_carried_in";
// On an argument or result of a whole program's entry point: #flow.sharding, what was decided for it. Not to be taken
// for `heddle.sharding`, which says that the type is already that of a part.
inline constexpr llvm::StringLiteral kShardValueAttr = "heddle.shard_value";

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SHARDS_H
