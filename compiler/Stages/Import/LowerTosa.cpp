// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/HideStreams.h"
#include "compiler/Stages/Import/KeepAffinities.h"
#include "compiler/Stages/Import/Passes.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_LOWERTOSA
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

// Where two dynamic sizes are broadcast, upstream's lowering takes their unsigned maximum, which artifacts do not have,
// which is 1 for sizes 0 and 1, and which reads beyond a tensor where the sizes do not fit.
static void checkBroadcast(arith::MaxUIOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value x = op.getLhs(), y = op.getRhs(), one = arith::ConstantIndexOp::create(b, loc, 1);
  auto equals = [&](Value v, Value w) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, v, w);
  };
  Value xIsOne = equals(x, one), either = arith::OrIOp::create(b, loc, xIsOne, equals(y, one));
  Value fits = arith::OrIOp::create(b, loc, equals(x, y), either);
  flow::CheckOp::create(b, loc, fits,
                        b.getStringAttr("sizes of operands cannot be broadcast: they must be equal, or one of them 1"));
  op.replaceAllUsesWith(Value(arith::SelectOp::create(b, loc, xIsOne, y, x)));
  op.erase();
}

static SmallVector<arith::MaxUIOp> maximaOfIndices(ModuleOp module) {
  SmallVector<arith::MaxUIOp> found;
  module.walk([&](arith::MaxUIOp op) {
    if (op.getType().isIndex())
      found.push_back(op);
  });
  return found;
}

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
    SmallVector<arith::MaxUIOp> given = maximaOfIndices(getOperation());
    SmallVector<Location> streamed = hideStreams(getOperation());
    hideAffinities(getOperation());
    if (failed(runPipeline(pm, getOperation())))
      return signalPassFailure();
    restoreAffinities(getOperation());
    if (failed(restoreStreams(getOperation(), streamed)))
      return signalPassFailure();
    for (arith::MaxUIOp op : maximaOfIndices(getOperation()))
      if (!llvm::is_contained(given, op))
        checkBroadcast(op);
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerTosaBase::getDependentDialects(registry);
    registry.insert<tosa::TosaDialect, flow::FlowDialect>();
  }
};

} // namespace
