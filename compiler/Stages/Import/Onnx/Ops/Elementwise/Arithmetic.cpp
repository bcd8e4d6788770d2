// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of several broadcast operands, element by element.
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Quantized/NarrowWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <functional>

using namespace mlir;
using namespace mlir::heddle::importer;

//===--- On shape values -----------------------------------------------------------------------------------------===//

// The result of an op on two sizes, or nothing if it cannot be told.
using SizeBody = std::optional<OpFoldResult> (*)(Sizes &, OpFoldResult, OpFoldResult);

// Evaluates the node on the contents of its operands. False: it needs real tensors.
static bool evaluate(NodeContext &node, ArrayRef<Tensor *> operands, Type elementType, SizeBody body) {
  Emitter &emitter = node.emitter;
  SmallVector<SizeList> shapes;
  for (Tensor *operand : operands) {
    if (!operand->contents || operand->rank() > 1 || !operand->holdsSizes())
      return false;
    shapes.push_back(operand->sizes);
  }
  std::optional<SizeList> sizes = emitter.broadcastSizes(shapes);
  if (!sizes)
    return false;
  int64_t count = sizes->empty() ? 1 : *getConstantIntValue(sizes->front());
  SizeList results;
  for (int64_t i = 0; i < count; ++i) {
    auto element = [&](Tensor *operand) { return (*operand->contents)[operand->contents->size() == 1 ? 0 : i]; };
    std::optional<OpFoldResult> result = body(emitter.sizes, element(operands[0]), element(operands[1]));
    if (!result)
      return false;
    results.push_back(emitter.narrow(*result, elementType));
  }
  node.setOutput(0, emitter.fromContents(elementType, *sizes, std::move(results)));
  return true;
}

static std::optional<OpFoldResult> divideSizes(Sizes &sizes, OpFoldResult a, OpFoldResult b) {
  if (!sizes.isNonNegative(a) || !sizes.lessEqual(sizes.constant(1), b))
    return std::nullopt;
  return sizes.floorDiv(a, b);
}

static std::optional<OpFoldResult> modSizes(Sizes &sizes, OpFoldResult a, OpFoldResult b) {
  std::optional<OpFoldResult> quotient = divideSizes(sizes, a, b);
  if (!quotient)
    return std::nullopt;
  return sizes.sub(a, sizes.mul(*quotient, b));
}

// Logic of constants: what is still unknown has no place in a shape.
template <typename Function>
static std::optional<OpFoldResult> onConstants(Sizes &sizes, OpFoldResult a, OpFoldResult b, Function function) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (!x || !y)
    return std::nullopt;
  return sizes.constant(function(*x, *y));
}

static std::optional<OpFoldResult> andSizes(Sizes &sizes, OpFoldResult a, OpFoldResult b) {
  return onConstants(sizes, a, b, std::bit_and<int64_t>());
}
static std::optional<OpFoldResult> orSizes(Sizes &sizes, OpFoldResult a, OpFoldResult b) {
  return onConstants(sizes, a, b, std::bit_or<int64_t>());
}
static std::optional<OpFoldResult> xorSizes(Sizes &sizes, OpFoldResult a, OpFoldResult b) {
  return onConstants(sizes, a, b, std::bit_xor<int64_t>());
}

// Booleans are sizes of 0 and 1.
static std::optional<OpFoldResult> andBooleans(Sizes &sizes, OpFoldResult a, OpFoldResult b) { return sizes.mul(a, b); }
static std::optional<OpFoldResult> orBooleans(Sizes &sizes, OpFoldResult a, OpFoldResult b) {
  return sizes.sub(sizes.add(a, b), sizes.mul(a, b));
}
static std::optional<OpFoldResult> xorBooleans(Sizes &sizes, OpFoldResult a, OpFoldResult b) {
  return sizes.sub(sizes.add(a, b), sizes.mul(sizes.constant(2), sizes.mul(a, b)));
}

//===--- Arithmetic ----------------------------------------------------------------------------------------------===//

using BinaryBody = Value (*)(Scalar &, Value, Value);

template <BinaryBody body, SizeBody onSizes> static LogicalResult lowerBinary(NodeContext &node) {
  if (failed(requireSameType(node, 2)))
    return failure();
  Type type = node.input(0)->elementType;
  if constexpr (onSizes != nullptr)
    if (evaluate(node, {node.input(0), node.input(1)}, type, onSizes))
      return success();
  return lowerElementwise(node, {node.input(0), node.input(1)}, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, node.input(0)->elementType};
    return body(s, v[0], v[1]);
  });
}

// All inputs, from the first on, a few in one op: output 0.
static LogicalResult combineInputs(NodeContext &node, BinaryBody body) {
  constexpr size_t kAtOnce = 32;
  Type type = node.input(0)->elementType;
  Tensor sum = *node.input(0);
  for (size_t next = 1; next < node.numInputs();) {
    SmallVector<Tensor *> operands{&sum};
    while (next < node.numInputs() && operands.size() < kAtOnce)
      operands.push_back(node.input(next++));
    if (failed(lowerElementwise(node, operands, type, [&](OpBuilder &b, Location loc, ValueRange v) {
          Scalar s{b, loc, type};
          Value result = v[0];
          for (Value operand : v.drop_front())
            result = body(s, result, operand);
          return result;
        })))
      return failure();
    sum = *node.result(0);
  }
  if (node.numInputs() == 1)
    node.setOutput(0, sum);
  return success();
}

// Any number of operands.
template <BinaryBody body, SizeBody onSizes> static LogicalResult lowerVariadic(NodeContext &node) {
  if (node.numInputs() == 2)
    return lowerBinary<body, onSizes>(node);
  if (node.numInputs() == 0 || failed(requireSameType(node, node.numInputs())))
    return node.refuse("needs at least one input");
  return combineInputs(node, body);
}

static LogicalResult lowerMean(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, node.numInputs())))
    return failure();
  if (failed(combineInputs(node, [](Scalar &s, Value x, Value y) { return s.add(x, y); })))
    return failure();
  Tensor sum = *node.result(0);
  auto count = static_cast<double>(node.numInputs());
  return lowerElementwise(node, {&sum}, sum.elementType, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    return s.div(v[0], s.constant(v[0].getType(), count));
  });
}

// The result has the sign of the divisor (fmod 0) or of the dividend (fmod 1); an integer mod 0 is 0.
static LogicalResult lowerMod(NodeContext &node) {
  if (failed(requireSameType(node, 2)))
    return failure();
  bool truncate = node.getInt("fmod", 0) != 0;
  Type type = node.input(0)->elementType;
  if (isa<FloatType>(type) && !truncate)
    return node.refuse("floats need the attribute fmod = 1");
  if (evaluate(node, {node.input(0), node.input(1)}, type, modSizes))
    return success();
  return lowerElementwise(node, {node.input(0), node.input(1)}, type,
                          [=](OpBuilder &b, Location loc, ValueRange v) -> Value {
                            Scalar s{b, loc, type};
                            Value rest = s.rem(v[0], v[1]), zero = s.constant(rest.getType(), 0);
                            if (truncate || isa<FloatType>(type) || s.isUnsigned())
                              return rest;
                            Value signsDiffer = s.less(arith::XOrIOp::create(b, loc, rest, v[1]), zero);
                            Value isZero = s.equal(rest, zero);
                            return s.select(isZero, zero, s.select(signsDiffer, s.add(rest, v[1]), rest));
                          });
}

//===--- Pow -----------------------------------------------------------------------------------------------------===//

// Constant exponents of at most this become multiplications.
static constexpr double kMaximumSquarings = 64;

static bool isMultiplication(Type type, double power) {
  bool whole = power == std::floor(power) && power >= 1 && power <= kMaximumSquarings;
  return isa<IntegerType>(type) ? whole : (whole && power <= 3) || power == -1;
}

// x to a constant power by squaring; -1 is the reciprocal.
static Value multiplyOut(Scalar &s, Value x, double power) {
  if (power == -1)
    return s.div(s.constant(x.getType(), 1), x);
  Value result;
  for (auto rest = static_cast<unsigned>(power); rest; rest >>= 1) {
    if (rest & 1)
      result = result ? s.mul(result, x) : x;
    if (rest > 1)
      x = s.mul(x, x);
  }
  return result;
}

// By squaring, modulo 2^width. Of a negative power what the quotient 1 / x^-y is as an integer: 1 and -1 have one, all
// else is 0, as is 1 / 0.
static Value integerPower(Scalar &s, Value x, Value y, bool unsignedPower) {
  OpBuilder &b = s.b;
  Location loc = s.loc;
  Type type = x.getType(), powerType = y.getType();
  Value zero = s.constant(powerType, 0), one = s.constant(type, 1);
  Value start = y;
  if (!unsignedPower) {
    Value negative = Scalar{b, loc}.less(y, zero), magnitude = s.constant(type, -1);
    Value unit = s.max(s.equal(x, one), s.isUnsigned() ? s.constant(b.getI1Type(), 0) : s.equal(x, magnitude));
    // Powers of units depend on whether the exponent is odd.
    start = s.select(negative, arith::AndIOp::create(b, loc, y, s.constant(powerType, 1)), y);
    one = s.select(s.max(unit, s.equal(negative, s.constant(b.getI1Type(), 0))), one, s.constant(type, 0));
  }
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange{type, type, powerType}, ValueRange{one, x, start},
      [&](OpBuilder &inner, Location at, ValueRange v) {
        Value more = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::ne, v[2], zero);
        scf::ConditionOp::create(inner, at, more, v);
      },
      [&](OpBuilder &inner, Location at, ValueRange v) {
        Scalar t{inner, at};
        Value bit = arith::AndIOp::create(inner, at, v[2], t.constant(powerType, 1));
        Value product = t.select(t.equal(bit, zero), v[0], t.mul(v[0], v[1]));
        Value rest = arith::ShRUIOp::create(inner, at, v[2], t.constant(powerType, 1));
        scf::YieldOp::create(inner, at, ValueRange{product, t.mul(v[1], v[1]), rest});
      });
  return loop.getResult(0);
}

static LogicalResult lowerPow(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  Type type = node.input(0)->elementType, powerType = node.input(1)->elementType;
  std::optional<double> power = node.constantScalar(1);
  if (power && isMultiplication(type, *power) && node.input(1)->rank() <= node.input(0)->rank())
    return lowerElementwise(node, {node.input(0)}, type, [&](OpBuilder &b, Location loc, ValueRange v) {
      Scalar s{b, loc, type};
      return multiplyOut(s, v[0], *power);
    });
  return lowerElementwise(node, {node.input(0), node.input(1)}, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    if (isa<IntegerType>(type) && isa<IntegerType>(powerType))
      return integerPower(s, v[0], v[1], powerType.isUnsignedInteger());
    // In the wider of the two types; integers in f64, which holds those of 32 bits.
    bool single = type.isF32() && (powerType.isF32() || powerType.getIntOrFloatBitWidth() < 32);
    Type real = single ? b.getF32Type() : b.getF64Type();
    Value power = math::PowFOp::create(b, loc, convert(s, v[0], type, real), convert(s, v[1], powerType, real));
    return convert(s, power, real, type);
  });
}

//===--- Comparisons and logic -----------------------------------------------------------------------------------===//

template <BinaryBody body, SizeBody onSizes> static LogicalResult lowerComparison(NodeContext &node) {
  if (failed(requireSameType(node, 2)))
    return failure();
  Type boolean = node.emitter.builder.getI1Type();
  if constexpr (onSizes != nullptr)
    if (evaluate(node, {node.input(0), node.input(1)}, boolean, onSizes))
      return success();
  return lowerElementwise(node, {node.input(0), node.input(1)}, boolean, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, node.input(0)->elementType};
    return body(s, v[0], v[1]);
  });
}

template <typename Op, SizeBody onIntegers, SizeBody onBooleans> static LogicalResult lowerLogic(NodeContext &node) {
  if (failed(requireSameType(node, 2)))
    return failure();
  if (!node.input(0)->isInteger())
    return node.refuse("needs tensors of booleans or integers");
  Type type = node.input(0)->elementType;
  if (evaluate(node, {node.input(0), node.input(1)}, type, type.isInteger(1) ? onBooleans : onIntegers))
    return success();
  return lowerElementwise(
      node, {node.input(0), node.input(1)}, node.input(0)->elementType,
      [](OpBuilder &b, Location loc, ValueRange v) -> Value { return Op::create(b, loc, v[0], v[1]); });
}

// Shifts in zeros; everything is shifted out by the width or more.
static LogicalResult lowerBitShift(NodeContext &node) {
  if (failed(requireSameType(node, 2)))
    return failure();
  std::string direction = node.getString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return node.refuse("attribute 'direction' must be \"LEFT\" or \"RIGHT\", got \"" + direction + "\"");
  if (!node.input(0)->isUnsigned())
    return node.refuse("needs tensors of unsigned integers");
  return lowerElementwise(node, {node.input(0), node.input(1)}, node.input(0)->elementType,
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            Scalar s{b, loc, node.input(0)->elementType};
                            return direction == "LEFT" ? s.shiftLeft(v[0], v[1]) : s.shiftRight(v[0], v[1]);
                          });
}

static LogicalResult lowerWhere(NodeContext &node) {
  if (failed(node.requireInputs(3)))
    return failure();
  Tensor *condition = node.input(0), *x = node.input(1), *y = node.input(2);
  if (!condition->elementType.isInteger(1) || x->elementType != y->elementType)
    return node.refuse("needs booleans and two tensors of one type");
  std::optional<SmallVector<int64_t>> choices = node.constantInts(0);
  bool equalSizes = x->rank() == y->rank() && llvm::all_of(llvm::zip_equal(x->sizes, y->sizes), [&](auto pair) {
                      return node.emitter.sizes.equal(std::get<0>(pair), std::get<1>(pair));
                    });
  if (choices && choices->size() == 1 && x->contents && y->contents && condition->rank() <= 1 && equalSizes &&
      x->rank() >= condition->rank()) {
    node.setOutput(0, choices->front() ? *x : *y);
    return success();
  }
  std::optional<SizeList> shape;
  if (choices && x->contents && y->contents && x->rank() == 1 && y->rank() == 1 && condition->rank() == 1)
    shape = node.emitter.broadcastSizes({condition->sizes, x->sizes, y->sizes});
  if (shape) {
    SizeList results;
    for (int64_t i = 0, count = *getConstantIntValue(shape->front()); i < count; ++i) {
      auto element = [i](auto &list) { return list[list.size() == 1 ? 0 : i]; };
      results.push_back(element(element(*choices) ? *x->contents : *y->contents));
    }
    node.setOutput(0, node.emitter.fromContents(x->elementType, *shape, std::move(results)));
    return success();
  }
  return lowerElementwise(node, {condition, x, y}, x->elementType, [](OpBuilder &b, Location loc, ValueRange v) {
    return Scalar{b, loc}.select(v[0], v[1], v[2]);
  });
}

//===--- Clip and PRelu ------------------------------------------------------------------------------------------===//

static LogicalResult lowerClip(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Type type = node.input(0)->elementType;
  SmallVector<Tensor *> operands{node.input(0)};
  Tensor *low = node.input(1), *high = node.input(2);
  for (Tensor *limit : {low, high})
    if (limit) {
      if (limit->elementType != type || limit->staticCount() != 1)
        return node.refuse("a limit must be a scalar of the operand's type");
      operands.push_back(limit);
    }
  return lowerElementwise(node, operands, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    Value result = v[0];
    if (low)
      result = s.max(result, v[1]);
    if (high)
      result = s.min(result, v.back());
    return result;
  });
}

// Before operator set 11 the limits are attributes.
static LogicalResult lowerClip6(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  bool hasLow = node.hasAttribute("min"), hasHigh = node.hasAttribute("max");
  double low = node.getFloat("min", 0), high = node.getFloat("max", 0);
  return lowerElementwise(node, {node.input(0)}, node.input(0)->elementType,
                          [=](OpBuilder &b, Location loc, ValueRange v) {
                            Scalar s{b, loc};
                            Value result = v[0];
                            if (hasLow)
                              result = s.max(result, s.constant(result.getType(), low));
                            if (hasHigh)
                              result = s.min(result, s.constant(result.getType(), high));
                            return result;
                          });
}

static Value add(Scalar &s, Value x, Value y) { return s.add(x, y); }
static Value sub(Scalar &s, Value x, Value y) { return s.sub(x, y); }
static Value mul(Scalar &s, Value x, Value y) { return s.mul(x, y); }
static Value div(Scalar &s, Value x, Value y) { return s.div(x, y); }
static Value max(Scalar &s, Value x, Value y) { return s.max(x, y); }
static Value min(Scalar &s, Value x, Value y) { return s.min(x, y); }
static Value equal(Scalar &s, Value x, Value y) { return s.equal(x, y); }
static Value less(Scalar &s, Value x, Value y) { return s.less(x, y); }
static Value greater(Scalar &s, Value x, Value y) { return s.less(y, x); }
static Value lessOrEqual(Scalar &s, Value x, Value y) { return s.lessEqual(x, y); }
static Value greaterOrEqual(Scalar &s, Value x, Value y) { return s.lessEqual(y, x); }
static Value prelu(Scalar &s, Value x, Value slope) {
  return s.select(s.less(x, s.constant(x.getType(), 0)), s.mul(x, slope), x);
}

using Size = OpFoldResult;
using MaybeSize = std::optional<OpFoldResult>;
static MaybeSize addSizes(Sizes &s, Size a, Size b) { return s.add(a, b); }
static MaybeSize subSizes(Sizes &s, Size a, Size b) { return s.sub(a, b); }
static MaybeSize mulSizes(Sizes &s, Size a, Size b) { return s.mul(a, b); }
static MaybeSize maxSizes(Sizes &s, Size a, Size b) { return s.max(a, b); }
static MaybeSize minSizes(Sizes &s, Size a, Size b) { return s.min(a, b); }
static MaybeSize equalSizes(Sizes &s, Size a, Size b) { return s.isEqual(a, b); }
static MaybeSize lessSizes(Sizes &s, Size a, Size b) { return s.isLess(a, b); }
static MaybeSize greaterSizes(Sizes &s, Size a, Size b) { return s.isLess(b, a); }
static MaybeSize lessEqualSizes(Sizes &s, Size a, Size b) { return s.isLess(a, s.add(b, s.constant(1))); }
static MaybeSize greaterEqualSizes(Sizes &s, Size a, Size b) { return lessEqualSizes(s, b, a); }

static LogicalResult lowerMul(NodeContext &node) {
  for (int i : {0, 1})
    if (node.input(0) && node.input(1))
      if (std::optional<Tensor> table = scaleTable(node.emitter, *node.input(i), *node.input(1 - i))) {
        node.setOutput(0, *table);
        return success();
      }
  return lowerBinary<mul, mulSizes>(node);
}

void mlir::heddle::importer::registerArithmetic(LoweringTable &table) {
  table.add("Add", 7, lowerBinary<add, addSizes>);
  table.add("Sub", 7, lowerBinary<sub, subSizes>);
  table.add("Mul", 7, lowerMul);
  table.add("Div", 7, lowerBinary<div, divideSizes>);
  table.add("Max", 6, lowerVariadic<max, maxSizes>);
  table.add("Min", 6, lowerVariadic<min, minSizes>);
  table.add("Sum", 6, lowerVariadic<add, nullptr>);
  table.add("Mean", 6, lowerMean);
  table.add("Mod", 10, lowerMod);
  table.add("Pow", 7, lowerPow);
  table.add("PRelu", 7, lowerBinary<prelu, nullptr>);
  table.add("Equal", 7, lowerComparison<equal, equalSizes>);
  table.add("Less", 7, lowerComparison<less, lessSizes>);
  table.add("Greater", 7, lowerComparison<greater, greaterSizes>);
  table.add("LessOrEqual", 12, lowerComparison<lessOrEqual, lessEqualSizes>);
  table.add("GreaterOrEqual", 12, lowerComparison<greaterOrEqual, greaterEqualSizes>);
  table.add("And", 7, lowerLogic<arith::AndIOp, andSizes, andBooleans>);
  table.add("Or", 7, lowerLogic<arith::OrIOp, orSizes, orBooleans>);
  table.add("Xor", 7, lowerLogic<arith::XOrIOp, xorSizes, xorBooleans>);
  table.add("BitwiseAnd", 18, lowerLogic<arith::AndIOp, andSizes, andBooleans>);
  table.add("BitwiseOr", 18, lowerLogic<arith::OrIOp, orSizes, orBooleans>);
  table.add("BitwiseXor", 18, lowerLogic<arith::XOrIOp, xorSizes, xorBooleans>);
  table.add("BitShift", 11, lowerBitShift);
  table.add("Where", 9, lowerWhere);
  table.add("Clip", 6, lowerClip6);
  table.add("Clip", 11, lowerClip);
}
