// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-opt: any pass or stage on any module, for developers.
#include "compiler/Dialect/SilentFailures.h"
#include "compiler/Pipelines/Messages.h"
#include "compiler/Pipelines/Stages.h"
#include "compiler/Stages/Import/ReadBytecode.h"
#include "tools/opt/RunHost.h"
#include "tools/opt/TestFail.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

// The file as MlirOptMain may read it: bytecode becomes text first (ReadBytecode).
static std::unique_ptr<llvm::MemoryBuffer> openModule(StringRef path, DialectRegistry &registry,
                                                      const MlirOptMainConfig &config) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file)
    llvm::errs() << message << '\n';
  if (!file || !isBytecode(*file))
    return file;
  std::string name = file->getBufferIdentifier().str(), text;
  MLIRContext context(registry);
  context.allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  mlir::heddle::Messages messages(context);
  OwningOpRef<ModuleOp> module = mlir::heddle::readBytecode(std::move(file), &context);
  if (!module)
    return nullptr;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().enableDebugInfo(true));
  return llvm::MemoryBuffer::getMemBufferCopy(text, name);
}

// What MlirOptMain() does with files, and with pass managers that name silent failures.
static LogicalResult run(StringRef input, StringRef output, DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  config.setPassPipelineSetupFn([flags = config](PassManager &pm) {
    mlir::heddle::nameSilentFailures(pm);
    return flags.setupPassPipeline(pm);
  });
  std::unique_ptr<llvm::MemoryBuffer> file = openModule(input, registry, config);
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> written = file ? openOutputFile(output, &message) : nullptr;
  if (!written) {
    llvm::errs() << message << (message.empty() ? "" : "\n");
    return failure();
  }
  if (failed(MlirOptMain(written->os(), std::move(file), registry, config)))
    return failure();
  written->keep();
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM guard(argc, argv);
  DialectRegistry registry;
  mlir::heddle::registerDialects(registry);
  registerAllPasses();
  mlir::heddle::registerPasses();
  mlir::heddle::registerRunHost();
  mlir::heddle::registerTestFail();
  auto [input, output] = registerAndParseCLIOptions(argc, argv, "Heddle pass driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return failed(MlirOptMain(argc, argv, input, output, registry)) ? 1 : 0;
  return failed(run(input, output, registry)) ? 1 : 0;
}
