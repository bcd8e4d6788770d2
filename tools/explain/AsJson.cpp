// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/explain/Graph.h"

namespace heddle::tools {
namespace {

Json namesOf(const GraphFunction &function, const std::vector<size_t> &nodes) {
  Json names = Json::array();
  for (size_t i : nodes)
    names.push_back(function.nodes[i].name);
  return names;
}

Json nodeJson(const Graph &graph, const GraphFunction &function, const GraphNode &node) {
  Json json = {{"kind", kindName(node.kind)},
               {"name", node.name},
               {"device", graph.deviceName(node.device)},
               {"why", graph.why(node)},
               {"because", node.because},
               {"types", node.types},
               {"reads", namesOf(function, node.inputs)},
               {"read_by", namesOf(function, node.users)}};
  if (node.kind == NodeKind::Transfer) {
    json["from"] = graph.deviceName(node.from);
    json["bytes"] = node.bytes;
    json["ns"] = node.ns;
  } else {
    json["nodes"] = node.origins;
    json["computes"] = node.computes;
    json["reduced"] = node.split;
    if (!node.rows.empty())
      json["free_rows"] = node.rows;
    json["parameters"] = node.parameters;
    if (node.kind == NodeKind::Collective)
      json["bytes"] = node.bytes;
  }
  return json;
}

Json begin(const Graph &graph) {
  Json devices = Json::array();
  for (const Graph::Device &device : graph.devices)
    devices.push_back({{"name", device.name}, {"targets", device.targets}});
  return {{"artifact", graph.title}, {"devices", devices}, {"default_device", graph.deviceName(graph.defaultDevice)}};
}

} // namespace

std::string allAsJson(const Graph &graph) {
  Json json = begin(graph), functions = Json::array(), refused = Json::array();
  for (const GraphFunction &function : graph.functions) {
    Json nodes = Json::array();
    for (const GraphNode &node : function.nodes)
      nodes.push_back(nodeJson(graph, function, node));
    functions.push_back({{"name", function.name}, {"nodes", nodes}});
  }
  for (const Graph::Refusal &refusal : graph.refusals)
    refused.push_back(
        {{"dispatch", refusal.dispatch}, {"device", graph.deviceName(refusal.device)}, {"reason", refusal.reason}});
  json["links"] = graph.links;
  json["unknown_size"] = graph.unknownSize;
  json["functions"] = functions;
  json["refused"] = refused;
  json["branches"] = graph.branches;
  json["shardings"] = graph.shardings;
  json["overlaps"] = graph.overlaps;
  json["parts"] = graph.parts;
  json["meshes"] = graph.meshes;
  return toText(json);
}

std::string nodeAsJson(const Graph &graph, const std::string &name) {
  Json json = begin(graph), nodes = Json::array();
  for (auto [function, node] : findNodes(graph, name)) {
    Json one = nodeJson(graph, *function, *node), refused = Json::array();
    for (const Graph::Refusal &refusal : graph.refusals)
      if (node->kind == NodeKind::Dispatch && refusal.dispatch == node->name)
        refused.push_back({{"device", graph.deviceName(refusal.device)}, {"reason", refusal.reason}});
    one["function"] = function->name;
    one["refused"] = refused;
    nodes.push_back(one);
  }
  json["nodes"] = nodes;
  return toText(json);
}

std::string whyNotAsJson(const Graph &graph, const std::string &device, const std::string &name) {
  WhyNot found = findWhyNot(graph, device, name);
  Json json = begin(graph), elsewhere = Json::array();
  for (const WhyNot::Reason &reason : found.elsewhere)
    elsewhere.push_back({{"name", reason.node->name},
                         {"nodes", reason.node->origins},
                         {"device", graph.deviceName(reason.node->device)},
                         {"reason", reason.text}});
  json["asked"] = device;
  json["dispatches"] = found.dispatches;
  json["elsewhere"] = elsewhere;
  return toText(json);
}

} // namespace heddle::tools
