// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StableHLO, as JAX prints it, to func, linalg, tensor, arith, math and scf.
//
//   jax.jit(f).lower(*args).as_text(debug_info=True)
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_IMPORTER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_IMPORTER_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::hlo {

bool hasStableHlo(ModuleOp module);

// Replaces every public function by one without StableHLO; what they call is inlined and goes. Failure: diagnostics for
// every op that is not supported, at its location. `meshSizes` (AXIS=SIZE) are the axes of the mesh of a module that
// has collectives and does not say on how many ranks it runs.
LogicalResult convertStableHlo(ModuleOp module, ArrayRef<std::string> meshSizes = {});

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_IMPORTER_H
