// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ranks/ManualComputation.h"
#include "compiler/Stages/Import/StableHlo/Ranks/Requests.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

// Requests are Shardy's, too.
static bool hasShardy(Operation *op) {
  return op->walk([](Operation *inner) { return isShardy(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

// More calls with shardings in them than any program has: they call themselves.
static constexpr int kMaximumCalls = 4096;

// Functions that a call of leads to a sharding or a manual computation.
static llvm::DenseSet<Operation *> findShardyCallees(ModuleOp module, SymbolTable &symbols) {
  llvm::DenseSet<Operation *> found;
  bool grows = true;
  while (std::exchange(grows, false))
    for (auto function : module.getOps<func::FuncOp>()) {
      bool leads = hasShardy(function);
      function.walk([&](func::CallOp call) { leads |= found.contains(symbols.lookup(call.getCallee())); });
      if (leads)
        grows |= found.insert(function).second;
    }
  return found;
}

static LogicalResult inlineCall(func::CallOp call, func::FuncOp callee) {
  if (!callee.getBody().hasOneBlock() || TypeRange(call.getOperandTypes()) != TypeRange(callee.getArgumentTypes()) ||
      TypeRange(call.getResultTypes()) != TypeRange(callee.getResultTypes()))
    return call.emitError() << "op func.call: @" << callee.getSymName()
                            << " needs one block, and operands and results of its types";
  OpBuilder builder(call);
  IRMapping mapping;
  mapping.map(callee.getArguments(), call.getOperands());
  Block &body = callee.getBody().front();
  for (Operation &op : llvm::make_range(body.begin(), std::prev(body.end())))
    builder.clone(op, mapping);
  for (auto [result, value] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
  return success();
}

LogicalResult mlir::heddle::hlo::inlineShardyCalls(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::DenseSet<Operation *> callees = findShardyCallees(module, symbols);
  int calls = 0;
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (!function.isPublic())
      continue;
    for (func::CallOp next = {};; next = {}) {
      function.walk([&](func::CallOp call) {
        next = callees.contains(symbols.lookup(call.getCallee())) ? call : func::CallOp();
        return next ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (!next)
        break;
      if (++calls > kMaximumCalls)
        return next.emitError() << "op func.call: more than " << kMaximumCalls << " calls with shardings; does @"
                                << next.getCallee() << " call itself?";
      if (failed(inlineCall(next, cast<func::FuncOp>(symbols.lookup(next.getCallee())))))
        return failure();
    }
  }
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!function.isPublic() && callees.contains(function)) {
      function.walk([](Operation *op) { op->dropAllUses(); });
      function.erase();
    }
  return success();
}
