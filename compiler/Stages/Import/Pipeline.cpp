#include "compiler/Stages/Import/Import.h"

#include "compiler/Stages/Import/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildImportPipeline(OpPassManager &pm) {
  pm.addPass(createLowerTosa());
  pm.addPass(createNameDimensions());
  pm.addPass(createVerifyImport());
}
