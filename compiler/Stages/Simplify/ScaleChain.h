// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales and offsets that an elementwise op applies to one operand first: y = x * scale + offset for each channel.
#ifndef HEDDLE_COMPILER_STAGES_SIMPLIFY_SCALECHAIN_H
#define HEDDLE_COMPILER_STAGES_SIMPLIFY_SCALECHAIN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle {

// The longest chain of additions, subtractions, products and quotients in the body of an elementwise op that starts at
// one of its operands' elements, each link the only reader of the one before, and whose other operands are known at
// compile time: constants, operands that are constant expressions and vary along `channels` (loops of the op) only, and
// what the body computes from such.
class ScaleChain {
public:
  ScaleChain(linalg::GenericOp op, BlockArgument start, ArrayRef<unsigned> channels);

  // Without a product or quotient there is nothing to gain.
  bool hasScale() const;
  // The value that the chain computes.
  Value result() const { return last; }
  // The loops that scale and offset vary along, in order.
  ArrayRef<unsigned> loops() const { return varying; }

  // Emits an op before the elementwise one whose two results are scale and offset, each with a dimension for each of
  // loops().
  linalg::GenericOp emit(OpBuilder &builder);

private:
  struct Link {
    Operation *op;
    Value known;  // null for a negation
    bool isFirst; // the chain is its first operand
  };

  bool extend();
  bool isKnown(Value value, SmallVectorImpl<unsigned> &needed);
  Value emitKnown(OpBuilder &builder, Value value, IRMapping &mapping);
  SmallVector<Value> emitBody(OpBuilder &builder, Location loc, ValueRange arguments);

  linalg::GenericOp op;
  SmallVector<unsigned> channels;
  Value last;
  SmallVector<Link> links;
  SmallVector<unsigned> operands; // of the op, that scale and offset are computed from
  SmallVector<unsigned> varying;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SIMPLIFY_SCALECHAIN_H
