// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the libFuzzer targets of parts of the compiler share.
#ifndef HEDDLE_TEST_FUZZ_MLIRTARGET_H
#define HEDDLE_TEST_FUZZ_MLIRTARGET_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

#include <memory>

namespace heddle::fuzz {

// A context keeps every type and constant it ever saw, so it is made anew now and then: nothing of it may be held from
// one input to the next.
template <typename... Dialects> mlir::MLIRContext &getContext() {
  constexpr int kInputsPerContext = 200;
  static std::unique_ptr<mlir::MLIRContext> context;
  static int inputs = 0;
  if (!context || ++inputs == kInputsPerContext) {
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    registry.insert<mlir::heddle::HeddleDialect, mlir::heddle::flow::FlowDialect, Dialects...>();
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    inputs = 0;
  }
  return *context;
}

// Catches diagnostics for as long as it lives.
class Words {
public:
  explicit Words(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          said |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && !diagnostic.str().empty();
          return mlir::success();
        }) {}
  bool said = false; // an error

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace heddle::fuzz

#endif // HEDDLE_TEST_FUZZ_MLIRTARGET_H
