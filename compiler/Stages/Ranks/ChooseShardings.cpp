// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/ShardNotes.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"
#include "compiler/Stages/Ranks/Passes.h"
#include "compiler/Stages/Ranks/Propagation/ApplyShardings.h"
#include "compiler/Stages/Ranks/Propagation/Estimate.h"
#include "compiler/Stages/Ranks/Propagation/Groups.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

namespace mlir::heddle {
#define GEN_PASS_DEF_CHOOSESHARDINGS
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

using namespace mlir;
using namespace mlir::heddle;
using propagation::ProgramGraph;

namespace {

struct Request {
  unsigned group, value, dim, axis;
  int64_t granule;

  auto key() const { return std::make_tuple(value, dim, axis, granule); }
};
using Requests = SmallVector<Request>;

// Looks for the requests, each for a whole group, that make the estimate least: groups in turn, beginning with none of
// them, with each of the best ones alone, and with pairs of these; what a group had is tried otherwise, and left out,
// until nothing gets better.
class Chooser {
public:
  Chooser(func::FuncOp function, const ProgramGraph &program, const flow::Topology &topology)
      : function(function), program(program), moves(program) {
    device::MeshOp mesh = program.getMeshes().front();
    std::optional<unsigned> number = mesh.getDevice() ? topology.find(*mesh.getDevice()) : std::nullopt;
    device = topology.size() ? topology.models[number.value_or(topology.defaultDevice)] : flow::DeviceModel();
    trials = std::clamp<int64_t>(kMostVisits / std::max<size_t>(program.graph.nodes.size(), 1), 200, 4000);
  }

  void run() {
    groups = propagation::findGroups(function, program);
    double whole = estimate({});
    least = whole;
    for (unsigned number = 0; number < groups.size(); ++number)
      order.push_back(number);
    // In the order of the program, and against it: what is cut first decides much.
    descend({}, whole);
    std::reverse(order.begin(), order.end());
    descend({}, whole);
    descendFromBest();
    chosen = best;
    notes.push_back(llvm::formatv("@{0}: --shard=auto expects {1:f1} us a call, {2:f1} us without",
                                  function.getSymName(), least / 1000, whole / 1000));
    describe();
  }

  // As requests of the program.
  void apply() {
    llvm::MapVector<unsigned, propagation::Layout> layouts;
    for (const Request &request : chosen) {
      propagation::Layout &layout = layouts[request.value];
      layout.dims.resize(program.graph.values[request.value].sizes.size());
      propagation::Cut &cut = layout.dims[request.dim];
      cut.axes.push_back(request.axis);
      if (cut.axes.size() == 1)
        cut.granule.factor = request.granule;
    }
    for (auto &[number, layout] : layouts) {
      Value value = program.programValues[number];
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      flow::ShardingAttr cut = program.toAttribute(layout);
      SmallVector<int64_t> open;
      for (int64_t dim = 0; dim < cut.getRank(); ++dim)
        if (!cut.isCut(dim))
          open.push_back(dim);
      auto asked = flow::ShardingAttr::get(value.getContext(), cut.getMesh(), cut.getAxes(), cut.getGranules(), open,
                                           {}, flow::Reduction::Sum);
      auto shard = flow::ShardOp::create(builder, value.getLoc(), value.getType(), value, asked);
      value.replaceAllUsesExcept(shard.getResult(), shard);
    }
  }

  SmallVector<std::string> notes;

private:
  // What is asked for, a line for each group.
  void describe() {
    llvm::MapVector<std::pair<unsigned, unsigned>, SmallVector<Request>> asked; // by group and dimension
    for (const Request &request : chosen)
      asked[{request.group, request.dim}].push_back(request);
    for (auto &[key, requests] : asked) {
      const Request &first = requests.front();
      llvm::SmallSetVector<unsigned, 4> values;
      propagation::Cut cut;
      for (const Request &request : requests) {
        values.insert(request.value);
        if (request.value == first.value)
          cut.axes.push_back(request.axis);
      }
      cut.granule.factor = first.granule;
      Value value = program.programValues[first.value];
      auto load = value.getDefiningOp<flow::ParameterLoadOp>();
      std::string name =
          load ? ("parameter '" + load.getParameter() + "'").str() : propagation::describe(function, value);
      std::string others = values.size() > 1 ? " and of " + std::to_string(values.size() - 1) + " like it" : "";
      notes.push_back(llvm::formatv("@{0}: --shard=auto cuts dimension {1} of {2}{3} by {4}", function.getSymName(),
                                    first.dim, name, others, propagation::describe(program.graph, cut)));
    }
  }

  // What is less than a fiftieth shorter is not worth a cut.
  static constexpr double kWorth = 0.98;
  static constexpr int64_t kMostVisits = 2'000'000; // nodes that all trials together solve
  static constexpr unsigned kMostStarts = 6, kMostSweeps = 4;

  // From these requests on, group by group, until a sweep changes nothing.
  void descend(Requests start, double ns) {
    chosen = std::move(start);
    bool changed = true;
    for (unsigned sweep = 0; sweep < kMostSweeps && changed; ++sweep) {
      changed = false;
      for (unsigned number : order)
        for (unsigned axis = 0; axis < program.graph.axes.size(); ++axis)
          changed |= choose(number, axis, ns);
    }
    if (ns < (best.empty() ? least * kWorth : least)) {
      least = ns;
      best = chosen;
    }
  }

  // The groups that alone do most, each of them and two at a time.
  void descendFromBest() {
    struct Start {
      Requests requests;
      double ns;
    };
    std::vector<Start> starts;
    std::vector<std::pair<double, unsigned>> ranking;
    for (unsigned number = 0; number < groups.size(); ++number) {
      double first = estimate({});
      for (unsigned axis = 0; axis < program.graph.axes.size(); ++axis)
        for (const auto &choice : groups[number].choices) {
          Requests requests = with({}, number, choice, axis);
          double ns = estimate(requests);
          first = std::min(first, ns);
          starts.push_back({std::move(requests), ns});
        }
      ranking.push_back({first, number});
    }
    auto isLess = [](const Start &a, const Start &b) { return a.ns < b.ns; };
    llvm::sort(ranking);
    for (auto [place, entry] : llvm::enumerate(ranking))
      order[place] = entry.second;
    std::stable_sort(starts.begin(), starts.end(), isLess);
    starts.resize(std::min<size_t>(starts.size(), kMostStarts));
    for (size_t a = 0, count = starts.size(); a < count; ++a)
      for (size_t b = 0; b < a; ++b) {
        Requests both = starts[b].requests;
        if (both.front().group == starts[a].requests.front().group)
          continue;
        both.append(starts[a].requests);
        double ns = estimate(both);
        starts.push_back({std::move(both), ns});
      }
    std::stable_sort(starts.begin(), starts.end(), isLess);
    starts.resize(std::min<size_t>(starts.size(), kMostStarts));
    for (Start &start : starts)
      descend(std::move(start.requests), start.ns);
  }

  // With the group cut so along the axis, where its values are not cut by that axis or in that dimension.
  Requests with(const Requests &others, unsigned number, ArrayRef<propagation::Place> choice, unsigned axis) {
    Requests all = others;
    for (const propagation::Place &place : choice)
      if (llvm::none_of(others, [&](const Request &one) {
            return one.value == place.value && (one.axis == axis || one.dim == place.dim);
          }))
        all.push_back({number, place.value, place.dim, axis, place.granule});
    return all;
  }

  // The best way to cut the group along the axis, or none; whether it is another one than before.
  bool choose(unsigned number, unsigned axis, double &now) {
    Requests others;
    for (const Request &request : chosen)
      if (request.group != number || request.axis != axis)
        others.push_back(request);
    bool had = others.size() < chosen.size(), changed = false;
    double limit = had ? now : now * kWorth;
    Requests taken = chosen;
    auto consider = [&](Requests trial) {
      double ns = estimate(trial);
      if (ns >= limit)
        return;
      limit = now = ns;
      taken = std::move(trial);
      changed = true;
    };
    if (had)
      consider(others);
    for (const auto &choice : groups[number].choices)
      if (Requests trial = with(others, number, choice, axis); trial.size() > others.size())
        consider(std::move(trial));
    chosen = std::move(taken);
    return changed;
  }

  // Where all trials are spent, more than anything that was tried.
  double estimate(const Requests &requests) {
    std::vector<decltype(Request().key())> key;
    for (const Request &request : requests)
      key.push_back(request.key());
    llvm::sort(key);
    auto known = estimates.find(key);
    if (known != estimates.end())
      return known->second;
    if (trials-- <= 0)
      return std::numeric_limits<double>::infinity();
    ProgramGraph trial = program;
    for (const Request &request : requests) {
      propagation::ShardedValue &value = trial.graph.values[request.value];
      propagation::Cut cut = value.cuts[request.dim];
      cut.axes.push_back(request.axis);
      if (cut.axes.size() == 1)
        cut.granule.factor = request.granule;
      trial.graph.request(request.value, request.dim, cut);
      value.given.dims = value.cuts; // sources lie as they are asked to
    }
    propagation::Solver(trial.graph, moves.asCost()).run(trial.seeds);
    propagation::decideArguments(function, trial);
    for (const Request &request : requests) // also where the readers of an argument want another part
      trial.graph.values[request.value].given.dims = trial.graph.values[request.value].cuts;
    double ns = propagation::estimate(function, trial, moves, device, {}).total();
    return estimates[key] = ns;
  }

  func::FuncOp function;
  const ProgramGraph &program;
  propagation::Moves moves;
  flow::DeviceModel device;
  SmallVector<propagation::Group> groups;
  SmallVector<unsigned> order; // of the groups, as they are chosen for
  Requests chosen, best;
  double least = 0; // of `best`
  int64_t trials;   // that are left
  std::map<std::vector<decltype(Request().key())>, double> estimates;
};

bool isWrittenForRanks(func::FuncOp function, const OwnValues &own) {
  return llvm::any_of(function.getArguments(), [&](Value argument) { return own.contains(argument); }) ||
         function
             .walk([](Operation *op) {
               return isa<flow::CollectiveOpInterface, flow::CoordinateOp>(op) ? WalkResult::interrupt()
                                                                               : WalkResult::advance();
             })
             .wasInterrupted();
}

struct ChooseShardings : mlir::heddle::impl::ChooseShardingsBase<ChooseShardings> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module.getOps<device::MeshOp>().empty()) {
      module.emitError(
          "--shard=auto shares the work of the ranks of a mesh, and the program has none; --mesh=x=2 makes "
          "one of two ranks");
      return signalPassFailure();
    }
    flow::Topology topology = flow::Topology::of(module);
    SmallVector<Attribute> notes;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      propagation::splitFills(function);
      OwnValues own(function);
      flow::SizeEstimates sizes(module);
      ProgramGraph program(function, own, sizes);
      Chooser chooser(function, program, topology);
      chooser.run();
      chooser.apply();
      // Also where nothing is worth a cut: what is not written for one rank is about whole values.
      if (!isWrittenForRanks(function, own))
        function->setAttr(kWholeProgramAttr, UnitAttr::get(&getContext()));
      for (const std::string &note : chooser.notes)
        notes.push_back(StringAttr::get(&getContext(), note));
    }
    if (!notes.empty())
      module->setAttr(kShardingsAttr, ArrayAttr::get(&getContext(), notes));
  }
};

} // namespace
