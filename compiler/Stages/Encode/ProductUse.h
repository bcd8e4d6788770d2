// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a structured op is for a device that lays out its operands.
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_PRODUCTUSE_H
#define HEDDLE_COMPILER_STAGES_ENCODE_PRODUCTUSE_H

#include "compiler/Dialect/Encoding/IR/EncodingOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::encode {

// With role 0; nothing if the op is neither a contraction nor a convolution, works on scalars, reads quantised weights,
// or was told to keep its layouts.
std::optional<encoding::AbstractEncoding> describeProduct(linalg::LinalgOp op);

} // namespace mlir::heddle::encode

#endif // HEDDLE_COMPILER_STAGES_ENCODE_PRODUCTUSE_H
