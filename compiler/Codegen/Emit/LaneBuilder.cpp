// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/LaneBuilder.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;
using namespace mlir::heddle::codegen;

std::optional<int64_t> mlir::heddle::codegen::getConstant(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

template <typename Op> LaneValue LaneBuilder::apply(LaneValue a, LaneValue b) {
  if (a.isUniform() && b.isUniform())
    return LaneValue::uniform(builder.createOrFold<Op>(loc, a.base, b.base));
  return LaneValue::any(builder.createOrFold<Op>(loc, toVector(a), toVector(b)));
}

LaneValue LaneBuilder::add(LaneValue a, LaneValue b) {
  if (a.vector || b.vector)
    return apply<arith::AddIOp>(a, b);
  return LaneValue::affine(builder.createOrFold<arith::AddIOp>(loc, a.base, b.base), a.stride + b.stride);
}

LaneValue LaneBuilder::sub(LaneValue a, LaneValue b) {
  if (a.vector || b.vector)
    return apply<arith::SubIOp>(a, b);
  return LaneValue::affine(builder.createOrFold<arith::SubIOp>(loc, a.base, b.base), a.stride - b.stride);
}

LaneValue LaneBuilder::mul(LaneValue a, LaneValue b) {
  if (a.vector || b.vector)
    return apply<arith::MulIOp>(a, b);
  if (b.stride != 0)
    std::swap(a, b);
  if (a.stride == 0)
    return apply<arith::MulIOp>(a, b);
  if (auto factor = getConstant(b.base); factor && b.stride == 0)
    return LaneValue::affine(builder.createOrFold<arith::MulIOp>(loc, a.base, b.base), a.stride * *factor);
  return apply<arith::MulIOp>(a, b);
}

bool LaneBuilder::isInOnePanel(LaneValue a, std::optional<int64_t> b) const {
  return a.isContiguous() && b && *b % width == 0 && a.multiple % width == 0 && a.phase % width == 0;
}

bool LaneBuilder::isPeriodic(LaneValue a, std::optional<int64_t> b) const {
  return a.isContiguous() && b && *b > 0 && width > 1 && a.multiple % *b == 0;
}

LaneValue LaneBuilder::addPattern(Value base, function_ref<int64_t(int64_t)> offsetOf) {
  VectorType type = vectorOf(builder.getIndexType());
  SmallVector<Attribute> offsets = llvm::map_to_vector(
      llvm::seq<int64_t>(0, width), [&](int64_t lane) -> Attribute { return builder.getIndexAttr(offsetOf(lane)); });
  Value pattern = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, offsets));
  Value wide = vector::BroadcastOp::create(builder, loc, type, base);
  return LaneValue::any(getConstant(base) == 0 ? pattern : builder.createOrFold<arith::AddIOp>(loc, wide, pattern));
}

bool LaneBuilder::dividesInDoubles(LaneValue a, LaneValue b) const {
  return width > 1 && !a.isUniform() && b.isUniform() && !getConstant(b.base) && b.base.getType().isIndex();
}

// A double from 2^52 to 2^53 has its integer in its last 52 bits, whatever the processor can convert. The product with
// the reciprocal, rounded to an integer, is the quotient or one more, and all of its products are exact.
LaneBuilder::Division LaneBuilder::divideInDoubles(LaneValue a, LaneValue b) {
  VectorType words = vectorOf(builder.getI64Type()), reals = vectorOf(builder.getF64Type());
  auto word = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(words, value));
  };
  auto real = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(reals, value));
  };
  auto spread = [&](Value value) -> Value { return vector::BroadcastOp::create(builder, loc, reals, value); };
  auto toIndex = [&](Value shifted) {
    Value bits = arith::BitcastOp::create(builder, loc, words, shifted);
    bits = arith::AndIOp::create(builder, loc, bits, word((int64_t(1) << 52) - 1));
    return LaneValue::any(arith::IndexCastOp::create(builder, loc, vectorOf(builder.getIndexType()), bits));
  };
  Value shift = real(0x1p52), one = arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(1));
  Value size = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), b.base);
  Value scalar = arith::SIToFPOp::create(builder, loc, builder.getF64Type(), size);
  Value divisor = spread(scalar), reciprocal = spread(arith::DivFOp::create(builder, loc, one, scalar));
  Value bits = arith::IndexCastOp::create(builder, loc, words, toVector(a));
  bits = arith::OrIOp::create(builder, loc, bits, word(int64_t(0x433) << 52));
  Value dividend = arith::SubFOp::create(builder, loc, arith::BitcastOp::create(builder, loc, reals, bits), shift);
  Value shifted = arith::AddFOp::create(builder, loc, arith::MulFOp::create(builder, loc, dividend, reciprocal), shift);
  Value quotient = arith::SubFOp::create(builder, loc, shifted, shift);
  Value rest = arith::SubFOp::create(builder, loc, dividend, arith::MulFOp::create(builder, loc, quotient, divisor));
  Value isMore = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, rest, real(0));
  shifted =
      arith::SelectOp::create(builder, loc, isMore, arith::SubFOp::create(builder, loc, shifted, real(1)), shifted);
  rest = arith::SelectOp::create(builder, loc, isMore, arith::AddFOp::create(builder, loc, rest, divisor), rest);
  return {toIndex(shifted), toIndex(arith::AddFOp::create(builder, loc, rest, shift))};
}

LaneValue LaneBuilder::floorDiv(LaneValue a, LaneValue b) {
  std::optional<int64_t> divisor = b.isUniform() ? getConstant(b.base) : std::nullopt;
  if (divisor == 1)
    return a;
  if (isInOnePanel(a, divisor))
    return apply<arith::DivUIOp>(LaneValue::uniform(a.base), b);
  if (isPeriodic(a, divisor))
    return addPattern(builder.createOrFold<arith::DivUIOp>(loc, a.base, b.base),
                      [&](int64_t lane) { return (a.phase % *divisor + lane) / *divisor; });
  if (dividesInDoubles(a, b))
    return divideInDoubles(a, b).quotient;
  return apply<arith::DivUIOp>(a, b);
}

LaneValue LaneBuilder::mod(LaneValue a, LaneValue b) {
  std::optional<int64_t> divisor = b.isUniform() ? getConstant(b.base) : std::nullopt;
  if (divisor == 1)
    return constant(0);
  if (isInOnePanel(a, divisor))
    return LaneValue::affine(a.multiple % *divisor == 0 ? index(a.phase % *divisor)
                                                        : apply<arith::RemUIOp>(LaneValue::uniform(a.base), b).base,
                             1, std::gcd(a.multiple, *divisor), a.phase);
  if (isPeriodic(a, divisor))
    return addPattern(index(0), [&](int64_t lane) { return (a.phase + lane) % *divisor; });
  if (dividesInDoubles(a, b))
    return divideInDoubles(a, b).remainder;
  return apply<arith::RemUIOp>(a, b);
}

LaneValue LaneBuilder::apply(AffineExpr expr, ArrayRef<LaneValue> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return constant(value.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  LaneValue a = apply(binary.getLHS(), dims), b = apply(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add: return add(a, b);
  case AffineExprKind::Mul: return mul(a, b);
  case AffineExprKind::Mod: return mod(a, b);
  case AffineExprKind::CeilDiv: return floorDiv(add(a, sub(b, constant(1))), b);
  default: return floorDiv(a, b);
  }
}

LaneValue LaneBuilder::compare(arith::CmpIPredicate predicate, LaneValue a, LaneValue b) {
  if (a.isUniform() && b.isUniform())
    return LaneValue::uniform(builder.createOrFold<arith::CmpIOp>(loc, predicate, a.base, b.base));
  return LaneValue::any(builder.createOrFold<arith::CmpIOp>(loc, predicate, toVector(a), toVector(b)));
}

LaneValue LaneBuilder::isInside(LaneValue place, LaneValue size) {
  if (!place.isContiguous() || !size.isUniform() || getConstant(size.base))
    return compare(arith::CmpIPredicate::ult, place, size); // below zero is above every size
  // Lanes of `first` to `last`, in 32 bits: one comparison, which costs little wherever LLVM puts it.
  auto clamped = [&](Value value, Value least) {
    Value most = builder.createOrFold<arith::MinSIOp>(loc, value, index(width));
    return builder.createOrFold<arith::MaxSIOp>(loc, most, least);
  };
  Value zero = index(0);
  Value first = clamped(builder.createOrFold<arith::SubIOp>(loc, zero, place.base), zero);
  Value last = clamped(builder.createOrFold<arith::SubIOp>(loc, size.base, place.base), first);
  auto narrow = [&](Value value) {
    Value word = builder.createOrFold<arith::IndexCastOp>(loc, builder.getI32Type(), value);
    return toVector(LaneValue::uniform(word));
  };
  auto type = cast<VectorType>(vectorOf(builder.getI32Type()));
  SmallVector<int32_t> numbers = llvm::to_vector(llvm::seq<int32_t>(0, static_cast<int32_t>(width)));
  Value lane = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  Value from = arith::SubIOp::create(builder, loc, lane, narrow(first));
  Value count = narrow(builder.createOrFold<arith::SubIOp>(loc, last, first));
  return LaneValue::any(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, from, count));
}

LaneValue LaneBuilder::logicalAnd(LaneValue a, LaneValue b) { return apply<arith::AndIOp>(a, b); }

LaneValue LaneBuilder::select(LaneValue condition, LaneValue a, LaneValue b) {
  if (condition.isUniform() && a.isUniform() && b.isUniform())
    return LaneValue::uniform(builder.createOrFold<arith::SelectOp>(loc, condition.base, a.base, b.base));
  return LaneValue::any(builder.createOrFold<arith::SelectOp>(loc, toVector(condition), toVector(a), toVector(b)));
}

Value LaneBuilder::toVector(LaneValue value) {
  if (value.vector)
    return value.vector;
  VectorType type = vectorOf(value.base.getType());
  Value base = builder.createOrFold<vector::BroadcastOp>(loc, type, value.base);
  if (value.stride == 0)
    return base;
  SmallVector<Attribute> offsets;
  for (int64_t lane = 0; lane < width; ++lane)
    offsets.push_back(builder.getIntegerAttr(type.getElementType(), lane * value.stride));
  Value steps = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, offsets));
  return builder.createOrFold<arith::AddIOp>(loc, base, steps);
}

Value LaneBuilder::maskOrAll() {
  if (mask)
    return mask;
  VectorType type = vectorOf(builder.getI1Type());
  return arith::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, true));
}

LaneValue LaneBuilder::zero(Type element) {
  return LaneValue::uniform(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element)));
}

LaneValue LaneBuilder::apply(Operation *op, ArrayRef<LaneValue> operands, unsigned result) {
  bool uniform = llvm::all_of(operands, [](const LaneValue &value) { return value.isUniform(); });
  SmallVector<Value> values;
  for (const LaneValue &value : operands)
    values.push_back(uniform ? value.base : toVector(value));
  Operation *clone = op->clone();
  clone->setOperands(values);
  clone->setLoc(op->getLoc());
  for (OpResult r : clone->getResults()) {
    Type element = getElementTypeOrSelf(r.getType());
    r.setType(uniform ? element : Type(vectorOf(element)));
  }
  builder.insert(clone);
  Value value = clone->getResult(result);
  return uniform ? LaneValue::uniform(value) : LaneValue::any(value);
}
