// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes of tensors from their types alone.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_BYTEESTIMATE_H
#define HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_BYTEESTIMATE_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::heddle::flow {

// What stands for a size that nothing tells.
inline constexpr int64_t kUnknownSize = 64;
// Bytes of a tensor, dynamic dimensions taken as kUnknownSize.
uint64_t estimateBytes(Type type);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_BYTEESTIMATE_H
