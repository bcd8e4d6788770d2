// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs structured host programs from their text, against fake kernels (FakeKernels.h) on a simulated machine
// (ByteMachine.h): tests of schedules are data.
//
// A program brings its inputs along, a list of calls: `attributes {host.inputs = [[dense<[1, 2]> : tensor<2xi32>]]}`.
// Each call runs under several schedules; all must give the same. @__bind, if there is one, runs before. Of a program
// of many ranks each may have its own arguments: a call is then a list of lists, by rank.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_INTERPRETER_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_INTERPRETER_H

#include "compiler/Dialect/Host/Interpreter/RunOptions.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::host {

// Prints a line for each call: `main call 0: y = dense<[2, 4]> : tensor<2xi32>`, or what host.check said, and one with
// the memory it took. Failure, with a diagnostic: undefined behaviour, a deadlock, a leak, or schedules that disagree.
LogicalResult runPrograms(ModuleOp module, const RunOptions &options, raw_ostream &out);

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_INTERPRETER_H
