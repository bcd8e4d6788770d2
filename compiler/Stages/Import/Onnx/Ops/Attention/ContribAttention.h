// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ONNX Runtime's own attention ops (domain com.microsoft) share.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_CONTRIBATTENTION_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_CONTRIBATTENTION_H

#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Attention/AttentionCore.h"

namespace mlir::heddle::importer {

// Columns [begin, begin + count) of the last dimension.
Tensor columns(Emitter &emitter, Tensor &tensor, int64_t begin, int64_t count);
// Refuses the node if one of these inputs, with their names, is there.
LogicalResult requireAbsent(NodeContext &node, ArrayRef<std::pair<size_t, StringRef>> inputs);
// Attribute 'scale', or 1 / sqrt(depth).
double scaleOf(NodeContext &node, int64_t depth);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_CONTRIBATTENTION_H
