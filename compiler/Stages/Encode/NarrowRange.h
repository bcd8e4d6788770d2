// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether weights may be kept in a narrower type of float: none becomes infinite, and no column of them vanishes.
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_NARROWRANGE_H
#define HEDDLE_COMPILER_STAGES_ENCODE_NARROWRANGE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/SymbolTable.h"

#include <string>

namespace mlir::heddle::encode {

// Why the constant operand `weights` of a product of f32 does not fit `type`, for a message; empty where it does.
//
// A number fits that rounds to a finite one. Numbers below the least normal one lose more than the others do; next to
// larger ones of their column, those that make the same results, this is nothing, but a column of only such does not
// fit. Infinities, NaNs and zeros are themselves in any type. Weights whose bytes are not known do not fit.
std::string explainUnfit(OpOperand &weights, FloatType type, SymbolTable &symbols);

} // namespace mlir::heddle::encode

#endif // HEDDLE_COMPILER_STAGES_ENCODE_NARROWRANGE_H
