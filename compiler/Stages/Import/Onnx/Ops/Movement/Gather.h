// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers that several ops are made of.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_MOVEMENT_GATHER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_MOVEMENT_GATHER_H

#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::importer {

// Rows of the table [n, width] at `indices`, integers of any shape: [indices…, width]. An index out of range fails the
// call; negative ones count from the end.
Tensor gatherRows(Emitter &emitter, Tensor &table, Tensor &indices);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_MOVEMENT_GATHER_H
