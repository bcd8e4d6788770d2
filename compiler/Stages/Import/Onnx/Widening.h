// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on 16-bit floats: computed in f32, rounded once.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_WIDENING_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_WIDENING_H

#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// Runs `lowering` on the node. An op that computes gets its operands of f16 and bf16 as f32, and its results of f32
// become what the first operand of floats was; so each ONNX op rounds once, also a reduction or a contraction, as
// processors and other runtimes do it. Ops that only move, choose or convert elements see them as they are; floats of 8
// and 4 bits and integers of 4 and 2 are refused by all others.
LogicalResult lowerWidened(NodeContext &node, LoweringFunction lowering);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_WIDENING_H
