// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program may say with an scf.forall of its own (docs/design/split-reduction.md).
#ifndef HEDDLE_COMPILER_STAGES_FORM_PROGRAMLOOP_H
#define HEDDLE_COMPILER_STAGES_FORM_PROGRAMLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::parts {

// An error, at the op that is wrong, for what is refused whatever the loop becomes: a mapping, a body with effects, a
// result into which a part inserts nothing or more than once, and insertions elsewhere.
LogicalResult verifyProgramLoop(scf::ForallOp loop);

// Loops that became turns of the host read constants as they lie: what was laid out for their slices is plain again
// (encode-set-sliced).
void keepConstantsPlain(ModuleOp module);

} // namespace mlir::heddle::parts

#endif // HEDDLE_COMPILER_STAGES_FORM_PROGRAMLOOP_H
