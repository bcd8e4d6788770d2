// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Streams/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_NORMALIZELOOPS
#include "compiler/Stages/Streams/Passes.h.inc"
} // namespace mlir::heddle

// What the value becomes in a loop over streams that carries it; null where it goes to no such loop.
static Value findInner(BlockArgument argument) {
  OpOperand &use = *argument.use_begin();
  auto inner = dyn_cast<scf::ForOp>(use.getOwner());
  return inner && inner->hasAttr(kStreamsAttr) && inner.getTiedLoopRegionIterArg(&use)
             ? Value(inner.getTiedLoopResult(&use))
             : Value();
}

// What each iteration does to a carried value must be one slice of it, or streams would have to wait for one another.
static LogicalResult checkCarried(scf::ForOp loop) {
  for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto refuse = [&, number = number](const char *reason) {
      return loop.emitError() << "has heddle.streams, but hands value " << number
                              << " from one iteration to the next: " << reason;
    };
    if (!isa<RankedTensorType>(argument.getType()))
      return refuse("only tensors that iterations fill slice by slice can be carried");
    Value next = argument.hasOneUse() ? findInner(argument) : Value();
    if (!next && argument.hasOneUse())
      if (auto insert = dyn_cast<tensor::InsertSliceOp>(*argument.user_begin()); insert && insert.getDest() == argument)
        next = insert.getResult();
    if (!next)
      return refuse("it must be changed by one tensor.insert_slice and read by nothing else");
    OpOperand *use = next.hasOneUse() ? &*next.use_begin() : nullptr;
    if (!use || use->getOwner() != loop.getBody()->getTerminator() || use->getOperandNumber() != number)
      return refuse("what tensor.insert_slice makes of it must be what the iteration hands on, and be read by nothing "
                    "else");
  }
  return success();
}

// Counts from 0 in steps of 1.
static void normalize(scf::ForOp loop) {
  if (getConstantIntValue(loop.getLowerBound()) == 0 && getConstantIntValue(loop.getStep()) == 1)
    return;
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  Value first = loop.getLowerBound(), step = loop.getStep();
  Value length = b.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(), first);
  length = b.createOrFold<arith::MaxSIOp>(loc, length, zero);
  loop.setUpperBound(b.createOrFold<arith::CeilDivSIOp>(loc, length, step));
  loop.setLowerBound(zero);
  loop.setStep(one);
  b.setInsertionPointToStart(loop.getBody());
  Value scaled = arith::MulIOp::create(b, loc, loop.getInductionVar(), step);
  Value position = arith::AddIOp::create(b, loc, first, scaled);
  loop.getInductionVar().replaceAllUsesExcept(position, scaled.getDefiningOp());
}

namespace {

struct NormalizeLoops : mlir::heddle::impl::NormalizeLoopsBase<NormalizeLoops> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk([&](scf::ForOp loop) {
      Attribute streams = loop->getAttr(kStreamsAttr);
      if (!streams)
        return WalkResult::advance();
      if (!loop.getInductionVar().getType().isIndex()) {
        loop.emitError() << "has heddle.streams, but counts in " << loop.getInductionVar().getType()
                         << "; a loop over streams counts in index";
        return WalkResult::interrupt();
      }
      if (failed(checkCarried(loop)))
        return WalkResult::interrupt();
      normalize(loop);
      loop->setAttr(kKeepsShapesAttr, UnitAttr::get(&getContext()));
      loop->setLoc(FusedLoc::get(loop.getContext(), {loop.getLoc()}, streams));
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
