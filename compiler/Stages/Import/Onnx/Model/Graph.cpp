// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes and the graphs inside them: reading and sorting.
#include "compiler/Stages/Import/Onnx/Model/DeviceAnnotations.h"
#include "compiler/Stages/Import/Onnx/Model/ShardingSpecs.h"
#include "onnx-ml.pb.h"

#include "mlir/IR/Diagnostics.h"

#include <queue>

using namespace mlir;
using namespace mlir::heddle::importer;

// Deeper nesting of graphs is refused: reading and importing recurse.
static constexpr unsigned kMostGraphsDeep = 64;

static unsigned depthOf(const onnx::GraphProto &graph) {
  unsigned depth = 0;
  for (const auto &node : graph.node())
    for (const auto &attribute : node.attribute())
      if (attribute.type() == onnx::AttributeProto::GRAPH)
        depth = std::max(depth, 1 + depthOf(attribute.g()));
  return depth;
}

FailureOr<Node> NodeReader::read(const onnx::NodeProto &proto, int64_t index) const {
  Node node;
  node.op = proto.op_type();
  node.domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
  node.index = index;
  node.name = proto.name().empty() ? proto.op_type() + "_" + std::to_string(index) : proto.name();
  FailureOr<std::string> device = readDevice(model, proto, node.name, location);
  if (failed(device))
    return failure();
  node.device = *device;
  auto opset = opsets.find(node.domain);
  if (opset == opsets.end() && requireOpsets)
    return emitError(location) << "invalid model: node #" << index << " '" << node.name << "' is of domain "
                               << spellDomain(node.domain) << ", but the model imports no operator set of it";
  node.version = opset == opsets.end() ? -1 : opset->second;
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  if (failed(readShardings(model, proto, node, location)))
    return failure();
  for (const auto &attribute : proto.attribute()) {
    node.attributes[attribute.name()] = &attribute;
    if (attribute.type() != onnx::AttributeProto::GRAPH || !attribute.ref_attr_name().empty())
      continue;
    if (depthOf(attribute.g()) > kMostGraphsDeep)
      return emitError(location) << "node #" << index << " '" << node.name
                                 << "' has graphs inside each other, more than " << kMostGraphsDeep << " deep";
    FailureOr<std::shared_ptr<Graph>> graph = readGraph(attribute.g(), index);
    if (failed(graph))
      return failure();
    node.graphs[attribute.name()] = *graph;
  }
  return node;
}

LogicalResult NodeReader::readInitializers(const onnx::GraphProto &proto, ArrayRef<std::optional<StringRef>> rawData,
                                           std::vector<std::pair<std::string, TensorData>> &initializers,
                                           std::vector<std::pair<std::string, std::string>> &foreign,
                                           llvm::StringSet<> &names) const {
  auto add = [&](const std::string &name, const TensorOrReason &value) -> LogicalResult {
    if (!names.insert(name).second)
      return emitError(location) << "invalid model: two initialisers have the name '" << name << "'";
    if (!value.tensor)
      return emitError(location) << "initialiser '" << name << "': " << value.reason;
    initializers.emplace_back(name, *value.tensor);
    return success();
  };
  for (auto [i, tensor] : llvm::enumerate(proto.initializer())) {
    if (isForeignType(tensor.data_type()) && names.insert(tensor.name()).second) {
      foreign.emplace_back(tensor.name(), getDataTypeName(tensor.data_type()));
      continue;
    }
    TensorSource from = source;
    from.rawData = i < rawData.size() ? rawData[i] : std::nullopt;
    if (failed(add(tensor.name(), readTensor(context, tensor, from))))
      return failure();
  }
  for (const auto &sparse : proto.sparse_initializer())
    if (failed(add(sparse.values().name(), readSparseTensor(context, sparse, source))))
      return failure();
  return success();
}

FailureOr<std::shared_ptr<Graph>> NodeReader::readGraph(const onnx::GraphProto &proto, int64_t index) const {
  auto graph = std::make_shared<Graph>();
  llvm::StringSet<> constants;
  if (failed(readInitializers(proto, {}, graph->initializers, graph->foreign, constants)))
    return failure();
  for (const auto &input : proto.input())
    if (!constants.contains(input.name()))
      graph->inputs.push_back(input.name());
  for (const auto &output : proto.output()) {
    if (output.name().empty())
      return emitError(location) << "invalid model: node #" << index << ": an output of its graph '" << proto.name()
                                 << "' has no name";
    graph->outputs.push_back(output.name());
  }
  for (const auto &inner : proto.node()) {
    FailureOr<Node> node = read(inner, index);
    if (failed(node))
      return failure();
    graph->nodes.push_back(std::move(*node));
  }
  if (failed(sortNodes(graph->nodes, nullptr, location)))
    return failure();
  return graph;
}

void mlir::heddle::importer::collectReads(const Node &node, llvm::StringSet<> &names) {
  for (const std::string &input : node.inputs)
    if (!input.empty())
      names.insert(input);
  for (const auto &graph : node.graphs)
    collectCaptures(*graph.second, names);
}

void mlir::heddle::importer::collectCaptures(const Graph &graph, llvm::StringSet<> &names) {
  llvm::StringSet<> given, read;
  given.insert_range(graph.inputs);
  for (auto &[name, value] : graph.initializers)
    given.insert(name);
  for (auto &[name, type] : graph.foreign)
    given.insert(name);
  for (const Node &node : graph.nodes) {
    given.insert_range(node.outputs);
    collectReads(node, read);
  }
  for (const std::string &output : graph.outputs)
    read.insert(output);
  for (const auto &name : read)
    if (!given.contains(name.getKey()))
      names.insert(name.getKey());
}

static LogicalResult reportStuck(const std::vector<Node> &waiting, const llvm::StringSet<> &available,
                                 Location location) {
  llvm::StringSet<> promised;
  for (const Node &node : waiting)
    promised.insert_range(node.outputs);
  for (const Node &node : waiting) {
    llvm::StringSet<> reads;
    collectReads(node, reads);
    for (const auto &input : reads)
      if (!available.contains(input.getKey()) && !promised.contains(input.getKey()))
        return emitError(location) << "invalid model: node #" << node.index << " '" << node.name << "' (" << node.op
                                   << ") reads '" << input.getKey() << "', which nothing defines";
  }
  const Node &node = waiting.front();
  return emitError(location) << "invalid model: the graph has a cycle through node #" << node.index << " '" << node.name
                             << "' (" << node.op << ")";
}

LogicalResult mlir::heddle::importer::sortNodes(std::vector<Node> &nodes, const llvm::StringSet<> *given,
                                                Location location) {
  llvm::StringSet<> available, defined;
  if (given)
    available = *given;
  for (const Node &node : nodes)
    for (const std::string &output : node.outputs)
      if (!output.empty() && (available.contains(output) || !defined.insert(output).second))
        return emitError(location) << "invalid model: node #" << node.index << " '" << node.name << "' gives '"
                                   << output << "', which is already defined";
  // Of each node the number of values that it still waits for; the first one that waits for none comes next.
  std::vector<unsigned> missing(nodes.size());
  llvm::StringMap<SmallVector<unsigned>> readers;
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (auto [i, node] : llvm::enumerate(nodes)) {
    llvm::StringSet<> reads;
    collectReads(node, reads);
    for (const auto &read : reads) {
      bool isDefined = defined.contains(read.getKey());
      if (isDefined)
        readers[read.getKey()].push_back(i);
      missing[i] += isDefined || (given && !available.contains(read.getKey()));
    }
    if (missing[i] == 0)
      ready.push(i);
  }
  std::vector<Node> sorted;
  std::vector<bool> isSorted(nodes.size());
  while (!ready.empty()) {
    unsigned next = ready.top();
    ready.pop();
    isSorted[next] = true;
    available.insert_range(nodes[next].outputs);
    for (const std::string &output : nodes[next].outputs)
      for (unsigned reader : readers.lookup(output))
        if (--missing[reader] == 0)
          ready.push(reader);
    sorted.push_back(std::move(nodes[next]));
  }
  std::vector<Node> waiting;
  for (auto [node, done] : llvm::zip(nodes, isSorted))
    if (!done)
      waiting.push_back(std::move(node));
  if (!waiting.empty())
    return reportStuck(waiting, available, location);
  nodes = std::move(sorted);
  return success();
}
