// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executable targets of a module's devices, and the variants for them.
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_TARGETS_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_TARGETS_H

#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Target/TargetRegistry.h"

namespace mlir::heddle::codegen {

// On a kernel.program: made for a refinement of its executable's target (Target::getRefinements).
inline constexpr StringLiteral kRefinementAttr = "kernel.refinement";

// Each once, in the order of the devices.
inline SmallVector<device::ExecutableAttr> getExecutables(ModuleOp module) {
  return llvm::to_vector(device::DeviceQuery(module).getAllTargets());
}

// Those that an executable is compiled for: `all` of the module, or what `resolve` said.
inline SmallVector<device::ExecutableAttr> getExecutables(flow::ExecutableOp executable,
                                                          ArrayRef<device::ExecutableAttr> all) {
  ArrayAttr targets = executable.getTargetsAttr();
  return targets ? llvm::to_vector(targets.getAsRange<device::ExecutableAttr>())
                 : SmallVector<device::ExecutableAttr>(all);
}

// Null where there is none, or no registered target handles the format.
inline flow::VariantOp findVariant(flow::ExecutableOp executable, device::ExecutableAttr executableTarget) {
  const Target *target = findTarget(executableTarget.getFormat().getValue());
  return target ? executable.lookupSymbol<flow::VariantOp>(target->getVariantName(executableTarget)) : nullptr;
}

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_TARGETS_H
