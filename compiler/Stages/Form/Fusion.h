// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops share a dispatch region: the predicate of dispatch formation. Rules and reasons: docs/design/form.md.
#ifndef HEDDLE_COMPILER_STAGES_FORM_FUSION_H
#define HEDDLE_COMPILER_STAGES_FORM_FUSION_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::heddle::fusion {

// encoding.set and encoding.unset: no compute. Dispatch formation decides as if they were not there.
bool isEncodingChange(Operation *op);

// What `value` was before its encoding was changed, any number of times, as long as `follow` (if given) admits the
// changed value.
Value getPlain(Value value, llvm::function_ref<bool(Value)> follow = {});

// Uses of a value, and of all results of an op: those of what only changes its encoding in place of the change.
SmallVector<OpOperand *> getUses(Value value);
SmallVector<OpOperand *> getUses(Operation *op);

// Ops that compute tensors and belong in a region.
bool isCompute(Operation *op);

// Compute ops that never start a region of their own because every user clones them (fills, slices that only regions
// read, empty tensors).
bool isCloned(Operation *op);

// The values that the region uses from outside, in the order of their uses. Whether an op reads such a value through a
// change of its encoding within the region makes no difference.
llvm::SetVector<Value> getCaptures(flow::RegionOp region);

// Clones into the region what it captures and can have for itself (isClonedInto, changes of the encoding between
// its ops or of what it clones, encoded values of others made plain), until nothing of that kind is captured.
void cloneIn(flow::RegionOp region);

// Ops a region clones instead of capturing their results: the above, and scalar constants.
bool isClonedInto(Operation *op);

// Operands, and the values the op's regions use from outside.
SmallVector<Value> getOperands(Operation *op);

// The sizes of a result's dynamic dimensions as index values available before its op, appended to `sizes`. Fails with a
// diagnostic if an op cannot tell its result's size.
LogicalResult getDynamicSizes(OpBuilder &builder, OpResult result, SmallVectorImpl<Value> &sizes);

// Whether a producer group joins a consumer group: nothing outside reads the producer, and either the producer is a
// contraction and the consumer its elementwise epilogue, or both are elementwise ops and reductions over the same rows,
// or the producer pads what a pool or depthwise convolution reads, or the consumer pads what a contraction computes, or
// it is part of a chain (Chains.h).
bool shouldMerge(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer);

// Whether one dispatch of both groups is small enough: LLVM takes quadratic time in the memories that a kernel reads,
// and code generation walks what an element needs by recursion.
bool fitsDispatch(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer);

} // namespace mlir::heddle::fusion

#endif // HEDDLE_COMPILER_STAGES_FORM_FUSION_H
