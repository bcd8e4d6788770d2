// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a structured op is as a convolution, in whatever layout.
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_CONVOLUTION_H
#define HEDDLE_COMPILER_STAGES_ENCODE_CONVOLUTION_H

#include "compiler/Stages/Encode/OpLayouts.h"

namespace mlir::heddle::encode {

// The layouts in which a convolution has its channels last: operand [n, s…, (g,) c], weights [(g,) k…, c, f] (depthwise
// [k…, g]), result [n, o…, (g,) f], loops n, o…, (g,) f, k…, c. Nothing if `op` is no convolution, or one whose
// dimensions cannot be told apart (a window that covers all of its operand). Batch and positions keep their order.
std::optional<Layouts> channelsLastLayouts(linalg::GenericOp op);

// A depthwise convolution with a window and strides so small that it is as fast with positions along the vectors as
// with channels: it has the layout of its neighbours, as a pool has.
bool isSmallDepthwise(linalg::GenericOp op);

} // namespace mlir::heddle::encode

#endif // HEDDLE_COMPILER_STAGES_ENCODE_CONVOLUTION_H
