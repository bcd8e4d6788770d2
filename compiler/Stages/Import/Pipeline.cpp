#include "compiler/Stages/Import/Import.h"

#include "compiler/Stages/Import/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildImportPipeline(OpPassManager &pm) {
  pm.addPass(createLowerTosa());
  pm.addPass(createLowerStablehlo());
  pm.addPass(createConvertUnsigned());
  // A program is one function from here on; what nobody calls or loads is gone.
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createNameDimensions());
  pm.addPass(createVerifyImport());
}
