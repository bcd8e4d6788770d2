// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that stand for others, rewritten before anything is lowered, so that each computation has one lowering:
//
//   dynamic_reshape, dynamic_pad, …   the static op, where the result's type and constants say the sizes
//   dot, broadcast, chlo.constant     dot_general, broadcast_in_dim, stablehlo.constant
//   get_dimension_size                a constant
//   real, imag of a real number       the number, 0
//   tuple, get_tuple_element          the elements
//   after_all, create_token           nothing: there is no order to keep
//   chlo.mulhi                        the product in the next wider type, shifted, or products of halves
//   chlo.scan                         a while loop over slices
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_REWRITEOPS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_REWRITEOPS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::hlo {

// What does not have the form that a rewrite needs stays as it is, and is refused later by its name or types. Ops may
// be malformed in any way that MLIR's verifier lets pass. Failure: diagnostics for sizes that are no constants.
LogicalResult rewriteOps(ModuleOp module);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_REWRITEOPS_H
