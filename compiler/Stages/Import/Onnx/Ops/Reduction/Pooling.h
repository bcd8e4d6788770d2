// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools that are shared between files.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_REDUCTION_POOLING_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_REDUCTION_POOLING_H

#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Forms/Window.h"

namespace mlir::heddle::importer {

// The sum under each window of the padded operand.
Tensor sumPool(Emitter &emitter, Tensor &padded, const Window &window);

// The greatest element under each window, and where it stands in `x`, counted through all of `x` in row-major order
// (`columnMajor`: with the spatial dimensions in the other order). `padded` is `x` with the least value around it.
std::pair<Tensor, Tensor> maxPoolWithIndices(Emitter &emitter, Tensor &x, Tensor &padded, const Window &window,
                                             bool columnMajor);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_REDUCTION_POOLING_H
