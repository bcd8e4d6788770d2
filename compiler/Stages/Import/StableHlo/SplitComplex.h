// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex tensors of a StableHLO program as pairs of real ones, before anything is lowered.
//
//   func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>  →  func @main(%x: tensor<4x2xf32>) ->
//   tensor<4x2xf32>
//
// Arguments and results of public functions have a last dimension of two: the real and the imaginary part, as they lie
// in memory. Inside, each complex value is two values; calls, loops and branches pass both on.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_SPLITCOMPLEX_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_SPLITCOMPLEX_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::hlo {

// On a stablehlo.fft whose complex operand or result has its parts in the last dimension.
inline constexpr llvm::StringLiteral kPartsAttr = "heddle.parts";

// Whether a value of the type is split: a tensor of complex f32 or f64.
bool isComplex(Type type);

// Leaves no complex types. Values are defined before their uses, and blocks end in what returns. Failure: diagnostics
// for every op that is not supported on complex numbers.
LogicalResult splitComplex(ModuleOp module);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_SPLITCOMPLEX_H
