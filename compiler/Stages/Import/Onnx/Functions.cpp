// Inlining of a model's local functions.
#include "compiler/Stages/Import/Onnx/Model.h"
#include "onnx-ml.pb.h"

#include "mlir/IR/Diagnostics.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle::importer;

// Deeper nesting is taken for recursion, which ONNX forbids.
static constexpr unsigned kMaximumDepth = 64;

namespace {

class Inliner {
public:
  Inliner(const onnx::ModelProto &proto, Location location) : location(location) {
    for (const auto &function : proto.functions())
      functions[{function.domain(), function.name()}] = &function;
  }

  LogicalResult run(std::vector<Node> &nodes) {
    if (functions.empty())
      return success();
    std::vector<Node> result;
    for (Node &node : nodes)
      if (failed(expand(std::move(node), 0, result)))
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
      out.push_back(std::move(node));
      return success();
    }
    if (depth > kMaximumDepth)
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
    copy.inputs = {entry->second};
    copy.outputs = {call.outputs[i]};
    out.push_back(std::move(copy));
  }

  FailureOr<Node> instantiate(const onnx::FunctionProto &function, const onnx::NodeProto &body, const Node &call,
                              const std::string &prefix, llvm::StringMap<std::string> &names) {
    Node node;
    node.op = body.op_type();
    node.domain = body.domain() == "ai.onnx" ? "" : body.domain();
    node.index = call.index;
    node.name = prefix + (body.name().empty() ? body.op_type() : body.name());
    node.version = -1;
    for (const auto &opset : function.opset_import())
      if ((opset.domain() == "ai.onnx" ? "" : opset.domain()) == node.domain)
        node.version = opset.version();
    if (node.version < 0 && !find(node))
      return emitError(location) << "local function '" << function.name() << "' uses domain "
                                 << spellDomain(node.domain) << " but imports no operator set of it";
    auto rename = [&](const std::string &name) { return names.try_emplace(name, prefix + name).first->second; };
    for (const std::string &name : body.input())
      node.inputs.push_back(rename(name));
    for (const std::string &name : body.output())
      node.outputs.push_back(rename(name));
    for (const auto &attribute : body.attribute())
      if (const onnx::AttributeProto *value = resolve(function, attribute, call))
        node.attributes[attribute.name()] = value;
    return node;
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
  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto *> functions;
  unsigned counter = 0;
};

} // namespace

LogicalResult mlir::heddle::importer::inlineFunctions(const onnx::ModelProto &proto, std::vector<Node> &nodes,
                                                      Location location) {
  return Inliner(proto, location).run(nodes);
}
