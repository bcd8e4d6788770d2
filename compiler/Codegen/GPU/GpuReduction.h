// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_COMPILER_CODEGEN_GPU_GPUREDUCTION_H
#define HEDDLE_COMPILER_CODEGEN_GPU_GPUREDUCTION_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Target/GPU/GpuFeatures.h"

namespace mlir::heddle::codegen {

// The reduction's results at `index` of result 0, computed by all invocations together; all of them get them. Barriers
// inside: all invocations must come here.
SmallVector<LaneValue> emitSharedReduction(ElementEmitter &emitter, linalg::GenericOp op, ArrayRef<LaneValue> index,
                                           const gpu::GpuFeatures &features, Value invocation);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_GPU_GPUREDUCTION_H
