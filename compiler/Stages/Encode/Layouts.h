// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an op computes when its operands and results lie in memory in another order of dimensions.
//
// Layouts of an op are a permutation for each operand and result: what the op would read and write in place of the
// value is the value transposed by it. They come from one operand or result whose new layout is given:
//
//   std::optional<Layouts> layouts = layoutsFor(op, op.getResult(0), {0, 2, 3, 1});  // nothing: it cannot
//   Operation *turned = rebuild(builder, op, *layouts, operandsInTheNewLayout);
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_LAYOUTS_H
#define HEDDLE_COMPILER_STAGES_ENCODE_LAYOUTS_H

#include "compiler/Stages/Encode/OpLayouts.h"

namespace mlir::heddle::encode {

// The values of rank above 1 whose elements the op's body reads at computed indices.
SmallVector<Value> capturedTensors(Operation *op);

// Whether the op can compute in another layout at all.
bool isFlexible(Operation *op);

// Layouts in which the op reads (writes) `value` transposed by `permutation`, or nothing if it cannot. `value` is an
// operand, a result or a captured tensor of `op`.
std::optional<Layouts> layoutsFor(Operation *op, Value value, ArrayRef<int64_t> permutation);

// Layouts of a transpose that takes up a layout on one side and leaves the other side as it is.
Layouts absorb(bool isResult, ArrayRef<int64_t> permutation);

// The op in these layouts; `operands` and `captured` are transposed already, `op` stays.
Operation *rebuild(OpBuilder &builder, Operation *op, const Layouts &layouts, ValueRange operands, ValueRange captured);

// A generic with its loops in another order, which reads and writes transposed values. All of `layouts` must be set.
linalg::GenericOp rebuildGeneric(OpBuilder &builder, linalg::GenericOp op, const Layouts &layouts, ValueRange operands,
                                 ValueRange captured);

} // namespace mlir::heddle::encode

#endif // HEDDLE_COMPILER_STAGES_ENCODE_LAYOUTS_H
