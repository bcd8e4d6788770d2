// Which ops share a dispatch region: the predicate of dispatch formation. Rules and reasons: docs/design/form.md.
#ifndef HEDDLE_COMPILER_STAGES_FORM_FUSION_H
#define HEDDLE_COMPILER_STAGES_FORM_FUSION_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace mlir::heddle::fusion {

// Ops that compute tensors and belong in a region.
bool isCompute(Operation *op);

// Compute ops that never start a region of their own because every user clones them (fills, slices that only regions
// read, empty tensors).
bool isCloned(Operation *op);

// Clones into the region what it captures and can have for itself (isClonedInto), until nothing of that kind is
// captured.
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
// or the producer pads what a pool or depthwise convolution reads.
bool shouldMerge(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer);

} // namespace mlir::heddle::fusion

#endif // HEDDLE_COMPILER_STAGES_FORM_FUSION_H
