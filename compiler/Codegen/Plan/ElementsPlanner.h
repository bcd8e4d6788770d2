// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a value without reductions is computed: which of its dimensions are one, and whether its elements are transposed.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_ELEMENTSPLANNER_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_ELEMENTSPLANNER_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// Dimensions before `base`, innermost first, whose sizes only the call knows, but which every operand walks alike:
// their rows are one. Not from one on that `isEnd`.
SmallVector<unsigned> joinOpenDims(const PlanCommon &nest, const NestAnalysis &analysis, unsigned base,
                                   function_ref<bool(unsigned)> isEnd);

// `nest` has its width. Vectors only where it is `vectorizable`.
Plan planElements(const PlanCommon &nest, const NestAnalysis &analysis, const cpu::CpuFeatures &features,
                  bool vectorizable);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_ELEMENTSPLANNER_H
