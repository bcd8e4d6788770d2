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

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_UNPOOLINGCHECK_H
