// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Place/CostModel.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>

using namespace mlir::heddle;
using namespace mlir::heddle::flow;
using llvm::ArrayRef;

uint64_t mlir::heddle::workNs(const CostTask &task, const DeviceModel &device) {
  double compute = task.flops / device.gflops, memory = task.bytes / device.memoryGbps;
  return std::llround(device.launchUs * 1e3 + std::max(compute, memory));
}

//===--- What an assignment costs --------------------------------------------------------------------------------===//

namespace {

class Simulation {
public:
  Simulation(const CostProblem &problem, const Topology &topology, std::vector<unsigned> &devices)
      : problem(problem), topology(topology), devices(devices), free(topology.size()), readers(problem.tasks.size()) {}

  CostEstimate run() {
    for (auto [i, task] : llvm::enumerate(problem.tasks))
      for (unsigned input : task.inputs)
        readers[input].push_back(i);
    resolveDevices();
    makeItems();
    issue();
    countMemory();
    return std::move(result);
  }

private:
  uint64_t occupy(unsigned device, uint64_t ready, uint64_t ns) {
    return free[device] = std::max(free[device], ready) + ns;
  }

  // A task, or a move of its value.
  struct Item {
    unsigned task, device;
    bool isMove = false;
    llvm::SmallVector<unsigned, 4> users = {};
    unsigned waiting = 0, hops = 0; // what it waits for; moves on the way to it
    uint64_t ready = 0;
  };

  void addItem(Item item, llvm::ArrayRef<unsigned> reads) {
    for (unsigned read : reads) {
      items[read].users.push_back(items.size());
      item.hops = std::max(item.hops, items[read].hops);
    }
    item.waiting = reads.size();
    item.hops += item.isMove;
    items.push_back(std::move(item));
  }

  using Place = std::pair<unsigned, unsigned>; // of a task's value on a device

  bool crosses(unsigned task, unsigned device) const {
    return topology.moveNs(devices[task], device, problem.tasks[task].valueBytes) != 0;
  }

  // What the task's value is a layout of, on the same device.
  unsigned rootOf(unsigned task) const {
    std::optional<unsigned> source = problem.tasks[task].layoutOf;
    return source && devices[*source] == devices[task] ? rootOf(*source) : task;
  }

  // Values that go to a device in several layouts.
  std::set<Place> findShared() const {
    std::map<Place, unsigned> layouts;
    std::set<Place> shared;
    for (unsigned i = 0; i < problem.tasks.size(); ++i) {
      std::set<unsigned> targets;
      for (unsigned reader : readers[i])
        if (crosses(i, devices[reader]))
          targets.insert(devices[reader]);
      for (unsigned target : targets)
        if (++layouts[{rootOf(i), target}] == 2)
          shared.insert({rootOf(i), target});
    }
    return shared;
  }

  // Moves stand right behind what makes the value, as stage `place` puts them.
  void makeItems() {
    std::set<Place> shared = findShared();
    std::map<Place, unsigned> at; // the item after which a value is on a device
    auto addMove = [&](unsigned task, unsigned device, unsigned own) {
      at[{task, device}] = items.size();
      addItem({task, device, /*isMove=*/true}, {own});
    };
    for (auto [i, task] : llvm::enumerate(problem.tasks)) {
      llvm::SmallVector<unsigned, 4> reads;
      for (unsigned input : task.inputs)
        reads.push_back(at.at({input, devices[i]}));
      unsigned own = at[{i, devices[i]}] = items.size();
      addItem({unsigned(i), devices[i]}, reads);
      for (unsigned device = 0; device < topology.size(); ++device)
        if (rootOf(i) == i && shared.contains({i, device}))
          addMove(i, device, own);
      for (unsigned reader : readers[i]) {
        unsigned device = devices[reader];
        if (at.contains({i, device}))
          continue;
        if (!crosses(i, device))
          at[{i, device}] = own;
        else if (shared.contains({rootOf(i), device}))
          at[{i, device}] = at.at({rootOf(i), device});
        else
          addMove(i, device, own);
      }
    }
  }

  // In the order of stage `schedule` (OrderIssue.cpp): other devices' work first, then the default device's, what needs
  // fewer moves before the rest.
  void issue() {
    using Key = std::tuple<bool, unsigned, unsigned>;
    std::priority_queue<Key, std::vector<Key>, std::greater<Key>> queue;
    auto push = [&](unsigned i) {
      bool isWork = items[i].isMove || problem.tasks[items[i].task].kind == CostTask::Work;
      queue.push({isWork && items[i].device == topology.defaultDevice, items[i].hops, i});
    };
    for (unsigned i = 0; i < items.size(); ++i)
      if (items[i].waiting == 0)
        push(i);
    while (!queue.empty()) {
      Item &item = items[std::get<2>(queue.top())];
      queue.pop();
      uint64_t end = finish(item);
      result.ns = std::max(result.ns, end);
      for (unsigned user : item.users) {
        items[user].ready = std::max(items[user].ready, end);
        if (--items[user].waiting == 0)
          push(user);
      }
    }
  }

  uint64_t finish(const Item &item) {
    const CostTask &task = problem.tasks[item.task];
    if (item.isMove) {
      ++result.transfers;
      result.transferBytes += task.valueBytes;
      uint64_t once = topology.moveNs(devices[item.task], item.device, task.valueBytes);
      return occupy(item.device, item.ready, once * task.runs);
    }
    if (task.kind != CostTask::Work)
      return cross(task, item);
    return occupy(item.device, item.ready, workNs(task, topology.models[item.device]) * task.runs);
  }

  // An argument comes from the host's memory and a result goes there, on the stream of the device where it is.
  uint64_t cross(const CostTask &task, const Item &item) {
    uint64_t ns = 0;
    if (task.kind == CostTask::Source && !readers[item.task].empty())
      ns = topology.fromHostNs(item.device, task.valueBytes);
    else if (task.kind == CostTask::Sink && !task.inputs.empty())
      ns = topology.toHostNs(item.device, problem.tasks[task.inputs.front()].valueBytes);
    return ns ? occupy(item.device, item.ready, ns) : item.ready;
  }

  // Sources are where their first reader is, the others of no work where their first input is.
  void resolveDevices() {
    for (auto [i, task] : llvm::enumerate(problem.tasks)) {
      if (task.fixed)
        devices[i] = *task.fixed;
      else if (task.kind == CostTask::Source)
        devices[i] = firstReader(i);
      else if (task.kind != CostTask::Work)
        devices[i] = task.inputs.empty() ? topology.defaultDevice : devices[task.inputs.front()];
    }
  }

  unsigned firstReader(unsigned task) const {
    for (unsigned depth = 0; depth < problem.tasks.size() && !readers[task].empty(); ++depth) {
      task = readers[task].front();
      if (problem.tasks[task].fixed)
        return *problem.tasks[task].fixed;
      if (problem.tasks[task].kind == CostTask::Work)
        return devices[task];
    }
    return topology.defaultDevice;
  }

  // Parameters of each device, and the most that lives there at a time.
  void countMemory() {
    size_t count = problem.tasks.size();
    std::vector<std::vector<int64_t>> change(topology.size(), std::vector<int64_t>(count + 1));
    std::vector<std::vector<bool>> holds(topology.size(), std::vector<bool>(problem.parameters.size()));
    result.memory.assign(topology.size(), 0);
    std::vector<unsigned> root(count);
    std::map<std::pair<unsigned, unsigned>, unsigned> lastRead; // of a value on a device
    for (auto [i, task] : llvm::enumerate(problem.tasks)) {
      bool isView =
          task.kind == CostTask::Follows && !task.inputs.empty() && devices[task.inputs.front()] == devices[i];
      root[i] = isView ? root[task.inputs.front()] : i;
      lastRead[{root[i], devices[i]}] = i;
      for (unsigned input : task.inputs)
        lastRead[{root[input], devices[i]}] = i;
      for (unsigned parameter : task.parameters)
        if (!holds[devices[i]][parameter]) {
          holds[devices[i]][parameter] = true;
          result.memory[devices[i]] += problem.parameters[parameter];
        }
    }
    for (auto [place, last] : lastRead) {
      change[place.second][place.first] += problem.tasks[place.first].valueBytes;
      change[place.second][last + 1] -= problem.tasks[place.first].valueBytes;
    }
    for (unsigned device = 0; device < topology.size(); ++device) {
      int64_t alive = 0, most = 0;
      for (int64_t bytes : change[device])
        most = std::max(most, alive += bytes);
      result.memory[device] += most;
      uint64_t limit = topology.models[device].memoryBytes;
      result.fits &= limit == 0 || result.memory[device] <= limit;
    }
  }

  const CostProblem &problem;
  const Topology &topology;
  std::vector<unsigned> &devices;
  std::vector<uint64_t> free;
  std::vector<llvm::SmallVector<unsigned, 2>> readers;
  std::vector<Item> items;
  CostEstimate result;
};

//===--- Candidates ----------------------------------------------------------------------------------------------===//

class Search {
public:
  Search(const CostProblem &problem, const Topology &topology) : problem(problem), topology(topology) {
    for (auto [i, task] : llvm::enumerate(problem.tasks))
      if (task.kind == CostTask::Work && !task.fixed)
        work.push_back(i);
  }

  std::optional<CostDecision> run() {
    for (unsigned device = 0; device < topology.size(); ++device)
      offer(std::vector<unsigned>(work.size(), device));
    if (best) {
      best->single = chosen.empty() ? topology.defaultDevice : chosen.front();
      best->singleEstimate = best->estimate;
    }
    offer(whereItEndsFirst());
    fillInOrder();
    splitInTwo();
    improve();
    return best;
  }

private:
  // Time for candidates: enough for small programs to be searched well, little for large ones.
  static constexpr uint64_t kBudget = 20'000'000;

  bool canAfford() const { return spent < kBudget; }

  bool offer(std::vector<unsigned> assignment) {
    std::vector<unsigned> devices(problem.tasks.size(), topology.defaultDevice);
    for (auto [task, device] : llvm::zip_equal(work, assignment))
      devices[task] = device;
    spent += (10 + topology.size()) * problem.tasks.size();
    CostEstimate estimate = Simulation(problem, topology, devices).run();
    auto rank = [](const CostEstimate &e) { return std::pair(e.ns, e.transfers); };
    if (!estimate.fits || (best && rank(estimate) >= rank(best->estimate)))
      return false;
    if (!best)
      best.emplace();
    best->devices = std::move(devices);
    best->estimate = std::move(estimate);
    chosen = std::move(assignment);
    return true;
  }

  // In program order, each piece on the device where it would end first, given those before it.
  std::vector<unsigned> whereItEndsFirst() const {
    std::vector<unsigned> assignment;
    std::vector<unsigned> device(problem.tasks.size(), topology.defaultDevice);
    std::vector<uint64_t> free(topology.size()), held(topology.size()), done(problem.tasks.size());
    std::vector<std::vector<bool>> holds(topology.size(), std::vector<bool>(problem.parameters.size()));
    for (auto [i, task] : llvm::enumerate(problem.tasks)) {
      auto ready = [&](unsigned to) {
        uint64_t time = 0;
        for (unsigned input : task.inputs)
          time =
              std::max(time, done[input] + (problem.tasks[input].kind == CostTask::Source
                                                ? topology.fromHostNs(to, problem.tasks[input].valueBytes)
                                                : topology.moveNs(device[input], to, problem.tasks[input].valueBytes)));
        return time;
      };
      unsigned to = task.fixed ? *task.fixed : task.inputs.empty() ? topology.defaultDevice : device[task.inputs[0]];
      uint64_t end = ready(to);
      if (task.kind == CostTask::Work) {
        auto endOn = [&](unsigned d) {
          return std::max(free[d], ready(d)) + workNs(task, topology.models[d]) * task.runs;
        };
        if (!task.fixed) {
          std::optional<unsigned> first;
          for (unsigned d = 0; d < topology.size(); ++d)
            if (hasRoom(d, held[d] + missing(task, holds[d])) && (!first || endOn(d) < endOn(*first)))
              first = d;
          to = first.value_or(0);
          assignment.push_back(to);
        }
        held[to] += missing(task, holds[to]);
        for (unsigned parameter : task.parameters)
          holds[to][parameter] = true;
        end = free[to] = endOn(to);
      }
      device[i] = to;
      done[i] = end;
    }
    return assignment;
  }

  bool hasRoom(unsigned device, uint64_t bytes) const {
    uint64_t limit = topology.models[device].memoryBytes;
    return limit == 0 || bytes <= limit;
  }

  uint64_t missing(const CostTask &task, const std::vector<bool> &held) const {
    uint64_t bytes = 0;
    for (unsigned parameter : task.parameters)
      bytes += held[parameter] ? 0 : problem.parameters[parameter];
    return bytes;
  }

  // The program in pieces, each as long as its device has memory for. Some room is left for values: as much as makes it
  // fit.
  void fillInOrder() {
    for (unsigned percent : {100, 95, 90, 80, 70, 60, 50})
      for (unsigned first = 0; first < topology.size() && canAfford(); ++first) {
        std::vector<unsigned> assignment;
        std::vector<bool> held(problem.parameters.size());
        unsigned step = 0;
        uint64_t bytes = 0;
        auto device = [&] { return (first + step) % topology.size(); };
        for (unsigned index : work) {
          const CostTask &task = problem.tasks[index];
          while (step + 1 < topology.size() && !hasRoom(device(), (bytes + missing(task, held)) * 100 / percent)) {
            ++step;
            bytes = 0;
            held.assign(held.size(), false);
          }
          bytes += missing(task, held);
          for (unsigned parameter : task.parameters)
            held[parameter] = true;
          assignment.push_back(device());
        }
        offer(assignment);
      }
  }

  // The begin on one device, the rest on another, at up to 32 places.
  void splitInTwo() {
    for (unsigned a = 0; a < topology.size(); ++a)
      for (unsigned b = 0; b < topology.size(); ++b)
        for (unsigned part = 1; a != b && part < 32 && canAfford(); ++part) {
          std::vector<unsigned> assignment(work.size(), b);
          std::fill_n(assignment.begin(), work.size() * part / 32, a);
          offer(assignment);
        }
  }

  // Moves the places where the program changes device, by ever smaller steps, as long as that gains.
  void improve() {
    for (size_t step = std::max<size_t>(work.size() / 8, 1); best && step > 0; step /= 2)
      for (bool gained = true; gained && canAfford();) {
        gained = false;
        for (size_t i = 1; i < chosen.size() && canAfford(); ++i)
          if (chosen[i] != chosen[i - 1])
            gained |= offer(filled(i, std::min(i + step, chosen.size()), chosen[i - 1])) ||
                      offer(filled(i - std::min(i, step), i, chosen[i]));
      }
  }

  std::vector<unsigned> filled(size_t begin, size_t end, unsigned device) const {
    std::vector<unsigned> assignment = chosen;
    std::fill(assignment.begin() + begin, assignment.begin() + end, device);
    return assignment;
  }

  const CostProblem &problem;
  const Topology &topology;
  std::vector<unsigned> work;   // unpinned
  std::vector<unsigned> chosen; // their devices in `best`
  std::optional<CostDecision> best;
  uint64_t spent = 0;
};

} // namespace

CostEstimate mlir::heddle::estimateCost(const CostProblem &problem, const Topology &topology,
                                        std::vector<unsigned> &devices) {
  return Simulation(problem, topology, devices).run();
}

std::optional<CostDecision> mlir::heddle::assignByCost(const CostProblem &problem, const Topology &topology) {
  return Search(problem, topology).run();
}
