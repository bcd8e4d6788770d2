// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows written into a cache at places that the host knows.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_MOVEMENT_TENSORSCATTER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_MOVEMENT_TENSORSCATTER_H

#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::importer {

// `cache` [batch, …] with `rows`, of its element type and its sizes but along `axis`, over it from position `begins[i]`
// of batch `i` on: slices, which later stages write where the cache lies if nothing else reads what it was. One begin
// is that of all batches. That they fit is checked by who calls.
//
//   cache = insertRows(emitter, cache, rows, 2, {begin});   // [1, heads, length, depth] in [1, heads, capacity, depth]
Tensor insertRows(Emitter &emitter, Tensor &cache, Tensor &rows, int64_t axis, ArrayRef<OpFoldResult> begins);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_MOVEMENT_TENSORSCATTER_H
