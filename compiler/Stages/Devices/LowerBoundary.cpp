// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/State.h"
#include "compiler/Stages/Devices/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_LOWERBOUNDARY
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct LowerBoundary : mlir::heddle::impl::LowerBoundaryBase<LowerBoundary> {
  void runOnOperation() override {
    SmallVector<flow::ImportOp> imports;
    SmallVector<flow::AliasOp> aliases;
    SmallVector<flow::ExportOp> exports;
    getOperation().walk([&](flow::ImportOp op) { imports.push_back(op); });
    getOperation().walk([&](flow::AliasOp op) { aliases.push_back(op); });
    getOperation().walk([&](flow::ExportOp op) { exports.push_back(op); });
    bool anyFailed = false;
    for (flow::ImportOp op : imports)
      anyFailed |= failed(lowerImport(op));
    for (flow::AliasOp op : aliases)
      anyFailed |= failed(lowerAlias(op));
    for (flow::ExportOp op : exports)
      anyFailed |= failed(lowerExport(op));
    if (anyFailed)
      signalPassFailure();
  }

  // One device for one value: what is there already must be the same.
  static LogicalResult checkSame(Operation *op, Attribute known, Attribute affinity, StringRef what, unsigned index) {
    if (!known || known == affinity)
      return success();
    return op->emitOpError() << "puts " << what << ' ' << index << " on " << affinity << ", which is on " << known
                             << " already; one device each, flow.transfer brings a value to another";
  }

  static LogicalResult lowerImport(flow::ImportOp op) {
    auto argument = dyn_cast<BlockArgument>(op.getOperand());
    auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
    if (!func || !func.isPublic())
      return op.emitOpError() << "takes an argument of an entry point; bring other values to a device by flow.transfer";
    unsigned index = argument.getArgNumber();
    if (failed(checkSame(op, func.getArgAttr(index, kAffinityAttr), op.getAffinity(), "argument", index)))
      return failure();
    func.setArgAttr(index, kAffinityAttr, op.getAffinity());
    op.getResult().replaceAllUsesWith(argument);
    op.erase();
    return success();
  }

  // Whether memory of the result or of the argument is spoken for.
  static bool isTaken(func::FuncOp func, unsigned argument, unsigned result) {
    bool taken = func.getArgAttr(argument, kStateAttr) || func.getArgAttr(argument, kDonatedAttr) ||
                 func.getResultAttr(result, kStateAttr);
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (auto donated = func.getArgAttrOfType<IntegerAttr>(i, kDonatedAttr))
        taken |= donated.getInt() == static_cast<int64_t>(result);
    return taken;
  }

  static LogicalResult lowerAlias(flow::AliasOp op) {
    auto storage = dyn_cast<BlockArgument>(op.getStorage());
    auto func = dyn_cast<func::FuncOp>(op->getParentOp());
    bool isReturned =
        func && func.isPublic() && op.getResult().hasOneUse() && isa<func::ReturnOp>(*op.getResult().user_begin());
    if (!isReturned || !storage || storage.getOwner()->getParentOp() != func)
      return op.emitOpError() << "gives a result of an entry point in the storage of one of its arguments, and is "
                                 "returned once and used for nothing else";
    unsigned argument = storage.getArgNumber(), result = op.getResult().use_begin()->getOperandNumber();
    if (isTaken(func, argument, result))
      return op.emitOpError() << "puts result " << result << " into argument " << argument
                              << ", one of which is state or donated already; each has one storage";
    if (std::optional<Attribute> affinity = op.getAffinity()) {
      if (failed(checkSame(op, func.getArgAttr(argument, kAffinityAttr), *affinity, "argument", argument)) ||
          failed(checkSame(op, func.getResultAttr(result, kAffinityAttr), *affinity, "result", result)))
        return failure();
      func.setArgAttr(argument, kAffinityAttr, *affinity);
      func.setResultAttr(result, kAffinityAttr, *affinity);
    }
    func.setArgAttr(argument, kDonatedAttr, Builder(op.getContext()).getI64IntegerAttr(result));
    op.getResult().replaceAllUsesWith(op.getOperand());
    op.erase();
    return success();
  }

  static LogicalResult lowerExport(flow::ExportOp op) {
    auto func = dyn_cast<func::FuncOp>(op->getParentOp());
    bool isReturned = func && func.isPublic() && !op.getResult().use_empty() &&
                      llvm::all_of(op.getResult().getUsers(), llvm::IsaPred<func::ReturnOp>);
    if (!isReturned)
      return op.emitOpError() << "gives a result of an entry point and is only returned; bring other values to a "
                                 "device by flow.transfer";
    for (OpOperand &use : op.getResult().getUses()) {
      unsigned index = use.getOperandNumber();
      if (failed(checkSame(op, func.getResultAttr(index, kAffinityAttr), op.getAffinity(), "result", index)))
        return failure();
      func.setResultAttr(index, kAffinityAttr, op.getAffinity());
    }
    op.getResult().replaceAllUsesWith(op.getOperand());
    op.erase();
    return success();
  }
};

} // namespace
