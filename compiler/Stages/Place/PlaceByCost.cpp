// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/Affinities.h"
#include "compiler/Dialect/Heddle/IR/Reasons.h"
#include "compiler/Dialect/Quantities.h"
#include "compiler/Stages/Place/CostProblem.h"
#include "compiler/Stages/Place/Passes.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PLACEBYCOST
#include "compiler/Stages/Place/Passes.h.inc"
} // namespace mlir::heddle

static std::string toMs(uint64_t ns) { return llvm::formatv("{0:f3} ms", ns / 1e6); }

namespace {

struct PlaceByCost : mlir::heddle::impl::PlaceByCostBase<PlaceByCost> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    flow::Topology topology = flow::Topology::of(module);
    if (topology.size() < 2)
      return;
    flow::AffinityGraph graph;
    if (failed(graph.build(module, topology)))
      return signalPassFailure();
    ModuleCosts costs = getCosts(module, graph);
    std::optional<CostDecision> decision = assignByCost(costs.problem, topology);
    if (!decision) {
      reportNoRoom(topology, costs.problem);
      return signalPassFailure();
    }
    apply(graph, costs, *decision, topology);
    report(costs.problem, *decision, topology);
  }

  void apply(const flow::AffinityGraph &graph, const ModuleCosts &costs, const CostDecision &decision,
             const flow::Topology &topology) {
    auto affinityOf = [&](unsigned node) {
      return flow::getAffinity(&getContext(), topology, decision.devices[costs.tasks[node]]);
    };
    for (auto [op, node] : graph.ops) {
      const CostTask &task = costs.problem.tasks[costs.tasks[node]];
      if (task.kind != CostTask::Work || op->hasAttr(kAffinityAttr))
        continue;
      flow::PlacementRule rule = task.fixed ? flow::PlacementRule::Explicit : flow::PlacementRule::Cost;
      op->setAttr(kAffinityAttr, affinityOf(node));
      op->setAttr(kPlacedByAttr, StringAttr::get(&getContext(), flow::toString(rule)));
    }
    Reasons reasons(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      for (auto [i, argument] : llvm::enumerate(func.getArguments()))
        if (auto node = graph.values.find(argument); node != graph.values.end() && !func.getArgAttr(i, kAffinityAttr)) {
          func.setArgAttr(i, kAffinityAttr, affinityOf(node->second));
          reasons.addArgument(func.getSymName(), i, flow::toString(flow::PlacementRule::Cost));
        }
    reasons.store(getOperation());
  }

  void report(const CostProblem &problem, const CostDecision &decision, const flow::Topology &topology) {
    std::vector<unsigned> counts(topology.size());
    for (auto [task, device] : llvm::zip_equal(problem.tasks, decision.devices))
      counts[device] += task.kind == CostTask::Work;
    const CostEstimate &estimate = decision.estimate;
    InFlightDiagnostic remark = getOperation().emitRemark();
    remark << "placed by cost: " << toMs(estimate.ns) << " expected with";
    for (auto [device, count] : llvm::enumerate(counts))
      if (count)
        remark << " @" << topology.devices[device] << ' ' << count;
    remark << " dispatches, " << formatCount(estimate.transfers, "transfer") << ", "
           << formatBytes(estimate.transferBytes);
    NamedAttrList numbers;
    Builder builder(&getContext());
    numbers.set("estimate_us", builder.getF64FloatAttr(estimate.ns / 1e3));
    if (decision.single) {
      const std::string &name = topology.devices[*decision.single];
      remark << "; " << toMs(decision.singleEstimate.ns) << " with @" << name << " alone";
      numbers.set("single_us", builder.getF64FloatAttr(decision.singleEstimate.ns / 1e3));
      numbers.set("single_device", builder.getStringAttr(name));
    } else {
      remark << "; no device has memory for it alone";
    }
    getOperation()->setAttr(kPlacementAttr, numbers.getDictionary(&getContext()));
  }

  void reportNoRoom(const flow::Topology &topology, const CostProblem &problem) {
    uint64_t bytes = std::accumulate(problem.parameters.begin(), problem.parameters.end(), uint64_t(0));
    InFlightDiagnostic error = getOperation().emitError();
    error << "no placement fits the devices' memory: parameters take " << formatBytes(bytes) << ", the devices declare";
    for (auto [device, model] : llvm::enumerate(topology.models))
      error << (device ? ", @" : " @") << topology.devices[device] << ' '
            << (model.memoryBytes ? formatBytes(model.memoryBytes) : "no limit");
    error << "; declare more memory, or more devices";
  }
};

} // namespace
