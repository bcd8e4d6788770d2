// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/Interpreter.h"

#include "compiler/Dialect/Host/Interpreter/FakeMachine.h"

using namespace mlir;
using namespace mlir::heddle::host;

namespace {

// One call under every schedule.
class CallRunner {
public:
  CallRunner(ModuleOp module, FuncOp func, const RunOptions &options) : module(module), func(func), options(options) {}

  LogicalResult run(ArrayRef<ElementsAttr> inputs, raw_ostream &out) {
    if (failed(options.allOrders ? runAllOrders(inputs) : runSchedules(inputs)))
      return failure();
    out << outcome << "\n  memory: " << memory << '\n';
    return success();
  }

private:
  LogicalResult runSchedules(ArrayRef<ElementsAttr> inputs) {
    for (unsigned schedule = 0; schedule < std::max(options.schedules, 1u); ++schedule) {
      Session session(options.seed + schedule);
      if (failed(runOnce(session, inputs, "under seed " + std::to_string(options.seed + schedule))))
        return failure();
    }
    return success();
  }

  LogicalResult runAllOrders(ArrayRef<ElementsAttr> inputs) {
    constexpr unsigned kMostOrders = 1000000;
    OrderScript script;
    for (unsigned order = 0; order < kMostOrders; ++order) {
      Session session(script);
      if (failed(runOnce(session, inputs, "in order " + std::to_string(order))))
        return failure();
      if (!script.next())
        return success();
    }
    return func.emitOpError() << "has more than " << kMostOrders << " orders";
  }

  // What the call gives is what it gave in the run before.
  LogicalResult runOnce(Session &session, ArrayRef<ElementsAttr> inputs, std::string when) {
    if (auto bind = module.lookupSymbol<FuncOp>(kBindFunction))
      if (failed(FakeMachine(bind, options, session).run({})))
        return failure();
    FakeMachine machine(func, options, session);
    FailureOr<std::string> got = machine.run(inputs);
    if (failed(got))
      return failure();
    memory = "slab " + std::to_string(machine.getSlabBytes()) + " bytes, " + std::to_string(machine.getAllocations()) +
             " allocations";
    if (!first.empty() && *got != outcome)
      return func.emitOpError() << "gives \"" << outcome << "\" " << first << " and \"" << *got << "\" " << when
                                << ": it has a race";
    if (first.empty())
      first = std::move(when);
    outcome = std::move(*got);
    return success();
  }

  ModuleOp module;
  FuncOp func;
  const RunOptions &options;
  std::string outcome, first; // what the first run gave, and which one that was
  std::string memory;         // what the last run took; the same for all
};

} // namespace

static LogicalResult runCalls(ModuleOp module, FuncOp func, const RunOptions &options, raw_ostream &out) {
  auto calls = func->getAttrOfType<ArrayAttr>(kInputsAttr);
  if (!calls)
    return func.emitOpError() << "needs host.inputs: a list of calls, each a list of its arguments";
  for (auto [i, call] : llvm::enumerate(calls)) {
    auto list = dyn_cast<ArrayAttr>(call);
    if (!list || !llvm::all_of(list, [](Attribute value) { return isa<ElementsAttr>(value); }))
      return func.emitOpError() << "has host.inputs that are no lists of dense values: " << call;
    out << func.getSymName() << " call " << i << ": ";
    if (failed(CallRunner(module, func, options).run(llvm::to_vector(list.getAsRange<ElementsAttr>()), out)))
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
