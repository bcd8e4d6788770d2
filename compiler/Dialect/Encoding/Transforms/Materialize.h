// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From layouts in types to plain tensors in the order of memory.
#ifndef HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_MATERIALIZE_H
#define HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_MATERIALIZE_H

#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::heddle::encoding {

// Takes all encodings out of a function. What comes from outside with a layout (arguments, flow.parameter.load, results
// of flow.dispatch) gets its physical type; a linalg op reads it with floordiv and mod in its map where the sizes of
// its loops still follow from its operands, any other op reads a copy in rows. What goes out with a layout
// (func.return, operands of flow.dispatch) is written in that order, padded with zeros. Inside everything is in rows:
// sets and unsets vanish. Encodings that are not resolved are dropped, too.
//
//   func.func @f(%w: tensor<64x40xf32, #panels>) …   →   func.func @f(%w: tensor<3x64x16xf32> {encoding.layout = …}) …
//
// Fails with a diagnostic at an op it cannot express.
LogicalResult materializeEncodings(func::FuncOp function);

// The same for all functions, those of executables too, and parameters: their types become those of their values.
LogicalResult materializeEncodings(ModuleOp module);

// A row-major tensor in the order of a layout, padded with zeros, as plain tensor ops; and the inverse. `sizes` are all
// those of the tensor.
Value pack(OpBuilder &builder, Location location, Value tensor, LayoutAttr layout, ArrayRef<OpFoldResult> sizes);
Value unpack(OpBuilder &builder, Location location, Value physical, RankedTensorType type, LayoutAttr layout,
             ArrayRef<OpFoldResult> sizes);

} // namespace mlir::heddle::encoding

#endif // HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_MATERIALIZE_H
