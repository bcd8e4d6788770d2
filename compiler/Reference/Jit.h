// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code in this process, from a module in the LLVM dialect.
#ifndef HEDDLE_COMPILER_REFERENCE_JIT_H
#define HEDDLE_COMPILER_REFERENCE_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
}

namespace mlir::heddle::reference {

// Makes the context know the dialects, bufferisation models and conversions that the reference needs. Not while passes
// run.
void loadReferenceDialects(MLIRContext *context);

class Jit {
public:
  // `resolve` gives the address of a symbol the module only declares; null leaves it to the process (libm).
  static FailureOr<std::unique_ptr<Jit>> create(ModuleOp module, llvm::function_ref<void *(StringRef)> resolve,
                                                bool optimize);
  ~Jit();

  // The address of a public function. Fails without a message where there is none.
  FailureOr<void *> lookup(StringRef symbol);

private:
  Jit();
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace mlir::heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_JIT_H
