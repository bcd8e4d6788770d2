// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Dialect/Flow/Analysis/WorkEstimate.h"
#include "compiler/Dialect/Heddle/IR/Expect.h"
#include "compiler/Dialect/Host/IR/HostOps.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Stages/Codegen/SharedCode.h"
#include "compiler/Stages/Codegen/Targets.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>
#include <limits>
#include <tuple>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_MARKCOLD
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// What a call does with an executable.
struct Use {
  uint64_t dispatches = 0;
  bool isInLoop = false; // that runs nobody knows how often
};

struct Timed {
  kernel::ProgramOp program;
  double ns;    // of a call
  size_t place; // in the module
};

struct MarkCold : mlir::heddle::impl::MarkColdBase<MarkCold> {
  using MarkColdBase::MarkColdBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<Use> uses;
    module.walk([&](host::DispatchOp dispatch) {
      Use &use = uses[dispatch.getExecutable()];
      ++use.dispatches;
      use.isInLoop |= dispatch->getParentOfType<LoopLikeOpInterface>() || dispatch->getParentOfType<scf::WhileOp>();
    });
    llvm::MapVector<Attribute, SmallVector<Timed>> ofTargets;
    SymbolTable symbols(module);
    for (auto program : module.getOps<kernel::ProgramOp>())
      if (auto executable = symbols.lookup<flow::ExecutableOp>(program.getExecutable()))
        if (std::optional<double> ns = estimate(program, executable, uses.lookup(executable.getSymName()))) {
          SmallVector<Timed> &programs = ofTargets[program.getTarget()];
          programs.push_back({program, *ns, programs.size()});
        }
    for (auto &[target, programs] : ofTargets)
      if (programs.size() >= least)
        mark(programs);
  }

  // The time of a call's dispatches on one core; what runs in a loop may be all of it. None where nothing is known.
  static std::optional<double> estimate(kernel::ProgramOp program, flow::ExecutableOp executable, const Use &use) {
    const Target *target = findTarget(program.getTarget().getFormat().getValue());
    std::optional<QueueCosts> costs = target ? target->getQueueCosts() : std::nullopt;
    func::FuncOp function = executable.getFunction();
    if (!costs || !function || use.dispatches == 0)
      return std::nullopt;
    if (use.isInLoop)
      return std::numeric_limits<double>::infinity();
    flow::Work work = flow::estimateWork(function);
    if (auto expected = executable->getAttrOfType<DenseI64ArrayAttr>(kWorkAttr))
      work = {static_cast<uint64_t>(expected[0]), static_cast<uint64_t>(expected[1])};
    double ns = static_cast<double>(work.flops) / costs->gflops + static_cast<double>(work.bytes) / costs->memoryGbps +
                static_cast<double>(costs->launchNs);
    return ns * static_cast<double>(use.dispatches);
  }

  // Those of least time, in the module's order where times are equal. What runs in loops is not in the total.
  void mark(SmallVector<Timed> &programs) {
    double total = 0, cold = 0;
    for (const Timed &each : programs)
      if (std::isfinite(each.ns))
        total += each.ns;
    llvm::sort(programs,
               [](const Timed &a, const Timed &b) { return std::tie(a.ns, a.place) < std::tie(b.ns, b.place); });
    for (Timed &each : programs)
      if ((cold += each.ns) <= total * percent / 100)
        each.program->setAttr(codegen::kColdAttr, UnitAttr::get(&getContext()));
  }
};

} // namespace
