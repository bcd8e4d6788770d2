// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `heddle compile --expect=` says, as an attribute of an imported module.
#ifndef HEDDLE_COMPILER_PIPELINES_EXPECTEDSIZES_H
#define HEDDLE_COMPILER_PIPELINES_EXPECTEDSIZES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

// Each entry is a list NAME=SIZE,NAME=SIZE of free dimensions of the entry points' arguments; sizes are at least 1.
// They become `heddle.expect` (compiler/Dialect/Heddle/IR/Expect.h). Fails with a diagnostic on what is no such list,
// on a name that no argument has, and on a name that is given twice. Without entries the module stays as it is.
//
//   applyExpected(module, {"batch=1,seq=128"});
LogicalResult applyExpected(ModuleOp module, ArrayRef<std::string> entries);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_EXPECTEDSIZES_H
