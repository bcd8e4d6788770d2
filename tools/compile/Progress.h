// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a compilation is, as a line that is written over: "compiling: kernels, 12 of 62". For a terminal.
//
//   Progress progress(context, llvm::errs());
//   … compileModel(…)                             // the context tells of each pass that starts
//   progress.interrupt([&] { os << "note: …"; }); // what others write takes the line's place
//
// The context's one action handler is its own as long as it lives. Passes run on many threads; the methods may be
// called on any.
#ifndef HEDDLE_TOOLS_COMPILE_PROGRESS_H
#define HEDDLE_TOOLS_COMPILE_PROGRESS_H

#include "compiler/Pipelines/Stages.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <mutex>
#include <string>

namespace heddle::tools {

// The descriptor of the terminal that a program shows its progress on: standard error, where that is a terminal, or the
// one whose number $HEDDLE_PROGRESS has, for programs that read our standard error and have a terminal themselves, as
// Python does. -1: there is none, as with HEDDLE_PROGRESS=off.
int findTerminal();

class Progress {
public:
  // Says that the model is being read. `verb`: what the line begins with. The others outlive this.
  Progress(mlir::MLIRContext &context, llvm::raw_ostream &os, std::string verb = "compiling");
  // Takes the line away.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  // Runs `write` on an empty line. The next pass shows the line again.
  void interrupt(llvm::function_ref<void()> write);

private:
  void see(const mlir::PassExecutionAction &action);
  void show(std::string text);

  mlir::MLIRContext &context;
  llvm::raw_ostream &os;
  std::string verb;
  std::mutex mutex;
  std::string shown;  // what is on the line; empty: nothing
  size_t kernels = 0; // of the program
  size_t visited = 0; // passes that started on one of them: each is lowered, then all are compiled
  mlir::heddle::Stage stage = mlir::heddle::Stage::Import; // the last one seen
};

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_COMPILE_PROGRESS_H
