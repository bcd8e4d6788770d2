// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions as attributes of a node say.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_CONVOLVENODE_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_CONVOLVENODE_H

#include "compiler/Stages/Import/Onnx/Forms/Window.h"

namespace mlir::heddle::importer {

// The convolution of `x`, the node's operand 0 or one of its shape, with weights [f, c, k…], as attributes of the node
// say: [n, f, o…], summed in `sum` (null: x's type). `pad` gives x with the window's padding; `weightZero` is taken
// from each weight.
FailureOr<Tensor> convolveNode(NodeContext &node, Tensor &x, Tensor &weights, Type sum,
                               llvm::function_ref<Tensor(const Window &)> pad, int64_t weightZero = 0);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_CONVOLVENODE_H
