#include "compiler/Stages/Codegen/Pipeline.h"

#include "compiler/Stages/Codegen/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildCodegenPipeline(OpPassManager &pm, const CodegenOptions &options) {
  pm.addPass(createCreatePrograms());
  OpPassManager &programs = pm.nest<kernel::ProgramOp>();
  // First: nothing after it meets an encoded type.
  programs.addPass(createMaterializeEncodings());
  programs.addPass(createGeneralizeOps());
  programs.addPass(createLowerToLoops());
  // Index arithmetic was emitted where it was needed; sharing it makes everything after cheaper.
  programs.addPass(createCSEPass());
  programs.addPass(createExpandMath());
  programs.addPass(createConvertToLLVM());
  programs.addPass(createMoveAsIntegers());
  programs.addPass(createEmitObject(EmitObjectOptions{options.optLevel}));
  pm.addPass(createCreateVariants());
  pm.addPass(createVerifyCodegen());
}
