// CPUs as executable targets: what `--target-cpu=` names.
#ifndef HEDDLE_COMPILER_TARGET_CPU_CPUTARGET_H
#define HEDDLE_COMPILER_TARGET_CPU_CPUTARGET_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

namespace mlir::heddle::cpu {

// The executable target of a processor of this machine's architecture: "host" asks the machine for its name and
// features; any other name must be one LLVM knows ("x86-64-v3", "znver4", …). Emits an error at `op` that lists near
// names.
FailureOr<device::ExecutableAttr> getExecutable(Operation *op, StringRef cpu);

} // namespace mlir::heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_CPUTARGET_H
