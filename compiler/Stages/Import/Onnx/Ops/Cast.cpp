// Cast and its kin: conversions of element types.
#include "compiler/Stages/Import/Onnx/Ops/Scalars.h"
#include "onnx-ml.pb.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle::importer;

// The first power of two above the range of a signed integer type, and the lowest value: exact in f32 and f64.
static Value saturate(Scalar &s, Value x, Type to) {
  Type from = x.getType();
  unsigned width = to.getIntOrFloatBitWidth();
  double bound = std::ldexp(1.0, static_cast<int>(width) - 1);
  Value above = s.lessEqual(s.constant(from, bound), x), below = s.less(x, s.constant(from, -bound));
  Value outside = s.max(s.max(above, below), s.isNan(x));
  // fptosi of a value out of range is undefined: convert zero instead.
  Value inside = s.select(outside, s.constant(from, 0), x);
  Value converted = arith::FPToSIOp::create(s.b, s.loc, to, inside);
  Value high = arith::ConstantOp::create(s.b, s.loc, highest(to)),
        low = arith::ConstantOp::create(s.b, s.loc, lowest(to));
  return s.select(above, high, s.select(below, low, converted));
}

// Floats to integers: towards zero, out of range to the nearest limit, NaN to 0. To bool: unequal to 0.
static Value convert(Scalar &s, Value x, Type to) {
  Type from = x.getType();
  if (from == to)
    return x;
  if (to.isInteger(1)) {
    if (isa<FloatType>(from))
      return arith::CmpFOp::create(s.b, s.loc, arith::CmpFPredicate::UNE, x, s.constant(from, 0));
    return arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::ne, x, s.constant(from, 0));
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (isa<FloatType>(from) && isa<FloatType>(to)) {
    if (fromWidth == toWidth) { // f16 and bf16: by way of f32
      Value wide = arith::ExtFOp::create(s.b, s.loc, s.b.getF32Type(), x);
      return arith::TruncFOp::create(s.b, s.loc, to, wide);
    }
    return fromWidth < toWidth ? Value(arith::ExtFOp::create(s.b, s.loc, to, x))
                               : Value(arith::TruncFOp::create(s.b, s.loc, to, x));
  }
  if (isa<FloatType>(from)) {
    if (fromWidth < 32)
      x = arith::ExtFOp::create(s.b, s.loc, s.b.getF32Type(), x);
    return saturate(s, x, to);
  }
  if (isa<FloatType>(to))
    return from.isInteger(1) ? Value(arith::UIToFPOp::create(s.b, s.loc, to, x))
                             : Value(arith::SIToFPOp::create(s.b, s.loc, to, x));
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(s.b, s.loc, to, x);
  return from.isInteger(1) ? Value(arith::ExtUIOp::create(s.b, s.loc, to, x))
                           : Value(arith::ExtSIOp::create(s.b, s.loc, to, x));
}

static LogicalResult castTo(NodeContext &node, Type to) {
  Tensor &operand = *node.input(0);
  if (operand.elementType == to) {
    node.setOutput(0, operand);
    return success();
  }
  // Sizes fit every integer type wide enough for indices.
  if (operand.contents && isa<IntegerType>(to)) {
    unsigned width = to.getIntOrFloatBitWidth();
    std::optional<SmallVector<int64_t>> constants = node.constantInts(0);
    bool fits = constants ? llvm::all_of(*constants, [&](int64_t v) { return width > 1 && llvm::isIntN(width, v); })
                          : width >= 32;
    if (fits) {
      node.setOutput(0, node.emitter.fromContents(to, operand.sizes, *operand.contents));
      return success();
    }
  }
  return lowerElementwise(node, {&operand}, to, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    return convert(s, v[0], to);
  });
}

static LogicalResult lowerCast(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  int64_t code = node.getInt("to", 0);
  Type to = getElementType(node.emitter.builder.getContext(), static_cast<int>(code));
  if (!to)
    return node.refuse("casts to " + getDataTypeName(static_cast<int>(code)) + " are not supported");
  return castTo(node, to);
}

static LogicalResult lowerCastLike(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  return castTo(node, node.input(1)->elementType);
}

void mlir::heddle::importer::registerCast(LoweringTable &table) {
  table.add("Cast", 6, lowerCast);
  table.add("CastLike", 15, lowerCastLike);
}
