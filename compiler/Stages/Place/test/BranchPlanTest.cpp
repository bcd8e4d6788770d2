// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Place/BranchPlan.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace mlir::heddle;

namespace {

using Tasks = std::vector<BranchTask>;

BranchTask task(uint64_t ns, llvm::SmallVector<unsigned, 4> inputs, unsigned width = 1) {
  BranchTask made;
  made.ns = ns;
  made.width = width;
  made.inputs = std::move(inputs);
  return made;
}

// Two cores, and no cost of anything.
BranchMachine cores(unsigned units = 2) {
  BranchMachine machine;
  machine.units = machine.queues = units;
  return machine;
}

// A task, branches of `lengths` tasks of 1000 ns behind it, and one that reads their ends.
Tasks fork(llvm::ArrayRef<unsigned> lengths, unsigned width = 1) {
  Tasks tasks{task(100, {})};
  llvm::SmallVector<unsigned, 4> ends;
  for (unsigned length : lengths) {
    unsigned last = 0;
    for (unsigned i = 0; i < length; ++i) {
      tasks.push_back(task(1000, {last}, width));
      last = tasks.size() - 1;
    }
    ends.push_back(last);
  }
  tasks.push_back(task(100, ends));
  return tasks;
}

std::vector<unsigned> all(const Tasks &tasks) {
  std::vector<unsigned> list(tasks.size());
  std::iota(list.begin(), list.end(), 0);
  return list;
}

TEST(BranchRegions, AreBetweenWhatAllPathsPass) {
  EXPECT_TRUE(findRegions({task(1, {}), task(1, {0}), task(1, {1})}, {0, 1, 2}).empty());
  Tasks tasks = fork({2, 1});
  std::vector<BranchRegion> regions = findRegions(tasks, all(tasks));
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].branches, (std::vector<std::vector<unsigned>>{{1, 2}, {3}}));
  // What nothing comes before or behind: two programs in one.
  Tasks apart{task(1, {}), task(1, {}), task(1, {0}), task(1, {1})};
  regions = findRegions(apart, all(apart));
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].branches, (std::vector<std::vector<unsigned>>{{0, 2}, {1, 3}}));
}

TEST(BranchRegions, ASkipIsNoBranch) {
  Tasks residual{task(1, {}), task(1, {0}), task(1, {1}), task(1, {0, 2})};
  EXPECT_TRUE(findRegions(residual, all(residual)).empty());
}

// Random graphs: a task that is in no region is one that every path from a start to an end passes.
TEST(BranchRegions, AgreeWithPathsOfRandomGraphs) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Tasks tasks;
    for (unsigned i = 0, count = 2 + random() % 10; i < count; ++i) {
      tasks.push_back(task(1, {}));
      for (unsigned j = 0; j < i; ++j)
        if (random() % 4 == 0)
          tasks.back().inputs.push_back(j);
    }
    size_t count = tasks.size();
    std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
    for (unsigned i = 0; i < count; ++i)
      for (unsigned input : tasks[i].inputs) {
        before[input][i] = true;
        for (unsigned j = 0; j < count; ++j)
          before[j][i] = before[j][i] || before[j][input];
      }
    std::vector<int> regionOf(count, -1);
    std::vector<BranchRegion> regions = findRegions(tasks, all(tasks));
    for (auto [r, region] : llvm::enumerate(regions))
      for (const std::vector<unsigned> &branch : region.branches)
        for (unsigned one : branch)
          regionOf[one] = r;
    for (unsigned i = 0; i < count; ++i) {
      bool isPassed = true;
      for (unsigned j = 0; j < count; ++j)
        isPassed &= i == j || before[i][j] || before[j][i];
      if (isPassed)
        EXPECT_EQ(regionOf[i], -1) << "seed " << seed << ", task " << i;
    }
    // Branches of a region do not depend on one another.
    for (const BranchRegion &region : regions)
      for (const std::vector<unsigned> &a : region.branches)
        for (const std::vector<unsigned> &b : region.branches)
          for (unsigned i : a)
            for (unsigned j : b)
              EXPECT_FALSE(&a != &b && before[i][j]) << "seed " << seed;
  }
}

TEST(BranchTime, QueuesShareUnits) {
  Tasks tasks{task(1000, {}), task(1000, {}, 2), task(600, {}, 2)};
  EXPECT_EQ(simulateQueues(tasks, {{0, 1}}, cores()), 1500u);
  // Both take one core; then the wide one has both for what is left of it: 400 on one.
  EXPECT_EQ(simulateQueues(tasks, {{2}, {1}}, cores()), 800u);
  EXPECT_EQ(simulateQueues(tasks, {{0}, {1}}, cores()), 1000u);
  // Without units to share nobody waits.
  EXPECT_EQ(simulateQueues(tasks, {{0}, {1, 2}}, cores(0)), 1600u);
  // The third queue waits for a core.
  EXPECT_EQ(simulateQueues({task(1000, {}), task(700, {}), task(1000, {})}, {{0}, {1}, {2}}, cores()), 1700u);
}

TEST(BranchTime, HandingOverAndJoiningTakeTime) {
  BranchMachine machine = cores();
  machine.launchNs = 10;
  machine.spreadNs = 40;
  machine.handOverNs = 500;
  machine.joinNs = 100;
  Tasks tasks{task(1000, {}), task(1000, {}), task(1000, {}, 2)};
  EXPECT_EQ(simulateQueues(tasks, {{0, 1, 2}}, machine), 2570u);
  EXPECT_EQ(simulateQueues(tasks, {{0}, {1}}, machine), 1610u);
  EXPECT_EQ(simulateQueues(tasks, {{0, 1}, {}}, machine), 2020u);
  // The operands come to the second core, too; beside another queue it has one.
  machine.spreadGbps = 10;
  tasks[2].readBytes = 4000;
  EXPECT_EQ(simulateQueues(tasks, {{0, 1, 2}}, machine), 2770u);
  EXPECT_EQ(simulateQueues(tasks, {{2}, {1}}, machine), 1610u);
}

TEST(BranchPlan, BranchesOfOneWorkgroupAreSpread) {
  BranchPlan plan = planBranches(fork({2, 2}), cores());
  EXPECT_EQ(plan.queues, (std::vector<unsigned>{0, 0, 0, 1, 1, 0}));
  ASSERT_EQ(plan.regions.size(), 1u);
  EXPECT_EQ(plan.regions[0].verdict, BranchVerdict::Chosen);
  EXPECT_EQ(plan.regions[0].serialNs, 4000u);
  EXPECT_EQ(plan.regions[0].besideNs, 2000u);
}

TEST(BranchPlan, WhatFillsTheUnitsStays) {
  BranchPlan plan = planBranches(fork({2, 2}, 2), cores());
  EXPECT_EQ(plan.queues, std::vector<unsigned>(6, 0));
  EXPECT_EQ(plan.regions[0].verdict, BranchVerdict::NoGain);
  // Four cores are not filled by two workgroups.
  EXPECT_EQ(planBranches(fork({2, 2}, 2), cores(4)).regions[0].verdict, BranchVerdict::Chosen);
}

TEST(BranchPlan, OneUnitOrOneQueueIsLeftAlone) { EXPECT_TRUE(planBranches(fork({2, 2}), cores(1)).regions.empty()); }

TEST(BranchPlan, HandingOverMustPay) {
  BranchMachine machine = cores();
  machine.handOverNs = 950;
  EXPECT_EQ(planBranches(fork({1, 1}), machine).regions[0].verdict, BranchVerdict::NoGain);
  machine.handOverNs = 500;
  EXPECT_EQ(planBranches(fork({1, 1}), machine).regions[0].verdict, BranchVerdict::Chosen);
  BranchLimits limits;
  limits.leastNs = 600;
  EXPECT_EQ(planBranches(fork({1, 1}), machine, limits).regions[0].verdict, BranchVerdict::NoGain);
}

// What several queues cost counts for all tasks of the program, what is gained in some of its regions.
TEST(BranchPlan, TheWholeMustGain) {
  Tasks tasks = fork({1, 1});
  tasks.push_back(task(30'000, {3}));
  BranchLimits limits;
  limits.leastOfAll = 0.03;
  EXPECT_EQ(planBranches(tasks, cores(), limits).regions[0].verdict, BranchVerdict::Chosen);
  limits.leastOfAll = 0.04;
  BranchPlan plan = planBranches(tasks, cores(), limits);
  EXPECT_EQ(plan.regions[0].verdict, BranchVerdict::Little);
  EXPECT_EQ(plan.queues, std::vector<unsigned>(5, 0));
  BranchMachine machine = cores();
  machine.queuedNs = 199;
  EXPECT_EQ(planBranches(tasks, machine).regions[0].verdict, BranchVerdict::Chosen);
  machine.queuedNs = 201;
  EXPECT_EQ(planBranches(tasks, machine).regions[0].verdict, BranchVerdict::Little);
}

// Five branches on two queues: the longest first, each where least is. The fewest queues that reach the time.
TEST(BranchPlan, QueuesAreFilledEvenly) {
  BranchPlan plan = planBranches(fork({3, 1, 2, 1, 1}), cores());
  EXPECT_EQ(plan.regions[0].besideNs, 4000u);
  BranchMachine machine = cores(0);
  machine.queues = 8;
  plan = planBranches(fork({3, 1, 2, 1, 1}), machine);
  EXPECT_EQ(plan.regions[0].besideNs, 3000u);
  EXPECT_EQ(plan.regions[0].queues, 3u);
}

// Two cores are not faster with more queues, but more cores would be.
TEST(BranchPlan, MoreQueuesWhereThereMayBeMoreCores) {
  BranchMachine machine = cores();
  machine.queues = 4;
  EXPECT_EQ(planBranches(fork({2, 2, 2, 2}), machine).regions[0].queues, 2u);
  machine.mayHaveMore = true;
  EXPECT_EQ(planBranches(fork({2, 2, 2, 2}), machine).regions[0].queues, 4u);
  EXPECT_EQ(planBranches(fork({2, 2, 2, 2}), machine).regions[0].besideNs, 4000u);
}

TEST(BranchPlan, BranchesWithinABranch) {
  // 0 → {1 → {2, 3} → 4, 5 (short)} → 6: the outer ones gain too little, the inner ones do.
  Tasks tasks{task(10, {}),     task(10, {0}), task(1000, {1}), task(1000, {1}),
              task(10, {2, 3}), task(10, {0}), task(10, {4, 5})};
  BranchPlan plan = planBranches(tasks, cores());
  EXPECT_EQ(plan.queues, (std::vector<unsigned>{0, 0, 0, 1, 0, 0, 0}));
  ASSERT_EQ(plan.regions.size(), 2u);
  EXPECT_EQ(plan.regions[0].verdict, BranchVerdict::NoGain);
  EXPECT_EQ(plan.regions[1].verdict, BranchVerdict::Chosen);
}

TEST(BranchPlan, WhatIsFixedStaysOnTheFirstQueue) {
  Tasks tasks = fork({2, 2});
  tasks[1].isFixed = true;
  EXPECT_EQ(planBranches(tasks, cores()).queues, (std::vector<unsigned>{0, 0, 0, 1, 1, 0}));
  tasks = fork({2, 2});
  tasks[3].isFixed = true;
  EXPECT_EQ(planBranches(tasks, cores()).queues, (std::vector<unsigned>{0, 1, 1, 0, 0, 0}));
  tasks[1].isFixed = true;
  EXPECT_EQ(planBranches(tasks, cores()).regions[0].verdict, BranchVerdict::Fixed);
}

TEST(BranchPlan, UnknownTimesAreNotGuessed) {
  Tasks tasks = fork({2, 2});
  tasks[4].isUnknown = true;
  BranchPlan plan = planBranches(tasks, cores());
  EXPECT_EQ(plan.regions[0].verdict, BranchVerdict::Unknown);
  EXPECT_EQ(plan.queues, std::vector<unsigned>(6, 0));
}

// One after the other the branches' large values take turns, side by side both are held.
TEST(BranchPlan, MemoryIsBounded) {
  Tasks tasks = fork({2, 2});
  for (BranchTask &one : tasks)
    one.bytes = 1000;
  tasks[1].bytes = tasks[3].bytes = 100 << 20;
  EXPECT_EQ(planBranches(tasks, cores()).regions[0].verdict, BranchVerdict::Memory);
  BranchLimits limits;
  limits.mostMemory = 1;
  EXPECT_EQ(planBranches(tasks, cores(), limits).regions[0].verdict, BranchVerdict::Chosen);
  tasks[0].bytes = 500 << 20; // beside which the growth is small
  EXPECT_EQ(planBranches(tasks, cores()).regions[0].verdict, BranchVerdict::Chosen);
  for (BranchTask &one : tasks)
    one.bytes = 1 << 18;
  EXPECT_EQ(planBranches(tasks, cores()).regions[0].verdict, BranchVerdict::Chosen);
}

// A choice is never slower than one queue by the model, and keeps every dependence within a queue or across a join.
TEST(BranchPlan, RandomGraphsGainOrStay) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Tasks tasks;
    for (unsigned i = 0, count = 2 + random() % 30; i < count; ++i) {
      tasks.push_back(task(100 + random() % 2000, {}, 1 + random() % 3));
      tasks.back().bytes = random() % 5000;
      for (unsigned j = i > 4 ? i - 4 : 0; j < i; ++j)
        if (random() % 3 == 0)
          tasks.back().inputs.push_back(j);
    }
    BranchMachine machine = cores(2 + random() % 3);
    machine.handOverNs = random() % 1000;
    for (const BranchRegion &region : planBranches(tasks, machine).regions)
      if (region.verdict == BranchVerdict::Chosen)
        EXPECT_LT(region.besideNs, region.serialNs) << "seed " << seed;
  }
}

TEST(BranchPlan, ManyTasksAreNoWork) {
  Tasks tasks{task(1, {})};
  for (unsigned i = 0; i < 20'000; ++i)
    tasks.push_back(task(10, {i % 2 ? 0 : i}));
  EXPECT_FALSE(planBranches(tasks, cores()).regions.empty());
}

} // namespace
