// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A global program with manual computations, as jax.shard_map prints it, to the program of one rank.
//
//   func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
//     %r = "sdy.manual_computation"(%x) <{in_shardings = [{"x"}], out_shardings = [{"x"}], …}> ({
//     ^bb0(%p: tensor<4xf32>): … })
//   →  func @main(%p: tensor<4xf32> {heddle.sharding = #flow.sharding<@mesh, [["x"]]>}) -> (tensor<4xf32> {…}) { … }
//
// - The body of a manual computation stands in place of it, on this rank's parts.
// - An argument that all its readers cut alike, or that the program says is cut, comes as a part; a result of a manual
//   computation leaves as a part. `heddle.sharding` says so. Everything else is whole on each rank.
// - Between: a whole value is cut by this rank's coordinate, and the parts of a value that is read as a whole are
//   gathered. What is computed outside of manual computations every rank computes for itself.
// - Axes that a manual computation leaves alone are not used: ranks that differ in them compute the same.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_MANUALCOMPUTATION_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_MANUALCOMPUTATION_H

#include "compiler/Stages/Import/StableHlo/Ranks/Ranks.h"

namespace mlir::heddle::hlo {

// This rank's part of its operand: along dimension i the parts are as many as the axes `axes[i]` of `mesh` count, and
// this rank's is the one at its coordinates. Made here, lowered in Ops/Collectives.cpp.
inline constexpr llvm::StringLiteral kPartOp = "sdy.part_of_rank";

bool isManual(Operation *op);

// Puts functions with manual computations in place of the calls of them, and takes those that are not public away.
// Failure: a diagnostic at a call that does not fit, or where there are too many.
LogicalResult inlineManualCalls(ModuleOp module);

// Leaves no manual computation, no sdy.mesh and no annotation of a sharding. Failure: a diagnostic for each annotation
// that would need partitioning, at its place.
LogicalResult convertShardings(ModuleOp module, const Ranks &ranks);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_MANUALCOMPUTATION_H
