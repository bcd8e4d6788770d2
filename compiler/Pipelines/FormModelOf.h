// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which forms of ops suit the devices of a program.
#ifndef HEDDLE_COMPILER_PIPELINES_FORMMODELOF_H
#define HEDDLE_COMPILER_PIPELINES_FORMMODELOF_H

#include "compiler/Pipelines/CompileOptions.h"
#include "compiler/Target/Forms/FormModel.h"

namespace mlir::heddle {

// The forms of ops for the devices of `--target-device=` (Target::getFormModel): a program is imported once for all of
// them, so rows of scalar code are short if one wants that, and the rest is as the first has it. What is rounded say
// `--strict-float` and `--round-activations`, too.
FormModel formModelOf(const CompileOptions &options);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_FORMMODELOF_H
