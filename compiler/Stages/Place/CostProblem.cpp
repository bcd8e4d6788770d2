// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Place/CostProblem.h"

#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"
#include "compiler/Dialect/Flow/Analysis/WorkEstimate.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

class CostBuilder {
public:
  CostBuilder(ModuleOp module, const flow::AffinityGraph &graph) : symbols(module), graph(graph), sizes(module) {}

  ModuleCosts run() {
    addTasks();
    for (const AffinityEdge &edge : graph.problem.edges)
      if (unsigned from = costs.tasks[edge.from], to = costs.tasks[edge.to]; from < to) // else a back edge
        costs.problem.tasks[to].inputs.push_back(from);
    for (auto [value, node] : graph.values)
      if (auto encode = value.getDefiningOp<flow::EncodeOp>())
        if (auto source = graph.values.find(encode.getSource()); source != graph.values.end())
          costs.problem.tasks[costs.tasks[node]].layoutOf = costs.tasks[source->second];
    for (const flow::PlacedUse &use : graph.uses)
      if (!graph.values.contains(use.use->get()))
        addParameters(use.use->get(), costs.problem.tasks[costs.tasks[use.node]]);
    return std::move(costs);
  }

private:
  using AffinityEdge = flow::AffinityProblem::Edge;

  // Nodes in their order, results of functions last.
  void addTasks() {
    size_t count = graph.problem.allowed.size();
    std::vector<CostTask> tasks(count);
    for (auto [i, allowed] : llvm::enumerate(graph.problem.allowed)) {
      tasks[i].kind = CostTask::Sink;
      if (allowed.size() == 1)
        tasks[i].fixed = allowed.front();
    }
    for (auto [value, node] : graph.values) {
      auto argument = dyn_cast<BlockArgument>(value);
      bool isEntry = argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
      tasks[node].kind = isEntry ? CostTask::Source : CostTask::Follows;
    }
    for (auto [value, node] : graph.values) {
      auto result = dyn_cast<OpResult>(value);
      if (!result || graph.ops.contains(result.getOwner())) // what a loop carries counts once
        tasks[node].valueBytes += sizes.bytes(value);
    }
    for (auto [op, node] : graph.ops)
      if (auto dispatch = dyn_cast<flow::DispatchOp>(op))
        describe(dispatch, tasks[node]);
    costs.tasks.resize(count);
    for (bool sinks : {false, true})
      for (size_t node = 0; node < count; ++node)
        if ((tasks[node].kind == CostTask::Sink) == sinks) {
          costs.tasks[node] = costs.problem.tasks.size();
          costs.problem.tasks.push_back(tasks[node]);
        }
  }

  void describe(flow::DispatchOp dispatch, CostTask &task) {
    task.kind = CostTask::Work;
    task.fixed = graph.findPin(dispatch);
    task.runs = flow::estimateRuns(dispatch);
    auto executable = symbols.lookup<flow::ExecutableOp>(dispatch.getExecutable());
    if (!executable)
      return;
    // Expected sizes differ from dispatch to dispatch.
    auto [entry, isNew] = works.try_emplace(executable);
    if (isNew || sizes.any())
      entry->second = flow::estimateWork(dispatch, executable.getFunction(), sizes);
    task.flops = entry->second.flops;
    task.bytes = entry->second.bytes;
  }

  // Those that the constant depends on; each op of constants is looked at once.
  void addParameters(Value constant, CostTask &task) {
    llvm::SmallPtrSet<Operation *, 8> seen;
    SmallVector<Value> rest{constant};
    while (!rest.empty()) {
      Operation *op = rest.pop_back_val().getDefiningOp();
      if (!op || !graph.constants.contains(op) || !seen.insert(op).second)
        continue;
      addParameter(op, task);
      for (Value operand : llvm::reverse(op->getOperands()))
        if (isa<RankedTensorType>(operand.getType()))
          rest.push_back(operand);
    }
  }

  void addParameter(Operation *op, CostTask &task) {
    if (auto load = dyn_cast<flow::ParameterLoadOp>(op)) {
      auto [entry, isNew] = parameters.try_emplace(load.getParameterAttr(), costs.problem.parameters.size());
      if (isNew)
        costs.problem.parameters.push_back(flow::estimateBytes(load.getResult().getType()));
      if (!llvm::is_contained(task.parameters, entry->second))
        task.parameters.push_back(entry->second);
    }
  }

  SymbolTable symbols;
  const flow::AffinityGraph &graph;
  flow::SizeEstimates sizes;
  ModuleCosts costs;
  llvm::DenseMap<Operation *, flow::Work> works;
  llvm::DenseMap<Attribute, unsigned> parameters;
};

} // namespace

ModuleCosts mlir::heddle::getCosts(ModuleOp module, const flow::AffinityGraph &graph) {
  return CostBuilder(module, graph).run();
}
