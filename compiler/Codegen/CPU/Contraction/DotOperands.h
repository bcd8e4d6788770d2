// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of a contraction as the dot-product instructions want them: groups of neighbours along the
// innermost reduction.
//
// Rows are broadcast, a group at a time: from where they are, or from scratch where they must be shifted, widened or
// padded to whole groups, with zeros. Columns are vectors of groups: from memory that is stored so, or from scratch
// [outer…, groups, columns of the tile, group]; what they have past the end of the reduction does not matter, but that
// floats are finite there.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DOTOPERANDS_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DOTOPERANDS_H

#include "compiler/Codegen/CPU/Contraction/ReductionLoops.h"

namespace mlir::heddle::codegen {

// A position in the reductions: the outer ones' indices and the group of the innermost.
struct GroupIndex {
  SmallVector<Value> outer;
  Value group;
};

// A tile of columns.
struct DotColumns {
  SmallVector<LaneValue> dims; // the op's loop indices; those of columns and reductions do not matter
  unsigned loop;               // of the columns
  Value first, left;           // its first column, how many there are from there on
  bool ragged;                 // `left` may be less than the tile
  int64_t vectors;             // that are computed
};

// A matrix in memory for a tile register: its rows are `stride` elements apart.
struct DotMatrix {
  Value memory, offset, stride;
};

// Rows of one tile register: from scratch at `slot`, or where the op's loop indices `first` and `second`, those of the
// first two rows, say.
struct DotRows {
  SmallVector<LaneValue> first, second;
  int64_t slot;
};

class DotOperands {
public:
  DotOperands(const ContractionPlan &nest, ElementEmitter &emitter);

  // Of both operands' scratch together, a multiple of 64 bytes.
  static Value scratchBytes(const ContractionPlan &nest, FunctionScalars &scalars);
  void setScratch(Value offset);

  // Whether columns must go to scratch: they are not in panels of groups, or are widened.
  static bool mustPackColumns(const ContractionPlan &nest);
  bool packsColumns() const { return columnsPacked; }
  bool packsRows() const { return rowsPacked; }
  void packColumns(const DotColumns &columns);
  // Copies one row, `slot` of its tile (tile registers) or block, at the op's loop indices `dims`.
  void packRow(ArrayRef<LaneValue> dims, Value slot);

  // Both give vector<width * group>; `vector`: which of the tile's.
  Value loadColumns(const DotColumns &columns, int64_t vector, const GroupIndex &at);
  Value loadRow(ArrayRef<LaneValue> dims, Value slot, const GroupIndex &at);
  // Asks for columns that are not copied some groups ahead of their use.
  void prefetchColumns(const DotColumns &columns, int64_t vector, const GroupIndex &at);
  // For tile registers, from the group `at` on.
  DotMatrix rowMatrix(const DotRows &rows, const GroupIndex &at);
  DotMatrix columnMatrix(const DotColumns &columns, int64_t vector, const GroupIndex &at);
  // Rows from where they are used: of a block in scratch from `slot` on, or where `first` and `second` say.
  DotMatrix rowsFrom(ArrayRef<LaneValue> first, ArrayRef<LaneValue> second, Value slot);
  // Groups along the reduction loops that `rowsFrom` and columns in panels are walked along, outermost first, and
  // elements of rows from step to step of each but the innermost.
  struct Walk {
    SmallVector<Value> sizes, strides;
  };
  Walk walkRows(ArrayRef<LaneValue> first);
  GroupIndex start();
  // What shifting added to every element of a row, as a row.
  Value shiftRow();

  using GroupBody = function_ref<SmallVector<Value>(const GroupIndex &, ValueRange)>;
  using Loops = function_ref<SmallVector<Value>(ArrayRef<Value> sizes, ValueRange carried, ReductionBody body)>;

  // Calls `body` for each group of the reduction, in loops that `loops` emits.
  SmallVector<Value> forEachGroup(ValueRange carried, Loops loops, GroupBody body);
  SmallVector<Value> forEachGroup(ValueRange carried, GroupBody body);
  // Calls `body` for each `step` groups of the innermost reduction, which they divide.
  void forEachTile(int64_t step, function_ref<void(const GroupIndex &)> body);

private:
  Value add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
  Value mul(Value a, Value b) { return builder.createOrFold<arith::MulIOp>(loc, a, b); }
  Value mul(Value a, int64_t b) { return mul(a, lanes.index(b)); }
  Type partType() const {
    return form.isFloat ? Type(builder.getBF16Type()) : Type(builder.getIntegerType(form.partBits()));
  }
  VectorType partsType(int64_t elements) const { return VectorType::get({elements}, partType()); }
  Value product(Value value);
  std::pair<Value, Value> locateRow(ArrayRef<LaneValue> dims);
  Value position(const GroupIndex &at);
  Value rowPosition(Value slot, const GroupIndex &at);
  SmallVector<LaneValue> at(ArrayRef<LaneValue> dims, ArrayRef<Value> outer);
  LaneValue evaluate(unsigned operand, ArrayRef<LaneValue> dims);
  LaneValue toPart(LaneValue byte, bool isSigned);
  LaneValue shift(LaneValue byte);
  TypedAttr signBits(Type type);
  bool packsLastGroup(SmallVector<LaneValue> dims, Value start);
  void zeroLastGroup(Value start);
  LaneValue columnPart(ArrayRef<LaneValue> dims, Value k);
  void packVectors(const DotColumns &columns, const GroupIndex &at);
  void packOneByOne(const DotColumns &columns, const GroupIndex &at);
  Value interleave(ArrayRef<Value> parts);
  SmallVector<LaneValue> groupedIndex(const DotColumns &columns, int64_t vector, const GroupIndex &at);
  Value loadGrouped(const DotColumns &columns, int64_t vector, const GroupIndex &at);
  Value pairsOfQuads(const DotColumns &columns, int64_t vector, const GroupIndex &at);

  const ContractionPlan &nest;
  const IntegerContraction &form;
  ElementEmitter &emitter;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  linalg::GenericOp op;
  SmallVector<unsigned> reductions; // outermost first
  SmallVector<Value> outerSizes;
  Value depth, groups; // of the innermost reduction
  int64_t width, tileColumns;
  bool columnsPacked, rowsPacked;
  Value columnPanel, rowPanel; // of parts
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DOTOPERANDS_H
