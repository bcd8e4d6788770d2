// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axes of a program's meshes as bits. Meshes over the same ranks share them where the axes of each are lists of
// common ones: 2x4 and 4x2 ranks are both 2x2x2, so what differs along the second axis of the one differs along two
// bits, of which one is the first axis of the other's.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_MESHATOMS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_MESHATOMS_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "llvm/ADT/SmallBitVector.h"

namespace mlir::heddle::flow {

class MeshAtoms {
public:
  using Bits = llvm::SmallBitVector;

  MeshAtoms() = default;
  explicit MeshAtoms(ArrayRef<device::MeshOp> meshes);

  unsigned size() const { return count; }

  // Those of an axis, by its place among its mesh's. None for an axis of one rank.
  const Bits &of(device::MeshOp mesh, unsigned axis) const { return axes.find(mesh)->second[axis]; }
  Bits allOf(device::MeshOp mesh) const;

  // Whether both have the same bits.
  bool areShared(device::MeshOp a, device::MeshOp b) const { return allOf(a) == allOf(b); }

private:
  unsigned count = 0;
  llvm::DenseMap<Operation *, SmallVector<Bits>> axes;
};

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_MESHATOMS_H
