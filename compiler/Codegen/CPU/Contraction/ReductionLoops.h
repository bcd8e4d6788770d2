// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reduction loops around a contraction's tile.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_REDUCTIONLOOPS_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_REDUCTIONLOOPS_H

#include "compiler/Codegen/CPU/Contraction/ContractionIndex.h"

namespace mlir::heddle::codegen {

using ReductionBody = function_ref<SmallVector<Value>(ArrayRef<Value> index, ValueRange carried)>;

// One loop inside the other over all of `sizes`. Where the configuration says so, the tile's rows of the result in
// `output` are asked for meanwhile, one after the other: a short reduction ends before stores have their lines.
SmallVector<Value> emitReductionLoops(const ContractionIndex &place, const RowTile &tile, int64_t vectors,
                                      const Buffer &output, ArrayRef<Value> sizes, ValueRange carried,
                                      ReductionBody body);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_REDUCTIONLOOPS_H
