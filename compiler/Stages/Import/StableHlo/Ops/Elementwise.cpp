// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that work element by element, on tensors and in regions of scalars.
#include "compiler/Stages/Import/Emit/Numerics/Functions.h"
#include "compiler/Stages/Import/Emit/Numerics/SpecialFunctions.h"
#include "compiler/Stages/Import/StableHlo/Converter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;
using namespace mlir::heddle::numerics;

static bool isFloat(Value v) { return isa<FloatType>(v.getType()); }
static bool isFlag(Value v) { return v.getType().isInteger(1); }

bool mlir::heddle::hlo::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType>(type);
}

Value mlir::heddle::hlo::convertElement(Scalar s, Value x, Type from, Type to) {
  return importer::convert(s, x, from, to, {.saturate = false});
}

template <Value (Scalar::*function)(Value, Value)> static Value binary(Scalar &s, const Element &, ValueRange v) {
  return (s.*function)(v[0], v[1]);
}
template <Value (Scalar::*function)(Value)> static Value unary(Scalar &s, const Element &, ValueRange v) {
  return (s.*function)(v[0]);
}
template <typename Op> static Value mathOp(Scalar &s, const Element &, ValueRange v) {
  return Op::create(s.b, s.loc, v);
}
// One op of floats and one of integers, of which i1 has `FlagOp`.
template <typename FloatOp, typename IntegerOp, typename FlagOp>
static Value arithmetic(Scalar &s, const Element &, ValueRange v) {
  if (isFloat(v[0]))
    return FloatOp::create(s.b, s.loc, v);
  return isFlag(v[0]) ? Value(FlagOp::create(s.b, s.loc, v[0], v[1]))
                      : Value(IntegerOp::create(s.b, s.loc, v[0], v[1]));
}

static Value logicalNot(Scalar &s, const Element &, ValueRange v) {
  Value ones = arith::ConstantOp::create(s.b, s.loc, IntegerAttr::get(v[0].getType(), -1));
  return arith::XOrIOp::create(s.b, s.loc, v[0], ones);
}

static Value sign(Scalar &s, const Element &, ValueRange v) {
  Value x = v[0], zero = s.constant(x.getType(), 0), one = s.constant(x.getType(), 1);
  if (s.isUnsigned())
    return s.min(x, one);
  Value minusOne = s.constant(x.getType(), -1);
  if (!isFloat(x))
    return s.select(s.less(zero, x), one, s.select(s.less(x, zero), minusOne, zero));
  Value result = s.select(s.less(zero, x), one, s.select(s.less(x, zero), minusOne, x)); // keeps -0 and NaN
  return result;
}

static Value isFinite(Scalar &s, const Element &, ValueRange v) {
  Value infinity = arith::ConstantOp::create(s.b, s.loc, importer::highest(v[0].getType()));
  return s.less(s.abs(v[0]), infinity);
}

// Halves go away from zero.
static Value roundAway(Scalar &s, const Element &, ValueRange v) { return math::RoundOp::create(s.b, s.loc, v[0]); }

// By the width or more, what is left is the sign.
static Value shiftRightArithmetic(Scalar &s, const Element &, ValueRange v) {
  unsigned width = v[0].getType().getIntOrFloatBitWidth();
  Value most = s.constant(v[0].getType(), width - 1);
  Value by = arith::MinUIOp::create(s.b, s.loc, v[1], most);
  return arith::ShRSIOp::create(s.b, s.loc, v[0], by);
}

static Value power(Scalar &s, const Element &, ValueRange v) {
  return isFloat(v[0]) ? Value(math::PowFOp::create(s.b, s.loc, v)) : integerPower(s, v[0], v[1]);
}

static Value select(Scalar &s, const Element &, ValueRange v) { return s.select(v[0], v[1], v[2]); }

static Value clamp(Scalar &s, const Element &, ValueRange v) { return s.min(s.max(v[1], v[0]), v[2]); }

static Value convertType(Scalar &s, const Element &e, ValueRange v) {
  return convertElement(s, v[0], e.operandType(0), e.resultType());
}

static Value bitcastConvert(Scalar &s, const Element &e, ValueRange v) {
  Type to = storageType(e.resultType());
  return v[0].getType() == to ? v[0] : Value(arith::BitcastOp::create(s.b, s.loc, to, v[0]));
}

static Value roundTo(Scalar &s, const Element &e, ValueRange v) {
  auto bitsOf = [&](StringRef name) { return e.op->getAttrOfType<IntegerAttr>(name).getInt(); };
  return reducePrecision(s, v[0], bitsOf("exponent_bits"), bitsOf("mantissa_bits"));
}

//===--- Compare -------------------------------------------------------------------------------------------------===//

static bool isTotalOrder(Operation *op) {
  Attribute type = op->getAttr("compare_type");
  return type && readWord(type) == "TOTALORDER";
}

static Value compare(Scalar &s, const Element &e, ValueRange v) {
  StringRef direction = *readWord(e.op->getAttr("comparison_direction"));
  Value x = v[0], y = v[1];
  if (isFloat(x) && isTotalOrder(e.op)) {
    x = orderKey(s, x);
    y = orderKey(s, y);
  }
  if (isFloat(x)) {
    auto predicate = llvm::StringSwitch<arith::CmpFPredicate>(direction)
                         .Case("EQ", arith::CmpFPredicate::OEQ)
                         .Case("NE", arith::CmpFPredicate::UNE)
                         .Case("LT", arith::CmpFPredicate::OLT)
                         .Case("LE", arith::CmpFPredicate::OLE)
                         .Case("GT", arith::CmpFPredicate::OGT)
                         .Default(arith::CmpFPredicate::OGE);
    return arith::CmpFOp::create(s.b, s.loc, predicate, x, y);
  }
  bool isUnsigned = s.isUnsigned() || isFlag(x);
  using P = arith::CmpIPredicate;
  auto predicate = llvm::StringSwitch<P>(direction)
                       .Case("EQ", P::eq)
                       .Case("NE", P::ne)
                       .Case("LT", isUnsigned ? P::ult : P::slt)
                       .Case("LE", isUnsigned ? P::ule : P::sle)
                       .Case("GT", isUnsigned ? P::ugt : P::sgt)
                       .Default(isUnsigned ? P::uge : P::sge);
  return arith::CmpIOp::create(s.b, s.loc, predicate, x, y);
}

//===--- Rules ---------------------------------------------------------------------------------------------------===//

namespace {

// What an op's operands must be.
enum class Kind { Any, Float, Integer };

struct Rule {
  ElementRule rule;
  Kind kind;
};

} // namespace

template <ElementFunction function> static Value plainFunction(Scalar &s, const Element &, ValueRange v) {
  return function(s, v[0]);
}
template <Value (*function)(Scalar &, Value, Value)>
static Value plainFunctionOfTwo(Scalar &s, const Element &, ValueRange v) {
  return function(s, v[0], v[1]);
}

static const llvm::StringMap<Rule> &chloRules() {
  static const llvm::StringMap<Rule> table = {
      {"chlo.acos", {{1, mathOp<math::AcosOp>}, Kind::Float}},
      {"chlo.acosh", {{1, mathOp<math::AcoshOp>}, Kind::Float}},
      {"chlo.asin", {{1, mathOp<math::AsinOp>}, Kind::Float}},
      {"chlo.asinh", {{1, mathOp<math::AsinhOp>}, Kind::Float}},
      {"chlo.atan", {{1, mathOp<math::AtanOp>}, Kind::Float}},
      {"chlo.atanh", {{1, mathOp<math::AtanhOp>}, Kind::Float}},
      {"chlo.bessel_i1e", {{1, plainFunction<besselI1e>}, Kind::Float}},
      {"chlo.cosh", {{1, mathOp<math::CoshOp>}, Kind::Float}},
      {"chlo.digamma", {{1, plainFunction<digamma>}, Kind::Float}},
      {"chlo.erf", {{1, unary<&Scalar::erf>}, Kind::Float}},
      {"chlo.erf_inv", {{1, plainFunction<inverseErf>}, Kind::Float}},
      {"chlo.erfc", {{1, mathOp<math::ErfcOp>}, Kind::Float}},
      {"chlo.is_inf", {{1, plainFunction<isInfinite>}, Kind::Float}},
      {"chlo.is_neg_inf", {{1, plainFunction<isNegativeInfinite>}, Kind::Float}},
      {"chlo.is_pos_inf", {{1, plainFunction<isPositiveInfinite>}, Kind::Float}},
      {"chlo.lgamma", {{1, plainFunction<logGamma>}, Kind::Float}},
      {"chlo.next_after", {{2, plainFunctionOfTwo<nextAfter>}, Kind::Float}},
      {"chlo.polygamma", {{2, plainFunctionOfTwo<polygamma>}, Kind::Float}},
      {"chlo.sinh", {{1, mathOp<math::SinhOp>}, Kind::Float}},
      {"chlo.square", {{1, plainFunction<square>}, Kind::Any}},
      {"chlo.tan", {{1, mathOp<math::TanOp>}, Kind::Float}},
      {"chlo.zeta", {{2, plainFunctionOfTwo<zeta>}, Kind::Float}},
  };
  return table;
}

static const llvm::StringMap<Rule> &stableHloRules() {
  using namespace arith;
  static const llvm::StringMap<Rule> table = {
      {"stablehlo.abs", {{1, unary<&Scalar::abs>}, Kind::Any}},
      {"stablehlo.add", {{2, arithmetic<AddFOp, AddIOp, OrIOp>}, Kind::Any}},
      {"stablehlo.and", {{2, mathOp<AndIOp>}, Kind::Integer}},
      {"stablehlo.atan2", {{2, mathOp<math::Atan2Op>}, Kind::Float}},
      {"stablehlo.bitcast_convert", {{1, bitcastConvert}, Kind::Any}},
      {"stablehlo.cbrt", {{1, mathOp<math::CbrtOp>}, Kind::Float}},
      {"stablehlo.ceil", {{1, mathOp<math::CeilOp>}, Kind::Float}},
      {"stablehlo.clamp", {{3, clamp}, Kind::Any}},
      {"stablehlo.compare", {{2, compare}, Kind::Any}},
      {"stablehlo.convert", {{1, convertType}, Kind::Any}},
      {"stablehlo.cosine", {{1, mathOp<math::CosOp>}, Kind::Float}},
      {"stablehlo.count_leading_zeros", {{1, plainFunction<countLeadingZeros>}, Kind::Integer}},
      {"stablehlo.divide", {{2, binary<&Scalar::div>}, Kind::Any}},
      {"stablehlo.exponential", {{1, unary<&Scalar::exp>}, Kind::Float}},
      {"stablehlo.exponential_minus_one", {{1, mathOp<math::ExpM1Op>}, Kind::Float}},
      {"stablehlo.floor", {{1, mathOp<math::FloorOp>}, Kind::Float}},
      {"stablehlo.is_finite", {{1, isFinite}, Kind::Float}},
      {"stablehlo.log", {{1, unary<&Scalar::log>}, Kind::Float}},
      {"stablehlo.log_plus_one", {{1, mathOp<math::Log1pOp>}, Kind::Float}},
      {"stablehlo.logistic", {{1, unary<&Scalar::sigmoid>}, Kind::Float}},
      {"stablehlo.maximum", {{2, binary<&Scalar::max>}, Kind::Any}},
      {"stablehlo.minimum", {{2, binary<&Scalar::min>}, Kind::Any}},
      {"stablehlo.multiply", {{2, arithmetic<MulFOp, MulIOp, AndIOp>}, Kind::Any}},
      {"stablehlo.negate", {{1, unary<&Scalar::neg>}, Kind::Any}},
      {"stablehlo.not", {{1, logicalNot}, Kind::Integer}},
      {"stablehlo.or", {{2, mathOp<OrIOp>}, Kind::Integer}},
      {"stablehlo.popcnt", {{1, plainFunction<countOnes>}, Kind::Integer}},
      {"stablehlo.power", {{2, power}, Kind::Any}},
      {"stablehlo.reduce_precision", {{1, roundTo}, Kind::Float}},
      {"stablehlo.remainder", {{2, binary<&Scalar::rem>}, Kind::Any}},
      {"stablehlo.round_nearest_afz", {{1, roundAway}, Kind::Float}},
      {"stablehlo.round_nearest_even", {{1, mathOp<math::RoundEvenOp>}, Kind::Float}},
      {"stablehlo.rsqrt", {{1, mathOp<math::RsqrtOp>}, Kind::Float}},
      {"stablehlo.select", {{3, select}, Kind::Any}},
      {"stablehlo.shift_left", {{2, binary<&Scalar::shiftLeft>}, Kind::Integer}},
      {"stablehlo.shift_right_arithmetic", {{2, shiftRightArithmetic}, Kind::Integer}},
      {"stablehlo.shift_right_logical", {{2, binary<&Scalar::shiftRight>}, Kind::Integer}},
      {"stablehlo.sign", {{1, sign}, Kind::Any}},
      {"stablehlo.sine", {{1, mathOp<math::SinOp>}, Kind::Float}},
      {"stablehlo.sqrt", {{1, unary<&Scalar::sqrt>}, Kind::Float}},
      {"stablehlo.subtract", {{2, arithmetic<SubFOp, SubIOp, XOrIOp>}, Kind::Any}},
      {"stablehlo.tan", {{1, mathOp<math::TanOp>}, Kind::Float}},
      {"stablehlo.tanh", {{1, unary<&Scalar::tanh>}, Kind::Float}},
      {"stablehlo.xor", {{2, mathOp<XOrIOp>}, Kind::Integer}},
  };
  return table;
}

static const Rule *findRule(Operation *op) {
  StringRef name = op->getName().getStringRef();
  const llvm::StringMap<Rule> &table = name.starts_with("chlo.") ? chloRules() : stableHloRules();
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

const ElementRule *mlir::heddle::hlo::findElementRule(Operation *op) {
  const Rule *rule = findRule(op);
  return rule ? &rule->rule : nullptr;
}

static std::string checkOwn(Operation *op, StringRef name) {
  Element e{op};
  if (name == "stablehlo.compare") {
    static constexpr StringLiteral known[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    Attribute direction = op->getAttr("comparison_direction");
    std::optional<StringRef> word = direction ? readWord(direction) : std::nullopt;
    if (!word || !llvm::is_contained(known, *word))
      return "needs the attribute comparison_direction, one of EQ, NE, LT, LE, GT, GE";
    static constexpr StringLiteral orders[] = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
    Attribute order = op->getAttr("compare_type");
    std::optional<StringRef> named = order ? readWord(order) : std::nullopt;
    if (order && (!named || !llvm::is_contained(orders, *named)))
      return "the attribute compare_type must be one of FLOAT, TOTALORDER, SIGNED, UNSIGNED";
    return e.resultType().isInteger(1) ? "" : "the result must have elements of type i1";
  }
  if (name == "stablehlo.convert")
    return "";
  if (name == "stablehlo.bitcast_convert")
    return e.operandType(0).getIntOrFloatBitWidth() == e.resultType().getIntOrFloatBitWidth()
               ? ""
               : "types of different widths are not supported here";
  if (name == "stablehlo.select")
    return e.operandType(0).isInteger(1) && e.operandType(1) == e.operandType(2) && e.resultType() == e.operandType(1)
               ? ""
               : "needs a condition of type i1 and two operands of the result's type";
  if (name == "stablehlo.reduce_precision") {
    auto hasBits = [&](StringRef attribute, int64_t least) {
      auto bits = op->getAttrOfType<IntegerAttr>(attribute);
      return bits && bits.getType().isSignlessInteger(32) && bits.getInt() >= least;
    };
    if (!hasBits("exponent_bits", 1) || !hasBits("mantissa_bits", 0))
      return "needs the attributes exponent_bits, at least 1, and mantissa_bits, at least 0, of type i32";
  }
  if (name == "stablehlo.power" && e.resultType().isInteger(1))
    return "needs floats or integers of more than one bit";
  if (name == "stablehlo.is_finite" || name.starts_with("chlo.is_"))
    return e.resultType().isInteger(1) ? "" : "the result must have elements of type i1";
  return e.resultType() == e.operandType(0) ? "" : "operands and result must have one element type";
}

std::string mlir::heddle::hlo::checkElement(Operation *op) {
  const Rule &rule = *findRule(op);
  if (op->getNumOperands() != rule.rule.operands || op->getNumResults() != 1)
    return "needs " + std::to_string(rule.rule.operands) + " operands and one result";
  Element e{op};
  if (rule.kind == Kind::Float && !isa<FloatType>(e.operandType(0)))
    return "needs floats";
  if (rule.kind == Kind::Integer && !isa<IntegerType>(e.operandType(0)))
    return "needs integers";
  StringRef name = op->getName().getStringRef();
  bool worksOnBits = name == "stablehlo.reduce_precision" || name == "chlo.next_after" || isTotalOrder(op);
  if (worksOnBits && isFloat8(e.operandType(0)))
    return "floats of 8 bits are not supported here; convert them to f32";
  bool isSelect = name == "stablehlo.select";
  for (unsigned i = isSelect ? 2 : 1; i < op->getNumOperands(); ++i)
    if (e.operandType(i) != e.operandType(i - 1))
      return "the operands have different element types";
  return checkOwn(op, name);
}

//===--- On tensors ----------------------------------------------------------------------------------------------===//

// On single integers that are known or counted on the host, such as the counter of a loop; nothing if it needs tensors.
static std::optional<OpFoldResult> evaluate(OpContext &op) {
  SmallVector<OpFoldResult> v;
  for (unsigned i = 0; i < op.op->getNumOperands(); ++i) {
    Tensor &tensor = op.narrow(i);
    if (!tensor.contents || tensor.contents->size() != 1 || !tensor.holdsSizes())
      return std::nullopt;
    v.push_back(tensor.contents->front());
  }
  importer::Sizes &sizes = op.emitter.sizes;
  StringRef name = op.op->getName().getStringRef();
  if (name == "stablehlo.compare") {
    StringRef direction = *readWord(op.op->getAttr("comparison_direction"));
    OpFoldResult one = sizes.constant(1);
    return llvm::StringSwitch<std::optional<OpFoldResult>>(direction)
        .Case("EQ", sizes.isEqual(v[0], v[1]))
        .Case("NE", sizes.sub(one, sizes.isEqual(v[0], v[1])))
        .Case("LT", sizes.isLess(v[0], v[1]))
        .Case("GE", sizes.sub(one, sizes.isLess(v[0], v[1])))
        .Case("GT", sizes.isLess(v[1], v[0]))
        .Default(sizes.sub(one, sizes.isLess(v[1], v[0])));
  }
  if (name == "stablehlo.select") {
    std::optional<int64_t> known = getConstantIntValue(v[0]);
    return known ? std::optional(*known ? v[1] : v[2]) : std::nullopt;
  }
  if (!op.resultType(0).getElementType().isSignlessInteger(32) &&
      !op.resultType(0).getElementType().isSignlessInteger(64))
    return std::nullopt;
  if (name == "stablehlo.add")
    return sizes.add(v[0], v[1]);
  if (name == "stablehlo.subtract")
    return sizes.sub(v[0], v[1]);
  if (name == "stablehlo.multiply")
    return sizes.mul(v[0], v[1]);
  if (name == "stablehlo.maximum")
    return sizes.max(v[0], v[1]);
  if (name == "stablehlo.minimum")
    return sizes.min(v[0], v[1]);
  if (name == "stablehlo.convert" && !op.operandType(0).getElementType().isInteger(1))
    return v[0];
  return std::nullopt;
}

// Arithmetic on floats of 8 and 16 bits is done in 32, what works on their bits in theirs.
Value mlir::heddle::hlo::emitElement(OpBuilder &b, Location loc, Operation *op, ValueRange operands) {
  Element element{op};
  Scalar s{b, loc, element.operandType(op->getNumOperands() - 1)};
  StringRef name = op->getName().getStringRef();
  bool moves = name == "stablehlo.select" || name == "stablehlo.bitcast_convert" || name == "stablehlo.convert" ||
               name == "stablehlo.reduce_precision" || name == "chlo.next_after";
  const ElementRule *rule = findElementRule(op);
  if (moves || !isa<FloatType>(s.type) || s.type.getIntOrFloatBitWidth() >= 32 || isTotalOrder(op)) {
    Value result = rule->body(s, element, operands);
    auto integer = dyn_cast<IntegerType>(element.resultType());
    bool wraps = !moves && integer && integer.getWidth() > 1 && integer.getWidth() < 8; // held in a byte
    Type byte = IntegerType::get(b.getContext(), 8, wraps ? integer.getSignedness() : IntegerType::Signless);
    return wraps ? importer::convert(s, result, byte, integer) : result;
  }
  Type narrow = s.type;
  s.type = b.getF32Type();
  SmallVector<Value> wide =
      llvm::map_to_vector(operands, [&](Value v) { return importer::convert(s, v, narrow, s.type); });
  Value result = rule->body(s, element, wide);
  return element.resultType() == narrow ? convertElement(s, result, s.type, narrow) : result;
}

// Where all operands are narrow, the result is.
static LogicalResult lowerElementwise(OpContext &op) {
  std::string reason = checkElement(op.op);
  if (!reason.empty())
    return op.refuse(reason);
  if (std::optional<OpFoldResult> known = evaluate(op)) {
    Type type = op.resultType(0).getElementType();
    SmallVector<int64_t> unit(op.resultType(0).getRank(), 1);
    return op.setNarrowResult(0, op.emitter.fromContents(type, op.sizesOf(unit), {op.emitter.narrow(*known, type)}));
  }
  if (std::optional<Tensor> narrow = dequantize(op))
    return op.setResult(0, std::move(*narrow));
  ArrayRef<int64_t> shape = op.resultType(0).getShape();
  bool isClamp = op.op->getName().getStringRef() == "stablehlo.clamp",
       isSelect = op.op->getName().getStringRef() == "stablehlo.select";
  SmallVector<int64_t> common(shape.size(), 1);
  SmallVector<Tensor *> operands;
  for (unsigned i = 0; i < op.op->getNumOperands(); ++i) {
    Tensor &tensor = op.narrow(i);
    operands.push_back(&tensor);
    bool mayBeScalar = (isClamp && i != 1) || (isSelect && i == 0);
    if (op.operandType(i).getRank() == 0 && mayBeScalar)
      continue;
    if (op.operandType(i).getShape() != shape)
      return op.refuse("operand " + Twine(i) + " does not have the shape of the result");
    for (int64_t d = 0; d < tensor.rank(); ++d)
      common[d] = std::max(common[d], *tensor.staticSize(d) == 1 ? 1 : shape[d]);
  }
  for (auto [size, whole] : llvm::zip(common, shape))
    if (whole == 0)
      size = 0;
  return op.setNarrowResult(0, op.emitter.elementwise(operands, op.sizesOf(common), op.resultType(0).getElementType(),
                                                      [&](OpBuilder &b, Location loc, ValueRange v) {
                                                        return emitElement(b, loc, op.op, v);
                                                      }));
}

// Of types of different widths, the wider one's elements have a dimension of parts behind them.
static LogicalResult lowerBitcast(OpContext &op) {
  if (failed(op.requireOperands(1)) || failed(op.requireResults(1)))
    return failure();
  Type from = op.operandType(0).getElementType(), to = op.resultType(0).getElementType();
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return lowerElementwise(op);
  bool splits = fromWidth > toWidth;
  int64_t parts = splits ? fromWidth / toWidth : toWidth / fromWidth;
  RankedTensorType fine = splits ? op.resultType(0) : op.operandType(0),
                   coarse = splits ? op.operandType(0) : op.resultType(0);
  if (fine.getRank() != coarse.getRank() + 1 || fine.getShape().drop_back() != coarse.getShape() ||
      fine.getShape().back() != parts)
    return op.refuse("the narrower type must have one more dimension, of size " + Twine(parts));
  Emitter &emitter = op.emitter;
  Type wideInteger = op.emitter.builder.getIntegerType(std::max(fromWidth, toWidth)),
       narrowInteger = op.emitter.builder.getIntegerType(std::min(fromWidth, toWidth));
  auto cast = [](OpBuilder &b, Location loc, Value v, Type type) -> Value {
    return v.getType() == type ? v : Value(arith::BitcastOp::create(b, loc, type, v));
  };
  Tensor &source = op.operand(0);
  if (splits) {
    SizeList unit = source.sizes;
    unit.push_back(emitter.sizes.constant(1));
    Tensor operand = emitter.reshape(source, unit);
    return op.setResult(0, emitter.generate(op.sizesOf(fine.getShape()), to, {&operand},
                                            [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                              Scalar s{b, loc};
                                              Value bits = cast(b, loc, v[0], wideInteger);
                                              Value part = arith::IndexCastOp::create(b, loc, wideInteger, v.back());
                                              Value by = s.mul(part, s.constant(wideInteger, toWidth));
                                              Value low = arith::TruncIOp::create(
                                                  b, loc, narrowInteger, arith::ShRUIOp::create(b, loc, bits, by));
                                              return cast(b, loc, low, storageType(to));
                                            }));
  }
  Tensor sum;
  for (int64_t part = 0; part < parts; ++part) {
    SizeList offsets(fine.getRank(), emitter.sizes.constant(0)), extents = source.sizes;
    offsets.back() = emitter.sizes.constant(part);
    extents.back() = emitter.sizes.constant(1);
    Tensor slice = emitter.slice(source, offsets, extents, SmallVector<int64_t>(fine.getRank(), 1));
    Tensor flat = emitter.reshape(slice, op.sizesOf(coarse.getShape()));
    SmallVector<Tensor *> operands{&flat};
    if (part)
      operands.push_back(&sum);
    sum =
        emitter.elementwise(operands, flat.sizes, wideInteger, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          Scalar s{b, loc};
          Value bits = arith::ExtUIOp::create(b, loc, wideInteger, cast(b, loc, v[0], narrowInteger));
          bits = arith::ShLIOp::create(b, loc, bits, s.constant(wideInteger, static_cast<double>(part * fromWidth)));
          return part ? Value(arith::OrIOp::create(b, loc, bits, v[1])) : bits;
        });
  }
  return op.setResult(0, emitter.elementwise({&sum}, sum.sizes, to, [&](OpBuilder &b, Location loc, ValueRange v) {
    return cast(b, loc, v[0], storageType(to));
  }));
}

void mlir::heddle::hlo::registerElementwise(LoweringTable &table) {
  for (const auto *rules : {&stableHloRules(), &chloRules()})
    for (const auto &rule : *rules)
      table[rule.getKey()] = lowerElementwise;
  table["stablehlo.bitcast_convert"] = lowerBitcast;
}
