// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ranks a collective joins, and which of them this one is: what all lowerings of collectives share.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_OPS_GROUPS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_OPS_GROUPS_H

#include "compiler/Stages/Import/StableHlo/Converter.h"

namespace mlir::heddle::hlo {

// Lists of ids in an attribute, a tensor of rank 2; ids below 0 fill a list up, and lists without any go.
FailureOr<SmallVector<SmallVector<int64_t>>> readLists(OpContext &op, StringRef name);
// How ids of the op count; `mayJoinBoth`: it can join replicas and partitions at once.
FailureOr<IdKind> readIdKind(OpContext &op, bool mayJoinBoth);
// The attribute replica_groups. `needsAll`: each rank must be in a group.
FailureOr<RankGroups> readGroups(OpContext &op, bool mayJoinBoth, bool needsAll);
// How many ranks each group has; refuses groups of different sizes.
FailureOr<int64_t> evenSize(OpContext &op, const RankGroups &groups);
// Whether each rank is a group by itself, so that there is nothing to be done.
bool areAlone(OpContext &op, const RankGroups &groups);
// Whether a flag, i1 or there at all, is set.
bool hasFlag(OpContext &op, StringRef name);

// Groups as attributes of an op of flow; `lists` is null where axes say it.
struct Members {
  FlatSymbolRefAttr mesh;
  ArrayAttr axes, lists;

  Members(Builder &b, const RankGroups &groups);
};

// This rank's number along the axes, the last one being the fastest; in its group; what `table` has for each rank.
OpFoldResult placeAlong(Emitter &emitter, const RankMesh &mesh, ArrayRef<StringRef> axes);
OpFoldResult positionIn(OpContext &op, const RankGroups &groups);
OpFoldResult lookUp(OpContext &op, ArrayRef<int64_t> table);

// One operand and one result; of one element type; the result's shape is the operand's but for (dimension, size) of
// `dims`; the attribute `name` is one of the operand's dimensions.
LogicalResult requireOne(OpContext &op);
LogicalResult requireShape(OpContext &op, ArrayRef<std::pair<int64_t, int64_t>> dims);
FailureOr<int64_t> readDim(OpContext &op, StringRef name);
// Refuses a dimension that `parts` do not cut evenly.
LogicalResult requireParts(OpContext &op, int64_t dim, int64_t parts);

// What all members have, along a new first dimension.
Tensor emitStack(OpContext &op, Tensor &tensor, const RankGroups &groups);
Tensor emitAllGather(OpContext &op, Tensor &tensor, int64_t dim, const RankGroups &groups);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_OPS_GROUPS_H
