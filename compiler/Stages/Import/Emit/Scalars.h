// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on one element, as bodies of elementwise ops and reductions use it.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_SCALARS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_SCALARS_H

#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::importer {

// Builds one element's computation; every operand has one type, floats or integers (i1 too). Values of integers are
// signless: `type` says whether they are unsigned, and thereby how they divide, compare and convert.
//
//   Scalar s{b, loc, operand.elementType};
//   Value clipped = s.min(s.max(v[0], low), high);
struct Scalar {
  OpBuilder &b;
  Location loc;
  Type type = {};

  bool isUnsigned() const { return type && type.isUnsignedInteger(); }

  Value constant(Type type, double value);
  // An index as a number of `type`, a float.
  Value real(Value index);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  // Integers: rounds towards zero; x / 0 is 0, the smallest number / -1 wraps. Never traps.
  Value div(Value x, Value y);
  // x / y of floats, or x * (1 / y), which differs by 1.5 units in the last place.
  Value divByReciprocal(Value x, Value y);
  // What is left of that division, with the sign of x; x rem 0 is 0.
  Value rem(Value x, Value y);
  // By `y` bits; 0 where that is the width or more.
  Value shiftLeft(Value x, Value y);
  Value shiftRight(Value x, Value y);
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

// What Cast's attributes say about floats of 8 bits.
struct CastRules {
  bool saturate = true;
  enum Rounding { Up, Down, Nearest } scale = Up; // to f8E8M0FNU
};

// `x` of element type `from` as one of `to`, as ONNX's Cast does it. Floats to integers: towards zero, out of range to
// the nearest limit (of 32 bits, where the integer has less than 8), NaN to 0; integers wrap; to bool: unequal to 0;
// floats round once, to nearest even; to floats of 8 and 4 bits: `encode` (SmallFloats.h).
Value convert(Scalar s, Value x, Type from, Type to, CastRules rules = {});

// These make values of storageType(type). The one nearest to `value` (0 and below: the least of f8E8M0FNU):
TypedAttr makeAttribute(Type type, double value);
// The least and the greatest value of a type: -inf and +inf, or the integer limits.
TypedAttr lowest(Type type);
TypedAttr highest(Type type);

// A constant of one element, of rank 0.
Tensor makeScalar(Emitter &emitter, Type type, double value);

// An elementwise op on operands that need no check of their sizes: they have those of `sizes` or broadcast to them.
using MapBody = llvm::function_ref<Value(Scalar &, ValueRange)>;
Tensor map(Emitter &emitter, ArrayRef<Tensor *> operands, ArrayRef<OpFoldResult> sizes, MapBody body);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_SCALARS_H
