// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/explain/Graph.h"

#include "tools/lib/Error.h"

#include <set>

namespace heddle::tools {
namespace {

// Front-coded: how many bytes of the one before, then the rest.
std::vector<std::string> readStrings(const Json &table) {
  std::vector<std::string> out;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    std::string last = out.empty() ? "" : out.back();
    out.push_back(last.substr(0, table[i].get<size_t>()) + table[i + 1].get<std::string>());
  }
  return out;
}

bool follows(const GraphNode &node) { return node.why == "follows its operands"; }

// What the rule of `node` goes back to: the nearest node on its device that does not itself follow its operands.
const GraphNode *rootOf(const GraphFunction &function, const GraphNode &node) {
  std::vector<const GraphNode *> next{&node};
  std::set<const GraphNode *> seen{&node};
  for (size_t at = 0; at < next.size(); ++at)
    for (size_t input : next[at]->inputs) {
      const GraphNode &from = function.nodes.at(input);
      if (from.device != node.device || !seen.insert(&from).second)
        continue;
      if (!follows(from))
        return &from;
      next.push_back(&from);
    }
  return nullptr;
}

std::string because(const Graph &graph, const GraphFunction &function, const GraphNode &node) {
  if (node.kind == NodeKind::Result && node.why.empty())
    return "";
  const GraphNode *root = follows(node) ? rootOf(function, node) : nullptr;
  if (!root)
    return graph.why(node);
  std::string what = root->kind == NodeKind::Transfer   ? "the transfer to " + graph.deviceName(root->device)
                     : root->kind == NodeKind::Argument ? "the argument " + root->name
                     : root->origins.empty()            ? root->name
                                                        : root->origins.front();
  return node.why + ", from " + what + (root->why.empty() ? "" : " (" + root->why + ")");
}

class Reader {
public:
  explicit Reader(const Json &json) : json_(json), strings_(readStrings(json.at("strings"))) {}

  Graph read() {
    Graph graph;
    for (const Json &device : json_.at("devices"))
      graph.devices.push_back({device.at("name"), device.at("targets")});
    graph.defaultDevice = json_.value("default", size_t{0});
    graph.unknownSize = json_.value("unknown", uint64_t{1});
    const Json expected = json_.value("expect", Json::object());
    for (const auto &[name, size] : expected.items())
      graph.expected += (graph.expected.empty() ? "" : ", ") + name + " = " + std::to_string(size.get<int64_t>());
    graph.links = json_.value("links", Json::array());
    for (const Json &function : json_.at("functions"))
      graph.functions.push_back(readFunction(function));
    for (GraphFunction &function : graph.functions)
      for (GraphNode &node : function.nodes)
        node.because = because(graph, function, node);
    for (const Json &refusal : json_.value("refused", Json::array()))
      graph.refusals.push_back({refusal.at(0), text(refusal.at(1)), text(refusal.at(2))});
    graph.meshes = json_.value("meshes", std::vector<std::string>());
    graph.shardings = json_.value("shardings", std::vector<std::string>());
    graph.overlaps = json_.value("overlaps", std::vector<std::string>());
    graph.branches = json_.value("branches", std::vector<std::string>());
    graph.parts = json_.value("parts", std::vector<std::string>());
    return graph;
  }

private:
  const std::string &text(const Json &index) const { return strings_.at(index.get<size_t>()); }
  std::string text(const Json &node, const char *key) const { return node.contains(key) ? text(node.at(key)) : ""; }
  std::vector<std::string> texts(const Json &node, const char *key) const {
    std::vector<std::string> out;
    if (node.contains(key))
      for (const Json &index : node.at(key))
        out.push_back(text(index));
    return out;
  }

  GraphFunction readFunction(const Json &json) const {
    GraphFunction function{json.at("name"), {}};
    for (const Json &node : json.at("nodes"))
      function.nodes.push_back(readNode(node));
    for (size_t i = 0; i < function.nodes.size(); ++i)
      for (size_t input : function.nodes[i].inputs)
        function.nodes.at(input).users.push_back(i);
    return function;
  }

  GraphNode readNode(const Json &json) const {
    GraphNode node;
    std::string kind = json.at("k");
    if (kind.size() != 1 || std::string_view("adtecr").find(kind[0]) == std::string_view::npos)
      throw Failure("the artifact's report is damaged: a node of kind '" + kind + "'");
    node.kind = static_cast<NodeKind>(kind[0]);
    node.name = text(json.at("n"));
    node.why = text(json, "w");
    node.computes = text(json, "x");
    node.split = text(json, "s");
    if (node.kind == NodeKind::Dispatch && json_.contains("rows"))
      node.rows = json_["rows"].value(node.name, "");
    node.device = json.value("d", size_t{0});
    node.types = texts(json, "t");
    node.origins = texts(json, "o");
    node.parameters = texts(json, "p");
    node.inputs = json.value("i", std::vector<size_t>());
    node.from = json.value("f", size_t{0});
    node.bytes = json.value("b", uint64_t{0});
    node.ns = json.value("c", uint64_t{0});
    return node;
  }

  const Json &json_;
  std::vector<std::string> strings_;
};

} // namespace

Graph readGraph(const std::string &report, const std::string &title) {
  Json json = Json::parse(report, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("graph"))
    throw Failure("'" + title + "' has no graph in its report; compile it anew with this version of heddle compile");
  try {
    Graph graph = Reader(json.at("graph")).read();
    graph.title = title;
    return graph;
  } catch (const Json::exception &error) {
    throw Failure("the artifact's report is damaged: " + std::string(error.what()));
  } catch (const std::out_of_range &) {
    throw Failure("the artifact's report is damaged: an index is out of range");
  }
}

} // namespace heddle::tools
