// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of an artifact's compile report (compiler/Pipelines/GraphReport.h), with its strings and users restored.
#ifndef HEDDLE_TOOLS_EXPLAIN_GRAPH_H
#define HEDDLE_TOOLS_EXPLAIN_GRAPH_H

#include "tools/lib/Json.h"

#include <string>
#include <vector>

namespace heddle::tools {

enum class NodeKind : char {
  Argument = 'a',
  Dispatch = 'd',
  Transfer = 't',
  Encode = 'e',
  Collective = 'c',
  Result = 'r'
};

struct GraphNode {
  NodeKind kind = NodeKind::Dispatch;
  std::string name;
  std::string why;      // why it is where it is; "" where the compiler did not say
  std::string because;  // the same, and of what follows others: from where
  std::string computes; // of a dispatch; of a collective what it combines, over which axes
  std::string rows;     // of a kernel with code for few rows: its tiles
  std::string split;    // of a long reduction: into how many parts, or why not
  size_t device = 0;
  std::vector<std::string> types, origins, parameters; // origins: the model's nodes
  std::vector<size_t> inputs, users;                   // nodes of the same function
  size_t from = 0;                                     // device a transfer comes from
  // Of a transfer, as placement estimates them; of a collective the bytes that a rank gives and gets.
  uint64_t bytes = 0, ns = 0;
};

struct GraphFunction {
  std::string name;
  std::vector<GraphNode> nodes; // inputs before users, but for what loops hand back
};

struct Graph {
  struct Device {
    std::string name;
    std::vector<std::string> targets;
  };
  struct Refusal {
    size_t device;
    std::string dispatch, reason;
  };
  std::string title; // "model.heddle"
  std::vector<Device> devices;
  size_t defaultDevice = 0;
  uint64_t unknownSize = 1;   // what a size counts as that only the call knows
  std::string expected;       // "batch = 1, seq = 128": what other sizes were expected to be; "" for none
  Json links = Json::array(); // as in the report
  std::vector<GraphFunction> functions;
  std::vector<Refusal> refusals;
  std::vector<std::string> parts;     // sentences: what --max-transient computes in parts, and what that saves
  std::vector<std::string> meshes;    // "@m = [x = 8]"
  std::vector<std::string> shardings; // sentences: how ranks share values, what was decided by bytes, what moves
  std::vector<std::string> overlaps;  // sentences: which collectives are moved in pieces, and why others are not
  std::vector<std::string> branches;  // sentences: what was put on several queues of a device, what was not, and why

  // "" for an index that is no device.
  std::string deviceName(size_t device) const { return device < devices.size() ? devices[device].name : ""; }
  std::string why(const GraphNode &node) const { return node.why.empty() ? "the compiler did not say" : node.why; }
};

// `report` is the text of the artifact's report. Throws Failure when it has no graph or is damaged.
Graph readGraph(const std::string &report, const std::string &title);

// Pages of text, without a width: everything; one node of the model, dispatch, argument or result; or what does not
// run on a device, for all dispatches or those of `node`. Names that are not there are a UsageError with the nearest.
std::string explainAll(const Graph &graph);
std::string explainNode(const Graph &graph, const std::string &node);
std::string explainWhyNot(const Graph &graph, const std::string &device, const std::string &node);

// The same as JSON; docs/cli.md has the keys.
std::string allAsJson(const Graph &graph);
std::string nodeAsJson(const Graph &graph, const std::string &node);
std::string whyNotAsJson(const Graph &graph, const std::string &device, const std::string &node);

// What the pages are made of. Nodes of this name, or made of a node of the model of this name; where there are none,
// those with it in their names. A UsageError with the nearest where there are none either.
struct FoundNode {
  const GraphFunction *function;
  const GraphNode *node;
};
std::vector<FoundNode> findNodes(const Graph &graph, const std::string &name);
struct WhyNot {
  size_t dispatches = 0; // those that were looked at
  struct Reason {
    const GraphNode *node;
    std::string text;
  };
  std::vector<Reason> elsewhere; // those of them that do not run on the device
};
WhyNot findWhyNot(const Graph &graph, const std::string &device, const std::string &node);
const char *kindName(NodeKind kind); // "dispatch"

// One self-contained page: no file and no network beside it. `artifact`: also what the artifact contains, as `heddle
// inspect --json` says it; null: only the graph.
std::string toPage(const Graph &graph, const Json &artifact = nullptr);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_EXPLAIN_GRAPH_H
