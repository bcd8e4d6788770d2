// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention, whole: intent.attention (Dialect/Intent/IR/IntentAttention.td), with the sizes that the emitter knows. How
// it is computed is decided later, for the devices (intent-decompose-attention).
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ATTENTION_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ATTENTION_H

#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::importer {

// Vectors of all heads, as they come: [batch, heads, length, depth], or flat [batch, length, heads * depth], of a fixed
// number of heads then.
struct Heads {
  Tensor tensor;
  bool flat = false;
  OpFoldResult batch, count, length, depth;
};

// When a step of the scores is handed out.
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
// queries share one. Sizes must be known to fit. A query that sees no key gets zeros.
AttentionResult attend(Emitter &emitter, Heads &queries, Tensor &keys, Tensor &values, const AttentionRules &rules);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ATTENTION_H
