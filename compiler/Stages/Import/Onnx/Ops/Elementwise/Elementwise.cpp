// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of one operand (and parameters in attributes), element by element.
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
using namespace mlir::heddle::importer;

using UnaryBody = Value (*)(Scalar &, Value);

// A float op whose result has the operand's type.
template <UnaryBody body> static LogicalResult lowerFloat(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  return lowerElementwise(node, {node.input(0)}, node.input(0)->elementType,
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            Scalar s{b, loc, node.input(0)->elementType};
                            return body(s, v[0]);
                          });
}

// Evaluates the node on the contents of its operand. False: it needs real tensors.
static bool evaluate(NodeContext &node, llvm::function_ref<std::optional<OpFoldResult>(Sizes &, OpFoldResult)> onSize) {
  std::optional<SizeList> contents = node.contents(0);
  if (!contents || !node.input(0)->holdsSizes())
    return false;
  for (OpFoldResult &element : *contents) {
    std::optional<OpFoldResult> result = onSize(node.emitter.sizes, element);
    if (!result)
      return false;
    element = node.emitter.narrow(*result, node.input(0)->elementType);
  }
  Tensor &operand = *node.input(0);
  node.setOutput(0, node.emitter.fromContents(operand.elementType, operand.sizes, std::move(*contents)));
  return true;
}

// The same for floats and integers.
template <UnaryBody body> static LogicalResult lowerNumber(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  return lowerElementwise(node, {node.input(0)}, node.input(0)->elementType,
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            Scalar s{b, loc, node.input(0)->elementType};
                            return body(s, v[0]);
                          });
}

template <typename Op> static Value apply(Scalar &s, Value x) { return Op::create(s.b, s.loc, x); }

static Value reciprocal(Scalar &s, Value x) { return s.div(s.constant(x.getType(), 1), x); }
static Value relu(Scalar &s, Value x) { return s.max(x, s.constant(x.getType(), 0)); }
static Value sigmoid(Scalar &s, Value x) { return s.sigmoid(x); }
static Value negate(Scalar &s, Value x) { return s.neg(x); }
static Value absolute(Scalar &s, Value x) { return s.abs(x); }

static Value sign(Scalar &s, Value x) {
  Value zero = s.constant(x.getType(), 0), one = s.constant(x.getType(), 1), minusOne = s.constant(x.getType(), -1);
  if (s.isUnsigned())
    return s.min(x, one);
  Value result = s.select(s.less(zero, x), one, s.select(s.less(x, zero), minusOne, zero));
  return isa<FloatType>(x.getType()) ? s.select(s.isNan(x), x, result) : result;
}

// log(1 + exp(x)) without overflow: max(x, 0) + log1p(exp(-|x|)).
static Value softplus(Scalar &s, Value x) {
  Value tail = apply<math::Log1pOp>(s, s.exp(s.neg(s.abs(x))));
  return s.add(s.max(x, s.constant(x.getType(), 0)), tail);
}

static Value softsign(Scalar &s, Value x) { return s.div(x, s.add(s.constant(x.getType(), 1), s.abs(x))); }
static Value mish(Scalar &s, Value x) { return s.mul(x, s.tanh(softplus(s, x))); }

static Value hardSigmoidOf(Scalar &s, Value x, double alpha, double beta) {
  Type type = x.getType();
  Value line = s.add(s.mul(x, s.constant(type, alpha)), s.constant(type, beta));
  return s.max(s.constant(type, 0), s.min(s.constant(type, 1), line));
}

static Value hardSwish(Scalar &s, Value x) { return s.mul(x, hardSigmoidOf(s, x, 1.0 / 6, 0.5)); }

// x or alpha * (exp(x) - 1).
static Value eluOf(Scalar &s, Value x, double alpha) {
  Value zero = s.constant(x.getType(), 0);
  Value below = s.mul(s.constant(x.getType(), alpha), apply<math::ExpM1Op>(s, s.min(x, zero)));
  return s.select(s.less(x, zero), below, x);
}

// A float op with up to two float attributes and their defaults.
using ParametricBody = Value (*)(Scalar &, Value, double, double);

static LogicalResult lowerParametric(NodeContext &node, StringRef first, double firstDefault, StringRef second,
                                     double secondDefault, ParametricBody body) {
  if (failed(requireFloat(node, 0)))
    return failure();
  double p = node.getFloat(first, firstDefault), q = second.empty() ? 0 : node.getFloat(second, secondDefault);
  return lowerElementwise(node, {node.input(0)}, node.input(0)->elementType,
                          [=](OpBuilder &b, Location loc, ValueRange v) {
                            Scalar s{b, loc};
                            return body(s, v[0], p, q);
                          });
}

static LogicalResult lowerLeakyRelu(NodeContext &node) {
  return lowerParametric(node, "alpha", 0.01, "", 0, [](Scalar &s, Value x, double alpha, double) {
    return s.select(s.less(x, s.constant(x.getType(), 0)), s.mul(x, s.constant(x.getType(), alpha)), x);
  });
}

static LogicalResult lowerElu(NodeContext &node) {
  return lowerParametric(node, "alpha", 1, "", 0,
                         [](Scalar &s, Value x, double alpha, double) { return eluOf(s, x, alpha); });
}

static LogicalResult lowerSelu(NodeContext &node) {
  return lowerParametric(node, "alpha", 1.67326319217681884765625, "gamma", 1.05070102214813232421875,
                         [](Scalar &s, Value x, double alpha, double gamma) {
                           return s.mul(s.constant(x.getType(), gamma), eluOf(s, x, alpha));
                         });
}

// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
static LogicalResult lowerCelu(NodeContext &node) {
  return lowerParametric(node, "alpha", 1, "", 0, [](Scalar &s, Value x, double alpha, double) {
    Value zero = s.constant(x.getType(), 0), a = s.constant(x.getType(), alpha);
    Value below = s.mul(a, apply<math::ExpM1Op>(s, s.div(x, a)));
    return s.add(s.max(x, zero), s.min(below, zero));
  });
}

static LogicalResult lowerHardSigmoid(NodeContext &node) {
  return lowerParametric(node, "alpha", 0.2, "beta", 0.5, hardSigmoidOf);
}

static LogicalResult lowerThresholdedRelu(NodeContext &node) {
  return lowerParametric(node, "alpha", 1, "", 0, [](Scalar &s, Value x, double alpha, double) {
    return s.select(s.less(s.constant(x.getType(), alpha), x), x, s.constant(x.getType(), 0));
  });
}

static LogicalResult lowerShrink(NodeContext &node) {
  return lowerParametric(node, "lambd", 0.5, "bias", 0, [](Scalar &s, Value x, double lambda, double bias) {
    Type type = x.getType();
    Value above = s.sub(x, s.constant(type, bias)), below = s.add(x, s.constant(type, bias));
    Value inner = s.select(s.less(s.constant(type, lambda), x), above, s.constant(type, 0));
    return s.select(s.less(x, s.constant(type, -lambda)), below, inner);
  });
}

static LogicalResult lowerSwish(NodeContext &node) {
  return lowerParametric(node, "alpha", 1, "", 0, [](Scalar &s, Value x, double alpha, double) {
    return s.mul(x, s.sigmoid(s.mul(x, s.constant(x.getType(), alpha))));
  });
}

static Value gelu(Scalar &s, Value x) {
  Type type = x.getType();
  Value phi = s.add(s.constant(type, 1), s.erf(s.mul(x, s.constant(type, std::numbers::sqrt2 / 2))));
  return s.mul(s.mul(x, s.constant(type, 0.5)), phi);
}

static Value geluTanh(Scalar &s, Value x) {
  Type type = x.getType();
  Value cubic = s.mul(s.mul(s.mul(x, x), x), s.constant(type, 0.044715));
  Value inner = s.mul(s.add(x, cubic), s.constant(type, std::sqrt(2 / std::numbers::pi)));
  return s.mul(s.mul(x, s.constant(type, 0.5)), s.add(s.constant(type, 1), s.tanh(inner)));
}

static LogicalResult lowerGelu(NodeContext &node) {
  std::string approximation = node.getString("approximate", "none");
  if (approximation == "tanh")
    return lowerFloat<geluTanh>(node);
  if (approximation == "none")
    return lowerFloat<gelu>(node);
  return node.refuse("attribute 'approximate' must be \"none\" or \"tanh\", got \"" + approximation + "\"");
}

// Floats only: integers are their own floor.
template <typename Op> static LogicalResult lowerRounding(NodeContext &node) { return lowerFloat<apply<Op>>(node); }

static LogicalResult lowerNeg(NodeContext &node) {
  if (evaluate(node, [](Sizes &sizes, OpFoldResult x) { return sizes.sub(sizes.constant(0), x); }))
    return success();
  return lowerNumber<negate>(node);
}

static LogicalResult lowerNot(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  if (!node.input(0)->elementType.isInteger(1))
    return node.refuse("needs a tensor of booleans");
  if (evaluate(node, [](Sizes &sizes, OpFoldResult x) { return sizes.sub(sizes.constant(1), x); }))
    return success();
  return lowerElementwise(node, {node.input(0)}, node.input(0)->elementType,
                          [](OpBuilder &b, Location loc, ValueRange v) {
                            Scalar s{b, loc};
                            return Value(arith::XOrIOp::create(b, loc, v[0], s.constant(v[0].getType(), -1)));
                          });
}

static LogicalResult lowerBitwiseNot(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  if (!node.input(0)->isInteger())
    return node.refuse("needs a tensor of integers");
  return lowerNumber<[](Scalar &s, Value x) -> Value {
    return arith::XOrIOp::create(s.b, s.loc, x, s.constant(x.getType(), -1));
  }>(node);
}

static LogicalResult lowerIsNan(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  return lowerElementwise(node, {node.input(0)}, node.emitter.builder.getI1Type(),
                          [](OpBuilder &b, Location loc, ValueRange v) { return Scalar{b, loc}.isNan(v[0]); });
}

static LogicalResult lowerIsInf(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  bool positive = node.getInt("detect_positive", 1), negative = node.getInt("detect_negative", 1);
  return lowerElementwise(node, {node.input(0)}, node.emitter.builder.getI1Type(),
                          [=](OpBuilder &b, Location loc, ValueRange v) {
                            Scalar s{b, loc};
                            Type type = v[0].getType();
                            Value high = arith::ConstantOp::create(b, loc, highest(type));
                            Value low = arith::ConstantOp::create(b, loc, lowest(type));
                            Value none = s.constant(b.getI1Type(), 0);
                            Value up = positive ? s.equal(v[0], high) : none;
                            Value down = negative ? s.equal(v[0], low) : none;
                            return s.max(up, down);
                          });
}

void mlir::heddle::importer::registerElementwise(LoweringTable &table) {
  table.add("Abs", 6, lowerNumber<absolute>);
  table.add("Neg", 6, lowerNeg);
  table.add("Sign", 9, lowerNumber<sign>);
  table.add("Relu", 6, lowerNumber<relu>);
  table.add("Reciprocal", 6, lowerFloat<reciprocal>);
  table.add("Sqrt", 6, lowerFloat<apply<math::SqrtOp>>);
  table.add("Exp", 6, lowerFloat<apply<math::ExpOp>>);
  table.add("Log", 6, lowerFloat<apply<math::LogOp>>);
  table.add("Erf", 9, lowerFloat<apply<math::ErfOp>>);
  // tf2onnx leaves TensorFlow's op as it is, in ai.onnx or in a domain of its own.
  table.add("Erfc", 1, lowerFloat<apply<math::ErfcOp>>);
  table.add("ai.onnx.converters.tensorflow.Erfc", 1, lowerFloat<apply<math::ErfcOp>>);
  table.add("Tanh", 6, lowerFloat<apply<math::TanhOp>>);
  table.add("Sin", 7, lowerFloat<apply<math::SinOp>>);
  table.add("Cos", 7, lowerFloat<apply<math::CosOp>>);
  table.add("Tan", 7, lowerFloat<apply<math::TanOp>>);
  table.add("Asin", 7, lowerFloat<apply<math::AsinOp>>);
  table.add("Acos", 7, lowerFloat<apply<math::AcosOp>>);
  table.add("Atan", 7, lowerFloat<apply<math::AtanOp>>);
  table.add("Sinh", 9, lowerFloat<apply<math::SinhOp>>);
  table.add("Cosh", 9, lowerFloat<apply<math::CoshOp>>);
  table.add("Asinh", 9, lowerFloat<apply<math::AsinhOp>>);
  table.add("Acosh", 9, lowerFloat<apply<math::AcoshOp>>);
  table.add("Atanh", 9, lowerFloat<apply<math::AtanhOp>>);
  table.add("Floor", 6, lowerRounding<math::FloorOp>);
  table.add("Ceil", 6, lowerRounding<math::CeilOp>);
  table.add("Round", 11, lowerRounding<math::RoundEvenOp>);
  table.add("Sigmoid", 6, lowerFloat<sigmoid>);
  table.add("Softplus", 1, lowerFloat<softplus>);
  table.add("Softsign", 1, lowerFloat<softsign>);
  table.add("Mish", 18, lowerFloat<mish>);
  table.add("HardSwish", 14, lowerFloat<hardSwish>);
  table.add("HardSigmoid", 6, lowerHardSigmoid);
  table.add("LeakyRelu", 6, lowerLeakyRelu);
  table.add("Elu", 6, lowerElu);
  table.add("Selu", 6, lowerSelu);
  table.add("Celu", 12, lowerCelu);
  table.add("ThresholdedRelu", 10, lowerThresholdedRelu);
  table.add("Shrink", 9, lowerShrink);
  table.add("Swish", 24, lowerSwish);
  table.add("Gelu", 20, lowerGelu);
  table.add("com.microsoft.Gelu", 1, lowerFloat<gelu>);
  table.add("Not", 1, lowerNot);
  table.add("BitwiseNot", 18, lowerBitwiseNot);
  table.add("IsNaN", 9, lowerIsNan);
  table.add("IsInf", 10, lowerIsInf);
}
