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
    std::string outcome;
    for (unsigned schedule = 0; schedule < std::max(options.schedules, 1u); ++schedule) {
      FailureOr<std::string> got = runOnce(options.seed + schedule, inputs);
      if (failed(got))
        return failure();
      if (schedule == 0)
        outcome = *got;
      else if (*got != outcome)
        return func.emitOpError() << "gives \"" << outcome << "\" under seed " << options.seed << " and \"" << *got
                                  << "\" under seed " << options.seed + schedule << ": it has a race";
    }
    out << outcome << "\n  memory: " << memory << '\n';
    return success();
  }

private:
  FailureOr<std::string> runOnce(uint64_t seed, ArrayRef<ElementsAttr> inputs) {
    Session session(seed);
    if (auto bind = module.lookupSymbol<FuncOp>(kBindFunction))
      if (failed(FakeMachine(bind, options, session).run({})))
        return failure();
    FakeMachine machine(func, options, session);
    FailureOr<std::string> outcome = machine.run(inputs);
    if (failed(outcome))
      return failure();
    memory = "slab " + std::to_string(machine.getSlabBytes()) + " bytes, " + std::to_string(machine.getAllocations()) +
             " allocations";
    return outcome;
  }

  ModuleOp module;
  FuncOp func;
  const RunOptions &options;
  std::string memory; // what the last schedule took; the same for all
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
