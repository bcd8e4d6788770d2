#include "compiler/Stages/Import/Import.h"

#include "compiler/Stages/Import/Onnx/Importer.h"
#include "compiler/Stages/Import/Passes.h"
#include "compiler/Stages/Import/StableHlo/Importer.h"

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
  StringRef text = file->getBuffer();
  bool isStableHlo = hlo::mentionsStableHlo(text);
  context->allowUnregisteredDialects(isStableHlo);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (!module && isStableHlo && text.contains("= stablehlo."))
    emitError(FileLineColLoc::get(context, path, 0, 0))
        << "StableHLO is read in generic form only; print it by "
           "lowered.compiler_ir('stablehlo').operation.get_asm(print_generic_op_form=True)";
  return module;
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
  LogicalResult imported = pm.run(*module);
  context->allowUnregisteredDialects(false);
  return failed(imported) ? OwningOpRef<ModuleOp>() : std::move(module);
}
