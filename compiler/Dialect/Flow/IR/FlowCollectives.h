// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks on tensor level: coordinates and collectives. See FlowCollectives.td.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWCOLLECTIVES_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWCOLLECTIVES_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "heddle/contract/Collectives.h"

namespace mlir::heddle::flow {

// The resource that collectives read.
struct Communication : SideEffects::Resource::Base<Communication> {
  StringRef getName() final { return "Communication"; }
};

// The attribute `reduction` of a collective; none where it has none.
std::optional<Reduction> getReductionOf(Operation *collective);

// What contract::Collectives.h calls the reduction; whether elements are unsigned is a matter of the type there.
::heddle::contract::Reduction getContractReduction(Reduction reduction);
inline bool isUnsigned(Reduction reduction) { return reduction == Reduction::UMin || reduction == Reduction::UMax; }

} // namespace mlir::heddle::flow

#include "compiler/Dialect/Flow/IR/CollectiveInterface.h.inc"

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowCollectives.h.inc"

namespace mlir::heddle::flow {

// The mesh of a collective, a coordinate, …; null where there is none of that name.
device::MeshOp getMesh(Operation *op, FlatSymbolRefAttr mesh);

// Which ranks the collective joins, by the places of its axes. The axes must be the mesh's.
::heddle::contract::GroupSpec getGroupSpec(CollectiveOpInterface op, device::MeshOp mesh);

// How many members each of its groups has; device::MeshOp::kFree where that is known only at load.
int64_t getGroupSize(CollectiveOpInterface op, device::MeshOp mesh);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWCOLLECTIVES_H
