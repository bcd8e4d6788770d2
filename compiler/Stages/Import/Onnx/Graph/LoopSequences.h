// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences that a Loop carries.
//
// One that the body hands on as it is does not take part in the loop. One that the body appends to becomes a scan
// output: what each iteration appends are rows of one tensor, so that all elements need one shape. Inside the body
// nothing can be read from it.
//
//   LoopSequences sequences(emitter, graph);
//   std::string reason = sequences.separate(plan);
//   … LoopImporter importer(emitter, plan); outputs = importer.run(); …
//   SmallVector<Tensor> results = sequences.join(outputs);
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_LOOPSEQUENCES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_LOOPSEQUENCES_H

#include "compiler/Stages/Import/Onnx/Aggregate.h"
#include "compiler/Stages/Import/Onnx/Graph/LoopImporter.h"

namespace mlir::heddle::importer {

class LoopSequences {
public:
  LoopSequences(Emitter &emitter, const Graph &body) : emitter(emitter), graph(body) {}

  // Takes the sequences out of `plan` and wraps its body, which must not outlive this object. Gives the reason why they
  // cannot be carried, or "".
  std::string separate(LoopPlan &plan);
  // What the loop's node gives: of the outputs of the plan's loop those that are carried, sequences among them, then
  // the scan outputs that the model names.
  SmallVector<Tensor> join(SmallVector<Tensor> outputs);
  bool any() const {
    return llvm::any_of(slots, [](const Slot &slot) { return slot.initial.has_value(); });
  }

private:
  // A carried value.
  struct Slot {
    std::optional<Tensor> initial; // if it is no tensor
    std::string name;
    bool grows = false;
    size_t appended = 0;    // elements in one iteration, or
    bool isStacked = false; // rows of one tensor
  };

  bool runBody(SmallVector<Tensor> inputs, SmallVector<Tensor> &results, std::string &reason);
  std::optional<Tensor> appendedRow(Slot &slot, const Tensor &result, std::string &reason);

  Emitter &emitter;
  const Graph &graph;
  LoopPlan::Body body; // with the sequences
  std::vector<Slot> slots;
};

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_LOOPSEQUENCES_H
