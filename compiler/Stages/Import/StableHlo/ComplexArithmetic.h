// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on complex tensors as StableHLO ops on their real and imaginary parts.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_COMPLEXARITHMETIC_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_COMPLEXARITHMETIC_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::heddle::hlo {

// A value, or the two parts of a complex one.
struct Parts {
  Value real, imaginary;

  bool isComplex() const { return imaginary != nullptr; }
};

// Emits ops of StableHLO on real tensors; operands of one op have one shape.
struct RealOps {
  OpBuilder &b;
  Location loc;

  Value make(StringRef name, ValueRange operands, Type result, ArrayRef<NamedAttribute> attributes = {});
  // An op of one or two operands whose result has the type of the first.
  Value of(StringRef name, Value x, Value y = {});
  Value add(Value x, Value y) { return of("stablehlo.add", x, y); }
  Value sub(Value x, Value y) { return of("stablehlo.subtract", x, y); }
  Value mul(Value x, Value y) { return of("stablehlo.multiply", x, y); }
  Value div(Value x, Value y) { return of("stablehlo.divide", x, y); }
  Value neg(Value x) { return of("stablehlo.negate", x); }
  Value abs(Value x) { return of("stablehlo.abs", x); }
  Value sqrt(Value x) { return of("stablehlo.sqrt", x); }
  // `value` in the shape and type of `like`.
  Value constant(Value like, double value);
  // `direction`: EQ, NE, LT, ….
  Value compare(StringRef direction, Value x, Value y);
  Value select(Value condition, Value x, Value y);
  // `magnitude`, which is not negative, with the sign of `sign`.
  Value withSign(Value magnitude, Value sign);
};

// The op of this name on complex operands, of which all have one type; its result may be real (abs).
using ComplexFunction = Parts (*)(RealOps &, ArrayRef<Parts>);
struct ComplexRule {
  unsigned operands;
  ComplexFunction function;
};
// Null if there is none.
const ComplexRule *findComplexRule(StringRef name);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_COMPLEXARITHMETIC_H
