// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes, warnings and errors of a context as `file:line:column: error: text` on standard error, like any compiler.
//
//   MLIRContext context(registry);
//   Messages messages(context);
//
// Lives on one thread and no longer than its context.
#ifndef HEDDLE_COMPILER_PIPELINES_MESSAGES_H
#define HEDDLE_COMPILER_PIPELINES_MESSAGES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::heddle {

class Messages {
public:
  explicit Messages(MLIRContext &context) : handler(sources, &context, llvm::errs()) {}

private:
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_MESSAGES_H
