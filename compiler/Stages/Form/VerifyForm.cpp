// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYFORM
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyForm : mlir::heddle::impl::VerifyFormBase<VerifyForm> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      WalkResult walk = func.walk([](Operation *op) {
        // An empty tensor that no region took is memory that a loop fills.
        if (isa<tensor::EmptyOp>(op) || (!fusion::isCompute(op) && !isa<flow::RegionOp>(op)))
          return WalkResult::advance();
        op->emitError("tensor compute outside an executable after dispatch formation");
        return WalkResult::interrupt();
      });
      if (walk.wasInterrupted())
        return signalPassFailure();
      walk = func.walk([&](tensor::InsertSliceOp part) {
        return flow::isFill(part) && failed(verifyReaders(part)) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (walk.wasInterrupted())
        return signalPassFailure();
    }
  }

  // What reads memory that is filled in parts reads parts that are there by then.
  LogicalResult verifyReaders(tensor::InsertSliceOp part) {
    int64_t axis = 0;
    while (axis < part.getDestType().getRank() && !flow::cuts(part, axis))
      ++axis;
    if (axis == part.getDestType().getRank())
      return success();
    if (ShapedType::isDynamic(part.getStaticSizes()[axis]) || ShapedType::isDynamic(part.getStaticOffsets()[axis]))
      return verifyUnread(part);
    int64_t end = part.getStaticOffsets()[axis] + part.getStaticSizes()[axis];
    if (end == part.getDestType().getDimSize(axis))
      return success();
    for (OpOperand &use : part.getResult().getUses()) {
      if (isa<tensor::DimOp, tensor::InsertSliceOp>(use.getOwner()))
        continue;
      auto dispatch = dyn_cast<flow::DispatchOp>(use.getOwner());
      if (!dispatch || !readsUpTo(dispatch, use.getOperandNumber(), axis, end))
        return use.getOwner()->emitError("reads more of a tensor than the ")
               << end << " positions along dimension " << axis << " that are filled by then: a bug of the compiler";
    }
    return success();
  }

  // Where the call knows where parts end nothing reads some of them.
  static LogicalResult verifyUnread(tensor::InsertSliceOp part) {
    auto isPart = [](Operation *user) { return isa<tensor::DimOp, tensor::InsertSliceOp>(user); };
    bool isLast = llvm::none_of(part->getUsers(), [](Operation *user) { return isa<tensor::InsertSliceOp>(user); });
    if (isLast || llvm::all_of(part->getUsers(), isPart))
      return success();
    return part.emitError("is read before all parts are there: a bug of the compiler");
  }

  static bool readsUpTo(flow::DispatchOp dispatch, unsigned operand, int64_t axis, int64_t end) {
    auto executable = SymbolTable::lookupNearestSymbolFrom<flow::ExecutableOp>(dispatch, dispatch.getExecutableAttr());
    func::FuncOp function = executable.getFunction();
    return llvm::all_of(function.getArgument(operand).getUsers(), [&](Operation *user) {
      auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
      if (!slice || ShapedType::isDynamic(slice.getStaticSizes()[axis]))
        return isa<tensor::DimOp>(user);
      OpFoldResult offset = slice.getMixedOffsets()[axis];
      if (auto argument = dyn_cast_if_present<BlockArgument>(dyn_cast<Value>(offset)))
        offset = dispatch.getConstants()[argument.getArgNumber() - dispatch.getBindings().size()];
      std::optional<int64_t> begin = getConstantIntValue(offset);
      return begin && *begin + slice.getStaticSizes()[axis] <= end;
    });
  }
};

} // namespace
