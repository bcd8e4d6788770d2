#include "compiler/Stages/Import/Import.h"

#include "compiler/Stages/Import/Onnx/Importer.h"
#include "compiler/Stages/Import/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::heddle;

static OwningOpRef<ModuleOp> readMlir(StringRef path, MLIRContext *context) {
  std::string message;
  auto file = openInputFile(path, &message);
  if (!file) {
    emitError(FileLineColLoc::get(context, path, 0, 0)) << message;
    return nullptr;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, context);
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}

OwningOpRef<ModuleOp> mlir::heddle::importModel(StringRef path, MLIRContext *context, const ImportOptions &) {
  OwningOpRef<ModuleOp> module;
  if (path.ends_with(".mlir") || path.ends_with(".mlirbc"))
    module = readMlir(path, context);
  else if (path.ends_with(".onnx"))
    module = importer::importOnnx(path, context);
  else
    emitError(FileLineColLoc::get(context, path, 0, 0))
        << "unknown kind of model: a model's name ends in .onnx, .mlir or .mlirbc";
  if (!module)
    return nullptr;
  auto pm = PassManager::on<ModuleOp>(context);
  buildImportPipeline(pm);
  if (failed(pm.run(*module)))
    return nullptr;
  return module;
}
