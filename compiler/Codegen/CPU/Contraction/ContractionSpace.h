// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workgroups of a contraction nest: which rows and columns each computes.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTIONSPACE_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTIONSPACE_H

#include "compiler/Codegen/Emit/FunctionScalars.h"
#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// Outside to inside: batch dimensions, blocks of rows (a block stays in second-level cache for all its columns), tiles
// of columns.
struct ContractionSpace {
  ContractionSpace(const ContractionPlan &nest, FunctionScalars &scalars);

  SmallVector<Value> grid;     // blocks along each
  SmallVector<Value> rowSizes; // of the nest's tileDims
  Value columns;
};

// The rows of one tile: a box in the dimensions of rows.
struct RowTile {
  SmallVector<Value> begin, count;
  SmallVector<int64_t> extent; // rows computed; those past `count` read the last row and are left out by the epilogue
  SmallVector<int64_t> skip;   // rows before `count`, which another tile has given out
  bool clamp = false;          // `count` may be less than `extent`
  // Along this dimension `count` is any number from 1 to `extent`, and as many rows are computed. Tiles have one row
  // along the dimensions before it.
  std::optional<size_t> open = {};

  int64_t rows() const { return llvm::product_of(extent); }
};

// How many blocks of the grid, one after the other, make a workgroup: more than one where they are small.
Value contractionGrain(const ContractionPlan &nest, FunctionScalars &scalars);
// Rows of a block along each dimension of rows: those of the configuration, or all there are.
SmallVector<Value> blockExtents(const ContractionPlan &nest, FunctionScalars &scalars);
// Of a tile's columns of an operand, copied, of a block of the reduction where these are outside; a multiple of 64.
Value panelBytes(const ContractionPlan &nest, unsigned operand, FunctionScalars &scalars);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTIONSPACE_H
