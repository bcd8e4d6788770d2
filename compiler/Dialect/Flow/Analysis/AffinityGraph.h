// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of a module as an affinity problem: which ops and values are nodes, what depends on what, and which
// uses want their value where.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_AFFINITYGRAPH_H
#define HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_AFFINITYGRAPH_H

#include "compiler/Dialect/Flow/Analysis/AffinitySolver.h"
#include "compiler/Dialect/Flow/Analysis/ByteEstimate.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::heddle::flow {

class SizeEstimates;

// A use that needs its value on the device of a node.
struct PlacedUse {
  OpOperand *use;
  unsigned node;
};

// The tensors that an op reads: its operands, and what its regions use from around it.
void forEachRead(Operation &op, llvm::function_ref<void(OpOperand &)> visit);

// How often an op runs, as a guess: 8 times for each loop around it.
uint64_t estimateRuns(Operation *op);

struct AffinityGraph {
  AffinityProblem problem;
  llvm::DenseMap<Value, unsigned> values;    // tensors but constants
  llvm::DenseMap<Operation *, unsigned> ops; // ops that compute tensors, but constants
  llvm::SetVector<Operation *> constants;    // what depends on no tensor but constants, in program order
  std::vector<PlacedUse> uses;               // but those of transfers
  std::vector<TransferOp> transfers;         // in program order
  std::vector<Location> locations;           // of nodes

  // Builds the graph. Fails with a diagnostic at an affinity that names no device of the topology. After placement
  // constants with an affinity are nodes like any other.
  LogicalResult build(ModuleOp module, const Topology &topology, bool isPlaced = false);

  // The node of a function's result; none if that is no tensor.
  std::optional<unsigned> getResultNode(func::FuncOp func, unsigned result) const {
    auto it = results.find(func);
    return it == results.end() ? std::nullopt : it->second[result];
  }

  // Where the op has to run whatever its neighbours do: its affinity, or that of a transfer that it reads. Of several
  // transfers the first.
  std::optional<unsigned> findPin(Operation *op) const;

private:
  unsigned addNode(Location loc, ArrayRef<unsigned> allowed);
  LogicalResult addFunction(func::FuncOp func, ArrayRef<unsigned> inherited);
  LogicalResult addBody(func::FuncOp func);
  LogicalResult addBlock(Block &block, ArrayRef<unsigned> inherited);
  LogicalResult addOp(Operation &op, ArrayRef<unsigned> inherited);
  LogicalResult addCompute(Operation &op, ArrayRef<unsigned> own, ArrayRef<unsigned> inherited);
  LogicalResult addFor(scf::ForOp op, ArrayRef<unsigned> inherited);
  LogicalResult addWhile(scf::WhileOp op, ArrayRef<unsigned> inherited);
  LogicalResult addBranches(Operation *op, ArrayRef<unsigned> inherited);
  void addCall(func::CallOp op);
  void addUse(OpOperand &use, unsigned node, bool tied = false);
  FailureOr<SmallVector<unsigned, 1>> parse(Operation *at, Attribute affinity);

  uint64_t bytesOf(Value tensor) const;

  const Topology *topology = nullptr;
  SizeEstimates *sizes = nullptr; // while it is built
  bool isPlaced = false;
  llvm::DenseMap<Operation *, SmallVector<std::optional<unsigned>>> results; // nodes of functions' results
  llvm::DenseMap<Operation *, SmallVector<unsigned, 1>> ofFunctions;         // what a function's ops inherit
  llvm::StringMap<func::FuncOp> functions;
};

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_AFFINITYGRAPH_H
