// Arithmetic on one element, as bodies of elementwise ops and reductions use it.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_SCALARS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_SCALARS_H

#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// Builds one element's computation; every operand has one type, floats or integers (i1 too).
struct Scalar {
  OpBuilder &b;
  Location loc;

  Value constant(Type type, double value);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  // Integers: rounds towards zero; x / 0 is 0, the smallest number / -1 wraps. Never traps.
  Value div(Value x, Value y);
  // NaN if either is.
  Value max(Value x, Value y);
  Value min(Value x, Value y);
  Value select(Value condition, Value x, Value y);
  // Comparisons give i1; ordered, but `notEqual` of NaN holds.
  Value less(Value x, Value y);
  Value lessEqual(Value x, Value y);
  Value greater(Value x, Value y) { return less(y, x); }
  Value equal(Value x, Value y);
  Value isNan(Value x);
  Value neg(Value x);
  Value abs(Value x);
  Value exp(Value x);
  Value log(Value x);
  Value sqrt(Value x);
  Value tanh(Value x);
  Value erf(Value x);
  Value sigmoid(Value x);
};

// Value of element type `type` nearest to `value`; for integers the limits of the type stand for infinities.
TypedAttr makeAttribute(Type type, double value);
// The least and the greatest value of a type: -inf and +inf, or the integer limits.
TypedAttr lowest(Type type);
TypedAttr highest(Type type);

// Broadcasts all inputs of the node and computes output 0. Refuses where sizes do not broadcast.
LogicalResult lowerElementwise(NodeContext &node, ArrayRef<Tensor *> operands, Type elementType, ScalarBody body);
// Checks that the first `count` inputs are there and have one element type.
LogicalResult requireSameType(NodeContext &node, size_t count);
LogicalResult requireFloat(NodeContext &node, size_t input);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_SCALARS_H
