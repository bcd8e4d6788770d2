// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/RemainderPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// A positive finite float as mantissa * 2^(exponent - bias - digits).
struct Parts {
  Value mantissa, exponent;
};

class Remainder {
public:
  Remainder(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type), width(getElementTypeOrSelf(type).getIntOrFloatBitWidth()),
        digits(width == 64 ? 52 : 23), integer(like(builder.getIntegerType(width))) {}

  Value compute(Value x, Value y) {
    Value magnitudeX = both(bits(x), constant(~sign())), magnitudeY = both(bits(y), constant(~sign()));
    Value infinity = constant(maxExponent() << digits), zero = constant(0);
    // NaN: x is none or infinite, y is none or zero.
    Value invalid =
        either(compare(Predicate::uge, magnitudeX, infinity),
               either(compare(Predicate::ugt, magnitudeY, infinity), compare(Predicate::eq, magnitudeY, zero)));
    Value whole = compare(Predicate::ult, magnitudeX, magnitudeY);
    Value trivial = either(invalid, whole);
    Parts dividend = split(select(trivial, zero, magnitudeX)),
          divisor = split(select(trivial, constant(1), magnitudeY));
    divisor = normalize(divisor);
    Value steps = select(trivial, zero, sub(dividend.exponent, divisor.exponent));
    Value rest = divide(dividend.mantissa, divisor.mantissa, steps);
    Value result = either(bits(scale(rest, divisor.exponent)), both(bits(x), constant(sign())));
    Value quiet = constant((maxExponent() << digits) | (uint64_t(1) << (digits - 1)));
    return real(select(invalid, quiet, select(whole, bits(x), result)));
  }

private:
  using Predicate = arith::CmpIPredicate;

  uint64_t sign() const { return uint64_t(1) << (width - 1); }
  uint64_t maxExponent() const { return (uint64_t(1) << (width - 1 - digits)) - 1; }
  int64_t bias() const { return static_cast<int64_t>(maxExponent() >> 1); }

  Type like(Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value constant(uint64_t value) {
    TypedAttr attribute = IntegerAttr::get(builder.getIntegerType(width), APInt(64, value).trunc(width));
    if (auto vector = dyn_cast<VectorType>(integer))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(builder, loc, attribute);
  }
  Value bits(Value x) { return arith::BitcastOp::create(builder, loc, integer, x); }
  Value real(Value x) { return arith::BitcastOp::create(builder, loc, type, x); }
  Value both(Value x, Value y) { return arith::AndIOp::create(builder, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(builder, loc, x, y); }
  Value add(Value x, Value y) { return arith::AddIOp::create(builder, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(builder, loc, x, y); }
  Value left(Value x, Value by) { return arith::ShLIOp::create(builder, loc, x, by); }
  Value right(Value x, Value by) { return arith::ShRUIOp::create(builder, loc, x, by); }
  Value compare(Predicate p, Value x, Value y) { return arith::CmpIOp::create(builder, loc, p, x, y); }
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(builder, loc, c, x, y); }

  Parts split(Value magnitude) {
    Value exponent = right(magnitude, constant(digits)), one = constant(1);
    Value isSubnormal = compare(Predicate::eq, exponent, constant(0));
    Value fraction = both(magnitude, constant((uint64_t(1) << digits) - 1));
    return {select(isSubnormal, fraction, either(fraction, constant(uint64_t(1) << digits))),
            select(isSubnormal, one, exponent)};
  }

  Parts normalize(Parts parts) {
    Value zeros = math::CountLeadingZerosOp::create(builder, loc, parts.mantissa);
    Value by = sub(zeros, constant(width - 1 - digits));
    return {left(parts.mantissa, by), sub(parts.exponent, by)};
  }

  // (rest * 2^steps) mod divisor; rest < 2 * divisor.
  Value divide(Value rest, Value divisor, Value steps) {
    Value most = steps;
    if (isa<VectorType>(integer))
      most = vector::ReductionOp::create(builder, loc, vector::CombiningKind::MAXSI, steps);
    most = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), most);
    auto cut = [&](Value value) { return select(compare(Predicate::uge, value, divisor), sub(value, divisor), value); };
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value first = cut(rest);
    auto loop = scf::ForOp::create(builder, loc, zero, most, one, ValueRange{first, steps});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value value = loop.getRegionIterArgs()[0], left1 = loop.getRegionIterArgs()[1];
    Value more = compare(Predicate::sgt, left1, constant(0));
    Value next = select(more, cut(left(value, constant(1))), value);
    scf::YieldOp::create(builder, loc, ValueRange{next, sub(left1, constant(1))});
    return loop.getResult(0);
  }

  // Exact: the result is a multiple of the least float. In two steps, since 2^exponent alone may be none.
  Value scale(Value mantissa, Value exponent) {
    Value power = sub(exponent, constant(bias() + digits)),
          half = arith::ShRSIOp::create(builder, loc, power, constant(1));
    auto powerOfTwo = [&](Value e) { return real(left(add(e, constant(bias())), constant(digits))); };
    Value value = arith::SIToFPOp::create(builder, loc, type, mantissa);
    value = arith::MulFOp::create(builder, loc, value, powerOfTwo(half));
    return arith::MulFOp::create(builder, loc, value, powerOfTwo(sub(power, half)));
  }

  OpBuilder &builder;
  Location loc;
  Type type;
  unsigned width, digits;
  Type integer;
};

struct ExpandRemainder : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemFOp op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return failure();
    rewriter.replaceOp(op, Remainder(rewriter, op.getLoc(), op.getType()).compute(op.getLhs(), op.getRhs()));
    return success();
  }
};

} // namespace

void codegen::populateRemainderPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRemainder>(patterns.getContext());
}
