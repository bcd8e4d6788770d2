// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CPUs as executable targets: what `--target-cpu=` names.
//
//   [ARCHITECTURE:]CPU[+FEATURE]…      x86-64-v3   host   aarch64:cortex-a72   riscv64:generic+v
//
// Without an architecture it is that of this machine. CPU is "host" (this machine: its name and features), "generic"
// (the architecture's baseline), or a name LLVM knows. A feature is one that an artifact may require
// (contract/CpuFeatures.h).
#ifndef HEDDLE_COMPILER_TARGET_CPU_CPUTARGET_H
#define HEDDLE_COMPILER_TARGET_CPU_CPUTARGET_H

#include "compiler/Target/CPU/CpuExecutable.h"

namespace mlir::heddle::cpu {

// "" when `spec` names a CPU, else why not, with a near name.
std::string explainUnknown(StringRef spec);

// The executable target `spec` names. Emits an error at `op` when it names none.
FailureOr<device::ExecutableAttr> getExecutable(Operation *op, StringRef spec);

// The target for people, much as it was asked for: "x86-64-v3", "aarch64:cortex-a72", "riscv64:generic+v". Features are
// named only where contract/CpuFeatures.h knows the processor and they go beyond it.
std::string spell(device::ExecutableAttr target);

} // namespace mlir::heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_CPUTARGET_H
