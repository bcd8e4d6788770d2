// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/AffinitySolver.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace mlir::heddle::flow;

namespace {

Topology twoDevices() {
  Topology topology;
  topology.devices = {"a", "b"};
  return topology;
}

using Edges = std::vector<AffinityProblem::Edge>;

std::vector<unsigned> devicesOf(const std::vector<Placement> &placements) {
  std::vector<unsigned> devices;
  for (const Placement &placement : placements)
    devices.push_back(placement.device);
  return devices;
}

TEST(AffinitySolver, AChainPinnedAtOneEndIsThere) {
  EXPECT_EQ(devicesOf(solveAffinities({{{1}, {}, {}}, Edges{{0, 1}, {1, 2}}}, twoDevices())),
            (std::vector<unsigned>{1, 1, 1}));
  EXPECT_EQ(devicesOf(solveAffinities({{{}, {}, {1}}, Edges{{0, 1}, {1, 2}}}, twoDevices())),
            (std::vector<unsigned>{1, 1, 1}));
}

TEST(AffinitySolver, NothingKnownIsTheDefault) {
  Topology topology = twoDevices();
  topology.defaultDevice = 1;
  auto placements = solveAffinities({{{}, {}}, Edges{{0, 1}}}, topology);
  EXPECT_EQ(placements[1].device, 1u);
  EXPECT_EQ(placements[1].rule, PlacementRule::Default);
  EXPECT_FALSE(placements[1].definite);
}

// The sibling of what a consumer decided follows it in the next sweep.
TEST(AffinitySolver, SweepsUntilNothingChanges) {
  auto placements = solveAffinities({{{}, {1}, {}, {}}, Edges{{0, 1}, {0, 2}, {3, 2}}}, twoDevices());
  EXPECT_EQ(devicesOf(placements), (std::vector<unsigned>{1, 1, 1, 1}));
  EXPECT_EQ(placements[3].rule, PlacementRule::Consumers);
}

TEST(AffinitySolver, CompetitionIsDecidedByBytesAndReported) {
  auto placements = solveAffinities({{{0}, {1}, {}}, Edges{{0, 2, 10}, {1, 2, 1000000}}}, twoDevices());
  EXPECT_EQ(placements[2].device, 1u);
  EXPECT_EQ(placements[2].rule, PlacementRule::Cheapest);
  EXPECT_EQ(placements[2].candidates, (llvm::SmallVector<unsigned, 2>{0, 1}));
  EXPECT_FALSE(placements[2].definite);
}

TEST(AffinitySolver, CompetitionIsDecidedByTheTopology) {
  Topology topology = twoDevices();
  AffinityProblem problem{{{0}, {1}, {}}, Edges{{0, 2, 1000}, {1, 2, 1000}}};
  EXPECT_EQ(solveAffinities(problem, topology)[2].device, 0u); // a tie
  topology.links[{1, 0}].latencyUs = 500;
  EXPECT_EQ(solveAffinities(problem, topology)[2].device, 1u);
}

TEST(AffinitySolver, ATiedProducerCountsFirst) {
  AffinityProblem problem{{{0}, {1}, {}}, Edges{{0, 2, 1000000}, {1, 2, 1, 1, /*tied=*/true}}};
  EXPECT_EQ(solveAffinities(problem, twoDevices())[2].device, 1u);
}

// What a loop carries (1 and 2) has one device, the one that each iteration gives.
TEST(AffinitySolver, ALoopHasOneAnswer) {
  AffinityProblem carried{{{0}, {}, {}}, Edges{{0, 1, 8}, {1, 2, 8, 8}, {2, 1, 8, 8}}};
  EXPECT_EQ(devicesOf(solveAffinities(carried, twoDevices())), (std::vector<unsigned>{0, 0, 0}));
  AffinityProblem pinned{{{0}, {}, {1}}, Edges{{0, 1, 8}, {1, 2, 8, 8}, {2, 1, 8, 8}}};
  EXPECT_EQ(devicesOf(solveAffinities(pinned, twoDevices())), (std::vector<unsigned>{0, 1, 1}));
}

TEST(AffinitySolver, ANodeThatMayChooseTakesWhatItsProducersHave) {
  AffinityProblem problem{{{1}, {0, 1}, {0, 1}}, Edges{{0, 1, 8}}};
  auto placements = solveAffinities(problem, twoDevices());
  EXPECT_EQ(devicesOf(placements), (std::vector<unsigned>{1, 1, 0}));
}

// The same graph under other numbers of its nodes and another order of its edges.
TEST(AffinitySolver, OrderMakesNoDifference) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 200; ++round) {
    Topology topology;
    topology.devices = {"a", "b", "c"};
    topology.links[{0, 2}].latencyUs = 3;
    unsigned nodes = 2 + random() % 30;
    AffinityProblem problem;
    for (unsigned i = 0; i < nodes; ++i) {
      problem.allowed.emplace_back();
      if (random() % 5 == 0)
        problem.allowed.back() = {static_cast<unsigned>(random() % 3)};
    }
    for (unsigned i = 0; i < 2 * nodes; ++i)
      problem.edges.push_back({static_cast<unsigned>(random() % nodes), static_cast<unsigned>(random() % nodes),
                               random() % 4 * 100000, 1 + random() % 2, random() % 8 == 0});
    std::vector<unsigned> names(nodes);
    std::iota(names.begin(), names.end(), 0);
    std::shuffle(names.begin(), names.end(), random);
    AffinityProblem other;
    other.allowed.resize(nodes);
    for (unsigned i = 0; i < nodes; ++i)
      other.allowed[names[i]] = problem.allowed[i];
    for (const AffinityProblem::Edge &edge : problem.edges)
      other.edges.push_back({names[edge.from], names[edge.to], edge.bytes, edge.runs, edge.tied});
    std::shuffle(other.edges.begin(), other.edges.end(), random);
    auto first = solveAffinities(problem, topology), second = solveAffinities(other, topology);
    for (unsigned i = 0; i < nodes; ++i) {
      EXPECT_EQ(first[i].device, second[names[i]].device) << "round " << round << ", node " << i;
      EXPECT_EQ(first[i].rule, second[names[i]].rule) << "round " << round << ", node " << i;
    }
  }
}

} // namespace
