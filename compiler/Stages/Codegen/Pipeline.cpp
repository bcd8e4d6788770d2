// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Codegen/Pipeline.h"

#include "compiler/Stages/Codegen/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildCodegenPipeline(OpPassManager &pm, const CodegenOptions &options) {
  pm.addPass(createCreatePrograms());
  pm.nest<kernel::ProgramOp>().addPass(
      createCompilePrograms(CompileProgramsOptions{options.optLevel, /*lower=*/true, /*emit=*/false}));
  // Before others are linked to them, and before numbers of their epilogues would be taken for a program's.
  pm.addPass(createEmitMicrokernels(EmitMicrokernelsOptions{options.optLevel}));
  if (options.optLevel == 1 || options.optLevel == 2) // 0 and 3 are what their users asked for, everywhere
    pm.addPass(createMarkCold());
  pm.addPass(createShareCode());
  pm.nest<kernel::ProgramOp>().addPass(
      createCompilePrograms(CompileProgramsOptions{options.optLevel, /*lower=*/false, /*emit=*/true}));
  pm.addPass(createCreateVariants());
  pm.addPass(createVerifyCodegen());
}
