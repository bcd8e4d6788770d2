// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CPUs as a registered target (compiler/Target/TargetRegistry.h): formats "elf-…", alias "local".
#ifndef HEDDLE_COMPILER_TARGET_CPU_BACKEND_CPUBACKEND_H
#define HEDDLE_COMPILER_TARGET_CPU_BACKEND_CPUBACKEND_H

namespace mlir::heddle::cpu {

// Once in a process; compiler/Pipelines/Registration.cpp does it.
void registerBackend();

} // namespace mlir::heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_BACKEND_CPUBACKEND_H
