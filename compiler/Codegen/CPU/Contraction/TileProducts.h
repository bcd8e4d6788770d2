// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of an integer contraction's tiles, in tile registers (kernel.tile_*): one or two register heights of rows
// times one or two registers of 16 columns.
//
//   TileProducts::configure(nest, emitter);               // before the nest's workgroups; release() after them
//   TileProducts products(nest, emitter, scratch);
//   products.prepare(columns);                            // once for a tile of columns
//   products.accumulate(rows, memory, zero);              // for each tile of rows: memory [rows][columns] of i32
//
// Rows are loaded from where they lie if they are a constant stride apart, else from scratch. A register holds
// `contraction.groups` groups of the innermost reduction, which they divide.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_TILEPRODUCTS_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_TILEPRODUCTS_H

#include "compiler/Codegen/CPU/Contraction/DotOperands.h"

namespace mlir::heddle::codegen {

// The rows of one tile: `contraction.tile` of them.
struct TileRows {
  SmallVector<Value> begin;
  SmallVector<Value> last; // not null: rows after it are not there, and it is computed in their place
  function_ref<SmallVector<LaneValue>(ArrayRef<Value> row)> dims; // the op's loop indices at a row
};

class TileProducts {
public:
  TileProducts(const ContractionPlan &nest, ElementEmitter &emitter, Value scratch);

  static void configure(const ContractionPlan &nest, ElementEmitter &emitter);
  static void release(ElementEmitter &emitter);

  // Copies the columns to scratch where they are not in groups.
  void prepare(DotColumns tile);
  // Adds the products to what `memory` holds, or to zeros.
  void accumulate(const TileRows &rows, Value memory, bool zero);

private:
  // Rows in one register.
  struct Piece {
    SmallVector<int64_t> at; // the first, in the tile
    int64_t slot, rows;
  };
  static SmallVector<Piece> pieces(ArrayRef<int64_t> tile);
  enum Register { Accumulators = 0, Rows = 4, Columns = 6 };

  SmallVector<Value> rowAt(const TileRows &rows, ArrayRef<Value> offset);
  void pack(const TileRows &rows);
  void forEachAccumulator(Value memory, function_ref<void(int64_t tile, Value offset, Value stride)> body);
  Value add(Value a, Value b) { return lanes.builder.createOrFold<arith::AddIOp>(lanes.loc, a, b); }

  const ContractionConfig &config;
  const IntegerContraction &form;
  ElementEmitter &emitter;
  LaneBuilder &lanes;
  DotOperands operands;
  DotColumns columns;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_TILEPRODUCTS_H
