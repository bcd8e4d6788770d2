// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole tensors and the shares of them that ranks have, as an entry point's shardings say (heddle/ranks.h). Plain data
// and pure functions: no runtime, no world.
//
// A dimension is dealt out in `parts` pieces, of which a rank has number `part`; a dimension with one part is the same
// on all. Pieces of a whole of unstated size are equal; else they are as contract::partBegin() says. Ranks with equal
// numbers have equal shares. Of a partial sum (or another reduction) several ranks have a summand each.
#ifndef HEDDLE_TOOLS_LIB_SHARES_H
#define HEDDLE_TOOLS_LIB_SHARES_H

#include "heddle/contract/Collectives.h"
#include "heddle/ranks.h"
#include "tools/lib/HostTensor.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::tools {

struct DimShare {
  int64_t parts = 1, part = 0;
  std::string axes;                // of the mesh, for messages: "x" or "x, y"
  int64_t whole = -1, granule = 1; // positions of the whole (-1: not stated) and what pieces begin at multiples of
};

struct Share {
  std::vector<DimShare> dims;
  bool isMember = true;              // false: the rank is not in the mesh and has none
  int64_t summands = 1, summand = 0; // this one's number
  contract::Reduction reduction = contract::Reduction::Sum;
};

// What this member has. `mesh`: that of the sharding.
Share shareOf(const heddle_sharding &sharding, const heddle_mesh_info &mesh);

// Sizes of a share of a whole tensor. Throws UsageError, which names `what` ("argument 'x'"), the dimension and the
// axes: another number of dimensions, another size than the stated one, or one that equal parts do not divide.
std::vector<int64_t> shareDims(std::span<const int64_t> whole, const Share &share, const std::string &what);
// The first position of a share of a dimension of that size.
int64_t shareBegin(int64_t whole, const DimShare &share);

// The share as a tensor of its own; of a sum the first summand is all, and the others are zeros. Throws as shareDims(),
// and UsageError for a reduction that zeros change.
HostTensor cutShare(TensorView whole, const Share &share, const std::string &what);

// Puts shares together, behind one another in each dimension, and combines summands: floats in f64, rounded once. Those
// of ranks that have the same one must be equal.
//
//   Gathered result("result 'y'");
//   for (each rank)
//     result.measure(rank, view, share);
//   for (each rank)
//     result.add(rank, view, share);
//   HostTensor whole = result.take();
class Gathered {
public:
  explicit Gathered(std::string what) : what_(std::move(what)) {}
  // Ranks that are not members are passed over. Throws Failure: another size than a share before it has that lies at
  // the same place of a dimension.
  void measure(uint32_t rank, TensorView part, const Share &share);
  // All shares are measured. Throws Failure: bytes that differ from those of a rank that has the same share.
  void add(uint32_t rank, TensorView part, const Share &share);
  // Throws Failure where shares are missing.
  HostTensor take();

private:
  void place(TensorView part, const Share &share, const std::function<void(size_t, size_t, size_t)> &move);
  void combine(TensorView part, const Share &share);
  void round();

  struct Seen {
    uint32_t rank;
    uint64_t hash;
  };
  std::string what_;
  std::optional<HostTensor> whole_;
  std::vector<double> sums_;                  // of floats that are combined
  std::set<std::vector<int64_t>> begun_;      // numbers of parts that have a summand
  std::string first_;                         // what the first rank has, for messages
  std::vector<std::vector<int64_t>> sizes_;   // by dimension and part: -1 where nobody said; then the begins
  std::map<std::vector<int64_t>, Seen> seen_; // numbers of parts → who brought it
  int64_t expected_ = 0;
};

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_SHARES_H
