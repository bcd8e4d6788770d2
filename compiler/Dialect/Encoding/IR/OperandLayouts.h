// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts of what a structured op reads where it lies, after types became physical (Materialize.h): from there on
// an attribute of the op says them, as its maps alone do not.
#ifndef HEDDLE_COMPILER_DIALECT_ENCODING_IR_OPERANDLAYOUTS_H
#define HEDDLE_COMPILER_DIALECT_ENCODING_IR_OPERANDLAYOUTS_H

#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::encoding {

// On a linalg.generic: an array with, for each input, the layout of its memory, or #encoding.identity where its
// dimensions are the tensor's own. Of an input with a layout the map's results are what getPhysicalIndex() makes of an
// index in the tensor, and its type is that of memory.
inline constexpr llvm::StringLiteral kOperandsAttr = "encoding.operands";

// Notes the layout that an input is read in.
void setOperandLayout(OpOperand &input, LayoutAttr layout);
// Null for rows, and where the op has no attribute.
LayoutAttr getOperandLayout(OpOperand &input);

// The inverse of getPhysicalIndex(): the index in the tensor of which `physical` is the one in memory. None where no
// index is found that gives exactly that.
std::optional<SmallVector<AffineExpr>> getLogicalIndex(LayoutAttr layout, ArrayRef<AffineExpr> physical);

// That attributes under `root` are as above: on a linalg.generic, one entry for each input, ranks and sizes of tiles
// those of the inputs' types. A diagnostic where one is not.
LogicalResult verifyOperandLayouts(Operation *root);

} // namespace mlir::heddle::encoding

#endif // HEDDLE_COMPILER_DIALECT_ENCODING_IR_OPERANDLAYOUTS_H
