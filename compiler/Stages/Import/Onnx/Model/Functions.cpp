// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inlining of a model's local functions.
#include "compiler/Stages/Import/Onnx/Model/Model.h"
#include "onnx-ml.pb.h"

#include "mlir/IR/Diagnostics.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle::importer;

// Deeper nesting is taken for recursion, which ONNX forbids.
static constexpr unsigned kMostCallsDeep = 64;

// Of nodes that calls stand for: each call of a function is a copy of it, and so are the calls in it.
static constexpr int64_t kMaximumInlined = 1 << 18;

namespace {

class Inliner {
public:
  Inliner(const onnx::ModelProto &proto, const NodeReader &reader) : location(reader.location), reader(reader) {
    for (const auto &function : proto.functions())
      functions[{function.domain(), function.name()}] = &function;
  }

  LogicalResult run(std::vector<Node> &nodes, unsigned depth = 0) {
    if (functions.empty())
      return success();
    std::vector<Node> result;
    for (Node &node : nodes)
      if (failed(expand(std::move(node), depth, result)))
        return failure();
    nodes = std::move(result);
    return success();
  }

private:
  const onnx::FunctionProto *find(const Node &node) const {
    auto found = functions.find({node.domain, node.op});
    return found == functions.end() ? nullptr : found->second;
  }

  LogicalResult expand(Node node, unsigned depth, std::vector<Node> &out) {
    const onnx::FunctionProto *function = find(node);
    if (!function) {
      for (auto &graph : node.graphs)
        if (failed(run(graph.second->nodes, depth + 1)) || failed(sortNodes(graph.second->nodes, nullptr, location)))
          return failure();
      out.push_back(std::move(node));
      return success();
    }
    if (!node.shardings.empty())
      emitWarning(location) << "node '" << node.name << "': the sharding of '" << node.shardings.front().first
                            << "' is not used: the node calls the local function '" << function->name()
                            << "', whose nodes may have shardings";
    if (depth > kMostCallsDeep)
      return emitError(location) << "local function '" << function->name() << "' calls itself";
    if (static_cast<int>(node.inputs.size()) > function->input_size() ||
        static_cast<int>(node.outputs.size()) > function->output_size())
      return emitError(location) << "node #" << node.index << " '" << node.name << "' gives local function '"
                                 << function->name() << "' " << node.inputs.size() << " inputs and "
                                 << node.outputs.size() << " outputs; it has " << function->input_size() << " and "
                                 << function->output_size();
    llvm::StringMap<std::string> names; // of the function's values, outside
    names[""] = "";
    for (int i = 0; i < function->input_size(); ++i)
      names[function->input(i)] = i < static_cast<int>(node.inputs.size()) ? node.inputs[i] : "";
    for (int i = 0; i < static_cast<int>(node.outputs.size()); ++i)
      if (!node.outputs[i].empty())
        bindOutput(*function, i, node, names, out);
    std::string prefix = node.name + "/" + std::to_string(counter++) + "/";
    inlined += function->node_size();
    if (inlined > kMaximumInlined)
      return emitError(location) << "calls of local functions are inlined, which gives more than " << kMaximumInlined
                                 << " nodes here: call the functions less often, or in a Loop";
    for (const auto &body : function->node()) {
      FailureOr<Node> inlined = instantiate(*function, body, node, prefix, names);
      if (failed(inlined) || failed(expand(std::move(*inlined), depth + 1, out)))
        return failure();
    }
    return success();
  }

  // The function's output takes the name outside; one that is an input of the function is copied.
  void bindOutput(const onnx::FunctionProto &function, int i, const Node &call, llvm::StringMap<std::string> &names,
                  std::vector<Node> &out) {
    auto [entry, isNew] = names.try_emplace(function.output(i), call.outputs[i]);
    if (isNew)
      return;
    Node copy;
    copy.op = "Identity";
    copy.version = 13;
    copy.name = call.name;
    copy.index = call.index;
    copy.device = call.device;
    copy.inputs = {entry->second};
    copy.outputs = {call.outputs[i]};
    out.push_back(std::move(copy));
  }

  FailureOr<Node> instantiate(const onnx::FunctionProto &function, const onnx::NodeProto &body, const Node &call,
                              const std::string &prefix, llvm::StringMap<std::string> &names) {
    NodeReader bodyReader = reader;
    bodyReader.requireOpsets = false;
    bodyReader.opsets.clear();
    for (const auto &opset : function.opset_import())
      bodyReader.opsets[opset.domain() == "ai.onnx" ? "" : opset.domain()] = opset.version();
    FailureOr<Node> node = bodyReader.read(body, call.index);
    if (failed(node))
      return failure();
    node->name = body.name().empty() ? body.op_type() : body.name();
    adopt(*node, call, prefix);
    if (failed(bind(function, *node, call, prefix, names)))
      return failure();
    return node;
  }

  // Nodes that ask for no device are where the call is.
  static void adopt(Node &node, const Node &call, const std::string &prefix) {
    node.name = prefix + node.name;
    if (node.device.empty())
      node.device = call.device;
    for (auto &entry : node.graphs)
      for (Node &inner : entry.second->nodes)
        adopt(inner, call, prefix);
  }

  // Names and attributes of the function become the call's, in inner graphs too.
  LogicalResult bind(const onnx::FunctionProto &function, Node &node, const Node &call, const std::string &prefix,
                     llvm::StringMap<std::string> &names) {
    if (node.version < 0 && !find(node))
      return emitError(location) << "local function '" << function.name() << "' uses domain "
                                 << spellDomain(node.domain) << " but imports no operator set of it";
    auto rename = [&](std::string &name) { name = names.try_emplace(name, prefix + name).first->second; };
    llvm::for_each(node.inputs, rename);
    llvm::for_each(node.outputs, rename);
    for (auto &sharding : node.shardings)
      rename(sharding.first);
    llvm::StringMap<const onnx::AttributeProto *> attributes;
    llvm::StringMap<std::shared_ptr<Graph>> given; // graphs of the call: their names are outside
    for (auto &entry : node.attributes)
      if (const onnx::AttributeProto *value = resolve(function, *entry.second, call)) {
        attributes[entry.getKey()] = value;
        if (auto found = call.graphs.find(entry.second->ref_attr_name()); found != call.graphs.end())
          given[entry.getKey()] = found->second;
      }
    node.attributes = std::move(attributes);
    for (auto &entry : node.graphs) {
      Graph &graph = *entry.second;
      llvm::for_each(graph.inputs, rename);
      llvm::for_each(graph.outputs, rename);
      for (auto &initializer : graph.initializers)
        rename(initializer.first);
      for (auto &initializer : graph.foreign)
        rename(initializer.first);
      for (Node &inner : graph.nodes)
        if (failed(bind(function, inner, call, prefix, names)))
          return failure();
    }
    for (auto &entry : given)
      node.graphs[entry.getKey()] = entry.second;
    return success();
  }

  // What an attribute of the body is: itself, or the call's, or the function's default; null if absent.
  static const onnx::AttributeProto *resolve(const onnx::FunctionProto &function, const onnx::AttributeProto &attribute,
                                             const Node &call) {
    const std::string &reference = attribute.ref_attr_name();
    if (reference.empty())
      return &attribute;
    if (auto found = call.attributes.find(reference); found != call.attributes.end())
      return found->second;
    for (const auto &fallback : function.attribute_proto())
      if (fallback.name() == reference)
        return &fallback;
    return nullptr;
  }

  Location location;
  const NodeReader &reader;
  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto *> functions;
  unsigned counter = 0;
  int64_t inlined = 0; // nodes
};

} // namespace

LogicalResult mlir::heddle::importer::inlineFunctions(const onnx::ModelProto &proto, std::vector<Node> &nodes,
                                                      const NodeReader &reader) {
  return Inliner(proto, reader).run(nodes);
}
