// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scaled dot-product attention that several ops are made of: scores, their rows, the product with the values.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_ATTENTIONCORE_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_ATTENTIONCORE_H

#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// Vectors of all heads, as they come: [batch, heads, length, depth], or flat [batch, length, heads * depth].
struct Heads {
  Tensor tensor;
  bool flat = false;
  OpFoldResult batch, count, length, depth;
};

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

// When a step of the scores is handed out (qk_matmul_output_mode).
enum class ScoresWanted { No, Scaled, Capped, Masked, Weights };

struct AttentionRules {
  double scale = 1;
  double softcap = 0;        // 0: none
  Tensor *mask = nullptr;    // booleans (true: seen) or floats (added); broadcasts to [batch, heads, queries, keys]
  bool causal = false;       // query i sees keys up to i + offset
  OpFoldResult offset;       // of causal; unset: `begins`
  Tensor *begins = nullptr;  // integers [batch], instead of `offset`; null: the last query is the last of `lengths`
  Tensor *lengths = nullptr; // integers [batch]: keys from there on are not seen
  int64_t window = 0;        // of causal: a query sees so many keys, 0: all before it
  Tensor *sink = nullptr;    // floats [heads] or one: the score of a key without a value, which every query sees, too
  Type softmaxType;          // rows are computed in; null: that of the scores
  ScoresWanted wanted = ScoresWanted::No;
};

struct AttentionResult {
  Tensor output;                // laid out as the queries are
  std::optional<Tensor> scores; // [batch, heads, queries, keys]
};

// Queries against keys and values [batch, heads, length, depth], whose heads may be fewer: neighbouring heads of
// queries share one, which is read where it is. Sizes must be known to fit. A query that sees no key gets zeros.
//
// Emitted as a chain (compiler/Stages/Form/Chains.h): contraction, rows, contraction, on [batch, shared head, its
// heads, queries, …]; dimensions of one are left out.
AttentionResult attend(Emitter &emitter, Heads &queries, Tensor &keys, Tensor &values, const AttentionRules &rules);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_ATTENTIONCORE_H
