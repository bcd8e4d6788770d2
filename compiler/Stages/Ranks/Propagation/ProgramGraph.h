// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of a whole program, and where its decisions go: which op a node is, which value of the program a value.
//
// Ops are nodes by their factors (Factors.h). flow.shard is a request; what loops and branches carry is one value with
// what goes in and what is yielded, and so is state (and donated memory) with the result that becomes it; what is
// needed or given whole is a fixed node. Each use of a constant is a value of its own: its parts cost nothing, so one
// use says nothing of another. Values that are one rank's own have none.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_PROGRAMGRAPH_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_PROGRAMGRAPH_H

#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"
#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Flow/Transforms/Factors.h"
#include "compiler/Stages/Ranks/Propagation/OwnValues.h"
#include "compiler/Stages/Ranks/Propagation/PaddedReads.h"
#include "compiler/Stages/Ranks/Propagation/Solver.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::heddle::propagation {

// To be called before a graph is made: what one reader wants of a fill says nothing of the others.
void splitFills(func::FuncOp function);

class ProgramGraph {
public:
  ProgramGraph(func::FuncOp function, const OwnValues &own, flow::SizeEstimates &sizes);

  ShardingGraph graph;
  std::vector<Solver::Seed> seeds;

  struct Meaning {
    Operation *op = nullptr;          // of a node; of what is carried the op of scf, of state the function
    std::optional<unsigned> result;   // of what an op of scf carries: which, …
    bool goesIn = false;              // … or which of the values that go into a loop's condition
    std::optional<unsigned> argument; // of state: which
  };
  std::vector<Meaning> meanings;                       // of each node
  std::vector<mlir::Value> programValues;              // of each value
  llvm::MapVector<mlir::Value, unsigned> valueNumbers; // without constants

  const std::vector<device::MeshOp> &getMeshes() const { return meshes; }
  // Which operand of the op (in the order of Factors::operands) that of a node is.
  unsigned getOperandNumber(unsigned node, unsigned port) const { return operandNumbers.lookup({node, port}); }
  ArrayRef<int64_t> getEstimates(unsigned value) const { return estimates[value]; }
  // A layout as an attribute: over the mesh of its axes, or `mesh` where it has none.
  flow::ShardingAttr toAttribute(const Layout &layout, unsigned mesh = 0) const;
  flow::ShardingAttr toAttribute(ArrayRef<Cut> cuts, unsigned mesh = 0) const {
    return toAttribute({SmallVector<Cut>(cuts), {}}, mesh);
  }
  // How a value leaves the function as the result of that number.
  Layout layoutOfResult(unsigned result, unsigned value) const;
  // The mesh that the layout cuts by.
  std::optional<unsigned> meshOf(const Layout &layout) const;

private:
  void addAxes(ModuleOp module);
  void addState(func::FuncOp function);
  void addBlock(Block &block);
  void addOp(Operation &op);
  void addShard(flow::ShardOp op);
  void addPart(flow::PartOp op);
  void addWhole(flow::WholeOp op);
  void addFactors(Operation &op, const flow::Factors &factors);
  void addFixed(Operation &op);
  void addFor(scf::ForOp op);
  void addWhile(scf::WhileOp op);
  void addBranch(Operation &op);
  // `to` and `alsoTo` are one value with each of `from`.
  void addCarry(mlir::Value to, ValueRange from, ArrayRef<mlir::Value> alsoTo, Meaning meaning);

  bool isWhole(mlir::Value value) const { return isa<RankedTensorType>(value.getType()) && !own.contains(value); }
  unsigned addValue(mlir::Value value, bool isSource);
  // Of an operand: a constant's is new.
  unsigned numberOf(mlir::Value value);
  void name(mlir::Value value, unsigned number) { valueNumbers[value] = number; }
  unsigned add(Node node, Meaning meaning);
  Port identity(unsigned value, bool linked = true) const;
  Cut cutOf(flow::ShardingAttr sharding, int64_t dim) const;
  Layout partialOf(flow::ShardingAttr sharding, Layout layout) const;
  Port portOf(unsigned value, const flow::Factors &factors, const flow::DimFactors &dims) const;
  void addReaches(Port &port, const flow::Factors &factors, unsigned operand, const PaddedRead *padded) const;

  const OwnValues &own;
  flow::SizeEstimates &sizes;
  std::vector<device::MeshOp> meshes;
  llvm::DenseMap<std::pair<StringAttr, StringAttr>, unsigned> axisNumbers; // by mesh and name
  std::vector<SmallVector<int64_t>> estimates;                             // of each value
  llvm::DenseSet<unsigned> made;                                           // values of no others
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> operandNumbers;  // by node and place among its operands
  std::vector<std::pair<unsigned, mlir::Value>> joined; // nodes of what is carried, and what is one value with it
};

} // namespace mlir::heddle::propagation

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_PROGRAMGRAPH_H
