// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialects `stablehlo`, `chlo`, `vhlo` and `sdy`, so far as a text needs them: their ops stay names
// (unregistered), as in the generic form, and are read and printed in the short form of StableHLO's specification.
//
//   %0 = stablehlo.add %a, %b : tensor<4xf32>                    is
//   %0 = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
//
// Attributes and types of them are opaque text (Attributes.h reads it). Nothing is verified here beyond the syntax:
// what an op demands is checked where it is lowered, whatever its form was. `vhlo` is refused, with the way to
// StableHLO.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_DIALECTS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_DIALECTS_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::heddle::hlo {

void registerTextDialects(DialectRegistry &registry);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_DIALECTS_H
