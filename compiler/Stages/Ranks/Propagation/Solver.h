// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how ranks share the values of a whole program, and what cuts the loops of its nodes.
//
// Propagation first: what cuts a dimension goes to the loop that walks it, and from there to all other dimensions that
// the loop walks, forwards and backwards, until nothing changes: first through elementwise nodes, then along parallel
// loops of all others, then along reduced ones. A request is never changed; dimensions that it leaves open may grow.
// Lists of axes agree where one begins with the other. Then the nodes in their order: where everything agrees, loops
// are cut as propagation says. A conflict (lists that disagree, one axis along two loops) is decided by the bytes that
// each way moves, of operands as they lie by then and to what is wanted of the results, and goes on from there. Last,
// against the order, nodes give what their readers want where this moves no more.
//
// Takes time linear in the nodes times the axes; sizes of meshes do not matter.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_SOLVER_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_SOLVER_H

#include "compiler/Stages/Ranks/Propagation/ShardingGraph.h"

#include <set>

namespace mlir::heddle::propagation {

class Solver {
public:
  Solver(ShardingGraph &graph, MoveCost cost);

  // `seeds`: requests that come in one after the other, by rising priority, each propagated as far as it goes; those
  // that the graph holds already are before them.
  struct Seed {
    unsigned value, dim;
    Cut cut;
    bool staysOpen;
    int64_t priority;
  };
  void run(std::vector<Seed> seeds = {});

private:
  // How far propagation goes by now.
  enum class Reach { Elementwise, Parallel, All };
  struct Proposal {
    unsigned loop;
    Cut cut;
  };

  void propagate();
  void visit(unsigned node, Reach reach);
  void extend(Port &port, ArrayRef<Cut> agreed, const Node &node, Reach reach);
  void touch(unsigned value);

  SmallVector<Proposal> proposalsOf(const Port &port, const Node &node, Reach reach = Reach::All) const;
  // For each loop the longest list of which all proposals are the beginning, or begin with it; `disagree`: some do not.
  SmallVector<Cut> agree(const Node &node, bool &disagree, Reach reach = Reach::All) const;
  Cut agree(ArrayRef<Cut> proposals, int64_t extent, bool &disagree) const;

  void decide(unsigned node);
  void decideCompute(unsigned node);
  void decideCarry(const Node &node);
  SmallVector<Cut> resolve(unsigned node);
  SmallVector<SmallVector<Cut>> enumerate(const Node &node) const;
  void add(SmallVector<Cut> &loops, const Node &node, const Port &port) const;
  uint64_t costOfOperands(const Node &node, ArrayRef<Cut> loops) const;
  uint64_t costOf(const Node &node, ArrayRef<Cut> loops) const;
  void give(unsigned value, Layout layout);
  void giveRequested(unsigned value);

  bool improve();
  void follow(Node &node);
  uint64_t costAround(unsigned node, ArrayRef<Cut> loops) const;
  SmallVector<Layout> wantsOf(unsigned value) const;
  int64_t countParts(ArrayRef<Cut> loops) const;

  ShardingGraph &graph;
  MoveCost cost;
  std::vector<SmallVector<unsigned, 4>> users; // of each value: nodes that read or give it
  std::set<unsigned> changed;                  // nodes to visit
};

} // namespace mlir::heddle::propagation

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_SOLVER_H
