// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What findFactors() has for each kind of op.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_READFACTORS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_READFACTORS_H

#include "compiler/Dialect/Flow/Transforms/Factors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle::flow {

// Of a tensor; 0 of any other value.
int64_t rankOf(Value value);

// Whether there is a collective that combines elements of the type so.
bool isCombined(Reduction reduction, Type type);

// An operand for each of the op, a result for each of the op, dimensions without factors.
Factors makeEmptyFactors(Operation *op);

// Each dimension of the (first) result is a factor, which operands walk along the same dimension. `walks` says which
// do: none: none of them can be cut.
using Walks = llvm::function_ref<std::optional<SmallVector<bool>>(int64_t dim)>;
Factors readPositional(Operation *op, Walks walks);

// Slices, insertions, paddings, joins (SliceFactors.cpp).
Factors readExtract(tensor::ExtractSliceOp op);
Factors readInsert(tensor::InsertSliceOp op);
Factors readPad(tensor::PadOp op);
Factors readConcat(tensor::ConcatOp op);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_READFACTORS_H
