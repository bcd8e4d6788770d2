// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs about whole values that ranks share: requests, and the borders to what is written for one rank. See
// FlowShardings.td and docs/design/shardings.md.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWSHARDINGS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWSHARDINGS_H

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowShardings.h.inc"

namespace mlir::heddle::flow {

// What is wrong with a sharding of a value of `rank` dimensions: no such mesh or axis, other rank. Failure: an error of
// `report`, which begins one.
LogicalResult verifySharding(ShardingAttr sharding, int64_t rank, device::MeshOp mesh,
                             llvm::function_ref<InFlightDiagnostic()> report);

// Into how many parts a dimension is cut; device::MeshOp::kFree where that is known only at load.
int64_t getParts(ShardingAttr sharding, int64_t dim, device::MeshOp mesh);

// The type of a rank's part. A dimension whose parts are not provably of one size is dynamic.
RankedTensorType getPartType(RankedTensorType whole, ShardingAttr sharding, device::MeshOp mesh);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWSHARDINGS_H
