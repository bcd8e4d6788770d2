// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sharding file of `--shard-file=`: how ranks share the values of a model that says nothing of ranks.
//
//   # A comment. A mesh of ranks, with names for its axes; `name:`, `at RANK` and `of DEVICE` may be added.
//   mesh tp = 2, dp = ?
//   # The first line whose pattern fits a value's name, or its node's, decides. One entry for each dimension: the axes
//   # that cut it, '-' where it is whole on each rank, '?' where the compiler may choose.
//   input_ids       = [dp, -]
//   *.up.weight     = [tp, -]
//   *.down.weight   = [-, tp by 64]
//   logits          = [(dp, tp), ?]
//   # Or one entry for each axis: the dimension that it cuts, from the end where negative, or what is still to be done.
//   *.norm.weight   = {}
//   *.gate_up*      = {tp: 0, dp: -}
//   *.partial_sums  = {tp: partial sum}
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ANNOTATIONS_SHARDFILE_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ANNOTATIONS_SHARDFILE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::heddle {

// A device.mesh.
struct ShardMesh {
  std::string name; // "mesh" where the line has none
  std::vector<std::string> axes;
  std::vector<int64_t> sizes; // device::MeshOp::kFree for '?'
  int64_t first = 0;
  std::string device;
  unsigned line; // from 1
};

// What a part of a dimension begins at multiples of: a number times sizes of named dimensions.
struct ShardGranule {
  int64_t factor = 1;
  std::vector<std::string> names;
};

// What cuts one dimension, the outermost axis first.
struct ShardDim {
  std::vector<std::string> axes;
  ShardGranule granule;
  bool isOpen = false; // other axes may cut it, too
};

// What one axis does: it cuts a dimension (from the end where negative), leaves sums to be made, or has copies.
struct ShardAxis {
  std::string axis;
  std::optional<int64_t> dim;
  ShardGranule granule;
  std::string reduction; // "" where nothing is partial
};

struct ShardRule {
  std::string pattern;
  unsigned line;                             // from 1
  std::string mesh;                          // "": the only one
  std::optional<std::vector<ShardDim>> dims; // of `[…]`, which fits values of that rank only
  std::vector<ShardAxis> axes;               // of `{…}`, and of what follows `[…]`
  bool fits(llvm::StringRef name) const;     // NodeNames.h
};

struct ShardFile {
  std::vector<ShardMesh> meshes;
  std::vector<ShardRule> rules;
};

// Fails with `error`, a message that begins with the line, as "3: expected …".
bool parseShardFile(llvm::StringRef text, ShardFile &file, std::string &error);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ANNOTATIONS_SHARDFILE_H
