// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_LOWERSWITCHES
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

// What the cases from number `first` on give.
static ValueRange lowerCases(OpBuilder &builder, scf::IndexSwitchOp op, unsigned first) {
  Location loc = op.getLoc();
  Value value = arith::ConstantIndexOp::create(builder, loc, op.getCases()[first]);
  Value isIt = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, op.getArg(), value);
  auto branch = scf::IfOp::create(builder, loc, op.getResultTypes(), isIt, /*withElseRegion=*/true);
  branch->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  branch.getThenRegion().takeBody(op.getCaseRegions()[first]);
  if (first + 1 == op.getNumCases()) {
    branch.getElseRegion().takeBody(op.getDefaultRegion());
    return branch.getResults();
  }
  branch.getElseRegion().getBlocks().clear();
  OpBuilder inner = OpBuilder::atBlockEnd(&branch.getElseRegion().emplaceBlock());
  ValueRange others = lowerCases(inner, op, first + 1);
  scf::YieldOp::create(inner, loc, others);
  return branch.getResults();
}

namespace {

struct LowerSwitches : mlir::heddle::impl::LowerSwitchesBase<LowerSwitches> {
  void runOnOperation() override {
    SmallVector<scf::IndexSwitchOp> switches;
    getOperation().walk([&](scf::IndexSwitchOp op) { switches.push_back(op); });
    for (scf::IndexSwitchOp op : switches) {
      OpBuilder builder(op);
      if (op.getNumCases() != 0) {
        op.replaceAllUsesWith(lowerCases(builder, op, 0));
      } else { // only the default, which stands where the op does
        Block &body = op.getDefaultRegion().front();
        op.replaceAllUsesWith(body.getTerminator()->getOperands());
        body.getTerminator()->erase();
        op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
      }
      op.erase();
    }
  }
};

} // namespace
