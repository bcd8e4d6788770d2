// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of dimensions and loops, before the ops that are cut: which are known, which are provably equal, as values.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_EXTENTS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_EXTENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::flow {

// A dimension of a tensor, as far as it is followed back through what keeps it: a number or a symbol's name
// (`attribute`), an index value (`value`), or dimension `dim` of the tensor `value`.
struct Extent {
  Attribute attribute;
  Value value;
  int64_t dim = -1;

  std::optional<int64_t> getConstant() const;
  bool operator==(const Extent &other) const {
    return attribute == other.attribute && value == other.value && dim == other.dim;
  }
};

Extent traceExtent(Value tensor, int64_t dim);
Extent traceExtent(OpFoldResult size);

// One step of traceExtent(): what the op that makes the tensor, or its function, says of the size. The dimension itself
// where they do not say that it is another one's.
Extent stepExtent(Value tensor, int64_t dim);

// The sizes that such a dimension is computed of by an op that merges, joins or pads; none of other ops.
SmallVector<Extent> findInputs(Value tensor, int64_t dim);

// The extent of a loop, by every operand that it walks alone: known equal.
SmallVector<Extent> traceLoop(linalg::LinalgOp op, unsigned loop);

// The extent of what is cut: a loop of a linalg op, a dimension of another op's result.
SmallVector<Extent> traceExtents(Operation *op, int64_t axis);

// Whether one of each is provably the same.
bool areEqual(ArrayRef<Extent> a, ArrayRef<Extent> b);

// Who knows a tensor's size along a dimension; null: nothing better than to ask the tensor.
using SizeOf = llvm::function_ref<OpFoldResult(Value tensor, int64_t dim)>;

// The extent as a value. What it is traced to must be available where the builder stands, but for tensors that `sizeOf`
// knows the sizes of.
OpFoldResult materialize(OpBuilder &builder, Location loc, const Extent &extent, SizeOf sizeOf = {});

// A product of a number and of sizes that have names.
struct Product {
  int64_t factor = 1;
  SmallVector<StringAttr> names; // sorted by their texts

  bool isOne() const { return factor == 1 && names.empty(); }
  std::optional<int64_t> getConstant() const { return names.empty() ? std::optional(factor) : std::nullopt; }
  bool operator==(const Product &other) const { return factor == other.factor && names == other.names; }
  Product operator*(const Product &other) const;
  // None where it is no product.
  std::optional<Product> dividedBy(const Product &other) const;
};

// The extent as a product, if it is one; not of 0.
std::optional<Product> asProduct(const Extent &extent);

OpFoldResult materialize(OpBuilder &builder, Location loc, const Product &product);

// The extent divided by a number that provably divides it; none where there is no proof.
std::optional<OpFoldResult> divideExactly(OpBuilder &builder, Location loc, ArrayRef<Extent> equal,
                                          const Product &divisor);

// The sizes of a tensor, without a use of the op that computes it where this is known by its operands.
SmallVector<OpFoldResult> traceSizes(OpBuilder &builder, Location loc, Value tensor);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_EXTENTS_H
