// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions whose columns are codes: what is decoded apart from the sums.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_DECODEDCOLUMNS_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_DECODEDCOLUMNS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <array>

namespace mlir::heddle::codegen {

// sum + (row0 * column0 + row1 * column1 + …) * scale, in values of the op's body: columns are decoded from bytes and,
// as the scale, depend on columns alone; rows depend on rows alone.
struct DecodedColumns {
  struct Term {
    Value row, column;
  };
  SmallVector<Term, 2> terms;
  // Values that columns are made of and that half a byte tells, a number below 16 in 32 bits.
  struct Table {
    Value value, half;
    std::array<float, 16> entries;
  };
  SmallVector<Table, 2> tables;
  Value scale;                // null: 1
  bool scaleOfBlocks = false; // it is the same for all of the innermost reduction
  // The operand of rows whose elements the terms read one after the other: step j of the innermost reduction those from
  // j times the number of terms on. None: rows are read in another way, or are computed.
  std::optional<unsigned> run;
};

// The body of `op` in this form, if its columns, walked by loop `lane`, are bytes and its sums f32.
std::optional<DecodedColumns> matchDecodedColumns(linalg::GenericOp op, unsigned lane);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_DECODEDCOLUMNS_H
