// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a decomposed product with quantised weights, read as its decomposition wrote it.
#ifndef HEDDLE_COMPILER_DIALECT_INTENT_IR_PRODUCTTERMS_H
#define HEDDLE_COMPILER_DIALECT_INTENT_IR_PRODUCTTERMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::intent {

// What the body adds to its sum, in values of the body: (row0 * column0 + row1 * column1 + …) * scale. Columns, decoded
// from codes, and the scale depend on operands of the columns alone, rows on operands of the rows.
struct ProductTerms {
  struct Term {
    Value row, column;
  };
  SmallVector<Term, 2> terms;
  Value scale; // null: 1
};

// Of an op with kCodeAttr whose columns are its loop `columns`. None of other ops, of products of rounded rows, and
// where the body was changed to something else.
std::optional<ProductTerms> termsOf(linalg::GenericOp op, unsigned columns);

// The half of a byte of codes, a number below 16 in 32 bits, that tells a value of the body; null where there is none,
// or more than one.
Value halfOf(linalg::GenericOp op, Value value);

} // namespace mlir::heddle::intent

#endif // HEDDLE_COMPILER_DIALECT_INTENT_IR_PRODUCTTERMS_H
