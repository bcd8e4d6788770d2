// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The artifact's compile report.
#ifndef HEDDLE_COMPILER_STAGES_PACKAGE_REPORT_H
#define HEDDLE_COMPILER_STAGES_PACKAGE_REPORT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::heddle {

// The JSON object `report` with `host` added: for each op of each entry point, in program order,
// `{"function", "op", "name", "device", "binding"}`. `name` is the executable, parameter or model node; `device` is
// absent where an op has none. Null-like input is an error: `report` must be a JSON object.
FailureOr<std::string> buildReport(ModuleOp module, StringRef report);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_PACKAGE_REPORT_H
