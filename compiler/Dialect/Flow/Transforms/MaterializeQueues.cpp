// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/QueueSets.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_MATERIALIZEQUEUES
#include "compiler/Dialect/Flow/Transforms/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct MaterializeQueues : mlir::heddle::impl::MaterializeQueuesBase<MaterializeQueues> {
  void runOnOperation() override {
    if (!flow::namesQueues(getOperation()))
      return;
    auto affinities = flow::Affinities::of(getOperation());
    if (failed(affinities))
      return signalPassFailure();
    flow::QueueSets queues(getOperation(), *affinities);
    llvm::DenseMap<std::pair<Value, Attribute>, Value> made;
    affinities->forEachUse([&](OpOperand &use, const flow::Placement &) {
      device::AffinityAttr needs = queues.find(use.getOwner()), has = queues.find(use.get());
      if (!needs || !has || needs == has)
        return;
      Value &there = made[{use.get(), needs}];
      if (!there)
        there = transfer(use.get(), needs);
      use.set(there);
    });
  }

  static Value transfer(Value value, device::AffinityAttr affinity) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(tensor::DimOp::create(builder, value.getLoc(), value, dim));
    return flow::TransferOp::create(builder, value.getLoc(), type, value, sizes, affinity);
  }
};

} // namespace
