// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one element that ONNX lacks, in the domain `heddle` (docs/design/torch-translation.md):
//
//   Atan2 Digamma ErfInv Expm1 Lgamma Log1p NextAfter Polygamma BesselI1e Zeta
#include "compiler/Stages/Import/Onnx/Numerics/SpecialFunctions.h"
#include "compiler/Stages/Import/Onnx/HeddleDomain.h"
#include "compiler/Stages/Import/Onnx/Numerics/Functions.h"
#include "compiler/Stages/Import/Onnx/Ops/Scalars.h"

#include "mlir/Dialect/Math/IR/Math.h"

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
static Value angle(Scalar &s, Value y, Value x) { return math::Atan2Op::create(s.b, s.loc, y, x); }

void mlir::heddle::importer::registerSpecialFunctions(LoweringTable &table) {
  table.add("heddle.Atan2", 1, lowerTwo<angle>);
  table.add("heddle.BesselI1e", 1, lowerOne<numerics::besselI1e>);
  table.add("heddle.Digamma", 1, lowerOne<numerics::digamma>);
  table.add("heddle.ErfInv", 1, lowerOne<numerics::inverseErf>);
  table.add("heddle.Expm1", 1, lowerOne<expMinusOne>);
  table.add("heddle.Lgamma", 1, lowerOne<numerics::logGamma>);
  table.add("heddle.Log1p", 1, lowerOne<logPlusOne>);
  table.add("heddle.NextAfter", 1, lowerTwo<numerics::nextAfter>);
  table.add("heddle.Polygamma", 1, lowerTwo<numerics::polygamma>);
  table.add("heddle.Zeta", 1, lowerTwo<numerics::zeta>);
}
