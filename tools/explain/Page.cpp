// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Text.h"
#include "tools/explain/Graph.h"

namespace heddle::tools {
namespace {

const char kHtml[] =
#include "page.html.inc"
    ;
const char kLayout[] =
#include "layout.js.inc"
    ;
const char kContents[] =
#include "contents.js.inc"
    ;
const char kScript[] =
#include "page.js.inc"
    ;

Json nodeJson(const GraphNode &node) {
  return {{"k", std::string(1, static_cast<char>(node.kind))},
          {"n", node.name},
          {"d", node.device},
          {"w", node.why},
          {"because", node.because},
          {"c", node.computes},
          {"s", node.split},
          {"t", node.types},
          {"o", node.origins},
          {"p", node.parameters},
          {"i", node.inputs},
          {"f", node.kind == NodeKind::Transfer ? Json(node.from) : Json(-1)},
          {"bytes", node.bytes},
          {"ns", node.ns}};
}

Json graphJson(const Graph &graph) {
  Json devices = Json::array(), functions = Json::array(), refused = Json::array();
  for (const Graph::Device &device : graph.devices)
    devices.push_back({{"name", device.name}, {"targets", device.targets}});
  for (const GraphFunction &function : graph.functions) {
    Json nodes = Json::array();
    for (const GraphNode &node : function.nodes)
      nodes.push_back(nodeJson(node));
    functions.push_back({{"name", function.name}, {"nodes", nodes}});
  }
  for (const Graph::Refusal &refusal : graph.refusals)
    refused.push_back(Json::array({refusal.device, refusal.dispatch, refusal.reason}));
  return {{"title", graph.title}, {"devices", devices}, {"default", graph.defaultDevice},
          {"links", graph.links}, {"refused", refused}, {"functions", functions}};
}

// All texts in a value as they may be shown.
void showTexts(Json &value) {
  if (value.is_string())
    value = contract::showText(value.get<std::string>());
  else if (value.is_structured())
    for (Json &part : value)
      showTexts(part);
}

void replace(std::string &text, const std::string &mark, const std::string &with) {
  text.replace(text.find(mark), mark.size(), with);
}

} // namespace

std::string toPage(const Graph &graph, const Json &artifact) {
  Json all = graphJson(graph);
  all["artifact"] = artifact;
  showTexts(all);
  std::string data = all.dump(-1, ' ', false, Json::error_handler_t::replace), safe;
  for (char c : data) // nothing in a name ends the element
    safe += c == '<' ? "\\u003c" : std::string(1, c);
  std::string page = kHtml;
  replace(page, "/*SCRIPT*/", std::string(kLayout) + kContents + kScript);
  replace(page, "/*DATA*/", safe);
  return page;
}

} // namespace heddle::tools
