// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dimensions that are one in the memory of every operand, though no type says how long they are.
//
//   result[c, y, x] = a[c, y, x] * b[select(b has one, 0, c), select(…, 0, y), select(…, 0, x)]
//
// Where the call's b is 64x1x1, y and x are one row of y * x elements for each c, all of which have one element of b;
// where it is as large as a, c is part of the row, too. The kernel computes how many dimensions are one before its
// loops, from the sizes of the call: there is one code for all of them (docs/design/codegen.md).
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_ROWJOINS_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_ROWJOINS_H

#include "compiler/Codegen/Plan/NestAnalysis.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <vector>

namespace mlir::heddle::codegen {

// How elements of one tensor in memory are read.
struct Walk {
  static constexpr int64_t kOther = -1; // an index that is none of the walker's dimensions

  Value tensor;
  SmallVector<int64_t> dims;    // for each dimension of the tensor, which of the walker's is its index
  SmallVector<Value> stretched; // the condition under which the index is 0 instead; null: never
  tensor::ExtractOp read;       // null: read through a map
};

// All reads of a walker: of a value's elements, or of a reduction's terms.
struct Walks {
  std::vector<Walk> reads;
  llvm::SmallBitVector fixed; // dimensions of the walker whose index decides more than where to read
  bool viewed = false;        // some tensor is read in part: its sizes are not the walker's
};

// None where an element depends on its position in another way than by what is read there.
std::optional<Walks> collectWalks(Value value, const NestAnalysis &analysis);
// Of the reduction's operands, by its loops.
std::optional<Walks> collectWalks(linalg::GenericOp op, function_ref<bool(Value)> isMemory);

// Whether dimensions `dim` and `dim + 1` are one in every read, whatever their sizes.
bool areOne(const Walks &walks, int64_t dim);

// Where in a read of a value of `rank` its last dimensions, from that of `dim` on, are those of the value; none: they
// are not.
std::optional<size_t> placeInEnd(const Walk &walk, int64_t dim, int64_t rank);

// Dimensions before that of the lanes, innermost first, that may be one with it.
struct RowJoins {
  SmallVector<unsigned> dims;
  std::vector<Walk> reads;
};

// `value` must have its lanes along its last dimension. `apart`: dimensions that are not one with the next in its
// memory.
RowJoins matchRowJoins(Value value, const NestAnalysis &analysis, const llvm::SmallBitVector &apart);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_ROWJOINS_H
