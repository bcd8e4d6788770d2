// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/explain/Graph.h"
#include "tools/lib/Error.h"
#include "tools/lib/Quantities.h"
#include "tools/lib/Suggest.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::tools {
namespace {

std::string joined(const std::vector<std::string> &list, size_t limit) {
  std::string out;
  for (size_t i = 0; i < std::min(limit, list.size()); ++i)
    out += (i ? ", " : "") + list[i];
  return out + (list.size() > limit ? ", … (" + std::to_string(list.size() - limit) + " more)" : "");
}

std::vector<std::string> namesOf(const GraphFunction &function, const std::vector<size_t> &nodes, const Graph &graph) {
  std::vector<std::string> names;
  for (size_t i : nodes)
    names.push_back(function.nodes[i].name + " (" + graph.deviceName(function.nodes[i].device) + ")");
  return names;
}

bool isDynamic(const GraphNode &node) {
  return std::any_of(node.types.begin(), node.types.end(),
                     [](const std::string &type) { return type.find('?') != std::string::npos; });
}

std::string sizeOf(const GraphNode &node) { return (isDynamic(node) ? "about " : "") + formatBytes(node.bytes); }

template <typename F> size_t count(const GraphFunction &function, F &&fits) {
  return static_cast<size_t>(std::count_if(function.nodes.begin(), function.nodes.end(), fits));
}

size_t dispatchesOf(const GraphFunction &function) {
  return count(function, [](const GraphNode &node) { return node.kind == NodeKind::Dispatch; });
}

bool isCollective(const GraphNode &node) { return node.kind == NodeKind::Collective; }

std::string devicesText(const Graph &graph, const GraphFunction &function) {
  std::string out = "devices\n";
  for (size_t d = 0; d < graph.devices.size(); ++d) {
    std::map<std::string, size_t> rules;
    for (const GraphNode &node : function.nodes)
      if (node.kind == NodeKind::Dispatch && node.device == d)
        ++rules[graph.why(node)];
    size_t all = 0;
    std::string why;
    for (auto &[rule, number] : rules) {
      all += number;
      why += (why.empty() ? "" : ", ") + (rules.size() > 1 ? std::to_string(number) + " " : "") + rule;
    }
    out += "  " + graph.devices[d].name + (d == graph.defaultDevice ? " (default)" : "") + ": " +
           joined(graph.devices[d].targets, 4) + ": " + formatCount(all, "dispatch") +
           (why.empty() ? "" : " (" + why + ")") + "\n";
  }
  return out;
}

// With the model's node that it was made of first.
std::string nameOf(const GraphNode &node) {
  return node.name +
         (node.origins.empty() || node.origins.front() == node.name ? "" : " (" + node.origins.front() + ")");
}

std::string transferText(const Graph &graph, const GraphFunction &function, const GraphNode &node) {
  std::vector<std::string> from, to;
  for (size_t i : node.inputs)
    from.push_back(nameOf(function.nodes[i]));
  for (size_t i : node.users)
    to.push_back(nameOf(function.nodes[i]));
  return graph.deviceName(node.from) + " -> " + graph.deviceName(node.device) + "  " + sizeOf(node) +
         (node.ns ? ", about " + formatDuration(static_cast<double>(node.ns)) : "") + "  " + joined(from, 2) + " -> " +
         joined(to, 4);
}

// What sizes count as that only the call knows.
std::string sizesText(const Graph &graph) {
  std::string unknown = std::to_string(graph.unknownSize);
  if (graph.expected.empty())
    return " (sizes known at the call count as " + unknown + ")";
  return " (with " + graph.expected + " expected; other sizes known at the call count as " + unknown + ")";
}

std::string transfersText(const Graph &graph, const GraphFunction &function) {
  uint64_t number = 0, bytes = 0, ns = 0;
  bool dynamic = false;
  std::string lines;
  for (const GraphNode &node : function.nodes)
    if (node.kind == NodeKind::Transfer) {
      dynamic |= isDynamic(node);
      ++number;
      bytes += node.bytes;
      ns += node.ns;
      lines += "  " + transferText(graph, function, node) + "\n";
    }
  if (!number)
    return "no transfers" + (graph.expected.empty() ? "" : " (with " + graph.expected + " expected)") + "\n";
  return "transfers: " + std::to_string(number) + ", " + formatBytes(bytes) + ", about " +
         formatDuration(static_cast<double>(ns)) + " a call" + (dynamic ? sizesText(graph) : "") + "\n" + lines;
}

std::string refusalsText(const Graph &graph) {
  std::string out;
  for (const Graph::Refusal &refusal : graph.refusals)
    out += "  " + refusal.dispatch + " not on " + graph.deviceName(refusal.device) + ": " + refusal.reason + "\n";
  return out.empty() ? "" : "refused\n" + out;
}

std::string notesText(const std::string &title, const std::vector<std::string> &lines) {
  std::string out;
  for (const std::string &line : lines)
    out += "  " + line + "\n";
  return out.empty() ? "" : title + "\n" + out;
}

// Of what a kernel's strategy says.
const char *codeLabel(const GraphNode &node) {
  return node.rows.find("; up to ") == std::string::npos ? "code" : "free rows";
}

std::string programText(const Graph &graph, const GraphFunction &function) {
  std::string out = "program\n";
  for (const GraphNode &node : function.nodes) {
    if (node.kind == NodeKind::Transfer) {
      out += "  transfer " + graph.deviceName(node.from) + " -> " + graph.deviceName(node.device) + ": " +
             joined(node.types, 1) + "\n";
    } else if (node.kind == NodeKind::Collective) {
      out += "  " + node.name + " on " + graph.deviceName(node.device) + ": " + node.computes + " -> " +
             joined(node.types, 1) + ", " + sizeOf(node) + " given and got by a rank";
      out += node.origins.empty() ? "\n" : "   from " + joined(node.origins, 4) + "\n";
    } else if (node.kind == NodeKind::Dispatch || node.kind == NodeKind::Encode) {
      out += "  " + node.name + " on " + graph.deviceName(node.device) + ": " + node.computes + " -> " +
             joined(node.types, 4);
      out += node.origins.empty() ? "\n" : "   from " + joined(node.origins, 4) + "\n";
      out += node.split.empty() ? "" : "    " + node.split + "\n";
      out += node.rows.empty() ? "" : "    " + std::string(codeLabel(node)) + ": " + node.rows + "\n";
    }
  }
  return out;
}

std::string nodeText(const Graph &graph, const GraphFunction &function, const GraphNode &node) {
  std::string out;
  auto line = [&](const char *what, const std::string &value) {
    if (!value.empty())
      out += "  " + std::string(what) + std::string(14 - std::string_view(what).size(), ' ') + value + "\n";
  };
  out += std::string(kindName(node.kind)) + " " + node.name + " on " + graph.deviceName(node.device) + "\n";
  line("because", node.because);
  line("nodes", joined(node.origins, 40));
  line("computes", node.computes);
  line("reduced", node.split);
  line(codeLabel(node), node.rows);
  line("gives", joined(node.types, 8));
  line("reads", joined(namesOf(function, node.inputs, graph), 20));
  line("parameters", joined(node.parameters, 20));
  line("read by", joined(namesOf(function, node.users, graph), 20));
  if (node.kind == NodeKind::Transfer)
    line("moves", transferText(graph, function, node));
  if (node.kind == NodeKind::Collective)
    line("each rank", sizeOf(node) + " given and got");
  if (node.kind == NodeKind::Dispatch)
    for (const Graph::Refusal &refusal : graph.refusals)
      if (refusal.dispatch == node.name)
        line("cannot run on", graph.deviceName(refusal.device) + ": " + refusal.reason);
  return out;
}

using Found = std::vector<FoundNode>;

template <typename F> Found select(const Graph &graph, F &&fits) {
  Found found;
  for (const GraphFunction &function : graph.functions)
    for (const GraphNode &node : function.nodes)
      if (fits(node.name) || std::any_of(node.origins.begin(), node.origins.end(), fits))
        found.push_back({&function, &node});
  return found;
}

size_t findDevice(const Graph &graph, const std::string &name) {
  std::vector<std::string> names;
  for (size_t d = 0; d < graph.devices.size(); ++d) {
    if (graph.devices[d].name == name)
      return d;
    names.push_back(graph.devices[d].name);
  }
  throw UsageError("--why-not: the program has no device '" + name + "'" + didYouMean(name, names) +
                   "\nit has: " + quotedList(names));
}

} // namespace

const char *kindName(NodeKind kind) {
  switch (kind) {
  case NodeKind::Argument: return "argument";
  case NodeKind::Dispatch: return "dispatch";
  case NodeKind::Transfer: return "transfer";
  case NodeKind::Encode: return "change of layout";
  case NodeKind::Collective: return "collective";
  case NodeKind::Result: return "result";
  }
  return "";
}

std::vector<FoundNode> findNodes(const Graph &graph, const std::string &name) {
  Found found = select(graph, [&](const std::string &text) { return text == name; });
  if (found.empty() && !name.empty())
    found = select(graph, [&](const std::string &text) { return text.find(name) != std::string::npos; });
  if (!found.empty())
    return found;
  std::set<std::string> names;
  for (const GraphFunction &function : graph.functions)
    for (const GraphNode &node : function.nodes) {
      names.insert(node.name);
      names.insert(node.origins.begin(), node.origins.end());
    }
  std::vector<std::string> known(names.begin(), names.end());
  throw UsageError(
      "the program has no node '" + name + "'" + didYouMean(name, known) +
      "\na node of the model that was folded into a constant leaves none; heddle explain ARTIFACT lists all");
}

std::string explainAll(const Graph &graph) {
  std::string out;
  for (const GraphFunction &function : graph.functions) {
    size_t transfers = count(function, [](const GraphNode &node) { return node.kind == NodeKind::Transfer; });
    out += graph.title + ": " + function.name + ": " + formatCount(dispatchesOf(function), "dispatch") + " on " +
           formatCount(graph.devices.size(), "device") + ", " + formatCount(transfers, "transfer");
    if (!graph.meshes.empty())
      out += ", " + formatCount(count(function, isCollective), "collective") + " of " + joined(graph.meshes, 8);
    out += "\n";
    out += devicesText(graph, function) + transfersText(graph, function) + programText(graph, function);
  }
  return out + notesText("branches", graph.branches) + notesText("parts", graph.parts) +
         notesText("shardings", graph.shardings) + notesText("overlaps", graph.overlaps) + refusalsText(graph);
}

std::string explainNode(const Graph &graph, const std::string &name) {
  constexpr size_t kMost = 20;
  Found found = findNodes(graph, name);
  std::string out;
  for (size_t i = 0; i < std::min(kMost, found.size()); ++i)
    out += nodeText(graph, *found[i].function, *found[i].node);
  if (found.size() > kMost)
    out += "… and " + std::to_string(found.size() - kMost) + " more have '" + name + "' in their names\n";
  return out;
}

WhyNot findWhyNot(const Graph &graph, const std::string &device, const std::string &name) {
  size_t asked = findDevice(graph, device);
  WhyNot out;
  Found nodes = name.empty() ? select(graph, [](const std::string &) { return true; }) : findNodes(graph, name);
  for (auto [function, node] : nodes) {
    if (node->kind != NodeKind::Dispatch)
      continue;
    ++out.dispatches;
    if (node->device == asked)
      continue;
    auto refused = std::find_if(graph.refusals.begin(), graph.refusals.end(), [&, dispatch = node](auto &refusal) {
      return refusal.device == asked && refusal.dispatch == dispatch->name;
    });
    out.elsewhere.push_back({node, refused != graph.refusals.end()
                                       ? "cannot: " + refused->reason
                                       : "on " + graph.deviceName(node->device) + ": " + node->because});
  }
  return out;
}

std::string explainWhyNot(const Graph &graph, const std::string &device, const std::string &name) {
  WhyNot found = findWhyNot(graph, device, name);
  if (found.elsewhere.empty())
    return (found.dispatches == 1 ? "the dispatch runs on "
                                  : "all " + std::to_string(found.dispatches) + " dispatches run on ") +
           device + "\n";
  std::map<std::string, std::vector<std::string>> reasons;
  for (const WhyNot::Reason &reason : found.elsewhere)
    reasons[reason.text].push_back(nameOf(*reason.node));
  std::string out = std::to_string(found.elsewhere.size()) + " of " + formatCount(found.dispatches, "dispatch") +
                    " not on " + device + "\n";
  for (auto &[reason, names] : reasons)
    out += "  " + std::to_string(names.size()) + "  " + reason + "\n       " + joined(names, 8) + "\n";
  return out;
}

} // namespace heddle::tools
