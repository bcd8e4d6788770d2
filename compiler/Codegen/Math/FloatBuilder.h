// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on f32 and on the bits of f32, for scalars and vectors alike.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_FLOATBUILDER_H
#define HEDDLE_COMPILER_CODEGEN_MATH_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace mlir::heddle::codegen {

// Emits for values of `type`, f32 or a vector of it.
//
//   FloatBuilder f{rewriter, op.getLoc(), op.getType()};
//   Value y = f.fma(x, x, f.real(1));
struct FloatBuilder {
  OpBuilder &b;
  Location loc;
  Type type;

  Value real(float value) const { return splat(type, b.getF32FloatAttr(value)); }
  Value bits(int32_t value) const { return splat(like(b.getI32Type()), b.getI32IntegerAttr(value)); }

  Value add(Value x, Value y) const { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) const { return arith::DivFOp::create(b, loc, x, y); }
  // Rounded once where the processor can.
  Value fma(Value x, Value y, Value z) const { return math::FmaOp::create(b, loc, x, y, z); }
  // Highest power first, by Horner's scheme.
  Value polynomial(Value x, ArrayRef<float> coefficients) const {
    Value result = real(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      result = fma(result, x, real(coefficient));
    return result;
  }

  Value compare(arith::CmpFPredicate predicate, Value x, Value y) const {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) const { return arith::SelectOp::create(b, loc, condition, x, y); }
  // What is not a number stays as it is.
  Value clamp(Value x, float low, float high) const {
    Value least = real(low), greatest = real(high);
    x = select(compare(arith::CmpFPredicate::OLT, x, least), least, x);
    return select(compare(arith::CmpFPredicate::OGT, x, greatest), greatest, x);
  }

  // On i32.
  Value toBits(Value x) const { return arith::BitcastOp::create(b, loc, like(b.getI32Type()), x); }
  Value fromBits(Value x) const { return arith::BitcastOp::create(b, loc, type, x); }
  Value toReal(Value x) const { return arith::SIToFPOp::create(b, loc, type, x); }
  Value addBits(Value x, Value y) const { return arith::AddIOp::create(b, loc, x, y); }
  Value subBits(Value x, Value y) const { return arith::SubIOp::create(b, loc, x, y); }
  Value both(Value x, Value y) const { return arith::AndIOp::create(b, loc, x, y); }
  Value shiftLeft(Value x, int32_t by) const { return arith::ShLIOp::create(b, loc, x, bits(by)); }
  Value shiftRightSigned(Value x, int32_t by) const { return arith::ShRSIOp::create(b, loc, x, bits(by)); }

private:
  // `element` in as many lanes as `type` has.
  Type like(Type element) const {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value splat(Type like, TypedAttr attr) const {
    auto vector = dyn_cast<VectorType>(like);
    return arith::ConstantOp::create(b, loc,
                                     vector ? TypedAttr(DenseElementsAttr::get(vector, Attribute(attr))) : attr);
  }
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_FLOATBUILDER_H
