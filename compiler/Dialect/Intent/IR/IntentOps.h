// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The intent dialect: what a model asks for, whole. See IntentOps.td and docs/design/quantisation.md.
//
//   %y = intent.quantized_product %rows, %codes scales %s zeros %z …    // what importers emit, before any layout
//
// Attention: IntentAttention.h. Ops on lists (sort, scan, scatter): IntentLists.h.
//
// No op says how it is computed. An op's decomposition into structured ops is its meaning: the reference runs it, and
// what no stage takes whole becomes it.
#ifndef HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTOPS_H
#define HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::heddle::intent {

// Of a decomposed op: the type of the codes that it reads.
inline constexpr llvm::StringLiteral kCodeAttr = "intent.code";
// Of scalar code that an op on lists became: which op it was, such as "sort".
inline constexpr llvm::StringLiteral kOfAttr = "intent.of";

// Of a decomposed product of rounded rows, beside its code: {block: columns of a block, zero: that of all codes, an
// f64, 0 where zeros are an operand}. The innermost loop is the bytes of a block's column. Operands:
//   codes of the rows [m, blocks, columns of a block], i8, once for each code in a byte of the weights: those that its
//     lower half multiplies, a block's first half, then the others
//   scales of the rows [m, blocks], f32; where the zero is not 0 sums of the rows' codes [m, blocks], i32
//   the weights' codes [blocks, bytes, n], scales [blocks, n], f32, and zeros, if they are an operand
inline constexpr llvm::StringLiteral kRoundedAttr = "intent.rounded";

// Whether codes can have the type: ui2 to ui7, i8, ui8, floats of 8 and 4 bits.
bool isCodeType(Type type);

// Blocks that rows may be rounded in: a power of two, so many that sums of their products are exact in f32.
constexpr int64_t kLeastRoundedBlock = 16, kMostRoundedBlock = 256;
bool isRoundedBlock(int64_t block);

} // namespace mlir::heddle::intent

#include "compiler/Dialect/Intent/IR/IntentDialect.h.inc"

#define GET_OP_CLASSES
#include "compiler/Dialect/Intent/IR/IntentOps.h.inc"

#endif // HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTOPS_H
