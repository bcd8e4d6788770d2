#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Stages/Package/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_RESOLVELAUNCHES
#include "compiler/Stages/Package/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct ResolveLaunches : heddle::impl::ResolveLaunchesBase<ResolveLaunches> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk([&](host::DispatchOp dispatch) {
      return failed(resolve(dispatch)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult resolve(host::DispatchOp dispatch) {
    if (!dispatch.getLaunch().empty())
      return success();
    auto executable = getOperation().lookupSymbol<flow::ExecutableOp>(dispatch.getExecutableAttr().getAttr());
    auto variants = llvm::to_vector(executable.getBody().getOps<flow::VariantOp>());
    if (variants.size() != 1)
      return dispatch.emitOpError() << "needs exactly one variant of " << dispatch.getExecutableAttr() << ", got "
                                    << variants.size()
                                    << (variants.empty() ? "; run codegen first"
                                                         : "; choosing at load is not built yet");
    SmallVector<Value> launch;
    for (func::FuncOp formula : {variants[0].getWorkgroups(), variants[0].getScratch()})
      if (failed(inlineFormula(dispatch, formula, launch)))
        return failure();
    dispatch.getLaunchMutable().assign(launch);
    return success();
  }

  LogicalResult inlineFormula(host::DispatchOp dispatch, func::FuncOp formula, SmallVectorImpl<Value> &values) {
    if (!formula.getBody().hasOneBlock() || formula.getNumArguments() != dispatch.getConstants().size())
      return formula.emitOpError() << "must be one block of " << dispatch.getConstants().size()
                                   << " arguments, as its dispatch passes, got " << formula.getFunctionType();
    OpBuilder builder(dispatch);
    IRMapping mapping;
    mapping.map(formula.getArguments(), dispatch.getConstants());
    for (Operation &op : formula.getBody().front().without_terminator())
      builder.clone(op, mapping);
    values.push_back(mapping.lookup(formula.getBody().front().getTerminator()->getOperand(0)));
    return success();
  }
};

} // namespace
