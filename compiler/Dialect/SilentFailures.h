// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No failure without words: a pass that fails without an error is named by one.
//
//   PassManager pm(context);
//   nameSilentFailures(pm);
//   ...
//   return pm.run(module);
//
// The error comes when the pass manager goes, on its thread: only then have the diagnostics of other threads arrived.
#ifndef HEDDLE_COMPILER_DIALECT_SILENTFAILURES_H
#define HEDDLE_COMPILER_DIALECT_SILENTFAILURES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include <atomic>
#include <mutex>
#include <optional>

namespace mlir::heddle {

// Counts the errors of a context while it lives, and lets them pass.
class ErrorCounter {
public:
  explicit ErrorCounter(MLIRContext *context) : engine(context->getDiagEngine()) {
    handler = engine.registerHandler([this](Diagnostic &diagnostic) {
      errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return failure();
    });
  }
  ~ErrorCounter() { engine.eraseHandler(handler); }
  ErrorCounter(const ErrorCounter &) = delete;
  ErrorCounter &operator=(const ErrorCounter &) = delete;

  bool any() const { return errors > 0; }

private:
  DiagnosticEngine &engine;
  DiagnosticEngine::HandlerID handler;
  std::atomic<int> errors = 0;
};

class SilentFailures : public PassInstrumentation {
public:
  explicit SilentFailures(MLIRContext *context) : counter(context) {}
  ~SilentFailures() override {
    if (location && !counter.any())
      emitError(*location) << "the pass '" << pass
                           << "' failed without a reason: a bug of Heddle; please report it with what 'heddle reduce' "
                              "leaves of the model";
  }

  // The innermost pass comes first; then those that ran it fail too.
  void runAfterPassFailed(Pass *failed, Operation *op) override {
    std::lock_guard lock(mutex);
    if (location)
      return;
    location = op->getLoc();
    pass = (failed->getArgument().empty() ? failed->getName() : failed->getArgument()).str();
  }

private:
  ErrorCounter counter;
  std::mutex mutex;
  std::optional<Location> location;
  std::string pass;
};

inline void nameSilentFailures(PassManager &pm) {
  pm.addInstrumentation(std::make_unique<SilentFailures>(pm.getContext()));
}

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_SILENTFAILURES_H
