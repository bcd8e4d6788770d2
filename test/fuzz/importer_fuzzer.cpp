// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer target: any byte string is an ONNX model that the stage `import` accepts (and its verifier after it), or an
// error with a message.
#include "compiler/Stages/Import/Import.h"
#include "test/fuzz/MlirTarget.h"
#include "test/fuzz/OnnxMutator.h"
#include "test/fuzz/Target.h"

#include <algorithm>

using namespace heddle::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static File file("model.onnx");
  file.write({reinterpret_cast<const char *>(data), size});
  mlir::MLIRContext &context = getContext<>();
  Words words(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::heddle::importModel(file.path, &context, {});
  require(module || words.said);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  return customMutator(data, size, maxSize, seed, mutateOnnx);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t maxSize, unsigned seed) {
  Random random(seed);
  Bytes crossed = crossOnnx({first, first + firstSize}, {second, second + secondSize}, random);
  if (crossed.size() > maxSize)
    return 0;
  std::copy(crossed.begin(), crossed.end(), out);
  return crossed.size();
}
