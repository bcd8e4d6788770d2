// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer target: any text is a model in MLIR (StableHLO in both forms, TOSA, or linalg on tensors) that the stage
// `import` accepts, or an error with a message.
#include "compiler/Stages/Import/Import.h"
#include "test/fuzz/MlirTarget.h"
#include "test/fuzz/Target.h"
#include "test/fuzz/TextMutator.h"

using namespace heddle::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static File file("model.mlir");
  file.write({reinterpret_cast<const char *>(data), size});
  mlir::MLIRContext &context = getContext<>();
  Words words(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::heddle::importModel(file.path, &context, {});
  require(module || words.said);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  return customMutator(data, size, maxSize, seed, mutateText);
}
