// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where this rank's part of a sharded dimension lies, as values of the program. A mesh's sizes may be free: nothing
// here depends on them. The formula is that of #flow.sharding (FlowAttrs.td):
//
//   RankPart rows = buildRankPart(b, loc, mesh, sharding.getDimAxes(0), sharding.getGranule(0), whole);
//   // of 66 rows over x = 4: begin = x * 66 / 4, size = (x + 1) * 66 / 4 - begin; of 64 rows: begin = x * 16, size =
//   16
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_SHARDS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_SHARDS_H

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Flow/Transforms/RankPart.h"

namespace mlir::heddle::flow {

// How many ranks lie along the axes together. No axes: 1.
OpFoldResult buildCount(OpBuilder &builder, Location loc, device::MeshOp mesh, ArrayRef<StringAttr> axes);

// This rank's place among them, from 0: row-major, the first axis the slowest. 0 on a rank that is not in the mesh.
OpFoldResult buildPlace(OpBuilder &builder, Location loc, device::MeshOp mesh, ArrayRef<StringAttr> axes);

// A granule as a number or as the product of sizes that it is.
OpFoldResult buildGranule(OpBuilder &builder, Location loc, GranuleAttr granule);

// The size of each part where all are provably of one size.
std::optional<int64_t> getEqualPart(device::MeshOp mesh, ArrayRef<StringAttr> axes, GranuleAttr granule,
                                    OpFoldResult whole);

// The part of this rank of a dimension that the axes cut at multiples of the granule, which divides `whole`. Without
// axes (or along axes of one rank) it is all of it. Where all parts are provably of one size, `size` is a number.
RankPart buildRankPart(OpBuilder &builder, Location loc, device::MeshOp mesh, ArrayRef<StringAttr> axes,
                       GranuleAttr granule, OpFoldResult whole);

// The parts of all dimensions.
SmallVector<RankPart> buildRankParts(OpBuilder &builder, Location loc, device::MeshOp mesh, ShardingAttr sharding,
                                     ArrayRef<OpFoldResult> whole);

// x + y, x - y, x * y and x / y (of nothing negative), as a number where both are known.
OpFoldResult buildSum(OpBuilder &builder, Location loc, OpFoldResult x, OpFoldResult y);
OpFoldResult buildDifference(OpBuilder &builder, Location loc, OpFoldResult x, OpFoldResult y);
OpFoldResult buildProduct(OpBuilder &builder, Location loc, OpFoldResult x, OpFoldResult y);
OpFoldResult buildQuotient(OpBuilder &builder, Location loc, OpFoldResult x, OpFoldResult y);

// The element that combined with any other gives that other; null where a reduction has none for the type (a minimum of
// integers of unknown signs has: i32 is signed for `min`, unsigned for `umin`).
TypedAttr getNeutral(Reduction reduction, Type element);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_SHARDS_H
