// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Tosa/Importer.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Intent/IR/IntentLists.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
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

// Makes the call fail unless both sizes are equal, where types leave that open.
static void checkSizes(OpBuilder &b, Location loc, OpFoldResult x, OpFoldResult y) {
  if (isEqualConstantIntOrValue(x, y))
    return;
  Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, getValueOrCreateConstantIndexOp(b, loc, x),
                                      getValueOrCreateConstantIndexOp(b, loc, y));
  flow::CheckOp::create(b, loc, equal,
                        b.getStringAttr("tosa.scatter: batches of values, indices and input must be as many, indices "
                                        "as many as the input's rows, and channels alike"));
}

// Upstream makes loops of the program of it, an update each.
static void convertScatter(mlir::tosa::ScatterOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value data = op.getValuesIn(), updates = op.getInput(), places = op.getIndices();
  auto into = dyn_cast<RankedTensorType>(data.getType());
  if (!into || op.getType() != into || !isa<RankedTensorType>(updates.getType()) ||
      !isa<RankedTensorType>(places.getType()))
    return;
  SmallVector<OpFoldResult> whole = tensor::getMixedSizes(b, loc, data), part = tensor::getMixedSizes(b, loc, updates),
                            list = tensor::getMixedSizes(b, loc, places);
  checkSizes(b, loc, whole[0], part[0]);
  checkSizes(b, loc, whole[2], part[2]);
  checkSizes(b, loc, part[0], list[0]);
  checkSizes(b, loc, part[1], list[1]);
  // One value for each of the sizes that are equal.
  SmallVector<Value> sizes;
  for (OpFoldResult size : whole)
    if (auto value = dyn_cast<Value>(size))
      sizes.push_back(value);
  for (auto [d, size] : llvm::enumerate(part))
    if (isa<Value>(size))
      sizes.push_back(getValueOrCreateConstantIndexOp(b, loc, d == 1 ? size : whole[d]));
  auto made = intent::ScatterOp::create(b, loc, into, updates, data, places, sizes, b.getI64IntegerAttr(1),
                                        /*associative=*/nullptr);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(made.getResult());
  op.erase();
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
  SmallVector<mlir::tosa::ScatterOp> scatters;
  module.walk([&](mlir::tosa::ScatterOp op) { scatters.push_back(op); });
  llvm::for_each(scatters, convertScatter);
  SmallVector<arith::MaxUIOp> given = maximaOfIndices(module);
  if (failed(run(pm)))
    return failure();
  for (arith::MaxUIOp op : maximaOfIndices(module))
    if (!llvm::is_contained(given, op))
      checkBroadcast(op);
  return success();
}
