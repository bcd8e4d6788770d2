// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it costs to bring values of a program from one layout to another: plans of the resharding planner (Reshard.h),
// each made once.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_MOVES_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_MOVES_H

#include "compiler/Stages/Ranks/Propagation/ProgramGraph.h"
#include "compiler/Stages/Ranks/Reshard/Reshard.h"

#include <map>

namespace mlir::heddle::propagation {

class Moves {
public:
  explicit Moves(const ProgramGraph &program);

  // No plan where there is nothing to do.
  ReshardPlan plan(unsigned value, const Layout &from, const Layout &to);
  // Of the busiest rank. A move for which there is no plan costs more than any other.
  uint64_t bytes(unsigned value, const Layout &from, const Layout &to);
  MoveCost asCost();

private:
  using Key = std::tuple<const void *, const void *, const void *, SmallVector<int64_t>>;

  SmallVector<WindowedDim> windowsOf(const Layout &layout) const;

  const ProgramGraph &program;
  std::vector<MeshShape> meshes;
  std::map<Key, std::optional<ReshardPlan>> plans;
  const std::optional<ReshardPlan> &find(unsigned value, const Layout &from, const Layout &to);
};

} // namespace mlir::heddle::propagation

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_MOVES_H
