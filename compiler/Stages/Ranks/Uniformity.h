// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Along which axes of the meshes a value may differ from rank to rank.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_UNIFORMITY_H
#define HEDDLE_COMPILER_STAGES_RANKS_UNIFORMITY_H

#include "compiler/Dialect/Flow/Analysis/MeshAtoms.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Stages/Ranks/TraceThrough.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

#include <string>
#include <vector>

namespace mlir::heddle {

// A snapshot of one function's values, in a module with meshes. Two ranks of a mesh that differ in their coordinates
// along some axes only have equal values, and sizes, if the value differs along none of these. The rules stand in
// docs/design/ranks.md. Each size of a tensor is a fact of its own. Control flow is that of scf; other ops with regions
// are one op. Takes time linear in the function, times the number of axes.
//
//   Uniformity uniformity(function);
//   Axes differs = uniformity.getContent(condition);
//   differs &= uniformity.getAxes(collective);
//   if (differs.any()) … uniformity.describe(differs) … uniformity.findSource(condition, differs)
class Uniformity {
public:
  // A bit for each axis of each mesh of the module, in their order.
  using Axes = llvm::SmallBitVector;

  explicit Uniformity(func::FuncOp function);

  // Along which the elements of a value may differ (an argument, or the result of an op that is in no op of one
  // dispatch).
  Axes getContent(Value value) const { return find({value, kContent}); }
  // Along which the size of a tensor's dimension may differ.
  Axes getSize(Value tensor, int64_t dim) const { return find({tensor, dim}); }

  // Along which a named size may differ: it is a rank's own where an argument's sharding says how many positions the
  // whole has, and else one that all calls agree on.
  Axes getNamed(StringAttr name) const {
    auto found = own.find(name);
    return found == own.end() ? none() : found->second;
  }

  // Those of what is equal on all ranks.
  Axes none() const { return Axes(atoms.size()); }

  // The axes along which members of a group of the collective differ.
  Axes getAxes(flow::CollectiveOpInterface op) const;

  // "axis 'x' of mesh @m": the first of them.
  std::string describe(const Axes &axes) const;

  // The argument or op that makes the elements of `value` differ along some of these axes.
  Value findSource(Value value, const Axes &axes) const { return findSource({value, kContent}, axes); }
  Value findSourceOfSize(Value tensor, int64_t dim, const Axes &axes) const { return findSource({tensor, dim}, axes); }

private:
  static constexpr int64_t kContent = -1;
  using Fact = std::pair<Value, int64_t>; // the elements (kContent), or the size of a dimension
  // What a fact is made of: it differs along what `from` does, except along `without`.
  struct Edge {
    unsigned from, to;
    Axes without;
  };
  struct Node {
    Value value;
    Axes differs, own; // own: of itself, not by what it is made of
    std::vector<unsigned> uses, made;
  };

  unsigned getNode(Fact fact);
  Axes find(Fact fact) const;
  Value findSource(Fact fact, const Axes &axes) const;
  void addOwn(Fact fact, const Axes &axes);
  void addEdge(Fact from, Fact to, const Axes &without = {});
  // The elements and all sizes of `from`.
  void addAll(Value from, Fact to);
  // What `from` or one of its inputs gives.
  void addExtent(const flow::Extent &extent, Fact to);
  // `to` may be any of `from`; which, or what it is by then, depends on `also`.
  void join(ValueRange from, Value to, ValueRange also);

  void addArguments(func::FuncOp function);
  void addOwnSizes(BlockArgument argument, flow::ShardingAttr sharding, ArrayAttr names, const Axes &others);
  void addBlock(Block &block);
  void addOp(Operation &op);
  void addIf(Operation &op, Value chosen);
  void addFor(scf::ForOp op);
  void addWhile(scf::WhileOp op);
  void addCollective(flow::CollectiveOpInterface op);
  void addCompute(Operation &op);
  void addSize(OpResult result, int64_t dim);
  void propagate();

  Axes allOf(device::MeshOp mesh) const { return atoms.allOf(mesh); }
  Axes allWithin(device::MeshOp mesh) const;
  // Those of all meshes that share ranks with the mesh, and are not it.
  Axes ofOthers(device::MeshOp mesh, bool insideCounts) const;
  Axes named(device::MeshOp mesh, ArrayAttr axes) const;

  std::vector<device::MeshOp> meshes;
  flow::MeshAtoms atoms;
  ExtentTracer tracer;
  llvm::DenseMap<StringAttr, Axes> own; // named sizes of which each rank has its own
  llvm::DenseMap<Fact, unsigned> numbers;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_UNIFORMITY_H
