// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the elements of a value need: its reductions and costly elementwise ops, and at which of their indices it reads
// them.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_NESTANALYSIS_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_NESTANALYSIS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace mlir::heddle::codegen {

// One op the value needs. Indices are affine in the value's dimensions d0 … d(rank-1), in further dimensions for the
// loops of reductions, and s0 where they are anything else.
struct NeededOp {
  linalg::GenericOp op;
  bool isReduction;
  SmallVector<SmallVector<AffineExpr>> accesses; // of result 0, each different one once
  llvm::SetVector<Operation *> readers; // the loops that read it: reductions, or null for the value's own loops
};

// An argument's (or staged value's) elements, and where they are read.
struct Load {
  Value tensor;
  SmallVector<AffineExpr> index;
  Operation *reader = nullptr; // the reduction that reads them; null: the value's own loops
};

struct NestAnalysis {
  SmallVector<NeededOp> ops; // producers first; elementwise ops only if costly
  // How elements of arguments are read; by a reduction that is read at several indices, at the first one only.
  SmallVector<Load> loads;
  bool usesIndices = false; // some element depends on its position
  // What decides whether an element comes from here or there (pad, concat, insert_slice); s0 where it is not affine.
  SmallVector<AffineExpr> choices;
  // What the bounds of loops in bodies depend on; s0 where it is not affine.
  SmallVector<AffineExpr> bounds;

  // The value's dimension each index of the op's result is, or -1 where it is 0. None when it is read at more than one
  // index or at one that is something else.
  std::optional<SmallVector<int64_t>> getPosition(const NeededOp &needed) const;
  bool hasReductions() const {
    return llvm::any_of(ops, [](const NeededOp &op) { return op.isReduction; });
  }

  int64_t rank = 0;
};

// Computed once for each row before the row's elements.
struct RowStep {
  linalg::GenericOp op;
  bool isReduction;              // to registers; else elementwise, to scratch
  SmallVector<int64_t> position; // of result 0: the nest's dimension each index is, -1: not known from the row
};

// The operand's map, with 0 in place of loops of one step.
AffineMap mapWithoutUnitLoops(OpOperand &operand);

// Bytes from one iteration of the loop to the next in an operand's memory, where all but its first size is known.
std::optional<int64_t> getByteStride(OpOperand &input, unsigned loop);

// `staged`: ops whose results are in memory; what they need is not asked.
NestAnalysis analyze(Value value, const DenseSet<Operation *> &staged);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_NESTANALYSIS_H
