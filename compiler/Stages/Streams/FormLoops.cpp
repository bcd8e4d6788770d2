// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/QueueSets.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Streams/LoopEmitter.h"
#include "compiler/Stages/Streams/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FORMLOOPS
#include "compiler/Stages/Streams/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct FormLoops : mlir::heddle::impl::FormLoopsBase<FormLoops> {
  using FormLoopsBase::FormLoopsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool isMarked = module
                        .walk([](Operation *op) {
                          return op->hasAttr(kStreamAttr) ? WalkResult::interrupt() : WalkResult::advance();
                        })
                        .wasInterrupted();
    if (!isMarked)
      return;
    // Sizes are those of arguments and inits from here on, so that they are known in front of a loop.
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createResolveDims());
    // Equal ops are one, before each fills a tensor of its own.
    pm.addPass(createCSEPass());
    if (failed(runPipeline(pm, module)) || failed(readPlaces(module)))
      return signalPassFailure();
    bool isValid = true;
    for (auto func : module.getOps<func::FuncOp>())
      for (Block &block : func.getBody())
        isValid &= succeeded(formIn(block));
    if (!isValid)
      return signalPassFailure();
    module.walk([](flow::StreamedOp op) {
      op.replaceAllUsesWith(op.getOperand());
      op.erase();
    });
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    FormLoopsBase::getDependentDialects(registry);
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createResolveDims());
    pm.getDependentDialects(registry);
  }

private:
  // Where ops run, as far as that keeps them apart.
  LogicalResult readPlaces(ModuleOp module) {
    places.clear();
    queues = flow::QueueSets();
    auto devices = module.getOps<device::GlobalOp>();
    bool namesQueues = flow::namesQueues(module);
    if (std::distance(devices.begin(), devices.end()) < 2 && !namesQueues)
      return success();
    auto affinities = flow::Affinities::of(module);
    if (failed(affinities))
      return failure();
    if (namesQueues)
      queues = flow::QueueSets(module, *affinities);
    affinities->forEachOp([&](Operation *op, const flow::Placement &place) { places[op] = place.device; });
    return success();
  }

  bool areTogether(Operation *a, Operation *b) const {
    auto first = places.find(a), second = places.find(b);
    bool isOneDevice = first == places.end() || second == places.end() || first->second == second->second;
    return isOneDevice && queues.find(a) == queues.find(b);
  }

  LogicalResult formIn(Block &block) {
    auto together = [&](Operation *a, Operation *b) { return areTogether(a, b); };
    FailureOr<SmallVector<streams::Group>> groups = streams::groupStreamed(block, {together, strictFloat});
    if (failed(groups))
      return failure();
    llvm::for_each(*groups, streams::emitLoop);
    // Loops and branches, also those just made, whose ops may have marks of their own.
    bool isValid = true;
    for (Operation &op : block)
      if (isa_and_nonnull<scf::SCFDialect>(op.getDialect()))
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            isValid &= succeeded(formIn(inner));
    return success(isValid);
  }

  llvm::DenseMap<Operation *, unsigned> places;
  flow::QueueSets queues;
};

} // namespace
