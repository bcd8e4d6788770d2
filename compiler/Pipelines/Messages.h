// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes, warnings and errors of a context as `file:line:column: error: text` on standard error, like any compiler.
//
//   MLIRContext context(registry);
//   Messages messages(context);
//
// Names of the model are shown, not obeyed (contract/Text.h). Lives on one thread and no longer than its context.
#ifndef HEDDLE_COMPILER_PIPELINES_MESSAGES_H
#define HEDDLE_COMPILER_PIPELINES_MESSAGES_H

#include "heddle/contract/Text.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::heddle {

class Messages {
public:
  explicit Messages(MLIRContext &context) : handler(sources, &context, shown) {}

private:
  // Passes on whole lines, as they may be shown.
  class Shown : public llvm::raw_ostream {
  public:
    Shown() : raw_ostream(/*unbuffered=*/true) {}
    ~Shown() override { pass(line.size()); }

  private:
    void write_impl(const char *text, size_t size) override {
      line.append(text, size);
      pass(line.rfind('\n') + 1);
    }
    uint64_t current_pos() const override { return llvm::errs().tell() + line.size(); }
    void pass(size_t bytes) {
      llvm::errs() << ::heddle::contract::showText({line.data(), bytes});
      line.erase(0, bytes);
    }
    std::string line;
  };
  Shown shown;
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_MESSAGES_H
