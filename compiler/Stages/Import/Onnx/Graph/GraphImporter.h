// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks a model's graphs and lowers node after node.
//
// An If whose condition is known becomes the nodes of one branch. Any other becomes an scf.if. Its branches may differ
// in type: sizes that differ are results of the scf.if. Where they differ in rank, the rest of the graph is imported
// once for each branch, to the end of the surrounding region. Where sizes decide and one side cannot be imported with
// those sizes (a node that needs another rank, say), a call with such sizes fails: a flow.check takes the place of the
// branch, and what it says of the sizes is known from there on.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H

#include "compiler/Stages/Import/Onnx/Graph/LoopImporter.h"
#include "compiler/Stages/Import/Onnx/Graph/Sharder.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::heddle::importer {

// Of nodes that the importer makes and no model has.
inline constexpr StringLiteral kBodyDomain = "heddle.internal";

class GraphImporter {
public:
  // `entry` has the model's inputs as arguments and an empty block.
  GraphImporter(const Model &model, func::FuncOp entry, ArrayRef<Tensor> inputs, Emitter &emitter, Sharder &sharder,
                Location location);

  // Emits the main graph; the tensors of its outputs. Failure: diagnostics for everything that is not supported.
  FailureOr<SmallVector<Tensor>> run();

private:
  // A graph half done.
  struct Frame {
    const std::vector<Node> *nodes;
    std::vector<std::string> outputs;
    const Node *owner; // takes the outputs; null for the main graph
    size_t next = 0;
    llvm::StringMap<Tensor> values; // null-typed: refused, or the result of a refused node
  };
  // Graphs inside each other, down to the node that is next.
  struct Path {
    std::vector<Frame> frames;
    bool inBranch = false; // not every call comes here: what does not fit makes those fail that do
  };
  enum class Outcome {
    Done,
    Refused,  // the call fails here; `refusal` says why
    Separate, // ends of branches differ in rank
  };
  // One side of an If, to its end.
  struct Side {
    Outcome outcome;
    SmallVector<Tensor> results;
    Emitter::State state;
  };
  // The results of an If: what both sides know alike, and what the scf.if hands on.
  struct Merge {
    SmallVector<Tensor> tensors;                              // null-typed where a side's is
    SmallVector<std::pair<OpFoldResult, OpFoldResult>> sizes; // handed on as index results
    struct Place {
      OpFoldResult *target; // in `tensors`
      size_t index;         // in `sizes`
      bool isSize;          // no other integer
    };
    SmallVector<Place> places;
  };

  LogicalResult refuseUnknownOps();
  LogicalResult finish();
  // What a refused node is: against the rules of its operator, or more than a lowering can do.
  enum class Fault { Invalid, Unsupported };
  void report(const Node &node, const Twine &reason, Fault fault);
  void reportUnknown(const Node &node, bool known); // `known`: in other operator sets
  std::string describe(const Node &node, const Twine &reason) const;
  static std::string describeTooLarge(Path &path, const Node &node);

  // Runs until `frames` frames are left and the last has no node left.
  Outcome advance(Path &path, size_t frames);
  Outcome lower(Path &path, const Node &node);
  Outcome refuse(Path &path, const Node &node, const Twine &reason, Fault fault = Fault::Invalid);
  Outcome refuse(Path &path, const Node &node, const NodeContext &context, const Twine &more = "");
  Tensor *find(Path &path, StringRef name);
  // Gives the frame its constants, and those of element types that no program has (name, type).
  void bind(Frame &frame, ArrayRef<std::pair<std::string, TensorData>> initializers,
            ArrayRef<std::pair<std::string, std::string>> foreign);
  void enter(Path &path, const Node &node, const Graph &graph);
  void leave(Path &path);

  // If (ImportIf.cpp).
  Outcome lowerIf(Path &path, const Node &node, size_t frames);
  Outcome lowerBranches(Path &path, const Node &node, size_t frames, bool toTheEnd);
  Side importSide(const Path &path, const Node &node, size_t frames, Tensor &condition, bool holds, Block &block);
  void assume(Path &path, Tensor &condition, bool holds);
  void require(Path &path, Tensor &condition, bool holds);
  std::string merge(Side &whenTrue, Side &whenFalse, Tensor &condition, Merge &merge);
  std::optional<OpFoldResult> commonSize(OpFoldResult a, OpFoldResult b, Side &whenTrue, Side &whenFalse,
                                         Tensor &condition);
  void emitMerge(scf::IfOp probe, Side &whenTrue, Side &whenFalse, Merge &merge);
  SmallVector<Value> yieldedBy(Side &side, Merge &merge, bool isTrue);

  // Loop and Scan (ImportLoop.cpp). `inside`: how the last import of the body ended.
  Outcome lowerLoop(Path &path, const Node &node);
  Outcome lowerScan(Path &path, const Node &node);
  LoopPlan::Body bodyOf(Path &path, const Node &node, const Graph &graph, Outcome &inside);
  LoopPlan overBatch(LoopPlan each);
  void loadCaptures(Path &path, const Graph &graph);
  // `places`: of the plan's carried values among those of the body.
  LoopPlan keepUnchanged(LoopPlan plan, const Graph &graph, ArrayRef<size_t> places);
  bool collectOperands(Path &path, const Node &node, SmallVector<Tensor *> &operands);
  Outcome runLoop(Path &path, const Node &node, LoopPlan plan, Outcome &inside,
                  llvm::function_ref<LogicalResult(SmallVector<Tensor> &)> finish, Fault fault = Fault::Invalid);

  // SequenceMap (ImportSequenceMap.cpp).
  Outcome lowerSequenceMap(Path &path, const Node &node);
  Outcome enterBody(Path &path, const Node &node);

  const Model &model;
  func::FuncOp entry;
  Emitter &emitter;
  Sharder &sharder;
  Location location;
  Path main;
  std::set<const Node *> reported, warned;
  unsigned invalid = 0, unsupported = 0, sides = 0; // of the first two: nodes
  size_t lowered = 0, mostLowered;                  // nodes, counted each time
  std::vector<std::unique_ptr<Graph>> expansions;   // of nodes, walked in their place
  std::string refusal, difference;                  // why the last path was Refused, or Separate
};

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H
