// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one element that ONNX lacks, in the domain `heddle` (docs/design/torch-translation.md):
//
//   Atan2 Digamma ErfInv Expm1 Igamma Igammac Lgamma Log1p NextAfter Polygamma BesselI1e Zeta
//   Gcd (of integers)
//   OrthogonalPolynomial <kind> (x, n): of degree n, a whole number as a float; 0 where that is negative
#include "compiler/Stages/Import/Emit/Numerics/SpecialFunctions.h"
#include "compiler/Stages/Import/Emit/Numerics/Functions.h"
#include "compiler/Stages/Import/Emit/Numerics/IncompleteGamma.h"
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

using Unary = Value (*)(Scalar &, Value);
using Binary = Value (*)(Scalar &, Value, Value);

// What has series of its own is computed in 32 or 64 bits: whoever has less converts, and rounds once.
static LogicalResult requireWide(NodeContext &node, size_t count) {
  if (failed(requireSameType(node, count)))
    return failure();
  Type type = node.input(0)->elementType;
  return type.isF32() || type.isF64() ? success() : node.refuse("needs tensors of f32 or f64");
}

template <Unary body> static LogicalResult lowerOne(NodeContext &node) {
  if (failed(requireWide(node, 1)))
    return failure();
  Type type = node.input(0)->elementType;
  return lowerElementwise(node, {node.input(0)}, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    return body(s, v[0]);
  });
}

template <Binary body> static LogicalResult lowerTwo(NodeContext &node) {
  if (failed(requireWide(node, 2)))
    return failure();
  Type type = node.input(0)->elementType;
  return lowerElementwise(node, {node.input(0), node.input(1)}, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    return body(s, v[0], v[1]);
  });
}

static Value logPlusOne(Scalar &s, Value x) { return math::Log1pOp::create(s.b, s.loc, x); }
static Value expMinusOne(Scalar &s, Value x) { return math::ExpM1Op::create(s.b, s.loc, x); }
template <bool upper> static Value incompleteGamma(Scalar &s, Value a, Value x) {
  return numerics::incompleteGamma(s, a, x, upper);
}
static Value angle(Scalar &s, Value y, Value x) { return math::Atan2Op::create(s.b, s.loc, y, x); }

//===--- Gcd -----------------------------------------------------------------------------------------------------===//

// Euclid's, of magnitudes.
static Value greatestDivisor(Scalar &s, Value x, Value y) {
  Value zero = s.constant(x.getType(), 0);
  auto loop = scf::WhileOp::create(
      s.b, s.loc, TypeRange{x.getType(), x.getType()}, ValueRange{s.abs(x), s.abs(y)},
      [&](OpBuilder &inner, Location at, ValueRange v) {
        Value more = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::ne, v[1], zero);
        scf::ConditionOp::create(inner, at, more, v);
      },
      [&](OpBuilder &inner, Location at, ValueRange v) {
        Scalar t{inner, at, s.type};
        scf::YieldOp::create(inner, at, ValueRange{v[1], t.rem(v[0], v[1])});
      });
  return s.abs(loop.getResult(0));
}

static LogicalResult lowerGcd(NodeContext &node) {
  if (failed(requireSameType(node, 2)))
    return failure();
  Type type = node.input(0)->elementType;
  if (!isa<IntegerType>(type) || type.isInteger(1))
    return node.refuse("needs tensors of integers");
  return lowerElementwise(node, {node.input(0), node.input(1)}, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    return greatestDivisor(s, v[0], v[1]);
  });
}

//===--- Orthogonal polynomials ----------------------------------------------------------------------------------===//

namespace {

// p(0) = 1, p(1) = slope x + offset, p(k + 1) = ((a + ak k) x + b + bk k) p(k) - (c + ck k) p(k - 1), divided by k + 1
// if `divided`. `most`: the greatest degree in f32 and f64 beyond which it is NaN; 0: none.
struct Recurrence {
  StringRef name;
  double slope, offset, a, ak, b, bk, c, ck;
  bool divided = false;
  int64_t mostSingle = 0, mostDouble = 0;
};

} // namespace

static constexpr Recurrence kRecurrences[] = {
    {"chebyshev_t", 1, 0, 2, 0, 0, 0, 1, 0},
    {"chebyshev_u", 2, 0, 2, 0, 0, 0, 1, 0},
    {"chebyshev_v", 2, -1, 2, 0, 0, 0, 1, 0},
    {"chebyshev_w", 2, 1, 2, 0, 0, 0, 1, 0},
    {"shifted_chebyshev_t", 2, -1, 4, 0, -2, 0, 1, 0},
    {"shifted_chebyshev_u", 4, -2, 4, 0, -2, 0, 1, 0},
    {"shifted_chebyshev_v", 4, -3, 4, 0, -2, 0, 1, 0},
    {"shifted_chebyshev_w", 4, -1, 4, 0, -2, 0, 1, 0},
    {"hermite_h", 2, 0, 2, 0, 0, 0, 0, 2, false, 128, 512},
    {"hermite_he", 1, 0, 1, 0, 0, 0, 0, 1, false, 128, 512},
    {"laguerre_l", -1, 1, -1, 0, 1, 2, 0, 1, true},
    {"legendre_p", 1, 0, 1, 2, 0, 0, 0, 1, true},
};

static Value polynomial(Scalar &s, const Recurrence &rule, Value x, Value n) {
  OpBuilder &b = s.b;
  Type type = x.getType(), integer = b.getI64Type();
  auto linear = [type](Scalar &t, double constant, double factor, Value k) -> Value {
    if (factor == 0)
      return t.constant(type, constant);
    return t.add(t.mul(t.constant(type, factor), k), t.constant(type, constant));
  };
  Value degree = convert(s, n, type, integer), one = s.constant(type, 1), unit = s.constant(integer, 1);
  Value first = s.add(s.mul(s.constant(type, rule.slope), x), s.constant(type, rule.offset));
  int64_t most = type.isF32() ? rule.mostSingle : rule.mostDouble;
  Value last = most ? s.min(degree, s.constant(integer, static_cast<double>(most))) : degree;
  auto loop = scf::WhileOp::create(
      b, s.loc, TypeRange{type, type, integer}, ValueRange{one, first, unit},
      [&](OpBuilder &inner, Location at, ValueRange v) {
        Scalar t{inner, at};
        // A number that is none stays so: no need to go on.
        Value more = arith::AndIOp::create(inner, at, t.less(v[2], last), t.equal(v[1], v[1]));
        scf::ConditionOp::create(inner, at, more, v);
      },
      [&](OpBuilder &inner, Location at, ValueRange v) {
        Scalar t{inner, at};
        Value k = arith::SIToFPOp::create(inner, at, type, v[2]);
        Value line = t.add(t.mul(linear(t, rule.a, rule.ak, k), x), linear(t, rule.b, rule.bk, k));
        Value next = t.sub(t.mul(line, v[1]), t.mul(linear(t, rule.c, rule.ck, k), v[0]));
        if (rule.divided)
          next = t.div(next, t.add(k, t.constant(type, 1)));
        scf::YieldOp::create(inner, at, ValueRange{v[1], next, t.add(v[2], t.constant(integer, 1))});
      });
  Value result = s.select(s.equal(degree, s.constant(integer, 0)), one, loop.getResult(1));
  result = s.select(s.less(degree, s.constant(integer, 0)), s.constant(type, 0), result);
  if (!most)
    return result;
  Value nan = s.constant(type, std::numeric_limits<double>::quiet_NaN());
  return s.select(s.less(last, degree), nan, result);
}

static LogicalResult lowerPolynomial(NodeContext &node) {
  if (failed(requireWide(node, 2)))
    return failure();
  std::string kind = node.getString("kind", "");
  const auto *rule = llvm::find_if(kRecurrences, [&](const Recurrence &each) { return each.name == kind; });
  if (rule == std::end(kRecurrences))
    return node.refuse("the polynomials '" + kind + "' are unknown");
  Type type = node.input(0)->elementType;
  return lowerElementwise(node, {node.input(0), node.input(1)}, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    return polynomial(s, *rule, v[0], v[1]);
  });
}

void mlir::heddle::importer::registerSpecialFunctions(LoweringTable &table) {
  table.add("heddle.Atan2", 1, lowerTwo<angle>);
  table.add("heddle.BesselI1e", 1, lowerOne<numerics::besselI1e>);
  table.add("heddle.Digamma", 1, lowerOne<numerics::digamma>);
  table.add("heddle.ErfInv", 1, lowerOne<numerics::inverseErf>);
  table.add("heddle.Expm1", 1, lowerOne<expMinusOne>);
  table.add("heddle.Gcd", 1, lowerGcd);
  table.add("heddle.Igamma", 1, lowerTwo<incompleteGamma<false>>);
  table.add("heddle.Igammac", 1, lowerTwo<incompleteGamma<true>>);
  table.add("heddle.Lgamma", 1, lowerOne<numerics::logGamma>);
  table.add("heddle.Log1p", 1, lowerOne<logPlusOne>);
  table.add("heddle.NextAfter", 1, lowerTwo<numerics::nextAfter>);
  table.add("heddle.OrthogonalPolynomial", 1, lowerPolynomial);
  table.add("heddle.Polygamma", 1, lowerTwo<numerics::polygamma>);
  table.add("heddle.Zeta", 1, lowerTwo<numerics::zeta>);
}
