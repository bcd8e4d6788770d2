// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/compile/Progress.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

using namespace mlir;

namespace heddle::tools {

int findTerminal() {
  const char *given = std::getenv("HEDDLE_PROGRESS");
  int descriptor = STDERR_FILENO;
  if (given && StringRef(given).getAsInteger(10, descriptor))
    return -1;
  return descriptor >= 0 && isatty(descriptor) ? descriptor : -1;
}

Progress::Progress(MLIRContext &context, llvm::raw_ostream &os, std::string verb)
    : context(context), os(os), verb(std::move(verb)) {
  show("import");
  context.registerActionHandler([this](llvm::function_ref<void()> action, const tracing::Action &kind) {
    if (auto *pass = dyn_cast<PassExecutionAction>(&kind))
      see(*pass);
    action();
  });
}

Progress::~Progress() {
  context.registerActionHandler(nullptr);
  interrupt([] {});
}

void Progress::interrupt(llvm::function_ref<void()> write) {
  std::lock_guard lock(mutex);
  if (!shown.empty())
    os << "\r\x1b[K";
  shown.clear();
  write();
}

void Progress::see(const PassExecutionAction &action) {
  StringRef pass = action.getPass().getArgument();
  Operation *op = action.getOp();
  std::lock_guard lock(mutex);
  if (pass == "codegen-compile-programs") {
    // Siblings may be at work on other threads; their names do not change.
    if (kernels == 0)
      kernels = llvm::count_if(*op->getBlock(), [&](Operation &other) { return other.getName() == op->getName(); });
    size_t number = visited++;
    bool isLowered = number < kernels;
    number = std::min(number - (isLowered ? 0 : kernels), kernels - 1) + 1;
    show((isLowered ? "kernels, lowering " : "kernels, compiling ") + std::to_string(number) + " of " +
         std::to_string(kernels));
    return;
  }
  // A stage runs passes of others, too.
  std::optional<mlir::heddle::Stage> of = mlir::heddle::parseStage(pass.split('-').first);
  if (of && *of > stage && (kernels == 0 || *of > mlir::heddle::Stage::Codegen)) {
    stage = *of;
    show(mlir::heddle::getInfo(stage).name);
  }
}

void Progress::show(std::string text) {
  if (text == shown)
    return;
  os << "\r" << verb << ": " << text << "\x1b[K";
  shown = std::move(text);
}

} // namespace heddle::tools
