// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the intent dialect on lists: intent.sort, intent.scan, intent.scatter. See IntentLists.td.
//
// They say what is computed along a dimension, not in which steps: a heap or merged runs, one row or blocks of rows.
// `intent::decomposeLists` (Transforms/Passes.h) is their meaning.
#ifndef HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTLISTS_H
#define HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTLISTS_H

#include "compiler/Dialect/Intent/IR/IntentOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace mlir::heddle::intent {

// Writes a region of scalars: gets its arguments, gives what it yields.
using ListBody = llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;
// Fills an empty region with a block of these arguments.
void fillRegion(Region &region, TypeRange arguments, Location location, ListBody body);

// The region's ops anew at the builder, with `arguments` in place of the block's: what it yields.
SmallVector<Value> inlineRegion(OpBuilder &builder, Region &region, ValueRange arguments);

// The sizes of `tensor`, whose dynamic ones are `given` in order; asked of it (tensor.dim) where none are.
SmallVector<OpFoldResult> mixedSizes(OpBuilder &builder, Location location, Value tensor, ValueRange given);

} // namespace mlir::heddle::intent

#define GET_OP_CLASSES
#include "compiler/Dialect/Intent/IR/IntentLists.h.inc"

#endif // HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTLISTS_H
