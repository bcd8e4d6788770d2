// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole program as propagation of shardings sees it: values whose dimensions are cut, and nodes whose loops walk
// these dimensions. Plain data: what an op is stands in its loops alone (Factors.h), so that the solver is tested
// without IR.
//
//   ShardingGraph graph;
//   unsigned x = graph.addAxis({"x", 0, 2});
//   unsigned a = graph.addValue({8, 16}, 512), b = graph.addValue({16, 32}, 2048), c = graph.addValue({8, 32}, 1024);
//   graph.request(b, 1, {{x}, {}});
//   graph.addNode(…loops m, n, k…);
//   solve(graph, costs);                       // Solver.h: c and the node's loop n are cut by x
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_SHARDINGGRAPH_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_SHARDINGGRAPH_H

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/Transforms/Extents.h"
#include "compiler/Stages/Ranks/Reshard/Exchange.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlir::heddle::propagation {

struct Axis {
  static constexpr int64_t kFree = -1; // known only when the program is loaded
  std::string name;
  unsigned mesh = 0;
  int64_t size = kFree;
};

// What cuts a dimension or loop: numbers of axes, the outermost first, and what parts begin at multiples of. Of a
// dimension that a node reads, `window` may say that it needs what parts of a loop reach of it, instead of parts.
struct Cut {
  SmallVector<unsigned, 2> axes;
  flow::Product granule = {};
  std::optional<Window> window = std::nullopt;

  bool empty() const { return axes.empty(); }
  bool operator==(const Cut &other) const {
    return axes == other.axes && (axes.empty() || (granule == other.granule && window == other.window));
  }
};

// How a value lies: by dimension what cuts it, and what is still to be combined.
struct Layout {
  SmallVector<Cut> dims;
  SmallVector<unsigned, 2> partial;
  flow::Reduction reduction = flow::Reduction::Sum;

  bool operator==(const Layout &other) const {
    return dims == other.dims && partial == other.partial && (partial.empty() || reduction == other.reduction);
  }
  // With nothing of the dimensions that are read in windows cut.
  Layout withoutWindows() const;
  bool isWhole() const {
    return partial.empty() && llvm::all_of(dims, [](const Cut &cut) { return cut.empty(); });
  }
};

struct ShardedValue {
  SmallVector<int64_t> sizes; // ShapedType::kDynamic where only the call knows
  uint64_t bytes = 0;         // an estimate
  // Whether every rank has all of it unless something else is said: arguments, constants, what cannot be cut. Its parts
  // cost nothing.
  bool isSource = false;

  // What propagation wants of it. Dimensions that are not open keep what a request says.
  SmallVector<Cut> cuts;
  SmallVector<bool> open;
  // Axes that a request of a later priority cuts by: nothing else may take them.
  SmallVector<unsigned, 2> reserved;
  bool isReturned = false; // as a result of the program
  // As it lies behind the node that gives it; the solver's decision.
  Layout given;
};

// The loop that a dimension of a value is, for one node; none: the node needs all of the dimension. `inner`: by how
// much positions of the dimension are more than those of the loop, where it holds further loops (a collapsed shape).
// `reached`: then a loop whose parts need a part of the dimension only, as `window` says.
struct Link {
  std::optional<unsigned> loop;
  flow::Product inner;
  std::optional<unsigned> reached = std::nullopt;
  Window window = {};
};

struct Port {
  unsigned value;
  SmallVector<Link> dims;
  bool isPartial = false;  // of an operand: it is read as a sum along the node's `partial`
  bool takesWhole = false; // … whole, though windows would tell (Windows.h)
};

struct Loop {
  enum class Kind { Parallel, Reduced, Whole };
  Kind kind = Kind::Parallel;
  int64_t extent = ShapedType::kDynamic;
  flow::Reduction reduction = flow::Reduction::Sum;
  Cut cut; // the solver's decision
};

class ShardingGraph;

struct Node {
  enum class Role {
    Compute, // the loops are cut as the solver decides
    Request, // flow.shard: one operand, one result; open dimensions of the result close
    Carry,   // what a loop carries or branches give: one result, which is one value with each of the operands
    Fixed,   // its loops are cut as they are; the results that are sources it gives whole
  };
  Role role = Role::Compute;
  // Of a request: which way shardings go through it.
  enum class Passes { Both, Forward, Backward, None };
  Passes passes = Passes::Both;
  // Of no values but made ones (a fill): it costs each rank nothing to have any part, so it is decided last, by its
  // readers.
  bool isMade = false;
  // It is a slice that has one position of a dimension of several, which is a reduced loop: nothing is computed.
  bool takesPosition = false;
  SmallVector<Loop> loops;
  SmallVector<Port> operands, results;
  // By operand, which operands are to be partial sums together with it for the result to be one; none: it is not linear
  // in it. Empty: in no operand.
  SmallVector<SmallVector<unsigned>> linear;
  SmallVector<unsigned, 2> partial; // axes along which it computes on partial sums (PartialSums.h)

  // What it was decided that an operand is to be.
  Layout wanted(const ShardingGraph &graph, const Port &operand) const;

  // Whether every dimension of every operand and result is a parallel loop of its own, and all have the same ones.
  bool isElementwise() const;
};

// Two ways to compute a node, of which one was taken: moves of its operands and results in bytes of the busiest rank.
struct Conflict {
  unsigned node;
  struct Choice {
    SmallVector<Cut> loops;
    uint64_t bytes;
  };
  SmallVector<Choice> choices; // the one that was taken first
};

class ShardingGraph {
public:
  std::vector<Axis> axes;
  std::vector<ShardedValue> values;
  std::vector<Node> nodes; // a node comes behind those that give its operands, but for what loops carry
  std::vector<Conflict> conflicts;

  unsigned addAxis(Axis axis);
  // Open in all dimensions.
  unsigned addValue(SmallVector<int64_t> sizes, uint64_t bytes, bool isSource = false);
  unsigned addNode(Node node);
  // The dimension is cut so, and by nothing else unless it stays open.
  void request(unsigned value, unsigned dim, Cut cut, bool staysOpen = false);

  // Into how many parts the axes cut; none where one is free.
  std::optional<int64_t> countParts(ArrayRef<unsigned> cutting) const;
  // Whether these cut an extent into parts of one size, wherever granules begin.
  bool isEven(ArrayRef<unsigned> cutting, const flow::Product &granule, int64_t extent) const;
  // Whether the parts are the same ones.
  bool areSame(const Cut &a, const Cut &b, int64_t extent) const;
  bool areSame(const Layout &a, const Layout &b, ArrayRef<int64_t> sizes) const;
  // The nodes that read each value, each once, in order.
  std::vector<SmallVector<unsigned, 4>> findReaders() const;
  // In which layouts a value is wanted by these nodes, its readers, and as a result: each once.
  SmallVector<Layout> wantedLayouts(unsigned value, ArrayRef<unsigned> readers) const;
  bool haveOneMesh(ArrayRef<unsigned> some, ArrayRef<unsigned> others) const;

  // The cut of a dimension as one of the loop that walks it; none where its parts are no parts of the loop.
  std::optional<Cut> toLoop(const Cut &cut, const Link &link, int64_t size, const Node &node) const;
  Cut toDim(const Cut &cut, const Link &link) const;
  // The same where the loop reaches other positions than parts. None where it has fewer positions than there would be
  // parts.
  std::optional<Cut> toReachingLoop(const Cut &cut, const Link &link, const Node &node) const;
  Cut toWindow(const Cut &cut, const Link &link) const;

  // What a node's operand is to be, and how it leaves its result, by the cuts of its loops.
  Layout wantedOf(const Port &operand, ArrayRef<Cut> loops) const;
  Layout givenOf(const Node &node, const Port &result, ArrayRef<Cut> loops) const;
};

// Bytes that the busiest rank sends to bring a value from one layout to another; 0 where they are the same.
using MoveCost = std::function<uint64_t(unsigned value, const Layout &from, const Layout &to)>;

// "[x, y by 64]": for messages.
std::string describe(const ShardingGraph &graph, const Cut &cut);

} // namespace mlir::heddle::propagation

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_SHARDINGGRAPH_H
