// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_FLATTENPIXELS_H
#define HEDDLE_COMPILER_CODEGEN_CPU_FLATTENPIXELS_H

#include "compiler/Target/CPU/CpuFeatures.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::codegen {

// The function's results as nests compute them. A pad of pixels of a few channels becomes, for vectors that have masks,
// one whose rows are single dimensions, longer than a vector: the memory of the result is the same.
SmallVector<Value> flattenResults(func::FuncOp function, const cpu::CpuFeatures &features);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_FLATTENPIXELS_H
