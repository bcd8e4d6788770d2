// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Place/BranchPlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir::heddle;
using llvm::ArrayRef;

using Queue = std::vector<unsigned>;

//===--- Regions -------------------------------------------------------------------------------------------------===//

namespace {

// The dependences among some tasks, by position. A task at position p is one that every path passes if and only if no
// dependence leads from before p to behind it, where the start leads to what reads nothing and the end is led to by
// what nothing reads. That holds for any order in which inputs come first.
class Paths {
public:
  Paths(ArrayRef<BranchTask> tasks, ArrayRef<unsigned> among) : among(among), crossing(among.size() + 1) {
    llvm::DenseMap<unsigned, unsigned> positions;
    for (auto [position, task] : llvm::enumerate(among))
      positions[task] = position;
    std::vector<bool> isRead(among.size());
    for (auto [position, task] : llvm::enumerate(among)) {
      bool reads = false;
      for (unsigned input : tasks[task].inputs)
        if (auto from = positions.find(input); from != positions.end()) {
          edges.push_back({from->second, static_cast<unsigned>(position)});
          cross(from->second + 1, position);
          isRead[from->second] = reads = true;
        }
      if (!reads)
        cross(0, position);
    }
    for (unsigned position = 0; position < among.size(); ++position)
      if (!isRead[position])
        cross(position + 1, among.size());
  }

  std::vector<BranchRegion> regions() {
    llvm::IntEqClasses classes(among.size());
    std::vector<bool> isPassed(among.size());
    for (int depth = 0; unsigned position : llvm::seq<unsigned>(0, among.size()))
      isPassed[position] = (depth += crossing[position]) == 0;
    for (auto [from, to] : edges)
      if (!isPassed[from] && !isPassed[to]) // then they are of one region
        classes.join(from, to);
    std::vector<BranchRegion> all;
    llvm::MapVector<unsigned, Queue> branches; // of the region that is open
    auto end = [&] {
      if (branches.size() > 1) {
        BranchRegion &region = all.emplace_back();
        for (auto &[leader, branch] : branches)
          region.branches.push_back(std::move(branch));
      }
      branches.clear();
    };
    for (auto [position, task] : llvm::enumerate(among)) {
      if (isPassed[position])
        end();
      else
        branches[classes.findLeader(position)].push_back(task);
    }
    end();
    return all;
  }

private:
  // A dependence leads past the positions [from, to).
  void cross(unsigned from, unsigned to) {
    ++crossing[from];
    --crossing[to];
  }

  ArrayRef<unsigned> among;
  std::vector<int> crossing; // how many more than at the position before
  std::vector<std::pair<unsigned, unsigned>> edges;
};

} // namespace

std::vector<BranchRegion> mlir::heddle::findRegions(ArrayRef<BranchTask> tasks, ArrayRef<unsigned> among) {
  return Paths(tasks, among).regions();
}

//===--- Time ----------------------------------------------------------------------------------------------------===//

namespace {

// A queue on its way: what is left of the task it is at.
struct Running {
  const Queue *tasks;
  size_t next = 0;
  double pause = 0; // until it works: the hand-over, or a launch
  double work = 0;  // on one unit
  double width = 1;
  bool isDone() const { return pause <= 0 && work <= 0 && next == tasks->size(); }
};

class QueueClock {
public:
  QueueClock(ArrayRef<BranchTask> tasks, const BranchMachine &machine) : tasks(tasks), machine(machine) {}

  uint64_t run(ArrayRef<Queue> queues) {
    unsigned used = 0;
    for (const Queue &queue : queues) {
      running.push_back({&queue});
      if (used++ && !queue.empty())
        running.back().pause = static_cast<double>(machine.handOverNs);
    }
    double now = 0;
    while (true) {
      bool isOver = true;
      for (Running &one : running) {
        while (one.pause <= 0 && one.work <= 0 && one.next < one.tasks->size())
          begin(one, llvm::count_if(running, [](const Running &other) { return !other.isDone(); }));
        isOver &= one.isDone();
      }
      if (isOver)
        break;
      now += advance();
    }
    size_t joined = llvm::count_if(queues.drop_front(), [](const Queue &queue) { return !queue.empty(); });
    return std::llround(now) + joined * machine.joinNs;
  }

private:
  // `queues` have something to do.
  void begin(Running &one, unsigned queues) {
    const BranchTask &task = tasks[(*one.tasks)[one.next++]];
    one.work = static_cast<double>(task.ns);
    one.width = machine.units ? std::clamp<unsigned>(task.width, 1, machine.units) : 1;
    one.pause = task.isJoin ? 0 : static_cast<double>(machine.launchNs);
    double spread = std::min(one.width, machine.units / static_cast<double>(std::max(queues, 1u)));
    if (spread > 1) {
      one.pause += static_cast<double>(machine.spreadNs);
      if (machine.spreadGbps > 0)
        one.pause += static_cast<double>(task.readBytes) * (1 - 1 / spread) / machine.spreadGbps;
    }
  }

  // Units that each queue has, 0 for those that wait for one: an even share of those that are left, narrowest first.
  std::vector<double> share() const {
    std::vector<double> rates(running.size());
    std::vector<size_t> order;
    unsigned atWork = 0;
    for (auto [i, one] : llvm::enumerate(running)) {
      if (one.isDone() || (machine.units && atWork == machine.units))
        continue;
      ++atWork;
      if (one.pause <= 0 && one.work > 0)
        order.push_back(i);
    }
    llvm::stable_sort(order, [&](size_t a, size_t b) { return running[a].width < running[b].width; });
    double left = machine.units;
    for (auto [done, i] : llvm::enumerate(order)) {
      rates[i] = machine.units ? std::min(running[i].width, left / static_cast<double>(order.size() - done)) : 1;
      left -= rates[i];
    }
    return rates;
  }

  // To the next time at which a queue begins something.
  double advance() {
    std::vector<double> rates = share();
    double step = 0;
    bool isSet = false;
    auto limit = [&](double ns) {
      step = isSet ? std::min(step, ns) : ns;
      isSet = true;
    };
    for (auto [one, rate] : llvm::zip_equal(running, rates))
      if (one.pause > 0)
        limit(one.pause);
      else if (rate > 0)
        limit(one.work / rate);
    for (auto [one, rate] : llvm::zip_equal(running, rates))
      if (one.pause > 0)
        one.pause = one.pause - step < kTiny ? 0 : one.pause - step;
      else if (rate > 0)
        one.work = one.work - step * rate < kTiny ? 0 : one.work - step * rate;
    return step;
  }

  static constexpr double kTiny = 1e-3; // nanoseconds: what rounding leaves

  ArrayRef<BranchTask> tasks;
  const BranchMachine &machine;
  std::vector<Running> running;
};

} // namespace

uint64_t mlir::heddle::simulateQueues(ArrayRef<BranchTask> tasks, ArrayRef<Queue> queues,
                                      const BranchMachine &machine) {
  return QueueClock(tasks, machine).run(queues);
}

//===--- Memory --------------------------------------------------------------------------------------------------===//

namespace {

// The most bytes that work holds at a time.
class Holdings {
public:
  explicit Holdings(ArrayRef<BranchTask> tasks) : tasks(tasks), lastReader(tasks.size(), tasks.size()) {
    for (auto [i, task] : llvm::enumerate(tasks))
      for (unsigned input : task.inputs)
        lastReader[input] = i;
  }

  // Of some tasks, one after the other: of what they make. What others read lives on behind them.
  uint64_t most(ArrayRef<unsigned> list) const {
    llvm::DenseMap<unsigned, uint64_t> dying; // behind a task
    uint64_t now = 0, peak = 0;
    for (unsigned task : list)
      dying[lastReader[task]] += tasks[task].bytes;
    for (unsigned task : list) {
      peak = std::max(peak, now += tasks[task].bytes);
      now -= dying.lookup(task);
    }
    return peak;
  }

private:
  ArrayRef<BranchTask> tasks;
  std::vector<size_t> lastReader; // as many as there are tasks: none
};

//===--- Choice --------------------------------------------------------------------------------------------------===//

class Planner {
public:
  Planner(ArrayRef<BranchTask> tasks, const BranchMachine &machine, const BranchLimits &limits)
      : tasks(tasks), machine(machine), limits(limits), holdings(tasks) {
    plan.queues.assign(tasks.size(), 0);
  }

  BranchPlan run() {
    Queue all(llvm::seq<unsigned>(0, tasks.size()).begin(), llvm::seq<unsigned>(0, tasks.size()).end());
    total = holdings.most(all);
    if (machine.queues > 1)
      visit(all);
    if (!gainsEnough(all))
      revert();
    return std::move(plan);
  }

private:
  // Several queues cost something outside of the regions, too.
  bool gainsEnough(const Queue &all) const {
    double gain = 0;
    for (const BranchRegion &region : plan.regions)
      if (region.verdict == BranchVerdict::Chosen)
        gain += static_cast<double>(region.serialNs - region.besideNs);
    if (gain == 0)
      return true;
    double cost = static_cast<double>(machine.queuedNs * tasks.size());
    return gain >= cost + limits.leastOfAll * simulateQueues(tasks, ArrayRef<Queue>(all), machine);
  }

  void revert() {
    plan.queues.assign(tasks.size(), 0);
    for (BranchRegion &region : plan.regions)
      if (region.verdict == BranchVerdict::Chosen)
        region.verdict = BranchVerdict::Little;
  }

  void visit(const Queue &among) {
    for (BranchRegion &region : findRegions(tasks, among)) {
      choose(region);
      plan.regions.push_back(region);
      if (region.verdict != BranchVerdict::Chosen)
        for (const Queue &branch : region.branches)
          visit(branch);
    }
  }

  void choose(BranchRegion &region) {
    Queue serial;
    for (const Queue &branch : region.branches)
      serial.insert(serial.end(), branch.begin(), branch.end());
    llvm::sort(serial);
    if (llvm::any_of(serial, [&](unsigned task) { return tasks[task].isUnknown; })) {
      region.verdict = BranchVerdict::Unknown;
      return;
    }
    region.besideNs = region.serialNs = simulateQueues(tasks, ArrayRef<Queue>(serial), machine);
    std::vector<uint64_t> times;
    for (const Queue &branch : region.branches)
      times.push_back(simulateQueues(tasks, ArrayRef<Queue>(branch), machine));
    std::vector<Queue> best;
    size_t most = std::min<size_t>(machine.queues, region.branches.size());
    for (size_t count = 2; count <= most; ++count) {
      std::vector<Queue> queues = spread(region.branches, times, count);
      uint64_t ns = simulateQueues(tasks, queues, machine);
      double enough = static_cast<double>(region.besideNs) * (machine.mayHaveMore && !best.empty() ? kAboutEqual : 1);
      if (ns < region.besideNs || static_cast<double>(ns) < enough) {
        region.besideNs = ns;
        region.queues = count;
        best = std::move(queues);
      }
    }
    region.verdict = judge(region, serial, best);
    if (region.verdict == BranchVerdict::Chosen)
      for (auto [queue, list] : llvm::enumerate(best))
        for (unsigned task : list)
          plan.queues[task] = queue;
  }

  BranchVerdict judge(const BranchRegion &region, ArrayRef<unsigned> serial, ArrayRef<Queue> best) const {
    if (llvm::all_of(region.branches, [&](const Queue &branch) { return isFixed(branch); }))
      return BranchVerdict::Fixed;
    double gain = static_cast<double>(region.serialNs - region.besideNs);
    if (best.empty() || gain < std::max<double>(limits.leastNs, limits.leastGain * region.serialNs))
      return BranchVerdict::NoGain;
    uint64_t beside = 0, alone = holdings.most(serial);
    for (const Queue &queue : best)
      beside += holdings.most(queue);
    uint64_t more = beside - std::min(beside, alone);
    bool fits =
        more <= limits.freeMemory || static_cast<double>(more) <= limits.mostMemory * static_cast<double>(total);
    return fits ? BranchVerdict::Chosen : BranchVerdict::Memory;
  }

  // The longest branch first, each where least is; those that stay are on queue 0 from the beginning.
  std::vector<Queue> spread(ArrayRef<Queue> branches, ArrayRef<uint64_t> times, size_t count) const {
    std::vector<std::pair<uint64_t, const Queue *>> order;
    std::vector<Queue> queues(count);
    std::vector<uint64_t> filled(count);
    auto put = [&](size_t queue, const Queue &branch, uint64_t ns) {
      queues[queue].insert(queues[queue].end(), branch.begin(), branch.end());
      filled[queue] += ns;
    };
    for (auto [branch, ns] : llvm::zip_equal(branches, times)) {
      if (isFixed(branch))
        put(0, branch, ns);
      else
        order.push_back({ns, &branch});
    }
    llvm::stable_sort(order, [](const auto &a, const auto &b) { return a.first > b.first; });
    for (auto [ns, branch] : order)
      put(llvm::min_element(filled) - filled.begin(), *branch, ns);
    for (Queue &queue : queues)
      llvm::sort(queue);
    return queues;
  }

  static constexpr double kAboutEqual = 1.01;

  bool isFixed(ArrayRef<unsigned> branch) const {
    return llvm::any_of(branch, [&](unsigned task) { return tasks[task].isFixed; });
  }

  ArrayRef<BranchTask> tasks;
  const BranchMachine &machine;
  const BranchLimits &limits;
  Holdings holdings;
  uint64_t total = 0; // bytes at a time, with all on one queue
  BranchPlan plan;
};

} // namespace

BranchPlan mlir::heddle::planBranches(ArrayRef<BranchTask> tasks, const BranchMachine &machine,
                                      const BranchLimits &limits) {
  return Planner(tasks, machine, limits).run();
}
