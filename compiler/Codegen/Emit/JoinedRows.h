// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dimensions that may be one (Plan/RowJoins.h): which are, in a call.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_JOINEDROWS_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_JOINEDROWS_H

#include "compiler/Codegen/Emit/FunctionScalars.h"
#include "compiler/Codegen/Plan/RowJoins.h"

namespace mlir::heddle::codegen {

// What a call makes of them.
struct JoinedRows {
  // An index along the lanes: 0 for all of a row, by this condition instead of the read's own.
  struct Choice {
    tensor::ExtractOp read;
    unsigned position;
    Value isOne;
  };
  SmallVector<Value> joined; // whether each of the dimensions is one with those behind it
  SmallVector<Choice> choices;
};

JoinedRows joinRows(const RowJoins &joins, Value value, FunctionScalars &scalars);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_JOINEDROWS_H
