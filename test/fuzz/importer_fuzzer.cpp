// libFuzzer target: any byte string is a model that the stage `import` accepts (and its verifier after it), or an error
// with a message.
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/Import.h"
#include "test/fuzz/OnnxMutator.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unistd.h>

using namespace mlir;

namespace {

// A context keeps every type and constant it ever saw, so it is made anew now and then.
constexpr int kModelsPerContext = 200;

MLIRContext &getContext() {
  static std::unique_ptr<MLIRContext> context;
  static int models = 0;
  if (!context || ++models == kModelsPerContext) {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registry.insert<::mlir::heddle::HeddleDialect, ::mlir::heddle::flow::FlowDialect>();
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    models = 0;
  }
  return *context;
}

// A folder of this process with one file in memory: the importer reads files, and looks for external data beside them.
class ModelFile {
public:
  ModelFile() {
    char folder[] = "/dev/shm/heddle-fuzz-XXXXXX";
    if (!mkdtemp(folder))
      std::abort();
    path = std::string(folder) + "/model.onnx";
  }
  void write(const uint8_t *data, size_t size) {
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (!file || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0)
      std::abort();
  }
  ~ModelFile() {
    unlink(path.c_str());
    rmdir(path.substr(0, path.rfind('/')).c_str());
  }
  std::string path;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static ModelFile file;
  file.write(data, size);
  MLIRContext &context = getContext();
  bool said = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said |= diagnostic.getSeverity() == DiagnosticSeverity::Error && !diagnostic.str().empty();
    return success();
  });
  OwningOpRef<ModuleOp> module = ::mlir::heddle::importModel(file.path, &context, {});
  if (!module && !said)
    std::abort();
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  return ::heddle::fuzz::customMutator(data, size, maxSize, seed, ::heddle::fuzz::mutateOnnx);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t maxSize, unsigned seed) {
  ::heddle::fuzz::Random random(seed);
  ::heddle::fuzz::Bytes crossed =
      ::heddle::fuzz::crossOnnx({first, first + firstSize}, {second, second + secondSize}, random);
  if (crossed.size() > maxSize)
    return 0;
  std::copy(crossed.begin(), crossed.end(), out);
  return crossed.size();
}
