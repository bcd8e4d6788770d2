// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::heddle::importer;

static bool isFloat(Value v) { return isa<FloatType>(v.getType()); }

// A constant of a float type, or its code.
static TypedAttr makeFloat(FloatType type, APFloat value) {
  if (!isSmallFloat(type))
    return FloatAttr::get(type, value);
  return IntegerAttr::get(storageType(type), value.bitcastToAPInt().zext(8));
}

TypedAttr mlir::heddle::importer::makeAttribute(Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat converted(isa<Float8E8M0FNUType>(type) ? std::max(value, 0x1p-127) : value);
    bool losesInfo;
    converted.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return makeFloat(floatType, converted);
  }
  unsigned width = storageType(type).getIntOrFloatBitWidth();
  APSInt integer(std::max(width, 64u), type.isUnsignedInteger());
  bool isExact;
  APFloat(value).convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  return IntegerAttr::get(storageType(type), integer.trunc(width));
}

TypedAttr mlir::heddle::importer::lowest(Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return makeFloat(floatType, APFloat::getInf(floatType.getFloatSemantics(), /*Negative=*/true));
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = width == 1 || type.isUnsignedInteger();
  APInt value = isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  return IntegerAttr::get(storageType(type), value.sext(storageType(type).getIntOrFloatBitWidth()));
}

TypedAttr mlir::heddle::importer::highest(Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return makeFloat(floatType, APFloat::getInf(floatType.getFloatSemantics()));
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = width == 1 || type.isUnsignedInteger();
  APInt value = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  return IntegerAttr::get(storageType(type), value.zext(storageType(type).getIntOrFloatBitWidth()));
}

Value Scalar::constant(Type type, double value) {
  return arith::ConstantOp::create(b, loc, makeAttribute(type, value));
}

Value Scalar::real(Value index) {
  Type i64 = b.getI64Type();
  return convert(*this, arith::IndexCastOp::create(b, loc, i64, index), i64, type);
}

template <typename FloatOp, typename IntegerOp> static Value binary(Scalar &s, Value x, Value y) {
  return isFloat(x) ? Value(FloatOp::create(s.b, s.loc, x, y)) : Value(IntegerOp::create(s.b, s.loc, x, y));
}

Value Scalar::add(Value x, Value y) { return binary<arith::AddFOp, arith::AddIOp>(*this, x, y); }
Value Scalar::sub(Value x, Value y) { return binary<arith::SubFOp, arith::SubIOp>(*this, x, y); }
Value Scalar::mul(Value x, Value y) { return binary<arith::MulFOp, arith::MulIOp>(*this, x, y); }

Value Scalar::div(Value x, Value y) {
  if (isFloat(x))
    return arith::DivFOp::create(b, loc, x, y);
  Value zero = constant(x.getType(), 0), one = constant(x.getType(), 1), byZero = equal(y, zero);
  if (isUnsigned())
    return select(byZero, zero, arith::DivUIOp::create(b, loc, x, select(byZero, one, y)));
  Value minusOne = constant(x.getType(), -1), byMinusOne = equal(y, minusOne);
  Value trapping = arith::OrIOp::create(b, loc, byZero, byMinusOne);
  Value quotient = arith::DivSIOp::create(b, loc, x, select(trapping, one, y));
  return select(byZero, zero, select(byMinusOne, sub(zero, x), quotient));
}

Value Scalar::divByReciprocal(Value x, Value y) {
  return arith::DivFOp::create(b, loc, x, y, arith::FastMathFlags::arcp);
}

Value Scalar::rem(Value x, Value y) {
  if (isFloat(x))
    return arith::RemFOp::create(b, loc, x, y);
  Value zero = constant(x.getType(), 0), one = constant(x.getType(), 1), byZero = equal(y, zero);
  if (isUnsigned())
    return arith::RemUIOp::create(b, loc, x, select(byZero, one, y));
  Value trapping = arith::OrIOp::create(b, loc, byZero, equal(y, constant(x.getType(), -1)));
  return arith::RemSIOp::create(b, loc, x, select(trapping, one, y));
}

// Shifts by the width or more are poison: shift by zero instead.
static Value shift(Scalar &s, Value x, Value y, llvm::function_ref<Value(Value, Value)> by) {
  Value zero = s.constant(x.getType(), 0), width = s.constant(x.getType(), x.getType().getIntOrFloatBitWidth());
  Value inside = arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::ult, y, width);
  return s.select(inside, by(x, s.select(inside, y, zero)), zero);
}

Value Scalar::shiftLeft(Value x, Value y) {
  return shift(*this, x, y, [&](Value l, Value r) -> Value { return arith::ShLIOp::create(b, loc, l, r); });
}

Value Scalar::shiftRight(Value x, Value y) {
  return shift(*this, x, y, [&](Value l, Value r) -> Value { return arith::ShRUIOp::create(b, loc, l, r); });
}

// i1 is unsigned: true is the greater.
Value Scalar::max(Value x, Value y) {
  if (x.getType().isInteger(1))
    return arith::OrIOp::create(b, loc, x, y);
  if (isUnsigned())
    return arith::MaxUIOp::create(b, loc, x, y);
  return binary<arith::MaximumFOp, arith::MaxSIOp>(*this, x, y);
}

Value Scalar::min(Value x, Value y) {
  if (x.getType().isInteger(1))
    return arith::AndIOp::create(b, loc, x, y);
  if (isUnsigned())
    return arith::MinUIOp::create(b, loc, x, y);
  return binary<arith::MinimumFOp, arith::MinSIOp>(*this, x, y);
}

Value Scalar::select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, loc, condition, x, y); }

static Value compare(Scalar &s, Value x, Value y, arith::CmpFPredicate f, arith::CmpIPredicate i) {
  return isFloat(x) ? Value(arith::CmpFOp::create(s.b, s.loc, f, x, y))
                    : Value(arith::CmpIOp::create(s.b, s.loc, i, x, y));
}

Value Scalar::less(Value x, Value y) {
  return compare(*this, x, y, arith::CmpFPredicate::OLT,
                 isUnsigned() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt);
}
Value Scalar::lessEqual(Value x, Value y) {
  return compare(*this, x, y, arith::CmpFPredicate::OLE,
                 isUnsigned() ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle);
}
Value Scalar::equal(Value x, Value y) {
  return compare(*this, x, y, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Value Scalar::isNan(Value x) { return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x); }

Value Scalar::neg(Value x) {
  return isFloat(x) ? Value(arith::NegFOp::create(b, loc, x)) : sub(constant(x.getType(), 0), x);
}

Value Scalar::abs(Value x) {
  if (isUnsigned())
    return x;
  return isFloat(x) ? Value(math::AbsFOp::create(b, loc, x)) : Value(arith::MaxSIOp::create(b, loc, x, neg(x)));
}

Value Scalar::exp(Value x) { return math::ExpOp::create(b, loc, x); }
Value Scalar::log(Value x) { return math::LogOp::create(b, loc, x); }
Value Scalar::sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }
Value Scalar::tanh(Value x) { return math::TanhOp::create(b, loc, x); }
Value Scalar::erf(Value x) { return math::ErfOp::create(b, loc, x); }

Value Scalar::sigmoid(Value x) {
  Value one = constant(x.getType(), 1);
  return div(one, add(one, exp(neg(x))));
}

Tensor mlir::heddle::importer::makeScalar(Emitter &emitter, Type type, double value) {
  auto scalar = DenseElementsAttr::get(RankedTensorType::get({}, storageType(type)), makeAttribute(type, value));
  auto bytes = std::make_shared<std::vector<char>>(scalar.getRawData().begin(), scalar.getRawData().end());
  return emitter.fromData({RankedTensorType::get({}, type), ArrayRef<char>(*bytes), bytes});
}

Tensor mlir::heddle::importer::map(Emitter &emitter, ArrayRef<Tensor *> operands, ArrayRef<OpFoldResult> sizes,
                                   MapBody body) {
  Type type = operands.front()->elementType;
  return emitter.elementwise(operands, sizes, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    return body(s, v);
  });
}
