// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a structured op is, read from its loops, maps and body: the one rule for contractions, convolutions, windows and
// reductions that all stages ask. It knows nothing of targets and layouts; who needs more adds it to the answer, as in
//   Structure what = Structure::of(op);
//   if (what.isContraction() && what.sumsNumbers()) …
// Nothing is kept, so an answer is as old as the call: after the op was changed, ask again. It costs a walk over the
// body's last ops and the maps.
#ifndef HEDDLE_COMPILER_ANALYSIS_STRUCTURE_H
#define HEDDLE_COMPILER_ANALYSIS_STRUCTURE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace mlir::heddle {

// What is multiplied and summed. Logic: `and` and `or` of bits.
enum class Arithmetic { Float, Integer, Complex, Logic };

// How an operand is read or written: each dimension along a loop of its own; the same, but some dimensions at 0, as
// those of size 1 are; or at places that are computed of loops: windows, strides, panels.
enum class Access { Loops, Stretched, Computed };

struct Structure {
  enum class Kind {
    Elementwise, // no loop is reduced
    Contraction, // sums of products of two operands that are accessed by loops, as matrix products are
    Convolution, // sums of products of two operands, one of which is not accessed by loops: through a window or stride
    Window,      // another reduction of several operands, one of which is read at computed places, as pools are
    Reduction,   // what else reduces
  };

  // Of an op on tensors or memory, named or generic.
  static Structure of(linalg::LinalgOp op);

  bool isContraction() const { return kind == Kind::Contraction; }
  bool isProduct() const { return kind == Kind::Contraction || kind == Kind::Convolution; }
  // Whether the elements multiplied are those of the operands as they are, not widened or computed before.
  bool isPlain() const;
  // Products of numbers are summed: not of bits, nor complex ones.
  bool sumsNumbers() const { return arithmetic == Arithmetic::Float || arithmetic == Arithmetic::Integer; }
  // Some operand is not accessed by loops alone.
  bool isComputed() const {
    return llvm::any_of(accesses, [](Access access) { return access != Access::Loops; });
  }

  Kind kind = Kind::Elementwise;
  SmallVector<Access> accesses; // by operand of the op, results' last
  // Where the body adds products of its two inputs to its result, whatever kind the op is: of which kind, and the ops.
  // Unary ops (conversions) may stand before and between them.
  std::optional<Arithmetic> arithmetic;
  Operation *product = nullptr, *sum = nullptr;
};

// Structure::of() of any op: whether it is a linalg op of kind Contraction.
bool isContraction(Operation *op);

// A loop that is the whole of a dimension of every operand and result.
bool isBatchLoop(linalg::LinalgOp op, AffineExpr loop);

// The operands of an op of two inputs and one result by what the result's last dimension, its columns, walks: one input
// walks it, the other does not.
struct ProductSides {
  OpOperand *rows, *columns;
};
// Nothing where both or neither walk it, or where it is no loop of its own.
std::optional<ProductSides> findSides(linalg::LinalgOp op);

// Whether a reduced loop walks the input. Not one that only states a shape (tensor.empty).
bool isReduced(linalg::LinalgOp op, OpOperand &input);

// Whether an element that takes part in a reduction is used for several results: some input is reduced and does not
// walk all parallel loops. The body does not matter.
bool reusesElements(linalg::LinalgOp op);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_ANALYSIS_STRUCTURE_H
