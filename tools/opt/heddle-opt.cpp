// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-opt: any pass or stage on any module, for developers.
#include "compiler/Pipelines/Stages.h"
#include "tools/opt/RunHost.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::heddle::registerDialects(registry);
  mlir::registerAllPasses();
  mlir::heddle::registerPasses();
  mlir::heddle::registerRunHost();
  return failed(mlir::MlirOptMain(argc, argv, "Heddle pass driver\n", registry)) ? 1 : 0;
}
