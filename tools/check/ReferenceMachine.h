// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a host program (the output of stage `schedule`) op by op against the values the reference computed: a dispatch
// must find its operands' exact bytes in its bindings, and gets the reference's results written into the others. So a
// wrong view, size, order, or memory plan shows at the first dispatch that reads a wrong byte, whatever kernels do.
//
// A machine of the host interpreter (compiler/Dialect/Host/Interpreter) whose streams run in the order of the program;
// what VerifyHost proves of them is not tested here.
#ifndef HEDDLE_TOOLS_CHECK_REFERENCEMACHINE_H
#define HEDDLE_TOOLS_CHECK_REFERENCEMACHINE_H

#include "tools/check/Locate.h"

#include "compiler/Dialect/Host/IR/HostOps.h"

namespace mlir::heddle::check {

struct HostFault {
  std::string text;           // what went wrong, "" if nothing
  const Step *step = nullptr; // at which dispatch, if at one
};

// `steps` are the entry point's dispatches in the order they ran, with the same inputs. `symbols` of the function are
// bound from the inputs' shapes. Fills `results` as far as it gets.
HostFault runHost(host::FuncOp program, ArrayRef<Step> steps, ArrayRef<Tensor> inputs, std::vector<Tensor> &results);

// The same on all ranks, by rank: a fault is the first one that is no echo of another rank's, with that rank.
HostFault runHostRanks(host::FuncOp program, ArrayRef<std::vector<Step>> steps, ArrayRef<std::vector<Tensor>> inputs,
                       std::vector<std::vector<Tensor>> &results);

} // namespace mlir::heddle::check

#endif // HEDDLE_TOOLS_CHECK_REFERENCEMACHINE_H
