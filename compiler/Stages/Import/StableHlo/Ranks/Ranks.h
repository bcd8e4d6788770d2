// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks that a StableHLO program runs on, as its module says: `mhlo.num_replicas` (R) times `mhlo.num_partitions`
// (P) processes, the meshes of the dialect sdy, or a device.mesh that is there already.
//
// Process (r, p) is number r * P + p. It is that rank, unless the module's meshes list devices in another order: then
// the rank is the process' place in the mesh, so that rank numbers count the coordinates of every mesh in row-major
// order, as those of a device.mesh do.
//
//   module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 4 : i32}   [replica = 2, partition = 4]
//   sdy.mesh @mesh = <["x"=2, "y"=4]>                                                [x = 2, y = 4]
//   neither, and --mesh=replica=2,partition=4                                        [replica = 2, partition = 4]
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_RANKS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_RANKS_H

#include "compiler/Stages/Import/StableHlo/Ranks/Shardings.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::hlo {

// An axis as the program declares it, and the axes of the device.mesh that stand for it, the slowest first: itself, or
// its parts "x:(1)2" and "x:(2)4" where some sharding names one of them.
struct DeclaredAxis {
  MeshAxis axis;
  SmallVector<std::string> parts;
};

// A mesh of the program, which becomes a device.mesh.
struct RankMesh {
  std::string symbol;
  MeshText text;
  bool isThere = false;                 // the module has a device.mesh of this name
  SmallVector<DeclaredAxis> declared{}; // empty: as in `text`

  SmallVector<MeshAxis> declaredAxes() const;
  // The axes of `text` that an axis or a part of one is. Failure: why there are none, a text for an error.
  FailureOr<SmallVector<std::string>> axesOf(const AxisText &axis, std::string &why) const;
};

// The axes of `mesh` that the ranks of a group differ in, or lists of ranks where no axes say it.
struct RankGroups {
  std::string mesh;
  SmallVector<StringRef> axes;
  SmallVector<SmallVector<int64_t>> lists;

  // Of every group; 0: they differ.
  int64_t size() const;
  // Whether each rank is a group by itself.
  bool areSingle() const { return size() == 1; }
};

// How ids of a collective name processes; the terms are those of StableHLO's specification.
enum class IdKind { CrossReplica, CrossPartition, CrossReplicaAndPartition, FlattenedIds };

// A mesh of one device: none of this name, one that says nothing, or one that puts values on a device alone.
enum class DeviceMesh { None, Empty, Placed };

class Ranks {
public:
  // A device.mesh is read, or else `sizes` (AXIS=SIZE) where the module says nothing, if there are collectives.
  // Failure: a diagnostic at the attribute's or the mesh's op.
  static FailureOr<Ranks> read(ModuleOp module, bool hasCollectives, ArrayRef<std::string> sizes = {});

  int64_t replicas = 1, partitions = 1;
  bool isTold = false; // else the module says nothing, and has one process

  int64_t count() const { return replicas * partitions; }
  // How many ids of a kind there are.
  int64_t idsOf(IdKind kind) const {
    return kind == IdKind::CrossPartition ? partitions : kind == IdKind::FlattenedIds ? count() : replicas;
  }
  // The process at each rank; empty: they are the same.
  ArrayRef<int64_t> processes() const { return meshes.front().text.deviceIds; }
  // The mesh of all ranks that programs without one of their own use.
  const RankMesh &main() const { return meshes.front(); }
  ArrayRef<RankMesh> all() const { return meshes; }
  // Of the module's mesh by its symbol; null: there is none of all ranks.
  const RankMesh *find(StringRef symbol) const;
  // Of a mesh that an attribute names by symbol or holds itself. Failure: why there is none, a text for an error.
  const RankMesh *find(StringRef symbol, const std::optional<MeshText> &inlined, std::string &why) const;

  DeviceMesh isOneDevice(StringRef symbol) const;
  // The place in the main mesh of each partition's process; empty: they are the same.
  SmallVector<int64_t> ranksOfPartitions() const;

  // The groups that lists of ids stand for; ids below 0 fill a list up. Failure: `why` they are none.
  FailureOr<RankGroups> groupsOf(ArrayRef<SmallVector<int64_t>> ids, IdKind kind, std::string &why) const;
  // The groups over axes of a mesh.
  FailureOr<RankGroups> groupsOf(const GroupAxes &axes, std::string &why) const;
  // Pairs of ranks (from, to) that pairs of ids stand for.
  FailureOr<SmallVector<std::pair<int64_t, int64_t>>> pairsOf(ArrayRef<SmallVector<int64_t>> ids, IdKind kind,
                                                              std::string &why) const;

  // Adds the device.mesh ops, in front of everything else.
  void createMeshes(ModuleOp module) const;

private:
  LogicalResult readCounts(ModuleOp module);
  LogicalResult readMeshes(ModuleOp module, bool namesRanks);
  // Makes axes of their own of the parts of axes that the module names (SplitAxes.cpp).
  void splitAxes(ModuleOp module);
  // Of a mesh that somebody declared: an axis `replica` counts replicas, the others partitions.
  LogicalResult take(RankMesh mesh, llvm::function_ref<InFlightDiagnostic()> report);
  // The lists of ranks for each list of ids.
  FailureOr<SmallVector<SmallVector<int64_t>>> listsOf(ArrayRef<SmallVector<int64_t>> ids, IdKind kind,
                                                       std::string &why) const;

  SmallVector<RankMesh, 2> meshes;                  // of all ranks
  SmallVector<std::pair<std::string, bool>> others; // meshes of one device, and whether they say which
};

// The axes whose groups are these lists of ranks of a mesh, the slowest first; nothing if there are none. Axes of size
// 1 are left out.
std::optional<SmallVector<StringRef>> fitAxes(const MeshText &mesh, ArrayRef<SmallVector<int64_t>> lists);

// The lists of ranks that differ in `axes` only, each in row-major order of the axes as named.
SmallVector<SmallVector<int64_t>> listGroups(const MeshText &mesh, ArrayRef<StringRef> axes);

// How far apart neighbours along an axis are.
int64_t strideOf(const MeshText &mesh, StringRef axis);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_RANKS_H
