// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A structured op (any linalg op with a body) on constants.
#ifndef HEDDLE_COMPILER_EVALUATION_STRUCTURED_H
#define HEDDLE_COMPILER_EVALUATION_STRUCTURED_H

#include "compiler/Evaluation/Body.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::evaluation {

class StructuredEvaluation {
public:
  // None if the op cannot be computed: a dynamic size, an index that is no linear expression of the loops, a body that
  // does not compile (Body.h), or more than 2^30 iterations.
  static std::optional<StructuredEvaluation> plan(linalg::LinalgOp op);

  // What the body reads besides the operands.
  ArrayRef<Value> captured() const { return body.captured(); }

  // The results. `operands`: the op's, in its order (a scalar has rank 0), then captured(). Reductions run in order, so
  // the results depend on nothing but the op and the operands. A body that hands on its operand gives a view; equal
  // elements give a splat. Fails, without a message, if a computed index is out of range.
  FailureOr<SmallVector<Array>> run(ArrayRef<Array> operands);

private:
  struct Loop {
    int64_t size;
    bool isParallel;
    int64_t index;                // of the op's loop
    SmallVector<int64_t> strides; // bytes, for each operand
  };
  class Nest;

  StructuredEvaluation(linalg::LinalgOp op, Body body) : op(op), body(std::move(body)) {}
  std::optional<Array> view(ArrayRef<Array> operands);
  bool isUniform(ArrayRef<Array> operands);
  SmallVector<Loop> loops(ArrayRef<Array> operands);

  linalg::LinalgOp op;
  Body body;
};

} // namespace mlir::heddle::evaluation

#endif // HEDDLE_COMPILER_EVALUATION_STRUCTURED_H
