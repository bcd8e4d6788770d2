// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a value goes from one sharding to another: a plan of collectives and local steps, made by a pure function of
// shardings, sizes and meshes, and the ops of such a plan. See docs/design/shardings.md.
//
//   ReshardPlan plan = planReshard(from, to, type, estimates, MeshShape::of(mesh), MeshShape::of(mesh));
//   uint64_t bytes = bytesOf(plan);                                           // that the busiest rank sends
//   Value part = emitReshard(builder, loc, local, whole, from, to, plan);     // on each rank, its part by `to`
//
// | step | what the ranks do | bytes that a rank sends, of n members; L before, K after |
// |---|---|---|
// | Slice, Mask, Spread, Rename, Expand, Collapse | each on its own | 0 |
// | AllGather | cut -> whole | (n - 1) L |
// | ReduceScatter | partial -> cut | (n - 1) K |
// | AllReduce | partial -> whole | 2 (n - 1) L / n |
// | AllToAll | cut along one dimension -> along another | (n - 1) L / n |
// | Permute | the same parts on other ranks | L |
// | Move | the same parts on ranks of another mesh | L |
// | Broadcast | to copies of a part that Move has not reached | L |
#ifndef HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARD_H
#define HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARD_H

#include "compiler/Dialect/Flow/IR/FlowShardings.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::heddle {

// A mesh, as far as plans depend on it.
struct MeshShape {
  FlatSymbolRefAttr name;
  SmallVector<StringAttr> axes;
  SmallVector<int64_t> sizes; // device::MeshOp::kFree: known when the module is loaded
  int64_t first = 0;          // of the world's ranks
  FlatSymbolRefAttr device;   // null: the default one

  static MeshShape of(device::MeshOp mesh);
  // kFree where a size is.
  int64_t getNumRanks() const;
  bool isKnown() const { return getNumRanks() != device::MeshOp::kFree; }
  // Of the axis with that name, which the mesh has.
  int64_t getSize(StringAttr axis) const;
  // Whether both are of the same ranks: the same first one, and as many, both known.
  bool hasSameRanksAs(const MeshShape &other) const;
};

struct ReshardStep {
  enum class Kind {
    Slice,         // each rank keeps a part of its part; `to` has more axes behind those of `from`
    Mask,          // a whole value becomes partial: place 0 along `axes` keeps it, the others have neutral elements
    Spread,        // a cut value becomes partial: neutral elements around the rank's part
    AllGather,     // along `dim`, over `axes`, which are its last
    ReduceScatter, // along `dim`, over `axes`, which become its last
    AllReduce,     // over `axes`
    AllToAll,      // the last axes of dimension `source` become those of `dim`; or as `joint` says
    Permute,       // over `axes`, by `pairs`
    Rename,        // the same parts on the same ranks, told by another mesh, other axes or another granule
    Expand,        // the value is seen with the sizes `shape`, of which each dimension has `groups`
    Collapse,      // and so no more
    Move,          // over all ranks of the meshes of `from` and `to`, by `pairs` of world ranks
    Broadcast,     // over `axes`, from place 0
    Exchange, // along `dim`, over `axes`, what others need beside their parts (Exchange.h); of no plan of two shardings
  };
  Kind kind;
  flow::ShardingAttr from = {}, to = {};
  int64_t dim = -1, source = -1;
  SmallVector<StringAttr> axes = {};
  SmallVector<int64_t> joint =
      {}; // of an exchange of several dimensions: source, dim of each of `axes`, which cuts all of it
  SmallVector<int64_t> shape = {}, groups = {};
  SmallVector<int64_t> pairs = {}; // sender, receiver, …: positions among `axes`, or ranks of the world
  uint64_t bytes = 0;              // that the busiest rank sends

  bool communicates() const {
    return kind >= Kind::AllGather && kind != Kind::Rename && kind != Kind::Expand && kind != Kind::Collapse;
  }
};

StringRef stringify(ReshardStep::Kind kind);

struct ReshardPlan {
  // What the steps' shardings name: the two given ones, and views of their ranks by other axes that the module may not
  // have yet (`emitReshard` declares them).
  SmallVector<MeshShape> meshes;
  std::vector<ReshardStep> steps;
};

// Bytes that the busiest rank sends in all steps.
uint64_t bytesOf(const ReshardPlan &plan);

// "all_gather dim 0 over [x] (96 bytes), slice": for reports.
std::string describe(const ReshardPlan &plan);

// The cheapest plan, in bytes and then in steps, for a value of the type `whole`; `estimates` are its sizes, in which
// dynamic ones are guesses (they decide what is cheapest, never what is right). Works for any two shardings of one rank
// without open dimensions, over one mesh, two meshes of the same ranks or of different ones; only meshes of different
// ranks must have known sizes: nullopt where they have not.
std::optional<ReshardPlan> planReshard(flow::ShardingAttr from, flow::ShardingAttr to, RankedTensorType whole,
                                       ArrayRef<int64_t> estimates, const MeshShape &fromMesh, const MeshShape &toMesh);

// The ops of a plan. `local`: this rank's part by `from`, of a value with the sizes `whole`; the result is its part by
// `to`, of flow::getPartType (with the sizes that are numbers in `whole` static). Ranks outside of the meshes get
// values without a meaning. A plan with a Move puts what one mesh does under flow.member; else the ops stand where the
// caller's do.
Value emitReshard(OpBuilder &builder, Location loc, Value local, ArrayRef<OpFoldResult> whole, flow::ShardingAttr from,
                  flow::ShardingAttr to, const ReshardPlan &plan);

// Plans and emits, with the meshes that the builder's place sees and sizes of 256 where they are not known.
FailureOr<Value> emitReshard(OpBuilder &builder, Location loc, Value local, ArrayRef<OpFoldResult> whole,
                             flow::ShardingAttr from, flow::ShardingAttr to);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARD_H
