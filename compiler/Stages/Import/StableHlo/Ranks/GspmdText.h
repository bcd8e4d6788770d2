// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Annotations of GSPMD, the strings of `mhlo.sharding`, as axes of a mesh.
//
//   {replicated}   {manual}   {unknown}   {maximal device=1}
//   {devices=[2,1,4]<=[8] last_tile_dim_replicate}            dimension 0 by the slowest 2 of 8 devices
//   {devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}    dimension 1 by the fastest 4
//   {devices=[2,2]0,2,1,3}                                    devices in the order of the tiles
//   {{replicated}, {devices=[2]<=[2]}}                        of several values
//
// Tiles are cut by whole axes or by parts of them, "partition":(2)4, which Ranks makes axes of their own.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_GSPMDTEXT_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_GSPMDTEXT_H

#include "compiler/Stages/Import/StableHlo/Ranks/Shardings.h"

namespace mlir::heddle::hlo {

struct GspmdText {
  enum Kind { Replicated, Manual, Unknown, OneDevice, Tiled };
  Kind kind;
  // Of a tiled one: tiles along each dimension, then groups of devices that `groups` says the meaning of.
  SmallVector<int64_t> tiles;
  SmallVector<std::string> groups; // replicated, manual, unreduced
  SmallVector<int64_t> devices;    // of each tile, in row-major order

  bool isWhole() const { return kind == Replicated || kind == OneDevice; }
};

// Nothing if the text is something else, or several.
std::optional<GspmdText> readGspmd(StringRef text);

// The texts of several values; nothing if it is the text of one.
std::optional<SmallVector<StringRef>> splitGspmd(StringRef text);

// The sharding of a value of `rank` dimensions, by axes of the mesh as it was declared. `rankOf`: the place in the mesh
// of each device; empty: they are the same. Nothing if the tiles are not cut by axes, or not of that rank.
std::optional<ShardingText> toSharding(const GspmdText &text, int64_t rank, StringRef symbol, ArrayRef<MeshAxis> axes,
                                       ArrayRef<int64_t> rankOf);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_GSPMDTEXT_H
