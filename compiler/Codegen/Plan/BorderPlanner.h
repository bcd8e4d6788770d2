// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding around a value that a kernel computes: the value's nest writes where the pad's result has it, and a nest of
// its own fills the border. Nothing is computed first and copied then.
//
//   %p = tensor.pad %conv low[1, 1, 0] high[1, 1, 0]     // the kernel's result
//
// `%conv`'s nest has the result's memory, from element [1, 1, 0] on, with the result's strides.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_BORDERPLANNER_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_BORDERPLANNER_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// The pad that `value` is, where its source is computed by a structured op and can lie within it: one value for the
// whole border, no negative amounts. Null otherwise.
tensor::PadOp matchBorder(Value value);

// The plan that fills the border of the pad's result.
BorderPlan planBorder(tensor::PadOp pad, const cpu::CpuFeatures &features);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_BORDERPLANNER_H
