// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of the dialects sdy and stablehlo that say how values lie on ranks. They are text (Assembly/Dialects.h).
//
//   #sdy.mesh<["x"=2, "y"=4], device_ids=[0, 1, 2, 3, 4, 5, 6, 7]>
//   #sdy.sharding<@mesh, [{"x", "y"}, {?}], replicated={"z"}>
//   #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, []>]>
//   #sdy<manual_axes{"x", "y"}>
//   #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_SHARDINGS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_SHARDINGS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace mlir::heddle::hlo {

struct MeshAxis {
  std::string name;
  int64_t size;
};

struct MeshText {
  SmallVector<MeshAxis> axes;
  // The device at each place, in row-major order; empty: 0, 1, ….
  SmallVector<int64_t> deviceIds;

  int64_t count() const;
  // Null: no axis has the name.
  const MeshAxis *find(StringRef axis) const;
};

// An axis, or the part `"x":(2)4` of one: 4 ranks apart from each other by what is left of the axis behind (2)4.
struct AxisText {
  std::string name;
  int64_t before = 1, size = 0; // of a part: how many parts of the axis stand before it, and its ranks

  bool isPart() const { return size != 0; }
  bool operator==(const AxisText &other) const {
    return name == other.name && before == other.before && size == other.size;
  }
};

// How a value lies on the ranks of a mesh.
struct ShardingText {
  std::string mesh;                // a symbol; empty: the mesh stands in the attribute itself
  std::optional<MeshText> inlined; // that mesh
  // The axes that cut each dimension, outermost first.
  SmallVector<SmallVector<AxisText>> dims;
  SmallVector<int64_t> open;        // dimensions that others may cut further
  SmallVector<AxisText> replicated; // nobody may cut along these
  SmallVector<AxisText> unreduced;  // a sum over the ranks along these is still to be made
  SmallVector<AxisText> manual;     // of GSPMD: the program is that of one rank along these
  SmallVector<int64_t> priorities;  // of each dimension; empty: none has one

  // Whether every rank has all of it.
  bool isReplicated() const;
  // Whether it leaves everything to others.
  bool saysNothing() const;
  // Every list of axes in it.
  void forEachList(llvm::function_ref<void(SmallVector<AxisText> &)> visit);
  bool operator==(const ShardingText &other) const { return mesh == other.mesh && dims == other.dims; }
};

using ShardingTexts = SmallVector<ShardingText, 1>;

// A list of axes of a mesh, in place of groups of ids.
struct GroupAxes {
  std::string mesh;                // a symbol; empty: inlined
  std::optional<MeshText> inlined; // that mesh
  SmallVector<AxisText> axes;
};

// Each gives nothing if the attribute is something else or malformed.
std::optional<MeshText> readMesh(Attribute attribute);
std::optional<ShardingText> readSharding(Attribute attribute);
std::optional<ShardingTexts> readShardings(Attribute attribute);
std::optional<SmallVector<std::string>> readManualAxes(Attribute attribute);
std::optional<GroupAxes> readGroupAxes(Attribute attribute);

// A mesh by its symbol, over the axes: `groups` of a collective as an attribute that readGroupAxes reads.
Attribute makeGroupAxes(MLIRContext *context, StringRef mesh, ArrayRef<AxisText> axes);

// Whether an entry of mhlo.frontend_attributes is an attribute of sdy as a string.
bool isShardingText(StringRef name);
// That attribute; null if the string is none.
Attribute parseShardingText(Attribute text);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_SHARDINGS_H
