// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Place/CostModel.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir::heddle;
using namespace mlir::heddle::flow;

namespace {

// 1 GFLOP/s, no launch: a flop is a nanosecond. Moving takes a nanosecond a byte and 100 for each move.
Topology devices(unsigned count) {
  Topology topology;
  for (unsigned i = 0; i < count; ++i) {
    topology.devices.push_back(std::string(1, 'a' + i));
    topology.models.push_back({1, 1e9, 0, 0});
    for (unsigned j = 0; j < count; ++j)
      if (i != j)
        topology.links[{i, j}] = {false, false, 1, 0.1};
  }
  return topology;
}

CostTask work(uint64_t flops, llvm::SmallVector<unsigned, 4> inputs, uint64_t valueBytes = 0) {
  CostTask task;
  task.flops = flops;
  task.inputs = std::move(inputs);
  task.valueBytes = valueBytes;
  return task;
}

TEST(CostModel, WorkTakesWhatIsScarcer) {
  CostTask task = work(1000, {});
  task.bytes = 4000;
  EXPECT_EQ(workNs(task, {1, 2, 0.5, 0}), 2500u);
  EXPECT_EQ(workNs(task, {0.1, 2, 0.5, 0}), 10500u);
}

// a runs 1000, the copy takes 100 + 50 on b's stream, b runs 500; what a goes on with runs beside.
TEST(CostModel, StreamsRunInOrderBesideOneAnother) {
  CostProblem problem{{work(1000, {}, 50), work(500, {0}), work(600, {0})}, {}};
  std::vector<unsigned> assignment{0, 1, 0};
  CostEstimate estimate = estimateCost(problem, devices(2), assignment);
  EXPECT_EQ(estimate.ns, 1650u);
  EXPECT_EQ(estimate.transfers, 1u);
  EXPECT_EQ(estimate.transferBytes, 50u);
}

// The argument comes in 10 + 50, the result leaves in 20 + 30 ns; without the links as before.
TEST(CostModel, ArgumentsAndResultsTakeTheHostsLinks) {
  CostTask argument = work(0, {}, 50), result = work(0, {1});
  argument.kind = CostTask::Source;
  result.kind = CostTask::Sink;
  CostProblem problem{{argument, work(1000, {0}, 30), result}, {}};
  Topology topology = devices(2);
  std::vector<unsigned> assignment{1, 1, 1};
  EXPECT_EQ(estimateCost(problem, topology, assignment).ns, 1000u);
  topology.models[1].fromHost = Link{false, false, 1, 0.01};
  topology.models[1].toHost = Link{false, false, 1, 0.02};
  CostEstimate estimate = estimateCost(problem, topology, assignment);
  EXPECT_EQ(estimate.ns, 1110u);
  EXPECT_EQ(estimate.transfers, 0u);
  // A device 9 % faster is not worth the way; one 20 % faster is.
  topology.models[1].gflops = 1.09;
  EXPECT_EQ(assignByCost(problem, topology)->devices[1], 0u);
  topology.models[1].gflops = 1.2;
  EXPECT_EQ(assignByCost(problem, topology)->devices[1], 1u);
}

TEST(CostModel, AValueGoesToADeviceOnce) {
  CostProblem problem{{work(1000, {}, 50), work(10, {0}), work(10, {0}), work(10, {1, 2, 0})}, {}};
  std::vector<unsigned> assignment{0, 1, 1, 1};
  CostEstimate estimate = estimateCost(problem, devices(2), assignment);
  EXPECT_EQ(estimate.transfers, 1u);
  EXPECT_EQ(estimate.ns, 1180u);
}

// Task 1 is the value of task 0 laid out, 60 bytes for 50: both are read on b, so the value crosses; task 1 alone as it
// lies.
TEST(CostModel, AValueInTwoLayoutsGoesToADeviceOnce) {
  CostTask layout = work(0, {0}, 60);
  layout.kind = CostTask::Follows;
  layout.layoutOf = 0;
  CostProblem problem{{work(1000, {}, 50), layout, work(10, {0}), work(10, {1, 2})}, {}};
  std::vector<unsigned> assignment{0, 0, 1, 1};
  CostEstimate estimate = estimateCost(problem, devices(2), assignment);
  EXPECT_EQ(estimate.transfers, 1u);
  EXPECT_EQ(estimate.transferBytes, 50u);
  EXPECT_EQ(estimate.ns, 1170u);
  problem.tasks[2].inputs = {};
  estimate = estimateCost(problem, devices(2), assignment);
  EXPECT_EQ(estimate.transfers, 1u);
  EXPECT_EQ(estimate.transferBytes, 60u);
}

TEST(CostModel, MemoryIsParametersAndWhatLives) {
  CostProblem problem{{work(1, {}, 100), work(1, {0}, 30), work(1, {1}, 60)}, {1000}};
  problem.tasks[0].parameters = problem.tasks[2].parameters = {0};
  std::vector<unsigned> assignment{0, 0, 0};
  EXPECT_EQ(estimateCost(problem, devices(1), assignment).memory[0], 1130u);
}

TEST(CostModel, AChainStaysTogether) {
  CostProblem problem{{work(1000, {}, 10), work(1000, {0}, 10), work(1000, {1}, 10)}, {}};
  auto decision = assignByCost(problem, devices(2));
  EXPECT_EQ(decision->devices, (std::vector<unsigned>{0, 0, 0}));
  EXPECT_EQ(decision->single, 0u);
  EXPECT_EQ(decision->estimate.ns, 3000u);
}

TEST(CostModel, IndependentWorkIsShared) {
  CostProblem problem{{work(1000, {}), work(1000, {}), work(1000, {}), work(1000, {})}, {}};
  auto decision = assignByCost(problem, devices(2));
  EXPECT_EQ(decision->estimate.ns, 2000u);
  EXPECT_EQ(decision->singleEstimate.ns, 4000u);
}

TEST(CostModel, ThePinnedStays) {
  CostProblem problem{{work(1000, {}, 1), work(1000, {0}, 1), work(1000, {1}, 1)}, {}};
  problem.tasks[1].fixed = 1;
  auto decision = assignByCost(problem, devices(2));
  EXPECT_EQ(decision->devices, (std::vector<unsigned>{1, 1, 1}));
}

TEST(CostModel, ParametersThatFitNoDeviceAreSplit) {
  CostProblem problem{{}, {60, 60, 60, 60}};
  for (unsigned i = 0; i < 4; ++i) {
    problem.tasks.push_back(
        work(1000, i ? llvm::SmallVector<unsigned, 4>{i - 1} : llvm::SmallVector<unsigned, 4>{}, 1));
    problem.tasks.back().parameters = {i};
  }
  Topology topology = devices(2);
  topology.models[0].memoryBytes = topology.models[1].memoryBytes = 130;
  auto decision = assignByCost(problem, topology);
  ASSERT_TRUE(decision);
  EXPECT_FALSE(decision->single);
  EXPECT_EQ(decision->devices, (std::vector<unsigned>{0, 0, 1, 1}));
  topology.models[1].memoryBytes = 60;
  EXPECT_FALSE(assignByCost(problem, topology));
}

// Never worse than the best single device, whatever the graph.
TEST(CostModel, NeverWorseThanOneDevice) {
  std::mt19937 random(3);
  for (unsigned round = 0; round < 50; ++round) {
    CostProblem problem;
    for (unsigned i = 0; i < 40; ++i) {
      llvm::SmallVector<unsigned, 4> inputs;
      for (unsigned k = 0; k < 2 && i > 0; ++k)
        inputs.push_back(random() % i);
      problem.tasks.push_back(work(random() % 5000, inputs, random() % 1000));
    }
    Topology topology = devices(3);
    topology.models[2].gflops = 2;
    auto decision = assignByCost(problem, topology);
    EXPECT_LE(decision->estimate.ns, decision->singleEstimate.ns);
    std::vector<unsigned> again = decision->devices;
    EXPECT_EQ(estimateCost(problem, topology, again).ns, decision->estimate.ns);
    EXPECT_EQ(assignByCost(problem, topology)->devices, decision->devices);
  }
}

} // namespace
