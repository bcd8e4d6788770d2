// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A global program with manual computations, as jax.shard_map prints it, and shardings of values, as jax.jit does, to
// requests and borders that stage `partition` reads (docs/design/shardings.md).
//
//   func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
//     %r = "sdy.manual_computation"(%x) <{in_shardings = [{"x"}], out_shardings = [{"x"}], …}> ({
//     ^bb0(%p: tensor<4xf32>): … })
//   →  %p = flow.part %x as <@mesh, [["x"]]> : tensor<8xf32> -> tensor<4xf32>
//      …
//      %r = flow.whole %q as <@mesh, [["x"]]> : tensor<4xf32> -> tensor<8xf32>
//
// - The body of a manual computation stands in place of it, between borders. That of one in another one reads slices of
//   what this rank has, and its results are gathered.
// - An argument of which all readers take one part, and a returned value that comes as parts, are asked to be so at the
//   boundary.
// - Axes that a manual computation leaves alone are not used in it: ranks that differ in them compute the same.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_MANUALCOMPUTATION_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_MANUALCOMPUTATION_H

#include "compiler/Stages/Import/StableHlo/Ranks/ReadShardings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::hlo {

// Ops that are made here, each with `sharding`, a #flow.sharding: flow.part and flow.whole, and the slice that a rank
// takes of what it has. Lowered in Ops/Shardings.cpp.
inline constexpr llvm::StringLiteral kPartOp = "sdy.part_of_rank", kWholeOp = "sdy.whole_of_ranks",
                                     kSliceOp = "sdy.slice_of_rank";

// The part of a value on each rank; null if a dimension cannot be cut evenly.
RankedTensorType cutType(RankedTensorType whole, const ShardingText &sharding, const Ranks &ranks);

// kPartOp or kWholeOp.
Value createBorder(OpBuilder &b, bool isPart, Value value, flow::ShardingAttr sharding, Type type);

// Puts functions with ops of Shardy in place of the calls of them, and takes those that are not public away. Failure: a
// diagnostic at a call that does not fit, or where there are too many.
LogicalResult inlineShardyCalls(ModuleOp module);

// Leaves no manual computation, no sdy.mesh and no annotation of a sharding but those that Requests.h and kPartOp say.
// Failure: a diagnostic for each that is malformed or fits no mesh, at its place.
LogicalResult convertShardings(ModuleOp module, const Ranks &ranks);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_MANUALCOMPUTATION_H
