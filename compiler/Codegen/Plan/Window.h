// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows: reductions over a few neighbouring positions of each channel (pools, depthwise convolutions). Vectors lie
// along the channels where these are innermost, else along the innermost positions.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_WINDOW_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_WINDOW_H

#include "compiler/Codegen/Plan/NestAnalysis.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace mlir::heddle::codegen {

struct WindowShape;

// The input that moves along with the positions, and the padding it is read through, if it is.
struct WindowInput {
  OpOperand *operand;
  tensor::PadOp pad; // null: none
};

// The sizes of the window that `step` reduces: its positions along `tileDims` (dimensions of the nest, the last one or
// two), the vectors along `lane`. None where another kind of nest suits: dynamic or large windows, operands not read at
// linear positions, neither channels nor positions a few elements apart along the vectors.
std::optional<WindowShape> matchWindow(const RowStep &step, RankedTensorType type, ArrayRef<unsigned> tileDims,
                                       unsigned lane);

WindowInput getWindowInput(const RowStep &step, ArrayRef<unsigned> tileDims);

// Whether the vectors lie along positions: `lane` is one of them.
bool liesAlongPositions(ArrayRef<unsigned> tileDims, unsigned lane);

// The op's loop that walks the nest's dimension.
std::optional<unsigned> getLoopOf(const RowStep &step, int64_t dim);

// The value of an expression at constant positions.
int64_t evaluateAt(AffineExpr expr, ArrayRef<int64_t> dims);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_WINDOW_H
