// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

struct ResolveLaunches : mlir::heddle::impl::ResolveLaunchesBase<ResolveLaunches> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    WalkResult walk = getOperation().walk([&](host::DispatchOp dispatch) {
      return failed(resolve(dispatch, symbols)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult resolve(host::DispatchOp dispatch, const SymbolTable &symbols) {
    if (!dispatch.getLaunch().empty())
      return success();
    auto executable = symbols.lookup<flow::ExecutableOp>(dispatch.getExecutableAttr().getAttr());
    auto variants = llvm::to_vector(executable.getBody().getOps<flow::VariantOp>());
    if (variants.empty())
      return dispatch.emitOpError() << "needs a variant of " << dispatch.getExecutableAttr()
                                    << ", got none; run codegen first";
    SmallVector<Value> launch;
    for (size_t v = 0; v < variants.size(); ++v)
      for (auto get : {&flow::VariantOp::getWorkgroups, &flow::VariantOp::getScratch})
        if (failed(appendFormula(dispatch, variants, v, get, launch)))
          return failure();
    // Variants that launch alike need no choice.
    if (llvm::all_of(llvm::seq<size_t>(2, launch.size()), [&](size_t i) { return launch[i] == launch[i % 2]; }))
      launch.truncate(2);
    dispatch.getLaunchMutable().assign(launch);
    return success();
  }

  // Appends the value of a formula of variant `v`: that of an earlier variant's where the two are the same.
  LogicalResult appendFormula(host::DispatchOp dispatch, ArrayRef<flow::VariantOp> variants, size_t v,
                              func::FuncOp (flow::VariantOp::*get)(), SmallVectorImpl<Value> &launch) {
    func::FuncOp formula = (flow::VariantOp(variants[v]).*get)();
    for (size_t earlier = 0; earlier < v; ++earlier) {
      func::FuncOp other = (flow::VariantOp(variants[earlier]).*get)();
      if (OperationEquivalence::isRegionEquivalentTo(&formula.getBody(), &other.getBody(),
                                                     OperationEquivalence::IgnoreLocations)) {
        launch.push_back(launch[2 * earlier + launch.size() % 2]);
        return success();
      }
    }
    return inlineFormula(dispatch, formula, launch);
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
