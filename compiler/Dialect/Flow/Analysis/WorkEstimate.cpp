// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/WorkEstimate.h"

#include "compiler/Dialect/Flow/Analysis/AffinityGraph.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

static uint64_t getFlops(linalg::LinalgOp op) {
  uint64_t runs = 1;
  for (int64_t size : op.getStaticLoopRanges())
    runs *= ShapedType::isDynamic(size) ? 64 : size;
  uint64_t ops = 0;
  for (Operation &inner : op.getBlock()->without_terminator())
    ops += llvm::any_of(inner.getResultTypes(), [](Type type) { return type.isIntOrFloat(); });
  return runs * std::max<uint64_t>(ops, 1);
}

flow::Work flow::estimateWork(func::FuncOp function) {
  flow::Work work;
  uint64_t results = 0;
  for (Type type : function.getResultTypes())
    results += estimateBytes(type);
  work.bytes = results;
  for (BlockArgument argument : function.getArguments()) {
    bool isTable = !argument.use_empty() && llvm::all_of(argument.getUsers(), [](Operation *user) {
      return isa<tensor::ExtractOp, tensor::ExtractSliceOp>(user);
    });
    uint64_t bytes = estimateBytes(argument.getType());
    work.bytes += isTable ? std::min(results, bytes) : bytes;
  }
  function.walk([&](linalg::LinalgOp op) { work.flops += getFlops(op); });
  return work;
}
