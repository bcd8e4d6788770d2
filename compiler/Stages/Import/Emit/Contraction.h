// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products that several ops are made of.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_CONTRACTION_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_CONTRACTION_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::importer {

// [m, k] x [k, n]; the sizes k must be known to be equal.
Tensor matmul(Emitter &emitter, Tensor &lhs, Tensor &rhs);
// The same with equal batch dimensions in front of both, which `batch` lists: [batch…, m, n].
Tensor batchMatmul(Emitter &emitter, Tensor &lhs, Tensor &rhs, ArrayRef<OpFoldResult> batch);
// The same with batch dimensions that broadcast to `batch`, summed in `sum`: an operand is not read along those where
// its size is 1.
Tensor broadcastMatmul(Emitter &emitter, Tensor &lhs, Tensor &rhs, ArrayRef<OpFoldResult> batch, Type sum);
// One step of a product summed in `sum`: operands of types lhs and rhs are widened first.
Value multiplyAdd(Scalar s, Value accumulator, Value x, Type lhs, Value y, Type rhs, Type sum);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_CONTRACTION_H
