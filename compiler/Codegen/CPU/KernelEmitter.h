// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits a kernel: from a function on tensors to loops over a range of workgroups.
//
// Each result of the function is a *nest*: loops over the result's elements, cut into workgroups. What a result needs
// is computed where it is needed (ElementEmitter) unless the plan gives it memory or registers.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_KERNELEMITTER_H
#define HEDDLE_COMPILER_CODEGEN_CPU_KERNELEMITTER_H

#include "compiler/Codegen/Link/SharedObject.h"
#include "compiler/Codegen/Plan/Configure.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::codegen {

// What was emitted.
struct KernelReport {
  std::string nests;                     // a line for each: what it is and how it is computed
  Unrolled unrolled = Unrolled::Nothing; // of all nests together
};

// Emits `@kernel`, `@workgroups` and `@scratch` before `source`, whose results all are tensors. Fails with a diagnostic
// at the op concerned. `tile`: of all its contractions, where something is set.
LogicalResult emitKernel(func::FuncOp source, const cpu::CpuFeatures &features, const ContractionOverride &tile,
                         KernelReport &report);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_KERNELEMITTER_H
