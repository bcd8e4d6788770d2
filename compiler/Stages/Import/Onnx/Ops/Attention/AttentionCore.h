// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ONNX's ops of attention read alike, before they attend (Emit/Attention.h).
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_ATTENTIONCORE_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_ATTENTIONCORE_H

#include "compiler/Stages/Import/Emit/Attention.h"
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// Of a tensor of rank 4, or of rank 3 with so many heads. Refuses other ranks and sizes that heads do not divide.
FailureOr<Heads> readHeads(NodeContext &node, const Tensor &tensor, int64_t heads, StringRef name);
// [batch, heads, length, depth].
Tensor separateHeads(Emitter &emitter, Heads &heads);

// Past keys or values [batch, heads, m, depth], null if there are none, and new rows [batch, heads, n, depth] after
// them. Refuses another rank or type of the past, and sizes that are known to differ.
FailureOr<Tensor> appendToPast(NodeContext &node, Tensor *past, Tensor &rows);

// Checks a mask of rank 2 to 4, of booleans or the queries' type, against [batch, heads, queries, keys] and extends it
// to all keys.
LogicalResult readMask(NodeContext &node, const Heads &queries, OpFoldResult keys, Tensor &mask);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_ATTENTIONCORE_H
