// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The window attributes of convolutions and pools.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_WINDOW_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_WINDOW_H

#include "compiler/Stages/Import/Emit/Convolve.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// Reads a list attribute of `count` entries, each at least `least` and no larger than a window of a real model has;
// `otherwise` for each where it is absent. Refuses what is malformed.
LogicalResult readList(NodeContext &node, StringRef name, int64_t count, int64_t least, int64_t otherwise,
                       SmallVector<int64_t> &list);

// Reads the attributes for the operand 0 of `node`; `kernel` is that of the weights, or empty to take kernel_shape.
// Refuses what is malformed.
FailureOr<Window> readWindow(NodeContext &node, ArrayRef<int64_t> kernel);

// Operand 0 with the window's padding filled with `value`, cut where a single window ends.
Tensor padForWindow(Emitter &emitter, Tensor &operand, const Window &window, TypedAttr value);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_WINDOW_H
