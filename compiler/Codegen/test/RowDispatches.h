// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatches that memory or functions bound, at the sizes whose rates docs/design/codegen-memory.md reports.
#ifndef HEDDLE_COMPILER_CODEGEN_TEST_ROWDISPATCHES_H
#define HEDDLE_COMPILER_CODEGEN_TEST_ROWDISPATCHES_H

#include "compiler/Codegen/test/Dispatches.h"

namespace heddle::test {

// One elementwise op on [rows, columns] with `inputs` operands; `body` computes %r from %a, %b, ….
std::string elementwiseText(int64_t rows, int64_t columns, int inputs, const std::string &body);
// [rows, columns] to [columns, rows]; 0: a size known only at run time.
std::string transposeText(int64_t rows, int64_t columns);
// softmax(scale * q k^T + mask) v of [b, h, s, d], [b, h, d, t], [b, t], [b, h, t, d], with b, s and t dynamic.
std::string attentionText(int64_t heads, int64_t depth);
Dispatch attention(int64_t batch, int64_t heads, int64_t depth, int64_t rows, int64_t columns);
// The body of gelu with erf.
std::string geluBody();

std::vector<Dispatch> rowDispatches();

} // namespace heddle::test

#endif // HEDDLE_COMPILER_CODEGEN_TEST_ROWDISPATCHES_H
