// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a convolution of a 3x3 window is faster by fewer products, and of which tiles: a pure function of sizes and
// of the targets' costs.
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_WINOGRADTILE_H
#define HEDDLE_COMPILER_STAGES_ENCODE_WINOGRADTILE_H

#include "compiler/Target/TargetRegistry.h"

namespace mlir::heddle::encode {

// Sizes of the result and channels of the operand; none: only the call knows.
struct WindowSizes {
  std::optional<int64_t> batch, height, width;
  int64_t channels = 0, filters = 0;
};

// 2 or 4, the results of a tile along each dimension; 0: the convolution as it is.
int64_t chooseWinogradTile(const WindowSizes &sizes, const WinogradCosts &costs);

} // namespace mlir::heddle::encode

#endif // HEDDLE_COMPILER_STAGES_ENCODE_WINOGRADTILE_H
