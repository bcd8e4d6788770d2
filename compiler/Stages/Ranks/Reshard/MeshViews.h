// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks of a mesh seen by other axes: 2x4 and 4x2 ranks are both 2x2x2, where axes of the one and of the other are
// lists of axes. All sizes are known.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_RESHARD_MESHVIEWS_H
#define HEDDLE_COMPILER_STAGES_RANKS_RESHARD_MESHVIEWS_H

#include "compiler/Stages/Ranks/Reshard/Reshard.h"

namespace mlir::heddle {

// The coarsest view in which the axes of both meshes, of the same ranks, are lists of its axes; nullopt: there is none
// (2x3 and 3x2). It is one of the two meshes where that does.
std::optional<MeshShape> alignMeshes(const MeshShape &a, const MeshShape &b);

// The view where axes for which `isSplit` are cut into prime numbers.
MeshShape splitMesh(const MeshShape &mesh, llvm::function_ref<bool(StringAttr)> isSplit);

// A sharding over `mesh` by the axes of a view of it.
flow::ShardingAttr translate(flow::ShardingAttr sharding, const MeshShape &mesh, const MeshShape &view);

// A sharding of so many parts by dimension over some axes of the mesh, whose sizes are prime numbers; nullopt where it
// has none.
std::optional<flow::ShardingAttr> cutInto(ArrayRef<int64_t> parts, ArrayRef<flow::GranuleAttr> granules,
                                          const MeshShape &mesh);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_RESHARD_MESHVIEWS_H
