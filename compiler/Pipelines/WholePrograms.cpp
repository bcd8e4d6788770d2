// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/WholePrograms.h"

#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"
#include "compiler/Dialect/Intent/Transforms/Passes.h"
#include "compiler/Stages/Encode/Passes.h"
#include "compiler/Stages/Ranks/Propagation/OwnValues.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

struct PrepareWholePrograms : PassWrapper<PrepareWholePrograms, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrepareWholePrograms)

  explicit PrepareWholePrograms(bool all) : all(all), prepare(ModuleOp::getOperationName()) {
    prepare.addPass(createExpandBatches());
    // Sizes that are asked of what nobody else reads would keep it.
    prepare.addPass(createResolveDims());
    prepare.addPass(createCSEPass());
  }
  PrepareWholePrograms(const PrepareWholePrograms &other)
      : PassWrapper(other), all(other.all), prepare(other.prepare) {}

  void getDependentDialects(DialectRegistry &registry) const override { prepare.getDependentDialects(registry); }

  void runOnOperation() override {
    // What is folded or not applied from here on leaves it a whole program.
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isWholeProgram(function))
        function->setAttr(kWholeProgramAttr, UnitAttr::get(&getContext()));
    bool isWhole = all || llvm::any_of(getOperation().getOps<func::FuncOp>(), isWholeProgram);
    // Shardings and loops over streams are followed through ops that have loops.
    if (isWhole || hasStreams(getOperation()))
      intent::decompose(getOperation());
    if (isWhole && failed(runPipeline(prepare, getOperation())))
      signalPassFailure();
  }

  static bool hasStreams(ModuleOp module) {
    return module
        .walk([](Operation *op) {
          return op->hasAttr(kStreamAttr) || op->hasAttr(kStreamsAttr) ? WalkResult::interrupt()
                                                                       : WalkResult::advance();
        })
        .wasInterrupted();
  }

  bool all;
  OpPassManager prepare;
};

} // namespace

std::unique_ptr<Pass> mlir::heddle::createPrepareWholePrograms(bool all) {
  return std::make_unique<PrepareWholePrograms>(all);
}
