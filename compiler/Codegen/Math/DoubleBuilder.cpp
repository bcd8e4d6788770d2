// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/DoubleBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

Type DoubleBuilder::like(Type element) const {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

static Value splat(DoubleBuilder &d, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(d.type))
    value = DenseElementsAttr::get(vector.clone(value.getType()), Attribute(value));
  return arith::ConstantOp::create(d.b, d.loc, value);
}

Value DoubleBuilder::real(double value) { return splat(*this, b.getF64FloatAttr(value)); }
Value DoubleBuilder::bits(uint64_t value) { return splat(*this, b.getI64IntegerAttr(static_cast<int64_t>(value))); }

Value DoubleBuilder::add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
Value DoubleBuilder::sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
Value DoubleBuilder::mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
Value DoubleBuilder::div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
Value DoubleBuilder::neg(Value x) { return arith::NegFOp::create(b, loc, x); }
Value DoubleBuilder::abs(Value x) { return math::AbsFOp::create(b, loc, x); }
Value DoubleBuilder::sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }
Value DoubleBuilder::copySign(Value magnitude, Value sign) { return math::CopySignOp::create(b, loc, magnitude, sign); }
Value DoubleBuilder::fma(Value x, Value y, Value z) {
  return hasFma ? Value(math::FmaOp::create(b, loc, x, y, z)) : add(mul(x, y), z);
}
Value DoubleBuilder::min(Value x, Value y) { return select(less(x, y), x, y); }
Value DoubleBuilder::max(Value x, Value y) { return select(less(y, x), x, y); }

Value DoubleBuilder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value result = real(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, real(coefficient));
  return result;
}

Value DoubleBuilder::compare(arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, loc, predicate, x, y);
}
Value DoubleBuilder::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}

Value DoubleBuilder::isNot(Value condition) {
  return arith::XOrIOp::create(b, loc, condition, splat(*this, b.getBoolAttr(true)));
}

Value DoubleBuilder::toBits(Value x) { return arith::BitcastOp::create(b, loc, like(b.getI64Type()), x); }
Value DoubleBuilder::fromBits(Value x) { return arith::BitcastOp::create(b, loc, like(b.getF64Type()), x); }
Value DoubleBuilder::isZero(Value x) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, bits(0)); }

// The addition of 1.5 * 2^52 rounds to an integer, which then stands in the lowest bits.
DoubleBuilder::Rounded DoubleBuilder::round(Value x) {
  Value shift = real(0x1.8p52), shifted = add(x, shift);
  return {exact<arith::SubFOp>(shifted, shift), subBits(toBits(shifted), toBits(shift))};
}

Value DoubleBuilder::toReal(Value integer) {
  Value shift = real(0x1.8p52);
  return exact<arith::SubFOp>(fromBits(addBits(integer, toBits(shift))), shift);
}

// By two powers of two that exist. The first product is exact where the second makes a subnormal number.
Value DoubleBuilder::scale(Value x, Value k) {
  auto power = [&](Value exponent) { return fromBits(shiftLeft(addBits(exponent, bits(1023)), 52)); };
  Value last = arith::MinSIOp::create(b, loc, k, bits(1000));
  last = arith::MaxSIOp::create(b, loc, last, bits(static_cast<uint64_t>(-1000)));
  return mul(mul(x, power(subBits(k, last))), power(last));
}

template <typename Op> Value DoubleBuilder::exact(Value x, Value y) {
  auto op = Op::create(b, loc, x, y);
  op->setAttr(kExactAttr, b.getUnitAttr());
  return op;
}

Pair DoubleBuilder::sum(Value x, Value y) {
  Value high = exact<arith::AddFOp>(x, y), part = exact<arith::SubFOp>(high, x);
  Value left = exact<arith::SubFOp>(x, exact<arith::SubFOp>(high, part)), right = exact<arith::SubFOp>(y, part);
  return {high, exact<arith::AddFOp>(left, right)};
}

Pair DoubleBuilder::quickSum(Value x, Value y) {
  Value high = exact<arith::AddFOp>(x, y);
  return {high, exact<arith::SubFOp>(y, exact<arith::SubFOp>(high, x))};
}

// Two numbers of at most 26 bits each: Dekker's split.
Pair DoubleBuilder::halves(Value x) {
  Value scaled = exact<arith::MulFOp>(x, real(134217729.0)); // 2^27 + 1
  Value high = exact<arith::SubFOp>(scaled, exact<arith::SubFOp>(scaled, x));
  return {high, exact<arith::SubFOp>(x, high)};
}

Pair DoubleBuilder::product(Value x, Value y) {
  Value high = exact<arith::MulFOp>(x, y);
  if (hasFma)
    return {high, math::FmaOp::create(b, loc, x, y, neg(high))};
  Pair p = halves(x), q = halves(y);
  Value low = exact<arith::SubFOp>(exact<arith::MulFOp>(p.high, q.high), high);
  low = exact<arith::AddFOp>(low, exact<arith::MulFOp>(p.high, q.low));
  low = exact<arith::AddFOp>(low, exact<arith::MulFOp>(p.low, q.high));
  return {high, exact<arith::AddFOp>(low, exact<arith::MulFOp>(p.low, q.low))};
}
