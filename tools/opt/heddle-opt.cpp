// heddle-opt: any pass or stage on any module, for developers.
#include "compiler/Dialect/SilentFailures.h"
#include "compiler/Pipelines/Stages.h"
#include "tools/opt/RunHost.h"
#include "tools/opt/TestFail.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

// What MlirOptMain() does with files, and with pass managers that name silent failures.
static mlir::LogicalResult run(llvm::StringRef input, llvm::StringRef output, mlir::DialectRegistry &registry) {
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  config.setPassPipelineSetupFn([flags = config](mlir::PassManager &pm) {
    mlir::heddle::nameSilentFailures(pm);
    return flags.setupPassPipeline(pm);
  });
  std::string message;
  auto source = mlir::openInputFile(input, &message);
  auto file = source ? mlir::openOutputFile(output, &message) : nullptr;
  if (!file) {
    llvm::errs() << message << '\n';
    return mlir::failure();
  }
  if (failed(mlir::MlirOptMain(file->os(), std::move(source), registry, config)))
    return mlir::failure();
  file->keep();
  return mlir::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  mlir::heddle::registerDialects(registry);
  mlir::registerAllPasses();
  mlir::heddle::registerPasses();
  mlir::heddle::registerRunHost();
  mlir::heddle::registerTestFail();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "Heddle pass driver\n", registry);
  return failed(run(input, output, registry)) ? 1 : 0;
}
