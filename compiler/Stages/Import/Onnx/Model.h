// The first step of the ONNX importer: from the file to a checked, flat list of nodes.
//
// Local functions are inlined, versions resolved, initialisers read (not copied). What a node means is the second
// step's business (Lowering.h). All strings and attributes point into the protobuf message, which the model keeps
// alive.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_H

#include "compiler/Stages/Import/Onnx/TensorData.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

namespace onnx {
class AttributeProto;
class ModelProto;
} // namespace onnx

namespace mlir::heddle::importer {

struct Node {
  std::string op, domain;                   // domain "" is ai.onnx
  int64_t version;                          // of the domain's operator set that the model (or function) imports
  std::string name;                         // the model's, or "Op_12"
  int64_t index;                            // in the main graph; of the call for a node of a local function
  std::vector<std::string> inputs, outputs; // "" where an optional one is absent
  llvm::StringMap<const onnx::AttributeProto *> attributes;
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
  std::vector<std::pair<std::string, TensorData>> initializers;
  std::vector<Node> nodes; // topologically sorted
};

// Reads a model. Errors are diagnostics at the file's location.
FailureOr<Model> loadModel(StringRef path, MLIRContext *context);

// Replaces calls of the model's local functions by their bodies. Used by loadModel.
LogicalResult inlineFunctions(const onnx::ModelProto &proto, std::vector<Node> &nodes, Location location);

// "ai.onnx" for "", else the domain.
StringRef spellDomain(StringRef domain);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_H
