// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of a contraction whose columns are codes, in two ways: columns are decoded where they are read, a block's
// scale applied to its sum; or a tile's columns are decoded into scratch memory, once for all rows of a block.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DECODING_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DECODING_H

#include "compiler/Codegen/CPU/Contraction/ContractionIndex.h"

namespace mlir::heddle::codegen {

class Decoding {
public:
  // Scratch memory begins at byte `scratch` and has decodedBytes(). The nest has `decoding`.
  Decoding(const ContractionIndex &place, Value scratch);

  // Decodes the tile of columns where the place is, of its depth, times scales; from then on they are read from there.
  // One row of the panel for each term of each step, as wide as the tile.
  void fillPanel();
  // Null where columns are decoded where they are read.
  Value getPanel() const { return panel; }

  // A tile's rows, as the op's loop indices, and its vectors of columns with their masks, which may be null.
  struct Tile {
    ArrayRef<SmallVector<LaneValue>> rows;
    ArrayRef<Value> masks;
  };
  // `sums`, the first row's vectors first, with all products added.
  SmallVector<Value> accumulate(const Tile &tile, SmallVector<Value> sums) const;

private:
  using ColumnOf = llvm::function_ref<Value(size_t term, int64_t vector)>;

  SmallVector<LaneValue> at(ArrayRef<LaneValue> dims, ArrayRef<Value> reductions) const;
  DenseMap<Value, LaneValue> lookUp(Value value, ArrayRef<LaneValue> dims) const;
  Value evaluate(Value value, SmallVector<LaneValue> dims, int64_t vector, Value mask) const;
  Value offsetOf(ArrayRef<Value> reductions, size_t term, int64_t vector) const;
  SmallVector<Value> addTerms(const Tile &tile, ArrayRef<Value> reductions, ValueRange sums, ColumnOf column) const;
  SmallVector<Value> addPanel(const Tile &tile, SmallVector<Value> sums) const;
  SmallVector<Value> addBlock(const Tile &tile, ArrayRef<Value> block, ValueRange sums) const;
  SmallVector<Value> addDecoded(const Tile &tile, ArrayRef<Value> reductions, ValueRange sums) const;
  void prefetchCodes(const Tile &tile, ArrayRef<Value> reductions) const;

  const ContractionIndex &place;
  const DecodedColumns &decoded;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Value scratch, panel;              // null: columns are decoded where they are read
  SmallVector<Value> begin, extents; // of the reduction, that the panel has
};

// Of a tile's decoded columns; a multiple of 64.
Value decodedBytes(const ContractionPlan &nest, FunctionScalars &scalars);
// Of all operands of a tile's columns that are copied or decoded.
Value packedBytes(const ContractionPlan &nest, FunctionScalars &scalars);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DECODING_H
