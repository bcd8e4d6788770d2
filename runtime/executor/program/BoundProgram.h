// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bound program as JSON: what is left of an entry point when its devices are known. For `heddle inspect --bound`.
#ifndef HEDDLE_RUNTIME_EXECUTOR_PROGRAM_BOUNDPROGRAM_H
#define HEDDLE_RUNTIME_EXECUTOR_PROGRAM_BOUNDPROGRAM_H

#include "runtime/executor/program/Fold.h"
#include "runtime/executor/program/Program.h"

namespace heddle {

// A list of {"op", "operands", "name", "device", "binding"}: scalars that are known once the devices are known are
// folded away, branches on them taken, unreachable instructions dropped. `binding` is when the instruction's values are
// known: "compile", "bind", "call" or "data". `facts`: those with which the function was folded.
std::string boundProgramJson(const fb::Module &module, const FoldFacts &facts, const Function &function);

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_PROGRAM_BOUNDPROGRAM_H
