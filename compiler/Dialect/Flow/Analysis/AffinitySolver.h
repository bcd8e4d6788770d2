// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Affinity analysis as a function from plain data to plain data: which device each node of a graph belongs to. A node
// is an op with its results, or a value that control flow hands on.
//
// The lattice of a node: unknown < one device < several that compete. Nodes that depend on one another in a circle
// (what a loop carries) have one answer. The answers are found in sweeps, each in the order of dependence, until
// nothing changes:
//
//   1. a fixed node keeps its device;
//   2. a node takes its producers' device; a tied producer (a tensor written in place) counts before the others;
//   3. a node whose producers say nothing takes its consumers' device;
//   4. what is left takes the default device.
//
// Where several devices compete the cheapest is taken: that with the least time for moving what the node reads (3: what
// it gives) to or from the others, ties to the device declared first. Every sweep decides a node or is the last, so
// the analysis ends; the answers do not depend on the order of nodes or edges.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_AFFINITYSOLVER_H
#define HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_AFFINITYSOLVER_H

#include "compiler/Dialect/Flow/Analysis/Topology.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::heddle::flow {

// Why a node is where it is.
enum class PlacementRule { Explicit, Producers, Consumers, Cheapest, Default, Cost };

// "explicit", "follows its operands", …: for reports.
llvm::StringRef toString(PlacementRule rule);

struct Placement {
  unsigned device = 0;
  PlacementRule rule = PlacementRule::Default;
  // Follows from fixed nodes alone: no competition was decided on the way, no default taken.
  bool definite = false;
  llvm::SmallVector<unsigned, 2> candidates; // those that competed, ascending; else empty
};

struct AffinityProblem {
  struct Edge {
    unsigned from, to;
    uint64_t bytes = 0;
    uint64_t runs = 1; // how often the value is made, as a guess
    bool tied = false;
  };
  // For each node the devices it may be on, ascending: one fixes it, none means any.
  std::vector<llvm::SmallVector<unsigned, 1>> allowed;
  std::vector<Edge> edges;
};

// Nodes in groups that depend on one another by the edges that count, producers before users: the components of the
// graph. Most have one member. The order of members and of independent groups is arbitrary.
using NodeGroup = llvm::SmallVector<unsigned, 1>;
std::vector<NodeGroup> findComponents(const AffinityProblem &problem,
                                      llvm::function_ref<bool(const AffinityProblem::Edge &)> counts);

// One placement for each node. Time: O(edges log nodes + devices of competing producers).
std::vector<Placement> solveAffinities(const AffinityProblem &problem, const Topology &topology);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_AFFINITYSOLVER_H
