// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a flow.shard on each tensor of an ONNX model for which the sharding file or the model itself asks something.
//
// A request of the file is of the value: whoever reads it by that name reads it so. One of a node's specification is of
// the node's own tensor: its result, or what this node reads.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_SHARDER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_SHARDER_H

#include "compiler/Stages/Import/Annotations/ShardRequests.h"
#include "compiler/Stages/Import/Emit/Emitter.h"
#include "compiler/Stages/Import/Onnx/Model/ShardingSpecs.h"

#include <deque>

namespace mlir::heddle::importer {

class Sharder {
public:
  // `requests` may be null. With a file the model's own specifications are not used, which a warning says.
  Sharder(const ShardingSpecs &specs, ShardRequests *requests, Emitter &emitter, Location location);

  bool failed() const { return hasFailed; }

  // An input or initialiser.
  void shardValue(StringRef name, Tensor &tensor);
  // What the node has given, among the values of its graph.
  void shardOutputs(const Node &node, llvm::StringMap<Tensor> &values);
  // What the node reads by its specifications, in place of `operands`; they live in `own`.
  void shardOperands(const Node &node, SmallVectorImpl<Tensor *> &operands, std::deque<Tensor> &own);
  // For nodes that read through graphs of their own: says that specifications of inputs are not used.
  void warnOfOperands(const Node &node);

private:
  void shardByFile(ValueNames names, Tensor &tensor);
  void shardBySpec(const Node &node, StringRef name, Tensor &tensor);
  void write(StringRef name, Tensor &tensor, flow::ShardingAttr sharding);

  const ShardingSpecs &specs;
  ShardRequests *requests;
  Emitter &emitter;
  Location location;
  bool hasFailed = false;
};

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_SHARDER_H
