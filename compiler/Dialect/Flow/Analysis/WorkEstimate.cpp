// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/WorkEstimate.h"

#include "compiler/Analysis/Winograd.h"
#include "compiler/Dialect/Flow/Analysis/ByteEstimate.h"
#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

// The size of a loop: that of an operand's dimension that it runs over.
static int64_t getRange(linalg::LinalgOp op, unsigned loop, flow::SizeEstimates *sizes) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!sizes || !isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineExpr wanted = getAffineDimExpr(loop, op.getContext());
    for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr == wanted)
        return sizes->shape(operand.get())[dim];
  }
  return flow::kUnknownSize;
}

uint64_t flow::estimateFlops(linalg::LinalgOp op, SizeEstimates *sizes) {
  uint64_t runs = 1;
  // Computed one dimension after the other, in a few ops for each result.
  bool isTransform = winograd::hasRole(op, winograd::kInput) || winograd::hasRole(op, winograd::kOutput);
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (isTransform && kinds[loop] == utils::IteratorType::reduction)
      runs *= 2;
    else
      runs *= ShapedType::isDynamic(size) ? getRange(op, loop, sizes) : size;
  uint64_t ops = 0;
  for (Operation &inner : op.getBlock()->without_terminator())
    ops += llvm::any_of(inner.getResultTypes(), [](Type type) { return type.isIntOrFloat(); });
  return runs * std::max<uint64_t>(ops, 1);
}

flow::Work flow::estimateWork(func::FuncOp function, SizeEstimates *sizes) {
  flow::Work work;
  uint64_t results = 0;
  if (function.isDeclaration()) { // its code came from elsewhere
    for (Type type : function.getResultTypes())
      work.bytes += estimateBytes(type);
    return work;
  }
  auto bytesOf = [&](Value value) { return sizes ? sizes->bytes(value) : estimateBytes(value.getType()); };
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    results += bytesOf(value);
  work.bytes = results;
  for (BlockArgument argument : function.getArguments()) {
    bool isTable = !argument.use_empty() && llvm::all_of(argument.getUsers(), [](Operation *user) {
      return isa<tensor::ExtractOp, tensor::ExtractSliceOp>(user);
    });
    uint64_t bytes = bytesOf(argument);
    work.bytes += isTable ? std::min(results, bytes) : bytes;
  }
  function.walk([&](linalg::LinalgOp op) { work.flops += estimateFlops(op, sizes); });
  return work;
}

flow::Work flow::estimateWork(DispatchOp dispatch, func::FuncOp function, SizeEstimates &sizes) {
  if (!sizes.any())
    return estimateWork(function);
  SizeEstimates inside = sizes.within(dispatch, function);
  return estimateWork(function, &inside);
}
