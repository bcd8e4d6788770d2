// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of one element between types (`convert`, Scalars.h).
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Emit/SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle::importer;

// Out of range gives the nearest limit of `to`, NaN 0. The limits are powers of two, exact in every float type but f16,
// which comes here as f32.
static Value saturate(Scalar &s, Value x, Type to) {
  Type from = x.getType(), stored = storageType(to);
  bool isUnsigned = to.isUnsignedInteger();
  int digits = static_cast<int>(to.getIntOrFloatBitWidth()) - (isUnsigned ? 0 : 1);
  Value least = s.constant(from, isUnsigned ? 0 : -std::ldexp(1.0, digits));
  Value above = s.lessEqual(s.constant(from, std::ldexp(1.0, digits)), x), below = s.less(x, least);
  Value outside = s.max(s.max(above, below), s.isNan(x));
  // Conversion of a value out of range is undefined: convert zero instead.
  Value inside = s.select(outside, s.constant(from, 0), x);
  Value converted = isUnsigned ? Value(arith::FPToUIOp::create(s.b, s.loc, stored, inside))
                               : Value(arith::FPToSIOp::create(s.b, s.loc, stored, inside));
  Value high = arith::ConstantOp::create(s.b, s.loc, highest(to)),
        low = arith::ConstantOp::create(s.b, s.loc, lowest(to));
  return s.select(above, high, s.select(below, low, converted));
}

static Value convertFloat(Scalar &s, Value x, FloatType to) {
  unsigned from = x.getType().getIntOrFloatBitWidth();
  if (from == to.getWidth()) // f16 and bf16: by way of f32
    x = arith::ExtFOp::create(s.b, s.loc, s.b.getF32Type(), x);
  return from < to.getWidth() ? Value(arith::ExtFOp::create(s.b, s.loc, to, x))
                              : Value(arith::TruncFOp::create(s.b, s.loc, to, x));
}

static Value fromInteger(Scalar &s, Value x, bool isUnsigned, Type to) {
  // Narrow floats by way of f32: exact where f16 is finite; of bf16, what other runtimes do.
  Type wide = to.getIntOrFloatBitWidth() < 32 ? s.b.getF32Type() : to;
  Value real = isUnsigned ? Value(arith::UIToFPOp::create(s.b, s.loc, wide, x))
                          : Value(arith::SIToFPOp::create(s.b, s.loc, wide, x));
  return wide == to ? real : Value(arith::TruncFOp::create(s.b, s.loc, to, real));
}

// The value modulo 2^width of an integer type narrower than its byte.
static Value wrap(Scalar s, Value byte, Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  if (to.isUnsignedInteger())
    return arith::AndIOp::create(s.b, s.loc, byte, s.constant(s.b.getI8Type(), (1 << width) - 1));
  Value unused = s.constant(s.b.getI8Type(), 8 - width);
  return arith::ShRSIOp::create(s.b, s.loc, arith::ShLIOp::create(s.b, s.loc, byte, unused), unused);
}

// Whether every value of the integer type `from` is one of `to`.
static bool contains(Type to, Type from) {
  unsigned toWidth = to.getIntOrFloatBitWidth(), fromWidth = from.getIntOrFloatBitWidth();
  bool fromUnsigned = from.isInteger(1) || from.isUnsignedInteger();
  if (fromUnsigned == to.isUnsignedInteger())
    return fromWidth <= toWidth;
  return fromUnsigned && fromWidth < toWidth;
}

Value mlir::heddle::importer::convert(Scalar s, Value x, Type from, Type to, CastRules rules) {
  if (from == to)
    return x;
  if (isSmallFloat(from)) {
    x = decode(s, x, cast<FloatType>(from));
    return convert(s, x, x.getType(), to, rules);
  }
  if (isSmallFloat(to)) {
    Type wide = isa<FloatType>(from) ? from : Type(s.b.getF32Type());
    return encode(s, convert(s, x, from, wide), cast<FloatType>(to), rules);
  }
  Type stored = storageType(to);
  if (isa<IntegerType>(to) && to.getIntOrFloatBitWidth() < 8 && !to.isInteger(1)) {
    if (isa<FloatType>(from)) // modulo 2^width, as onnx's evaluator has it
      return convert(s, convert(s, x, from, s.b.getI32Type()), s.b.getI32Type(), to);
    Value byte = convert(s, x, from, s.b.getI8Type());
    return contains(to, from) ? byte : wrap(s, byte, to);
  }
  bool isUnsigned = from.isInteger(1) || from.isUnsignedInteger();
  if (to.isInteger(1)) {
    Value zero = s.constant(x.getType(), 0);
    return isa<FloatType>(from) ? Value(arith::CmpFOp::create(s.b, s.loc, arith::CmpFPredicate::UNE, x, zero))
                                : Value(arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::ne, x, zero));
  }
  if (isa<FloatType>(to))
    return isa<FloatType>(from) ? convertFloat(s, x, cast<FloatType>(to)) : fromInteger(s, x, isUnsigned, to);
  unsigned fromWidth = x.getType().getIntOrFloatBitWidth(), toWidth = stored.getIntOrFloatBitWidth();
  if (isa<FloatType>(from))
    return saturate(s, fromWidth < 32 ? convertFloat(s, x, s.b.getF32Type()) : x, to);
  if (fromWidth == toWidth)
    return x;
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(s.b, s.loc, stored, x);
  return isUnsigned ? Value(arith::ExtUIOp::create(s.b, s.loc, stored, x))
                    : Value(arith::ExtSIOp::create(s.b, s.loc, stored, x));
}
