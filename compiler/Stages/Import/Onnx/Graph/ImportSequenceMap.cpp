// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SequenceMap: its body once for each element where their number is known and small, else as a Loop that appends.
#include "compiler/Stages/Import/Onnx/Aggregate.h"
#include "compiler/Stages/Import/Onnx/Graph/GraphImporter.h"

#include "onnx-ml.pb.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

// Nodes that stand for a SequenceMap: each has its name, index and operator set, so that messages name it.
class Expansion {
public:
  Expansion(const Node &node, std::shared_ptr<Graph> body) : node(node), body(std::move(body)) {}

  // No name of a model has a line break in it that is not escaped.
  std::string name(const Twine &what) const { return (node.name + "\n" + what).str(); }

  Node make(StringRef op, std::vector<std::string> inputs, std::vector<std::string> outputs) const {
    Node made;
    made.op = op.str();
    made.version = node.version;
    made.name = node.name;
    made.index = node.index;
    made.device = node.device;
    made.inputs = std::move(inputs);
    made.outputs = std::move(outputs);
    return made;
  }

  Node makeBody(std::vector<std::string> inputs, std::vector<std::string> outputs) const {
    Node made = make("Body", std::move(inputs), std::move(outputs));
    made.domain = kBodyDomain.str();
    made.graphs["body"] = body;
    return made;
  }

  // For `count` elements: values "operand k element i" are given.
  Graph unrolled(int64_t count) const {
    Graph graph;
    std::vector<std::vector<std::string>> elements(node.outputs.size());
    for (int64_t i = 0; i < count; ++i) {
      std::vector<std::string> inputs, outputs;
      for (size_t k = 0; k < node.inputs.size(); ++k)
        inputs.push_back(operand(k, i));
      for (size_t j = 0; j < elements.size(); ++j)
        elements[j].push_back(outputs.emplace_back(name("result " + Twine(j) + " element " + Twine(i))));
      graph.nodes.push_back(makeBody(std::move(inputs), std::move(outputs)));
    }
    for (size_t j = 0; j < elements.size(); ++j) {
      graph.outputs.push_back(name("result " + Twine(j)));
      graph.nodes.push_back(make("SequenceConstruct", std::move(elements[j]), {graph.outputs.back()}));
    }
    return graph;
  }

  // For as many as "count" says: it and the empty sequences "empty j" are given. `isMapped`: operands that are
  // sequences.
  Graph looped(ArrayRef<bool> isMapped) const {
    auto inner = std::make_shared<Graph>();
    inner->inputs = {name("place"), name("more")};
    inner->outputs = {name("go on")};
    inner->nodes.push_back(make("Identity", {name("more")}, {name("go on")}));
    std::vector<std::string> inputs, outputs, carried{name("count"), ""};
    for (auto [k, mapped] : llvm::enumerate(isMapped)) {
      inputs.push_back(mapped ? operand(k, 0) : node.inputs[k]);
      if (mapped)
        inner->nodes.push_back(make("SequenceAt", {node.inputs[k], name("place")}, {inputs.back()}));
    }
    for (size_t j = 0; j < node.outputs.size(); ++j)
      outputs.push_back(name("result " + Twine(j) + " element"));
    inner->nodes.push_back(makeBody(std::move(inputs), outputs));
    Graph graph;
    for (auto [j, output] : llvm::enumerate(outputs)) {
      carried.push_back(name("empty " + Twine(j)));
      inner->inputs.push_back(name("before " + Twine(j)));
      inner->outputs.push_back(name("after " + Twine(j)));
      inner->nodes.push_back(make("SequenceInsert", {inner->inputs.back(), output}, {inner->outputs.back()}));
      graph.outputs.push_back(name("result " + Twine(j)));
    }
    Node loop = make("Loop", std::move(carried), graph.outputs);
    loop.graphs["body"] = std::move(inner);
    graph.nodes.push_back(std::move(loop));
    return graph;
  }

  std::string operand(size_t k, int64_t i) const { return name("operand " + Twine(k) + " element " + Twine(i)); }

private:
  const Node &node;
  std::shared_ptr<Graph> body;
};

} // namespace

// Inputs are the body's.
GraphImporter::Outcome GraphImporter::enterBody(Path &path, const Node &node) {
  auto body = node.graphs.find("body");
  if (body == node.graphs.end() || body->second->inputs.size() != node.inputs.size())
    return refuse(path, node, "no op of this domain is supported", Fault::Unsupported);
  SmallVector<Tensor *> operands;
  if (!collectOperands(path, node, operands))
    return Outcome::Done;
  SmallVector<Tensor> values = llvm::map_to_vector(operands, [](Tensor *operand) { return *operand; });
  enter(path, node, *body->second);
  for (auto [name, value] : llvm::zip_equal(body->second->inputs, values))
    path.frames.back().values[name] = value;
  return Outcome::Done;
}

// The element types of the body's results, which ONNX wants to be said; nothing if they are not.
static std::optional<SmallVector<Type>> resultTypes(const Node &node, MLIRContext *context) {
  const onnx::GraphProto &body = node.attributes.find("body")->second->g();
  SmallVector<Type> types;
  for (size_t j = 0; j < node.outputs.size(); ++j) {
    types.push_back(getElementType(context, body.output(j).type().tensor_type().elem_type()));
    if (!types.back())
      return std::nullopt;
  }
  return types;
}

GraphImporter::Outcome GraphImporter::lowerSequenceMap(Path &path, const Node &node) {
  SmallVector<Tensor *> operands;
  if (!collectOperands(path, node, operands))
    return Outcome::Done;
  auto body = node.graphs.find("body");
  if (operands.empty() || llvm::is_contained(operands, nullptr) || !isSequence(*operands.front()))
    return refuse(path, node, "input #0 must be a sequence, and every other a sequence or a tensor");
  if (body == node.graphs.end() || body->second->inputs.size() != operands.size() ||
      body->second->outputs.size() < node.outputs.size())
    return refuse(path, node,
                  "needs a graph 'body' with " + Twine(operands.size()) + " inputs and " + Twine(node.outputs.size()) +
                      " outputs");
  emitter.loc = NameLoc::get(StringAttr::get(entry.getContext(), node.name));
  SmallVector<bool> isMapped = llvm::map_to_vector(operands, [](Tensor *operand) { return isSequence(*operand); });
  OpFoldResult count;
  std::vector<std::vector<Part>> lists; // of the sequences; as many as there are where all are known
  for (Tensor *operand : operands) {
    if (!isSequence(*operand))
      continue;
    if (isUnfinished(*operand))
      return refuse(path, node, "reads a sequence that the loop around it appends to", Fault::Unsupported);
    OpFoldResult elements = countElements(emitter, *operand);
    if (count)
      emitter.checkEqual(count, elements, "SequenceMap: the sequences must have the same number of elements");
    count = elements;
    if (std::optional<std::vector<Part>> list = listElements(emitter, operand->aggregate->parts))
      lists.push_back(std::move(*list));
  }
  Expansion expansion(node, body->second);
  bool unrolls = llvm::count(isMapped, true) == static_cast<int64_t>(lists.size()) && !lists.front().empty() &&
                 llvm::all_of(lists, [&](const auto &list) { return list.size() == lists.front().size(); });
  std::optional<SmallVector<Type>> types = resultTypes(node, entry.getContext());
  if (!unrolls && !types)
    return refuse(path, node, "the graph 'body' must say the element types of its outputs");
  llvm::StringMap<Tensor> given;
  if (unrolls) {
    for (size_t i = 0; i < lists.front().size(); ++i)
      for (size_t k = 0, mapped = 0; k < operands.size(); ++k)
        given[expansion.operand(k, i)] = isMapped[k] ? lists[mapped++][i].tensor : *operands[k];
  } else {
    given[expansion.name("count")] = emitter.fromContents(emitter.builder.getI64Type(), {}, {count});
    for (auto [j, type] : llvm::enumerate(*types))
      given[expansion.name("empty " + Twine(j))] = makeSequence(emitter, type, {});
  }
  // Kept: frames and messages point at nodes.
  expansions.push_back(
      std::make_unique<Graph>(unrolls ? expansion.unrolled(lists.front().size()) : expansion.looped(isMapped)));
  enter(path, node, *expansions.back());
  for (auto &entry : given)
    path.frames.back().values[entry.getKey()] = std::move(entry.second);
  return Outcome::Done;
}
