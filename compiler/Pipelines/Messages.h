// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes, warnings and errors of a context as `file:line:column: error: text` on standard error, like any compiler. What
// comes from no file is `error: text`, with the names of the model's nodes that it is about where they are known.
//
//   MLIRContext context(registry);
//   Messages messages(context);
//
// An error that begins with a flag's name, "--mesh: …", says that the command line is wrong: refusesFlag().
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
  explicit Messages(MLIRContext &context, llvm::raw_ostream &os = llvm::errs())
      : shown(os), handler(sources, &context, shown) {}
  // The first error was one of a flag.
  bool refusesFlag() const { return handler.refusesFlag; }

private:
  // Passes on whole lines, as they may be shown.
  class Shown : public llvm::raw_ostream {
  public:
    explicit Shown(llvm::raw_ostream &to) : raw_ostream(/*unbuffered=*/true), to(to) {}
    ~Shown() override { pass(line.size()); }

  private:
    void write_impl(const char *text, size_t size) override {
      line.append(text, size);
      pass(line.rfind('\n') + 1);
    }
    uint64_t current_pos() const override { return to.tell() + line.size(); }
    void pass(size_t bytes) {
      to << ::heddle::contract::showText({line.data(), bytes});
      line.erase(0, bytes);
    }
    llvm::raw_ostream &to;
    std::string line;
  };
  class Handler : public SourceMgrDiagnosticHandler {
  public:
    Handler(llvm::SourceMgr &sources, MLIRContext *context, llvm::raw_ostream &os);
    bool refusesFlag = false;

  private:
    void print(Diagnostic &diagnostic);
    void printOne(Location loc, const std::string &text, DiagnosticSeverity severity);
    bool anyError = false;
  };

  Shown shown;
  llvm::SourceMgr sources;
  Handler handler;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_MESSAGES_H
