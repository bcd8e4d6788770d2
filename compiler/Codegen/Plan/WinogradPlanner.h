// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions by fewer products: whether a value is one with its epilogue, and its plan.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_WINOGRADPLANNER_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_WINOGRADPLANNER_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// Tiles of a block along each dimension of `counts`, outermost first: of `most` tiles or so, whole inner dimensions
// first, and blocks of equal size; else multiples of `tile`, the rows of a register tile along each.
SmallVector<int64_t> chooseWinogradBlock(ArrayRef<Size> counts, ArrayRef<int64_t> tile, int64_t most);

// None where the value is something else.
std::optional<Nest> planWinograd(Value value, const NestAnalysis &analysis, const DenseSet<Operation *> &staged,
                                 const cpu::CpuFeatures &features);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_WINOGRADPLANNER_H
