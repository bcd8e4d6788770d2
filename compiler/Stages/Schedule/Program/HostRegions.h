// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How scf is built into a host program: what crosses the border of a region.
//
// A tensor that leaves a branch or a loop lies in a buffer allocated before it, its target, when its size is known
// there; else the region allocates and hands on the buffer, which the scf result then owns, and its dimensions. Whoever
// writes a buffer that a branch or loop hands on does so on queue 0.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTREGIONS_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTREGIONS_H

#include "compiler/Stages/Schedule/Program/Storages.h"

#include <functional>

namespace mlir::heddle {

class HostRegions {
public:
  // `buildBlock` builds the ops of a block but its terminator.
  HostRegions(HostScalars &scalars, Issue &issue, Storages &storages, std::function<LogicalResult(Block &)> buildBlock)
      : scalars(scalars), issue(issue), storages(storages), buildBlock(std::move(buildBlock)), builder(scalars.builder),
        loc(scalars.loc) {}

  // Failure: a diagnostic at the op inside that cannot be scheduled.
  LogicalResult buildIf(scf::IfOp op);
  LogicalResult buildFor(scf::ForOp op);
  LogicalResult buildWhile(scf::WhileOp op);

private:
  SmallVector<Storage> allocateTargets(ValueRange tensors);
  SmallVector<Storage> loopTargets(scf::ForOp op);
  bool isWriter(Value root, Block &side);
  std::optional<SmallVector<Value>> findSizes(OpResult result, scf::IfOp outer);
  std::optional<SmallVector<Value>> sizesInFront(OpResult result);
  void claimTargets(Block &branch, ArrayRef<Storage> targets);
  LogicalResult buildBranch(Block &from, Block &into, ArrayRef<Storage> targets, ArrayRef<FlatSymbolRefAttr> devices,
                            ArrayRef<Storage> dying = {});
  SmallVector<Storage> findDying(scf::IfOp op, ArrayRef<Storage> targets);
  SmallVector<Type> carriedTypes(TypeRange types, ArrayRef<Storage> targets);
  Value ownedBuffer(Value tensor, FlatSymbolRefAttr device, bool mayMove, ArrayRef<Storage> dying,
                    llvm::SmallPtrSetImpl<Value> &moved);
  SmallVector<Value> carry(ValueRange values, ArrayRef<Storage> targets, ArrayRef<FlatSymbolRefAttr> devices,
                           bool mayMove, ArrayRef<Storage> dying = {});
  void bindCarried(ValueRange sources, ArrayRef<Storage> targets, ArrayRef<FlatSymbolRefAttr> devices,
                   ValueRange carried);

  HostScalars &scalars;
  Issue &issue;
  Storages &storages;
  std::function<LogicalResult(Block &)> buildBlock;
  OpBuilder &builder;
  Location &loc;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTREGIONS_H
