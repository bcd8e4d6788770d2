// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/ShardNotes.h"
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
  SmallVector<std::pair<unsigned, unsigned>> dims; // value, dimension
};

struct Request {
  unsigned value, dim, axis;
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
    for (const Group &group : findGroups())
      for (unsigned axis = 0; axis < program.graph.axes.size(); ++axis) {
        SmallVector<Request> trial = chosen;
        for (auto [value, dim] : group.dims)
          if (llvm::none_of(chosen, [&](const Request &one) {
                return one.value == value && (one.axis == axis || one.dim == dim);
              }))
            trial.push_back({value, dim, axis});
        double ns = trial.size() > chosen.size() ? estimate(trial) : least;
        if (ns >= least)
          continue;
        least = ns;
        chosen = std::move(trial);
      }
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
    auto add = [&](std::string name, unsigned value, unsigned dim) {
      auto known = llvm::find_if(groups, [&](const Group &group) { return group.name == name; });
      if (known == groups.end())
        known = groups.insert(groups.end(), {std::move(name), {}});
      known->dims.push_back({value, dim});
    };
    for (auto [number, value] : llvm::enumerate(program.programValues)) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getOwner() != &function.getBody().front())
        continue;
      auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kDimsAttr);
      for (unsigned dim = 0; dim < program.graph.values[number].sizes.size(); ++dim) {
        StringRef name = names ? cast<StringAttr>(names[dim]).getValue() : "";
        int64_t size = program.graph.values[number].sizes[dim];
        if (!name.empty() || ShapedType::isDynamic(size))
          add("dimension " + name.str(), number, dim);
        else
          add("dimension " + std::to_string(dim) + " of arguments of " + std::to_string(size), number, dim);
      }
    }
    for (auto [number, value] : llvm::enumerate(program.programValues)) {
      Operation *op = value.getDefiningOp();
      if (!op || value.use_empty() || !(isa<flow::ParameterLoadOp>(op) || op->hasTrait<OpTrait::ConstantLike>()))
        continue;
      auto load = dyn_cast<flow::ParameterLoadOp>(op);
      std::string name;
      for (char letter : load ? load.getParameter() : StringRef("constant"))
        if (!llvm::isDigit(letter))
          name += letter;
      unsigned rank = program.graph.values[number].sizes.size();
      for (int64_t size : program.graph.values[number].sizes)
        name += " x " + std::to_string(size);
      // Vectors follow the products around them.
      for (unsigned dim = rank; rank >= 2 && dim-- > 0;)
        add("dimension " + std::to_string(dim) + " of " + name, number, dim);
    }
    return groups;
  }

  func::FuncOp function;
  const ProgramGraph &program;
  propagation::Moves moves;
  flow::DeviceModel device;
  SmallVector<Request> chosen;
};

struct ChooseShardings : mlir::heddle::impl::ChooseShardingsBase<ChooseShardings> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module.getOps<device::MeshOp>().empty()) {
      module.emitError("--shard=auto shares the work of the ranks of a mesh, and the program has none; --mesh=x=2 makes "
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
      notes.push_back(StringAttr::get(&getContext(), chooser.note));
    }
    if (!notes.empty())
      module->setAttr(kShardingsAttr, ArrayAttr::get(&getContext(), notes));
  }
};

} // namespace
