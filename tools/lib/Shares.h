// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole tensors and the shares of them that ranks have, as an entry point's shardings say (heddle/ranks.h). Plain data
// and pure functions: no runtime, no world.
//
// A dimension is dealt out in `parts` equal pieces, of which a rank has number `part`; a dimension with one part is the
// same on all. Ranks with equal numbers have equal shares.
#ifndef HEDDLE_TOOLS_LIB_SHARES_H
#define HEDDLE_TOOLS_LIB_SHARES_H

#include "heddle/ranks.h"
#include "tools/lib/HostTensor.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::tools {

struct DimShare {
  int64_t parts = 1, part = 0;
  std::string axes; // of the mesh, for messages: "x" or "x, y"
};

struct Share {
  std::vector<DimShare> dims;
  bool isMember = true; // false: the rank is not in the mesh and has none
};

// What this member has. `mesh`: that of the sharding.
Share shareOf(const heddle_sharding &sharding, const heddle_mesh_info &mesh);

// Sizes of a share of a whole tensor. Throws UsageError, which names `what` ("argument 'x'"), the dimension and the
// axes: another number of dimensions, or a size that the parts do not divide.
std::vector<int64_t> shareDims(std::span<const int64_t> whole, const Share &share, const std::string &what);
// Sizes of the whole tensor that has shares of these sizes.
std::vector<int64_t> wholeDims(std::span<const int64_t> part, const Share &share);

// The share as a tensor of its own. Throws as shareDims().
HostTensor cutShare(TensorView whole, const Share &share, const std::string &what);

// Puts shares together. Those of ranks that have the same one must be equal.
//
//   Gathered result("result 'y'");
//   for (each rank)
//     result.add(rank, view, share);
//   HostTensor whole = result.take();
class Gathered {
public:
  explicit Gathered(std::string what) : what_(std::move(what)) {}
  // Ranks that are not members are passed over. Throws Failure: other sizes than those before, or bytes that differ
  // from those of a rank that has the same share.
  void add(uint32_t rank, TensorView part, const Share &share);
  // Throws Failure where shares are missing.
  HostTensor take();

private:
  std::string what_;
  std::optional<HostTensor> whole_;
  std::vector<int64_t> partDims_;
  std::map<std::vector<int64_t>, uint32_t> seen_; // numbers of parts → who brought it
  int64_t expected_ = 0;
};

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_SHARES_H
