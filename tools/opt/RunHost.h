// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `heddle-opt --run-host`: the host interpreter (compiler/Dialect/Host/Interpreter) as a pass.
#ifndef HEDDLE_TOOLS_OPT_RUNHOST_H
#define HEDDLE_TOOLS_OPT_RUNHOST_H

namespace mlir::heddle {

void registerRunHost();

} // namespace mlir::heddle

#endif // HEDDLE_TOOLS_OPT_RUNHOST_H
