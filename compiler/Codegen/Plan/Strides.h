// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_STRIDES_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_STRIDES_H

#include <cstdint>

namespace mlir::heddle::codegen {

// Vectors are loaded of elements that lie up to so many apart; others are gathered.
constexpr int64_t kMostLoadStride = 4;

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_STRIDES_H
