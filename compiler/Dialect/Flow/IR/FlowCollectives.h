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

// A dimension that consists of the members' pieces, on one side of a collective; on the other side a member has its
// own.
struct CutDim {
  int64_t dim;
  bool isOfOperand;                      // the operand has all pieces, the result one; else the other way around
  Value granules, granule, first, parts; // contract::Cut
};

// Values of getCut() of an exchange.
inline constexpr size_t kExchangeValues = 13;

// Those of a collective whose pieces need not be of one size, in the order of getCut(). None of an exchange, where no
// side has all pieces.
SmallVector<CutDim> getCuts(CollectiveOpInterface op);

// Whether members may differ in a dimension of the operand (of the result): it is a member's own piece of a cut.
bool isOwnPiece(CollectiveOpInterface op, int64_t dim, bool ofOperand);

// Leading form: dimension 0 is what pieces lie along, so that they lie behind one another in memory; of a cut
// all_to_all that of `split`, and `concat` is dimension 1. Of an exchange any will do. The name of the first attribute
// that says otherwise.
std::optional<StringRef> findNotLeading(CollectiveOpInterface op);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWCOLLECTIVES_H
