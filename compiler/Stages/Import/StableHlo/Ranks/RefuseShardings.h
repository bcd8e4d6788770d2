// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Annotations of shardings that would need a partitioner, which is not here: each is refused at its place, none is
// dropped. What says that every rank has all of a value goes.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_REFUSESHARDINGS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_REFUSESHARDINGS_H

#include "compiler/Stages/Import/StableHlo/Ranks/Ranks.h"

namespace mlir::heddle::hlo {

// What a diagnostic about such an annotation ends in.
inline constexpr llvm::StringLiteral kNotPartitioned =
    "; values are not partitioned by shardings here: cut them with jax.shard_map, or keep them whole on each rank";

// Reads a sharding of `rank` dimensions, without the axes that have one rank. Failure: a diagnostic of `report`, which
// begins one.
FailureOr<ShardingText> checkSharding(Attribute attribute, int64_t rank, const Ranks &ranks,
                                      llvm::function_ref<InFlightDiagnostic()> report);
LogicalResult checkSharding(ShardingText &sharding, int64_t rank, const Ranks &ranks,
                            llvm::function_ref<InFlightDiagnostic()> report);

// Of the ops of the module, but manual computations: constraints that say nothing go.
LogicalResult refuseShardings(ModuleOp module, const Ranks &ranks);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_REFUSESHARDINGS_H
