// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How one value of a kernel is computed: the kind of its nest, the order of its dimensions, tiles and vectors.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_NESTPLANNER_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_NESTPLANNER_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// Fails, with a message, where `tile` cannot be. `apart`: dimensions of the value, Nest::apart; none where it is empty.
FailureOr<Nest> planNest(Value value, const NestAnalysis &analysis, const cpu::CpuFeatures &features,
                         const ContractionOverride &tile, llvm::SmallBitVector apart = {});

// None where only the call knows.
Size sizeOf(RankedTensorType type, int64_t dim);

// Of memory, at least 1.
int64_t elementBytes(Type type);

// How many elements the op reduces to one; none where only the call knows.
Size staticReduction(linalg::GenericOp op);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_NESTPLANNER_H
