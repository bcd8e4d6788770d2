// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of a padded value are windows of the value, with the padding around: one exchange brings rows and zeros.
// Other numbers than zeros are put around what the exchange brings.
//
//   %p = tensor.pad %x low[1, 0] high[1, 0] { … zero } : tensor<8x4xf32> to tensor<10x4xf32>
//   %y = linalg.generic … (r + k, c) … ins(%p, …)        // row r reads [r - 1, r + 2) of %x
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_PADDEDREADS_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_PADDEDREADS_H

#include "compiler/Dialect/Flow/Transforms/Factors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle {

// By numbers. At least one dimension that is padded is read in windows, and none is walked by a loop alone.
struct PaddedRead {
  tensor::PadOp pad;
  SmallVector<int64_t> low, high; // by dimension
  TypedAttr padding;

  // Of bits that are all zero: what nobody sends is so.
  bool isOfZeros() const { return padding == Builder(padding.getContext()).getZeroAttr(padding.getType()); }
  bool isPadded(int64_t dim) const { return low[dim] != 0 || high[dim] != 0; }
};

// Where an operand of an op (in the order of Factors::operands) is such a padding.
std::optional<PaddedRead> findPaddedRead(const flow::Factors &factors, unsigned operand, Value value);

// Whether whoever reads the padding reads it so.
bool isReadThrough(tensor::PadOp pad);

// Positions of the padding in front of a rank's own ones and behind them, and of all three together where all ranks
// have as many.
struct LocalPadding {
  OpFoldResult low, high;
  std::optional<int64_t> size;
};

// The padding of `source`: along each padded dimension what `paddingOf` says, none where that is none.
Value padAround(OpBuilder &builder, Location loc, const PaddedRead &read, Value source,
                llvm::function_ref<std::optional<LocalPadding>(int64_t)> paddingOf);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_PADDEDREADS_H
