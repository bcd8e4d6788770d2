// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on f64 and on the bits of f64, for scalars and vectors alike.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEBUILDER_H
#define HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::heddle::codegen {

// On an op: its rounding is part of an exact scheme, so that it gets no flag `contract`.
inline constexpr llvm::StringLiteral kExactAttr = "exact";

// An unevaluated sum of about 106 bits; |low| is at most half a unit in the last place of `high`.
struct Pair {
  Value high, low;
};

// Emits for values of `type`, f64 or a vector of it.
//
//   DoubleBuilder d(rewriter, loc, op.getType(), /*hasFma=*/true);
//   Value y = d.add(d.mul(x, x), d.real(1));
struct DoubleBuilder {
  DoubleBuilder(OpBuilder &builder, Location loc, Type type, bool hasFma)
      : b(builder), loc(loc), type(type), hasFma(hasFma) {}

  OpBuilder &b;
  Location loc;
  Type type;
  bool hasFma;

  // `element` in as many lanes as `type` has.
  Type like(Type element) const;
  Value real(double value);
  Value bits(uint64_t value); // i64

  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value div(Value x, Value y);
  Value neg(Value x);
  Value abs(Value x);
  Value sqrt(Value x);
  Value copySign(Value magnitude, Value sign);
  // x * y + z: rounded once where the processor can, else a contraction or not.
  Value fma(Value x, Value y, Value z);
  Value min(Value x, Value y); // y where x is NaN
  Value max(Value x, Value y);
  // c[0] + c[1] x + … by Horner's scheme.
  Value polynomial(Value x, ArrayRef<double> coefficients);

  Value compare(arith::CmpFPredicate predicate, Value x, Value y);
  Value less(Value x, Value y) { return compare(arith::CmpFPredicate::OLT, x, y); }
  Value lessEqual(Value x, Value y) { return compare(arith::CmpFPredicate::OLE, x, y); }
  Value equal(Value x, Value y) { return compare(arith::CmpFPredicate::OEQ, x, y); }
  Value isNan(Value x) { return compare(arith::CmpFPredicate::UNO, x, x); }
  Value select(Value condition, Value x, Value y);
  Value isNot(Value condition);
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }

  // On i64.
  Value toBits(Value x);
  Value fromBits(Value x);
  Value addBits(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value subBits(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value shiftLeft(Value x, unsigned by) { return arith::ShLIOp::create(b, loc, x, bits(by)); }
  Value shiftRight(Value x, unsigned by) { return arith::ShRUIOp::create(b, loc, x, bits(by)); }
  Value shiftRightSigned(Value x, unsigned by) { return arith::ShRSIOp::create(b, loc, x, bits(by)); }
  Value isZero(Value x);

  // The integer nearest to x, |x| < 2^51, as f64 and as i64.
  struct Rounded {
    Value real, integer;
  };
  Rounded round(Value x);
  // An integer of at most 51 bits as f64.
  Value toReal(Value integer);
  // x 2^k for |k| <= 2,000, rounded once also where the result is subnormal.
  Value scale(Value x, Value k);

  // Exact: x + y, and x + y for |x| >= |y| (or x = 0), and x * y barring overflow.
  Pair sum(Value x, Value y);
  Pair quickSum(Value x, Value y);
  Pair product(Value x, Value y);

private:
  template <typename Op> Value exact(Value x, Value y);
  Pair halves(Value x);
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEBUILDER_H
