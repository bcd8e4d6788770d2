// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a CPU's executable target says: the name LLVM gives the processor level, and the features beyond it, as LLVM
// spells them.
//
//   #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = "+fma,-sse4a"}>
#ifndef HEDDLE_COMPILER_TARGET_CPU_CPUEXECUTABLE_H
#define HEDDLE_COMPILER_TARGET_CPU_CPUEXECUTABLE_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

namespace mlir::heddle::cpu {

device::ExecutableAttr makeExecutable(MLIRContext *context, StringRef format, StringRef cpu, StringRef features);
// "" where it says nothing.
StringRef getCpu(device::ExecutableAttr target);
StringRef getFeatureList(device::ExecutableAttr target);

} // namespace mlir::heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_CPUEXECUTABLE_H
