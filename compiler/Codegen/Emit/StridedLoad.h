// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of elements that lie a few elements apart, as every second one of a row is.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_STRIDEDLOAD_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_STRIDEDLOAD_H

#include "compiler/Codegen/Emit/LaneBuilder.h"
#include "compiler/Codegen/Plan/Strides.h"

namespace mlir::heddle::codegen {

// Lane i holds memory[base + i * stride], stride 2 … kMostLoadStride: by `stride` contiguous loads, the last of which
// ends with the last lane's element, and shuffles. So nothing beyond the first and the last lane's element is read, and
// under the lanes' mask nothing but the elements of lanes that are on.
Value loadStrided(LaneBuilder &lanes, VectorType type, Value memory, Value base, int64_t stride);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_STRIDEDLOAD_H
