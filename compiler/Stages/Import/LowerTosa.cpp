#include "compiler/Stages/Import/Passes.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_LOWERTOSA
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct LowerTosa : heddle::impl::LowerTosaBase<LowerTosa> {
  void runOnOperation() override {
    WalkResult found = getOperation().walk([](Operation *op) {
      return isa_and_nonnull<tosa::TosaDialect>(op->getDialect()) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return;
    OpPassManager pm(ModuleOp::getOperationName());
    TosaToLinalgOptions linalg;
    TosaToLinalgNamedOptions named;
    tosa::addTosaToLinalgPasses(pm, linalg, named, std::nullopt);
    OpPassManager &functions = pm.nest<func::FuncOp>();
    functions.addPass(createTosaToArithPass(TosaToArithPassOptions{/*includeApplyRescale=*/true, /*use32Bit=*/false}));
    functions.addPass(createTosaToTensorPass());
    functions.addPass(createTosaToSCFPass());
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerTosaBase::getDependentDialects(registry);
    registry.insert<tosa::TosaDialect>();
  }
};

} // namespace
