// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole program rewritten to the program of one rank (docs/design/shardings.md). Used by ranks-partition; the parts
// of its work are files: RankProgram.cpp (ops), RankRegions.cpp (loops and branches), RankBoundary.cpp (entry points).
#ifndef HEDDLE_COMPILER_STAGES_RANKS_RANKPROGRAM_H
#define HEDDLE_COMPILER_STAGES_RANKS_RANKPROGRAM_H

#include "compiler/Stages/Ranks/LocalValues.h"
#include "compiler/Stages/Ranks/Propagation/OwnValues.h"
#include "compiler/Stages/Ranks/Propagation/PaddedReads.h"

namespace mlir::heddle {

// By a global's name; null: every rank keeps all of it.
using StateShardings = llvm::DenseMap<StringAttr, flow::ShardingAttr>;

// How ranks share the states of all entry points. A request that cannot be met is a warning.
StateShardings decideStates(ModuleOp module);

class RankProgram {
public:
  // `mesh`: all ranks. `states` must live as long.
  RankProgram(func::FuncOp function, device::MeshOp mesh, const StateShardings &states)
      : function(function), states(states), own(function), values(mesh) {}

  // Fails with an error at an op; the program is of no use then.
  LogicalResult run();

private:
  // RankBoundary.cpp: arguments and results are parts, as requests at the entry point say, else as they are used.
  void openArguments();
  void setType(TypeRange results);
  flow::ShardingAttr decideArgument(BlockArgument argument);
  LogicalResult closeResults(Operation *op);
  flow::ShardingAttr decideResult(Operation *op, unsigned result);

  // RankRegions.cpp: what a region carries is cut as it is where it comes in.
  LogicalResult rewriteBranch(Operation *op);
  LogicalResult rewriteFor(Operation *op);
  LogicalResult rewriteWhile(Operation *op);

  // RankProgram.cpp: ops in their order, each from its operands' parts. Those that it replaces are dropped at the end.
  LogicalResult rewriteBlock(Block &block);
  LogicalResult rewrite(Operation *op);
  LogicalResult rewriteShard(Operation *op); // a request: its value as it asks
  LogicalResult rewritePart(Operation *op);  // to what is written for one rank
  void checkGranules(Operation *op, Value whole, flow::ShardingAttr sharding);
  LogicalResult rewriteWhole(Operation *op); // and back from it
  LogicalResult rewriteCut(Operation *op, flow::ShardingAttr loops);
  LogicalResult verifyCollective(Operation *op);
  Value readPadded(Operation *op, const PaddedRead &read, flow::ShardingAttr wanted, SmallVector<WindowedDim> windows,
                   ArrayRef<flow::RankPart> loops);
  void keep(Operation *op); // as it stands: of own values, or of whole operands
  void keepForOthers(tensor::PadOp op);
  bool replaceDim(Operation *op); // a size of a whole value is the whole's
  void replaceDims(Operation *op);
  void drop(Operation *op) { dead.push_back(op); }

  friend class Carried;

  func::FuncOp function;
  const StateShardings &states;
  OwnValues own;
  LocalValues values;
  OwningOpRef<func::FuncOp> shadow; // has the arguments as they were
  SmallVector<Operation *> dead;    // in the order of the program
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_RANKPROGRAM_H
