// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a rank stands in the meshes of a program: sizes that the artifact leaves free are told at load, the coordinates
// follow from the rank's number in the world. Pure.
//
//   StatusOr<MeshSizes> sizes = sizeMeshes(module, "x=2", worldSize);
//   HEDDLE_RETURN_IF_ERROR(checkRanks(module, *sizes, worldSize));
//   std::vector<MeshPlace> places = placeMeshes(module, *sizes, worldRank);
#ifndef HEDDLE_RUNTIME_EXECUTOR_PROGRAM_MESHPLACE_H
#define HEDDLE_RUNTIME_EXECUTOR_PROGRAM_MESHPLACE_H

#include "heddle/contract/Artifact_generated.h"
#include "runtime/base/Status.h"

#include <string_view>
#include <vector>

namespace heddle {

struct MeshPlace {
  std::vector<int64_t> sizes;       // of the axes
  std::vector<int64_t> coordinates; // of this rank, zeros where it is not in the mesh
  int64_t ranks = 1;                // in the mesh
  int64_t first = 0;                // in the world
  int64_t rank = -1;                // this one's place in the mesh, -1: it is not in it
  bool isMember() const { return rank >= 0; }
};

// By mesh, by axis: all known.
using MeshSizes = std::vector<std::vector<int64_t>>;

// `told` is "x=2,y=4", or "mesh.x=2" where several meshes have an axis of that name; "" for nothing. The one axis of a
// mesh that is neither told nor fixed takes what a world of `worldSize` ranks leaves; 0: nobody knows how large it is.
// InvalidArgument: malformed, an axis that no mesh has, a size that the artifact fixes, one that is missing.
StatusOr<MeshSizes> sizeMeshes(const fb::Module &module, std::string_view told, uint32_t worldSize);

// How many ranks the program runs on: up to the end of the last mesh; 1 without meshes.
int64_t ranksNeeded(const fb::Module &module, const MeshSizes &sizes);

// InvalidArgument unless the world has as many ranks as the program runs on, and no collective is wrong for these
// sizes: the load-time part of what the compiler proves for sizes that it knows.
Status checkRanks(const fb::Module &module, const MeshSizes &sizes, uint32_t worldSize);

// The rank's place in each mesh.
std::vector<MeshPlace> placeMeshes(const fb::Module &module, const MeshSizes &sizes, uint32_t worldRank);

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_PROGRAM_MESHPLACE_H
