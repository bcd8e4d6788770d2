// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes, warnings and errors of a context as `file:line:column: error: text` on standard error, like any compiler. What
// comes from no file is `error: text`, with the names of the model's nodes that it is about where they are known.
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
  explicit Messages(MLIRContext &context, llvm::raw_ostream &os = llvm::errs()) : handler(sources, &context, os) {}

private:
  class Handler : public SourceMgrDiagnosticHandler {
  public:
    Handler(llvm::SourceMgr &sources, MLIRContext *context, llvm::raw_ostream &os);

  private:
    void print(Diagnostic &diagnostic);
    void printOne(Location loc, const std::string &text, DiagnosticSeverity severity);
  };

  llvm::SourceMgr sources;
  Handler handler;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_MESSAGES_H
