// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor ops on constants, computed now.
//
// No code is generated: movement is a matter of strides (Array.h), what remains are loops over element-wise steps
// (Structured.h). So a result depends on the op and its operands only, not on the machine that compiles (functions like
// exp come from its C library).
#ifndef HEDDLE_COMPILER_EVALUATION_EVALUATOR_H
#define HEDDLE_COMPILER_EVALUATION_EVALUATOR_H

#include "compiler/Evaluation/Array.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::heddle::evaluation {

// The elements of a literal or resource, not copied where they lie row-major already; fails, without a message, where
// the bytes are not here or of an unknown kind.
FailureOr<Array> readElements(ElementsAttr value);
// A parameter's value that shares the array's elements if they are dense.
ElementsAttr makeElements(const Array &array, StringRef name);

// Whether the op is where constants come from: flow.parameter.load, arith.constant, tensor.empty (zeros, since nobody
// may ask).
bool isSource(Operation *op);
FailureOr<Array> readSource(Operation *op, SymbolTable &symbols);

// Whether compute() knows the op: linalg ops with a body, reshapes, slices, insertions, concatenation, padding,
// packing, all of static shape.
bool isComputable(Operation *op);
// What compute() does beyond touching each element of operands and results: the iterations of a reduction, else 0. The
// op must be computable; about 2^30 take a second.
int64_t workOf(Operation *op);
// What the op reads, in the order compute() wants it: all operands, then what its body captures. The op must be
// computable.
SmallVector<Value> getInputs(Operation *op);
// The results. Fails, without a message, where there are none (an index is out of range).
FailureOr<SmallVector<Array>> compute(Operation *op, ArrayRef<Array> inputs);

// Whether the value depends on constants only. Gives up (false) on long chains, so it is cheap to ask in a pattern.
bool isConstantExpression(Value value);
// The value of a constant expression, computed on the spot: for small ones.
FailureOr<Array> evaluate(Value value, SymbolTable &symbols);
// Whether the magnitudes of all elements of a constant expression of f32 or f64 are at most `limit`: false where one is
// not a number, and where there is no value.
bool isBounded(Value value, double limit, SymbolTable &symbols);

} // namespace mlir::heddle::evaluation

#endif // HEDDLE_COMPILER_EVALUATION_EVALUATOR_H
