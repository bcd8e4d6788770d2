// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Tosa/Importer.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::heddle;

bool mlir::heddle::tosa::hasTosa(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa_and_nonnull<mlir::tosa::TosaDialect>(op->getDialect()) ? WalkResult::interrupt()
                                                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

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

LogicalResult mlir::heddle::tosa::convertTosa(ModuleOp module, llvm::function_ref<LogicalResult(OpPassManager &)> run) {
  OpPassManager pm(ModuleOp::getOperationName());
  TosaToLinalgOptions linalg;
  TosaToLinalgNamedOptions named;
  mlir::tosa::addTosaToLinalgPasses(pm, linalg, named, std::nullopt);
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createTosaToArithPass(TosaToArithPassOptions{/*includeApplyRescale=*/true, /*use32Bit=*/false}));
  functions.addPass(createTosaToTensorPass());
  functions.addPass(createTosaToSCFPass());
  SmallVector<arith::MaxUIOp> given = maximaOfIndices(module);
  if (failed(run(pm)))
    return failure();
  for (arith::MaxUIOp op : maximaOfIndices(module))
    if (!llvm::is_contained(given, op))
      checkBroadcast(op);
  return success();
}
