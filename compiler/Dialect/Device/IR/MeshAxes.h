// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two meshes of the same ranks: what a place in the one says about a place in the other.
#ifndef HEDDLE_COMPILER_DIALECT_DEVICE_IR_MESHAXES_H
#define HEDDLE_COMPILER_DIALECT_DEVICE_IR_MESHAXES_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

namespace mlir::heddle::device {

// Whether both meshes are of the same ranks, in known numbers.
bool areOfSameRanks(MeshOp a, MeshOp b);

// Whether ranks that differ along axis `along` of `other` only may differ in their coordinate along axis `axis` of
// `mesh`: of [x = 2, y = 4] and [r = 2, s = 2, t = 2], y differs along s and t, x along r. True where that is not
// known.
bool mayDiffer(MeshOp mesh, unsigned axis, MeshOp other, unsigned along);

} // namespace mlir::heddle::device

#endif // HEDDLE_COMPILER_DIALECT_DEVICE_IR_MESHAXES_H
