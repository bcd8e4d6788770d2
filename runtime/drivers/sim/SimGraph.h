// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When operations begin and end, from what each of them comes after and what it keeps busy: plain data in, plain data
// out. The order in which nodes were recorded makes no difference.
//
// Simulated by events: an operation arrives at its resource when all that it comes after has ended; a resource serves
// one at a time, in the order of arrival, and of those that arrive at the same time in the order of their names.
//
//   SimGraph graph;
//   uint32_t a = graph.add({.ns = 5, .resource = 0, .kind = SimNode::Operation});
//   uint32_t b = graph.add({.after = {a}, .ns = 3, .resource = 1, .kind = SimNode::Operation});
//   graph.place()[b].end.ns == 8
#ifndef HEDDLE_RUNTIME_DRIVERS_SIM_SIMGRAPH_H
#define HEDDLE_RUNTIME_DRIVERS_SIM_SIMGRAPH_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::sim {

// A time, and the operation that ends then; none: time began.
struct SimPoint {
  static constexpr int64_t kNone = -1;
  uint64_t ns = 0;
  int64_t operation = kNone;
};

struct SimNode {
  enum Kind : uint8_t {
    Known,     // ends at `known`
    Join,      // when all that it comes after has ended
    Operation, // `ns` later, in which it has `resource`, and `lagNs`
  };
  static constexpr uint32_t kStart = 0; // the node that ends at 0

  uint32_t after[3] = {kStart, kStart, kStart};
  uint64_t ns = 0, lagNs = 0;
  SimPoint known;
  uint32_t resource = 0;
  // What its name is made of, the first first: texts of SimGraph::text(), and numbers.
  uint32_t host = 0, device = 0, stream = 0, name = 0, sequence = 0;
  Kind kind = Join;
};

struct SimPlace {
  SimPoint begin, end; // begin.operation: what held it back
  bool isPlaced = false;
};

class SimGraph {
public:
  SimGraph() { clear(); }
  // Numbers of nodes, from SimNode::kStart on.
  uint32_t add(const SimNode &node);
  // A join that was added ahead comes after this, too.
  void link(uint32_t join, uint32_t before);
  const SimNode &operator[](uint32_t node) const { return nodes_[node]; }
  size_t size() const { return nodes_.size(); }
  // All nodes but the start. Texts and resources stay; these are free from then on.
  void clear();

  // When the node ends if all was recorded in the order of time: exact where one thread issues. What is recorded later
  // does not change it.
  uint64_t soon(uint32_t node) const { return soonNs_[node]; }

  // One number for each text, resources among them.
  uint32_t text(const std::string &text);
  const std::string &textOf(uint32_t text) const { return *texts_[text]; }
  // The resource is busy until then.
  void occupy(uint32_t resource, SimPoint until);

  // Places all nodes; those that come after themselves are left out. The n-th operation has number `first` + n.
  // `freeAt`, where it is wanted: until when each resource is busy at the end.
  std::vector<SimPlace> place(int64_t first = 0, std::map<uint32_t, SimPoint> *freeAt = nullptr) const;

private:
  class Placement;

  std::vector<SimNode> nodes_;
  std::map<std::string, uint32_t> numbers_;
  std::vector<const std::string *> texts_;
  std::map<uint32_t, SimPoint> busy_;
  std::vector<uint64_t> soonNs_;        // of nodes
  std::map<uint32_t, uint64_t> busyNs_; // of resources, for these
};

} // namespace heddle::sim

#endif // HEDDLE_RUNTIME_DRIVERS_SIM_SIMGRAPH_H
