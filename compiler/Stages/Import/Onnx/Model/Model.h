// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first step of the ONNX importer: from the file to a checked, flat list of nodes.
//
// Local functions are inlined, versions resolved, initialisers read (not copied). What a node means is the second
// step's business (Lowering.h). All strings and attributes point into the protobuf message, which the model keeps
// alive.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_MODEL_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_MODEL_H

#include "compiler/Stages/Import/Annotations/KeptMemory.h"
#include "compiler/Stages/Import/Onnx/Model/ReadTensor.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace onnx {
class AttributeProto;
class GraphProto;
class ModelProto;
class NodeProto;
class ShardingSpecProto;
} // namespace onnx

namespace mlir::heddle::importer {

struct Graph;

struct Node {
  std::string op, domain;                   // domain "" is ai.onnx
  int64_t version;                          // of the domain's operator set that the model (or function) imports
  std::string name;                         // the model's, or "Op_12"
  int64_t index;                            // in the main graph; of the call for a node of a local function
  std::string device;                       // that the model asks for, the call for a node of a local function; or ""
  std::vector<std::string> inputs, outputs; // "" where an optional one is absent
  std::vector<std::pair<std::string, const onnx::ShardingSpecProto *>> shardings; // of inputs and outputs, by name
  llvm::StringMap<const onnx::AttributeProto *> attributes;
  llvm::StringMap<std::shared_ptr<Graph>> graphs; // attributes that are graphs
};

// The op as tables have it: with its domain in front, unless that is ai.onnx.
std::string qualifiedName(const Node &node);

// The body of an If branch or a loop. Its nodes may read values of the graphs around it, by name.
struct Graph {
  std::vector<std::string> inputs, outputs;
  std::vector<std::pair<std::string, TensorData>> initializers;
  std::vector<std::pair<std::string, std::string>> foreign; // initialisers that no program can hold, and their types
  std::vector<Node> nodes;                                  // topologically sorted
};

// An input or output of the model.
struct Port {
  std::string name;
  Type elementType; // null if the model does not say (outputs only)
  bool ranked = false;
  SmallVector<int64_t> shape;        // kDynamic where not fixed
  SmallVector<std::string> dimNames; // dim_param; "" where there is none
};

struct Model {
  std::shared_ptr<onnx::ModelProto> proto;
  TensorSource source; // for tensors in attributes
  std::vector<Port> inputs, outputs;
  std::vector<std::pair<std::string, TensorData>> initializers; // one named as an input is that input's default
  std::vector<std::pair<std::string, std::string>> foreign;     // as in Graph
  std::vector<Node> nodes;                                      // topologically sorted
  const KeptMemory *kept = nullptr;                             // outputs in the memory of inputs; or null
};

// Reads a model. Errors are diagnostics at the file's location.
FailureOr<Model> loadModel(StringRef path, MLIRContext *context);

// Makes nodes of messages, with the graphs in their attributes. Errors are diagnostics at `location`.
struct NodeReader {
  MLIRContext *context;
  Location location;
  const onnx::ModelProto &model;
  TensorSource source;             // for initialisers of inner graphs
  llvm::StringMap<int64_t> opsets; // of the model or the function that the nodes stand in
  bool requireOpsets = true;       // else the version of an unknown domain is -1

  FailureOr<Node> read(const onnx::NodeProto &proto, int64_t index) const;
  FailureOr<std::shared_ptr<Graph>> readGraph(const onnx::GraphProto &proto, int64_t index) const;
  // The constants of a graph, sparse ones too. `rawData`: of each initialiser what was cut out of the message, or
  // empty. Adds their names to `names`.
  LogicalResult readInitializers(const onnx::GraphProto &proto, ArrayRef<std::optional<StringRef>> rawData,
                                 std::vector<std::pair<std::string, TensorData>> &initializers,
                                 std::vector<std::pair<std::string, std::string>> &foreign,
                                 llvm::StringSet<> &names) const;
};

// Sorts so that every value is given before it is read. `available`: names given by others; null for an inner graph,
// which may read any name around it. Names given twice, never, or in a circle are errors.
LogicalResult sortNodes(std::vector<Node> &nodes, const llvm::StringSet<> *available, Location location);

// The names that a node reads, in its graphs too.
void collectReads(const Node &node, llvm::StringSet<> &names);
// The names that a graph reads and does not give.
void collectCaptures(const Graph &graph, llvm::StringSet<> &names);

// Replaces calls of the model's local functions by their bodies, in inner graphs too. Used by loadModel.
LogicalResult inlineFunctions(const onnx::ModelProto &proto, std::vector<Node> &nodes, const NodeReader &reader);

// "ai.onnx" for "", else the domain.
StringRef spellDomain(StringRef domain);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_MODEL_H
