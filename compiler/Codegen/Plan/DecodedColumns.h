// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with quantised weights, whose columns are codes: what is decoded apart from the sums. The op says that it is
// one (intent::kCodeAttr).
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_DECODEDCOLUMNS_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_DECODEDCOLUMNS_H

#include "compiler/Dialect/Intent/IR/ProductTerms.h"

#include <array>

namespace mlir::heddle::codegen {

struct DecodedColumns : intent::ProductTerms {
  // Values that columns are made of and that half a byte tells, a number below 16 in 32 bits.
  struct Table {
    Value value, half;
    std::array<float, 16> entries;
  };
  SmallVector<Table, 2> tables;
  bool scaleOfBlocks = false; // it is the same for all of the innermost reduction
  // The operand of rows whose elements the terms read one after the other: step j of the innermost reduction those from
  // j times the number of terms on. None: rows are read in another way, or are computed.
  std::optional<unsigned> run;
};

// Of a product whose columns, walked by loop `lane`, are codes and its sums f32; none of other ops.
std::optional<DecodedColumns> findDecodedColumns(linalg::GenericOp op, unsigned lane);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_DECODEDCOLUMNS_H
