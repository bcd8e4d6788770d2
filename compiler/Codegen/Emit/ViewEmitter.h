// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of ops that move them or are elementwise: slices, pads, concatenations, reshapes, constants.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_VIEWEMITTER_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_VIEWEMITTER_H

#include "compiler/Codegen/Emit/ElementSource.h"

namespace mlir::heddle::codegen {

// The elements of the op's one result at `index`, from its operands' elements in `source`. Fails there for ops that are
// none of these.
LaneValue evaluateView(ElementSource &source, Operation *op, ArrayRef<LaneValue> index);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_VIEWEMITTER_H
