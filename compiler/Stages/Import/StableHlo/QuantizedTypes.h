// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uniform quantised types, `!quant.uniform<i8:f32, 0.5:3>`, as ops on the integers that hold them.
//
//   uniform_dequantize   convert, subtract the zero points, multiply with the scales
//   uniform_quantize     divide by the scales, round to even, add the zero points, clamp, convert
//   reshape, transpose … of one scale for all, constants, calls, branches: the same on integers
//   any other op         dequantised operands, the op on floats, its results quantised, as StableHLO defines it
//
// Constant weights stay integers up to the product that reads them (Ops/Dequantize.cpp).
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_QUANTIZEDTYPES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_QUANTIZEDTYPES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::hlo {

// Leaves a module without such types as it is; arguments and results of functions become integers. Failure: diagnostics
// for ops with regions of quantised elements, and for scales of blocks.
LogicalResult rewriteQuantizedTypes(ModuleOp module);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_QUANTIZEDTYPES_H
