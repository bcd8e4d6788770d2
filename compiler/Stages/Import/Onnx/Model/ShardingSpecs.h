// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sharding specifications of an ONNX model (IR version 11): meshes, and #flow.shardings of the tensors of nodes.
//
// A specification says on which devices of the model's first configuration which block of a tensor is; device i is rank
// i. Devices that stand together in one make a mesh. What number of a block a device has must follow from its place
// along some of the mesh's axes, so axes are chosen for which that is so for all specifications over the same devices:
// blocks [[0, 1], [2, 3]] of four devices want the axes 2 x 2.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_SHARDINGSPECS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_SHARDINGSPECS_H

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Stages/Import/Onnx/Model/Model.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace mlir::heddle::importer {

// Adds to the node what the configuration's entries say of its tensors; those of one device are places (readDevice).
// Fails with a diagnostic for a tensor that the node neither reads nor gives.
LogicalResult readShardings(const onnx::ModelProto &model, const onnx::NodeProto &proto, Node &node, Location location);

class ShardingSpecs {
public:
  // Reads the specifications of all nodes, in graphs inside nodes too. Fails with a diagnostic that names node, tensor
  // and reason where no mesh can say the same.
  static FailureOr<ShardingSpecs> plan(ArrayRef<Node> nodes, const onnx::ModelProto &model, Location location);

  bool empty() const { return meshes.empty(); }
  // What the node says of a tensor with these sizes; null: nothing. Fails with a diagnostic where it does not fit.
  FailureOr<flow::ShardingAttr> find(const Node &node, StringRef tensor, ArrayRef<int64_t> shape,
                                     Location location) const;
  // Names that the module's meshes will have.
  std::vector<std::string> meshNames() const;
  void declareMeshes(ModuleOp module) const;

private:
  struct Mesh {
    std::string name;
    std::vector<int64_t> sizes;
    std::vector<std::string> axes;
  };
  // The first device and how many, in order of their ids.
  using Devices = std::pair<int64_t, int64_t>;
  // The block that each device of the mesh has along one dimension.
  using Blocks = std::vector<int64_t>;
  // The axes whose places make the number of the block, the outermost first; nothing: others do, too.
  static std::optional<std::vector<unsigned>> findAxes(ArrayRef<int64_t> sizes, const Blocks &blocks);
  static std::optional<Mesh> findMesh(Devices devices, ArrayRef<Blocks> dims);
  struct Reading {
    Devices devices;
    std::vector<std::pair<int64_t, Blocks>> dims; // as named; which block of each cut dimension
  };
  static FailureOr<Reading> readSpec(const Node &node, const onnx::ShardingSpecProto &spec, int64_t count,
                                     Location location);

  std::map<Devices, Mesh> meshes;
  int64_t count = 0; // devices of the configuration
};

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_SHARDINGSPECS_H
