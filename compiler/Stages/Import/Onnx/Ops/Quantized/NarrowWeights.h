// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant weights that stay as narrow as the model has them, as ONNX has them: docs/design/quantisation.md.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_QUANTIZED_NARROWWEIGHTS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_QUANTIZED_NARROWWEIGHTS_H

#include "compiler/Stages/Import/Emit/NarrowProduct.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// A constant quantised tensor times a constant that its scale can take up: a scalar, or one for each index of the last
// dimension. Nothing for other operands.
std::optional<Tensor> scaleTable(Emitter &emitter, const Tensor &table, const Tensor &factor);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_QUANTIZED_NARROWWEIGHTS_H
