// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an artifact says of many ranks: meshes, collectives, how values are spread. Pure.
#ifndef HEDDLE_TOOLS_INSPECT_MESHES_H
#define HEDDLE_TOOLS_INSPECT_MESHES_H

#include "heddle/contract/Artifact_generated.h"
#include "tools/lib/Json.h"

#include <string>

namespace heddle::tools {

// {"name", "axes": [{"name", "size" or null}], "first", "device"}
Json meshJson(const fb::MeshT &mesh, const std::string &device);
// {"name", "kind", "reduction" (or null), "type", "mesh", "axes" or "groups", "root", "pairs", "shift" (those its kind
// has), "source"}. Throws Failure where an index is none.
Json collectiveJson(const fb::CollectiveT &collective, const fb::ModuleT &module);
// {"name", "collective", "counts", "extent"}: what the load chooses a number of pieces for; no counts: of a free size.
// Throws Failure where an index is none.
Json overlapJson(const fb::OverlapT &overlap, const fb::ModuleT &module);
// {"mesh", "dims": [[axis, …], …]}; null: a value of each rank's own.
Json shardingJson(const fb::ValueT &value, const fb::ModuleT &module);

// "m: [x = 8, y = ?] of device_0, from rank 16"
std::string meshLine(const Json &mesh);
// "psum: all_reduce sum f32 over m[x]  (/layer/MatMul)"
std::string collectiveLine(const Json &collective);
// "all_reduce of tensor<8x4xf32>: whole, in 4 or 16 pieces"
std::string overlapLine(const Json &overlap);
// " by [x, -] of m", " the same on m"; "" for null
std::string shardingText(const Json &sharding);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_INSPECT_MESHES_H
