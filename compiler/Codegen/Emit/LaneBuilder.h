// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on values that live in the lanes of a vector.
//
// Code is emitted once for `width` neighbouring elements. Most index arithmetic is the same in all lanes, or grows by a
// constant from lane to lane; a LaneValue keeps that knowledge, so that a load knows when it is a scalar load, a
// contiguous vector load or a gather:
//
//   LaneBuilder lanes(builder, loc);
//   lanes.width = 16;
//   LaneValue i = LaneValue::affine(base, 1);             // base, base + 1, …
//   LaneValue j = lanes.add(i, LaneValue::uniform(row));  // still affine, no instruction per lane
//   Value v = lanes.toVector(j);                          // vector<16xindex>
//
// With width 1 every value is uniform: the same emitter makes scalar code.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_LANEBUILDER_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_LANEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::heddle::codegen {

// A value in each lane: `base + lane * stride`, or any vector.
struct LaneValue {
  Value base;         // scalar; null when `vector` is set
  int64_t stride = 0; // not 0 only for integers and index
  Value vector;
  int64_t multiple = 1; // what `base` less `phase` is known to be a multiple of
  int64_t phase = 0;    // not negative

  static LaneValue uniform(Value value) { return {value, 0, {}}; }
  static LaneValue affine(Value base, int64_t stride, int64_t multiple = 1, int64_t phase = 0) {
    return {base, stride, {}, multiple, phase};
  }
  static LaneValue any(Value vector) { return {{}, 0, vector}; }

  bool isUniform() const { return !vector && stride == 0; }
  bool isContiguous() const { return !vector && stride == 1; }
  Type elementType() const { return vector ? cast<VectorType>(vector.getType()).getElementType() : base.getType(); }
  auto key() const { return std::make_tuple(base.getAsOpaquePointer(), stride, vector.getAsOpaquePointer()); }
};

class LaneBuilder {
public:
  LaneBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  // Index values. Products and quotients that are no longer affine become vectors; neighbours that one constant divides
  // alike (a vector inside a panel of columns) stay affine.
  LaneValue constant(int64_t value) { return LaneValue::uniform(index(value)); }
  LaneValue add(LaneValue a, LaneValue b);
  LaneValue sub(LaneValue a, LaneValue b);
  LaneValue mul(LaneValue a, LaneValue b);
  // Of positions: values that are not negative and below 2^52, which no memory has as many elements as.
  LaneValue floorDiv(LaneValue a, LaneValue b);
  LaneValue mod(LaneValue a, LaneValue b);
  LaneValue apply(AffineExpr expr, ArrayRef<LaneValue> dims);
  // Whether lanes that differ are divided by what only the call knows: then floorDiv and mod do it in f64, since
  // processors have no vectors of integer quotients.
  bool dividesInDoubles(LaneValue a, LaneValue b) const;

  LaneValue compare(arith::CmpIPredicate predicate, LaneValue a, LaneValue b);
  // Whether 0 <= place < size, of a size that is not negative.
  LaneValue isInside(LaneValue place, LaneValue size);
  LaneValue logicalAnd(LaneValue a, LaneValue b);
  LaneValue select(LaneValue condition, LaneValue a, LaneValue b);

  LaneValue zero(Type element);
  // A result of the op on such operands: of scalars where all lanes have the same, else of vectors.
  LaneValue apply(Operation *elementwise, ArrayRef<LaneValue> operands, unsigned result = 0);

  // The value in a vector of `width` lanes.
  Value toVector(LaneValue value);
  // As a value of the lanes: a scalar when uniform, else a vector.
  Value materialize(LaneValue value) { return value.isUniform() ? value.base : toVector(value); }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  VectorType vectorOf(Type element) const { return VectorType::get({width}, element); }
  // Null: all lanes are on.
  Value maskOrAll();

  OpBuilder &builder;
  Location loc;
  int64_t width = 1;
  Value mask; // vector<width x i1>; lanes that are off neither load nor store, their values are unspecified

private:
  template <typename Op> LaneValue apply(LaneValue a, LaneValue b);
  // Whether all lanes of `a` have the same quotient by `b`.
  bool isInOnePanel(LaneValue a, std::optional<int64_t> b) const;
  // Whether the quotients and remainders of all lanes by `b` differ from the first lane's by known constants.
  bool isPeriodic(LaneValue a, std::optional<int64_t> b) const;
  struct Division {
    LaneValue quotient, remainder;
  };
  Division divideInDoubles(LaneValue a, LaneValue b);
  // `base` + a constant for each lane.
  LaneValue addPattern(Value base, function_ref<int64_t(int64_t)> offsetOf);
};

// The constant a scalar is, if it is one.
std::optional<int64_t> getConstant(Value value);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_LANEBUILDER_H
