// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of structured ops computed in parts: where a part lies, and what makes one result of the parts of a reduction.
// Shared by split reductions (one dispatch of parts) and loops over streams (a dispatch for each part).
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_PARTS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_PARTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>
#include <variant>

namespace mlir::heddle::flow {

// Positions [begin, begin + size) of a loop; index values.
struct Part {
  Value begin, size;
};

// Part `part` of `count` of a loop of `length` positions, which is cut at multiples of `granule`: with
// G = `granules` = ceil(length / granule) it is [floor(part * G / count) * granule, floor((part + 1) * G / count) *
// granule), the end at most `length`. The parts of 0 to count - 1 cover the loop, in order, for any count of at
// least 1.
Part cutPart(OpBuilder &builder, Location loc, Value part, Value count, Value granules, int64_t granule, Value length);

// A slice with steps of 1, and a tensor with a slice replaced. Upstream's ops refuse known slices of no elements, of
// which these are an empty tensor, and the tensor.
Value takeSlice(OpBuilder &builder, Location loc, Value tensor, ArrayRef<OpFoldResult> offsets,
                ArrayRef<OpFoldResult> sizes);
Value putSlice(OpBuilder &builder, Location loc, Value slice, Value tensor, ArrayRef<OpFoldResult> offsets,
               ArrayRef<OpFoldResult> sizes);

// How a reduction's elements are combined.
struct Combiner {
  Operation *op; // of the reduction's body: associative, accumulator by element
  TypedAttr neutral;
};

// The one combiner of a reduction with one result, whose parts can be merged; else the reason why there is none.
std::variant<Combiner, std::string> findCombiner(linalg::LinalgOp op);

// "", or the reason why parts are not combined under --strict-float.
std::string refuseStrictly(Operation *combiner);

// Whether each operand is cut by a slice where the loop is, or does not read the loop at all; at least one reads it.
bool isSliceable(linalg::LinalgOp op, unsigned loop);

// `init`, combined with the parts along the first dimension of `parts` in their order.
Value mergeParts(OpBuilder &builder, Location loc, Operation *combiner, Value parts, Value init);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_PARTS_H
