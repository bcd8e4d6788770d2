// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/ShardNotes.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"
#include "compiler/Stages/Ranks/Passes.h"
#include "compiler/Stages/Ranks/Propagation/ApplyShardings.h"
#include "compiler/Stages/Ranks/Propagation/Estimate.h"

#include "llvm/Support/FormatVariadic.h"

namespace mlir::heddle {
#define GEN_PASS_DEF_CHOOSESHARDINGS
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

using namespace mlir;
using namespace mlir::heddle;
using propagation::ProgramGraph;

namespace {

// Values that are cut alike: arguments with a dimension of one name, parameters that differ in the numbers of their
// names only (the layers of a model).
struct Group {
  std::string name;
  SmallVector<SmallVector<std::pair<unsigned, unsigned>>> choices; // each: values, and which dimension
};

struct Request {
  unsigned group, value, dim, axis;
};

// Tries one request after the other, each for a whole group, and keeps those by which the estimate falls.
class Chooser {
public:
  Chooser(func::FuncOp function, const ProgramGraph &program, const flow::Topology &topology)
      : function(function), program(program), moves(program) {
    device::MeshOp mesh = program.getMeshes().front();
    std::optional<unsigned> number = mesh.getDevice() ? topology.find(*mesh.getDevice()) : std::nullopt;
    device = topology.size() ? topology.models[number.value_or(topology.defaultDevice)] : flow::DeviceModel();
  }

  void run() {
    double whole = estimate({}), least = whole;
    SmallVector<Group> groups = findGroups();
    // In the order of the program, and against it: what is cut first decides much.
    SmallVector<Request> best;
    for (bool isReversed : {false, true}) {
      chosen.clear();
      double ns = whole;
      // A second time, since what was cut first was chosen without what came later.
      for (int sweep = 0; sweep < 2; ++sweep)
        for (unsigned place = 0; place < groups.size(); ++place) {
          unsigned number = isReversed ? groups.size() - 1 - place : place;
          for (unsigned axis = 0; axis < program.graph.axes.size(); ++axis)
            choose(number, groups[number], axis, ns);
        }
      if (ns < least) {
        least = ns;
        best = chosen;
      }
    }
    chosen = best;
    note = llvm::formatv("@{0}: --shard=auto expects {1:f1} us a call, {2:f1} us without", function.getSymName(),
                         least / 1000, whole / 1000);
  }

  // As requests of the program.
  void apply() {
    llvm::MapVector<unsigned, propagation::Layout> layouts;
    for (const Request &request : chosen) {
      propagation::Layout &layout = layouts[request.value];
      layout.dims.resize(program.graph.values[request.value].sizes.size());
      layout.dims[request.dim].axes.push_back(request.axis);
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

  std::string note;

private:
  // What is less than a fiftieth shorter is not worth a cut.
  void choose(unsigned number, const Group &group, unsigned axis, double &least) {
    SmallVector<Request> others;
    for (const Request &request : chosen)
      if (request.group != number || request.axis != axis)
        others.push_back(request);
    double limit = others.size() < chosen.size() ? least : least * 0.98;
    SmallVector<Request> best;
    for (unsigned choice = 0; choice < group.choices.size(); ++choice) {
      SmallVector<Request> trial = others;
      for (auto [value, dim] : group.choices[choice])
        if (llvm::none_of(
                others, [&](const Request &one) { return one.value == value && (one.axis == axis || one.dim == dim); }))
          trial.push_back({number, value, dim, axis});
      double ns = trial.size() > others.size() ? estimate(trial) : limit;
      if (ns >= limit)
        continue;
      limit = ns;
      best = std::move(trial);
    }
    if (best.empty())
      return;
    least = limit;
    chosen = std::move(best);
  }

  double estimate(ArrayRef<Request> requests) {
    ProgramGraph trial = program;
    for (const Request &request : requests) {
      propagation::ShardedValue &value = trial.graph.values[request.value];
      propagation::Cut cut = value.cuts[request.dim];
      cut.axes.push_back(request.axis);
      trial.graph.request(request.value, request.dim, cut);
      value.given.dims = value.cuts; // sources lie as they are asked to
    }
    propagation::Solver(trial.graph, moves.asCost()).run(trial.seeds);
    propagation::decideArguments(function, trial);
    return propagation::estimate(function, trial, moves, device, {}).total();
  }

  // Arguments first: a batch costs nothing.
  SmallVector<Group> findGroups() {
    SmallVector<Group> groups;
    auto add = [&](const std::string &name, unsigned choice, unsigned value, unsigned dim) {
      auto known = llvm::find_if(groups, [&](const Group &group) { return group.name == name; });
      if (known == groups.end())
        known = groups.insert(groups.end(), {name, {}});
      known->choices.resize(std::max<size_t>(known->choices.size(), choice + 1));
      known->choices[choice].push_back({value, dim});
    };
    for (auto [number, value] : llvm::enumerate(program.programValues)) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getOwner() != &function.getBody().front())
        continue;
      auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kDimsAttr);
      for (auto [dim, size] : llvm::enumerate(program.graph.values[number].sizes)) {
        std::string name = names ? cast<StringAttr>(names[dim]).getValue().str() : "";
        add(name.empty() ? std::to_string(dim) + " of " + std::to_string(size) : name, 0, number, dim);
      }
    }
    for (auto [number, value] : llvm::enumerate(program.programValues)) {
      Operation *op = value.getDefiningOp();
      bool isParameter = op && (isa<flow::ParameterLoadOp>(op) || op->hasTrait<OpTrait::ConstantLike>());
      ArrayRef<int64_t> sizes = program.graph.values[number].sizes;
      // Vectors follow the products around them.
      if (!isParameter || sizes.size() < 2)
        continue;
      std::string name = "constant";
      if (auto load = dyn_cast<flow::ParameterLoadOp>(op))
        name = load.getParameter().str();
      llvm::erase_if(name, llvm::isDigit);
      for (int64_t size : sizes)
        name += " x " + std::to_string(size);
      for (unsigned dim = sizes.size(); dim-- > 0;)
        add(name, dim, number, dim);
    }
    return groups;
  }

  func::FuncOp function;
  const ProgramGraph &program;
  propagation::Moves moves;
  flow::DeviceModel device;
  SmallVector<Request> chosen;
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
      OwnValues own(function);
      flow::SizeEstimates sizes(module);
      ProgramGraph program(function, own, sizes);
      Chooser chooser(function, program, topology);
      chooser.run();
      chooser.apply();
      // Also where nothing is worth a cut: what is not written for one rank is about whole values.
      if (!isWrittenForRanks(function, own))
        function->setAttr(kWholeProgramAttr, UnitAttr::get(&getContext()));
      notes.push_back(StringAttr::get(&getContext(), chooser.note));
    }
    if (!notes.empty())
      module->setAttr(kShardingsAttr, ArrayAttr::get(&getContext(), notes));
  }
};

} // namespace
