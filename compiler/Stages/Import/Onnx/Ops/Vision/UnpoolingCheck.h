// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The windows of MaxUnpool, and whether its indices are in them.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_UNPOOLINGCHECK_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_UNPOOLINGCHECK_H

#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// For each spatial dimension; `pads` has those before, then those behind.
struct Unpooling {
  SmallVector<int64_t> kernel, strides, pads;
  SizeList inferred; // sizes of what was pooled; the indices count its elements
};

// The indices [n, c, o…], and a failure of the call where one is outside the window that its element was the greatest
// of.
Tensor checkWindows(Emitter &emitter, Tensor &indices, const Unpooling &unpooling);
// The same, and for each index in its place which element of the window it counts, in row-major order: [n, c, o…] of
// i32. Windows have less than 2^31 elements.
Tensor findTaps(Emitter &emitter, Tensor &indices, const Unpooling &unpooling);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_UNPOOLINGCHECK_H
