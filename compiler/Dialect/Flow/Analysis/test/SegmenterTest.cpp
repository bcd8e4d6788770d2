// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/Segmenter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace mlir::heddle::flow;

namespace {

using Segments = std::vector<std::vector<unsigned>>;

const auto always = [](auto, auto) { return true; };
const auto never = [](auto, auto) { return false; };

// Each node once, members ascending, and every edge inside a segment or from an earlier segment to a later one.
void expectTopological(const SegmentGraph &graph, const Segments &segments) {
  std::vector<int> of(graph.nodes, -1);
  for (size_t s = 0; s < segments.size(); ++s) {
    EXPECT_TRUE(std::is_sorted(segments[s].begin(), segments[s].end()));
    for (unsigned node : segments[s]) {
      EXPECT_EQ(of[node], -1) << "node " << node << " is in two segments";
      of[node] = static_cast<int>(s);
    }
  }
  for (unsigned node = 0; node < graph.nodes; ++node)
    EXPECT_NE(of[node], -1) << "node " << node << " is in no segment";
  for (auto [producer, consumer] : graph.edges)
    EXPECT_LE(of[producer], of[consumer]) << "edge " << producer << " -> " << consumer << " goes backwards";
}

SegmentGraph randomGraph(std::mt19937 &random) {
  SegmentGraph graph;
  graph.nodes = 1 + random() % 24;
  for (unsigned consumer = 1; consumer < graph.nodes; ++consumer)
    for (unsigned i = 0, n = random() % 4; i < n; ++i)
      graph.edges.emplace_back(random() % consumer, consumer);
  return graph;
}

unsigned components(const SegmentGraph &graph) {
  std::vector<unsigned> root(graph.nodes);
  std::iota(root.begin(), root.end(), 0);
  auto find = [&](unsigned node) {
    while (root[node] != node)
      node = root[node];
    return node;
  };
  for (auto [a, b] : graph.edges)
    root[find(a)] = find(b);
  unsigned count = 0;
  for (unsigned node = 0; node < graph.nodes; ++node)
    count += root[node] == node;
  return count;
}

TEST(Segmenter, Empty) { EXPECT_EQ(segment({}, always), Segments{}); }

TEST(Segmenter, Chain) {
  SegmentGraph chain{3, {{0, 1}, {1, 2}}};
  EXPECT_EQ(segment(chain, always), (Segments{{0, 1, 2}}));
  EXPECT_EQ(segment(chain, never), (Segments{{0}, {1}, {2}}));
}

// 0 -> 1 -> 2 and 0 -> 2, where 1 may not merge: 0 and 2 must not either, or 1 would lie on a cycle.
TEST(Segmenter, RefusesCycle) {
  SegmentGraph diamond{3, {{0, 1}, {1, 2}, {0, 2}}};
  auto notOne = [](llvm::ArrayRef<unsigned> a, llvm::ArrayRef<unsigned> b) {
    return !llvm::is_contained(a, 1u) && !llvm::is_contained(b, 1u);
  };
  EXPECT_EQ(segment(diamond, notOne), (Segments{{0}, {1}, {2}}));
}

TEST(Segmenter, PredicateSeesWholeGroups) {
  SegmentGraph chain{4, {{0, 1}, {1, 2}, {2, 3}}};
  auto atMostTwo = [](llvm::ArrayRef<unsigned> a, llvm::ArrayRef<unsigned> b) { return a.size() + b.size() <= 2; };
  EXPECT_EQ(segment(chain, atMostTwo), (Segments{{0, 1}, {2, 3}}));
}

TEST(Segmenter, RandomGraphsStayTopological) {
  unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    SegmentGraph graph = randomGraph(random);
    expectTopological(graph, segment(graph, [&](auto, auto) { return random() % 2 == 0; }));
    EXPECT_EQ(segment(graph, never).size(), graph.nodes);
    Segments all = segment(graph, always);
    expectTopological(graph, all);
    EXPECT_EQ(all.size(), components(graph));
  }
}

} // namespace
