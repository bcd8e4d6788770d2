// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/Interpreter.h"

#include "compiler/Dialect/Host/Interpreter/FakeMachine.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;

namespace {

using Inputs = SmallVector<ElementsAttr>;

// One call under every schedule.
class CallRunner {
public:
  // `inputs` by rank.
  CallRunner(ModuleOp module, FuncOp func, const RunOptions &options, ArrayRef<Inputs> inputs)
      : module(module), func(func), options(options), inputs(inputs) {}

  LogicalResult run(raw_ostream &out) {
    if (failed(options.allOrders ? runAllOrders() : runSchedules()))
      return failure();
    out << outcome << "\n  memory: " << memory << '\n';
    return success();
  }

private:
  LogicalResult runSchedules() {
    for (unsigned schedule = 0; schedule < std::max(options.schedules, 1u); ++schedule) {
      uint64_t seed = options.seed + schedule;
      auto start = [&](unsigned rank) { return std::make_unique<Session>(seed + 1000003 * rank); };
      if (failed(runOnce(seed, start, "under seed " + std::to_string(seed))))
        return failure();
    }
    return success();
  }

  // Ranks go on in one order: what they do between collectives is nobody else's matter.
  LogicalResult runAllOrders() {
    constexpr unsigned kMostOrders = 1000000;
    OrderScript script;
    for (unsigned order = 0; order < kMostOrders; ++order) {
      auto start = [&](unsigned) { return std::make_unique<Session>(script); };
      if (failed(runOnce(std::nullopt, start, "in order " + std::to_string(order))))
        return failure();
      if (!script.next())
        return success();
    }
    return func.emitOpError() << "has more than " << kMostOrders << " orders";
  }

  // What the call gives is what it gave in the run before.
  LogicalResult runOnce(std::optional<uint64_t> seed, llvm::function_ref<std::unique_ptr<Session>(unsigned)> start,
                        std::string when) {
    World world(inputs.size(), seed);
    std::vector<std::string> outcomes(inputs.size());
    auto runRank = [&](unsigned rank) {
      std::unique_ptr<Session> session = start(rank);
      session->join(world, rank);
      return runRankOnce(*session, rank, outcomes[rank]);
    };
    if (failed(world.run(runRank)))
      return failure();
    std::string got = outcomes[0];
    if (outcomes.size() > 1) {
      got.clear();
      for (auto [rank, text] : llvm::enumerate(outcomes))
        got += "\n  rank " + std::to_string(rank) + ": " + text;
    }
    if (!first.empty() && got != outcome)
      return func.emitOpError() << "gives \"" << outcome << "\" " << first << " and \"" << got << "\" " << when
                                << ": it has a race";
    if (first.empty())
      first = std::move(when);
    outcome = std::move(got);
    return success();
  }

  LogicalResult runRankOnce(Session &session, unsigned rank, std::string &text) {
    if (auto bind = module.lookupSymbol<FuncOp>(kBindFunction))
      if (failed(FakeMachine(bind, options, session).run({})))
        return failure();
    FakeMachine machine(func, options, session);
    FailureOr<std::string> got = machine.run(inputs[rank]);
    if (failed(got))
      return failure();
    text = std::move(*got);
    if (rank == 0)
      memory = "slab " + std::to_string(machine.getSlabBytes()) + " bytes, " +
               std::to_string(machine.getAllocations()) + " allocations";
    return success();
  }

  ModuleOp module;
  FuncOp func;
  const RunOptions &options;
  ArrayRef<Inputs> inputs;
  std::string outcome, first; // what the first run gave, and which one that was
  std::string memory;         // what the last run took; the same for all
};

} // namespace

// As many as the meshes need; a free size is taken as 2.
static unsigned countRanks(ModuleOp module, const RunOptions &options) {
  if (options.ranks)
    return options.ranks;
  int64_t needed = 1;
  for (auto mesh : module.getOps<device::MeshOp>()) {
    int64_t ranks = 1;
    for (int64_t size : mesh.getSizes())
      ranks *= size == device::MeshOp::kFree ? 2 : size;
    needed = std::max(needed, static_cast<int64_t>(mesh.getFirst()) + ranks);
  }
  return needed;
}

// The arguments of each rank; none where they are no dense values.
static std::optional<SmallVector<Inputs>> inputsOf(Attribute call, unsigned ranks) {
  auto list = dyn_cast<ArrayAttr>(call);
  if (!list)
    return std::nullopt;
  bool isByRank = !list.empty() && llvm::all_of(list, llvm::IsaPred<ArrayAttr>);
  SmallVector<Inputs> inputs;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    ArrayAttr own = isByRank ? cast<ArrayAttr>(list[rank % list.size()]) : list;
    if (!llvm::all_of(own, llvm::IsaPred<ElementsAttr>))
      return std::nullopt;
    inputs.push_back(llvm::to_vector(own.getAsRange<ElementsAttr>()));
  }
  return inputs;
}

static LogicalResult runCalls(ModuleOp module, FuncOp func, const RunOptions &options, raw_ostream &out) {
  auto calls = func->getAttrOfType<ArrayAttr>(kInputsAttr);
  if (!calls)
    return func.emitOpError() << "needs host.inputs: a list of calls, each a list of its arguments";
  for (auto [i, call] : llvm::enumerate(calls)) {
    std::optional<SmallVector<Inputs>> inputs = inputsOf(call, countRanks(module, options));
    if (!inputs)
      return func.emitOpError() << "has host.inputs that are not lists of dense values: " << call;
    out << func.getSymName() << " call " << i << ": ";
    if (failed(CallRunner(module, func, options, *inputs).run(out)))
      return failure();
  }
  return success();
}

LogicalResult mlir::heddle::host::runPrograms(ModuleOp module, const RunOptions &options, raw_ostream &out) {
  for (auto func : module.getOps<FuncOp>())
    if (func.getSymName() != kBindFunction && failed(runCalls(module, func, options, out)))
      return failure();
  return success();
}
