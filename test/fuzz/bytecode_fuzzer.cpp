// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer target: any bytes that start as MLIR bytecode does are a model that the stage `import` accepts, or an error
// with a message, in bounded time. MLIR's reader runs in a process of its own (ReadBytecode), where it may crash.
#include "compiler/Stages/Import/Import.h"
#include "test/fuzz/MlirTarget.h"
#include "test/fuzz/Target.h"

#include <string>

using namespace heddle::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static File file("model.mlirbc");
  constexpr std::string_view kMagic = "ML\xefR";
  std::string bytes(reinterpret_cast<const char *>(data), size);
  file.write(bytes.replace(0, kMagic.size(), kMagic));
  mlir::MLIRContext &context = getContext<>();
  Words words(context);
  mlir::heddle::ImportOptions options;
  options.bytecodeSeconds = 1;
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::heddle::importModel(file.path, &context, options);
  require(module || words.said);
  return 0;
}
