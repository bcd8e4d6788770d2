// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requests of shardings, borders between whole values and parts, and the slice that a rank takes of what it has.
#include "compiler/Stages/Import/StableHlo/Ops/Groups.h"
#include "compiler/Stages/Import/StableHlo/Ranks/ManualComputation.h"
#include "compiler/Stages/Import/StableHlo/Ranks/Requests.h"

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static flow::ShardingAttr shardingOf(OpContext &op) { return op.op->getAttrOfType<flow::ShardingAttr>(kSharding); }

static LogicalResult lowerRequest(OpContext &op) {
  RankedTensorType type = op.resultType(0);
  Value value = op.emitter.value(op.operand(0));
  Value made = flow::ShardOp::create(op.emitter.builder, op.emitter.loc, value, shardingOf(op));
  for (StringRef name : {kShardPrioritiesAttr, kShardDirectionAttr})
    if (Attribute told = op.op->getAttr(name))
      made.getDefiningOp()->setAttr(name, told);
  // Also where nothing reads the value.
  made.getDefiningOp()->getParentOfType<func::FuncOp>()->setAttr(kWholeProgramAttr, op.emitter.builder.getUnitAttr());
  return op.setResult(0, op.emitter.fromValue(made, op.sizesOf(type.getShape()), type.getElementType()));
}

template <typename Border> static LogicalResult lowerBorder(OpContext &op) {
  RankedTensorType type = op.resultType(0);
  auto stored = RankedTensorType::get(type.getShape(), storageType(type.getElementType()));
  Value value = op.emitter.value(op.operand(0));
  Value made = Border::create(op.emitter.builder, op.emitter.loc, stored, value, shardingOf(op), ValueRange());
  return op.setResult(0, op.emitter.fromValue(made, op.sizesOf(type.getShape()), type.getElementType()));
}

static LogicalResult lowerPartOf(OpContext &op) {
  auto sharding = shardingOf(op);
  const RankMesh &mesh = *op.converter.ranks.find(sharding.getMesh().getValue());
  Tensor &whole = op.narrow(0);
  Emitter &emitter = op.emitter;
  RankedTensorType to = op.resultType(0);
  SizeList starts, extents;
  for (auto [d, axes] : llvm::enumerate(sharding.getAxes())) {
    bool isNarrow = whole.isStaticSize(d, 1) || axes.empty();
    auto names = llvm::to_vector(axes.getAsValueRange<StringAttr>());
    starts.push_back(
        isNarrow ? emitter.sizes.constant(0)
                 : emitter.sizes.mul(placeAlong(emitter, mesh, names), emitter.sizes.constant(to.getDimSize(d))));
    extents.push_back(isNarrow ? whole.sizes[d] : emitter.sizes.constant(to.getDimSize(d)));
  }
  Tensor part = emitter.slice(whole, starts, extents, SmallVector<int64_t>(to.getRank(), 1));
  return op.setNarrowResult(0, std::move(part));
}

void mlir::heddle::hlo::registerShardings(LoweringTable &table) {
  table[kRequestOp] = lowerRequest;
  table[kPartOp] = lowerBorder<flow::PartOp>;
  table[kWholeOp] = lowerBorder<flow::WholeOp>;
  table[kSliceOp] = lowerPartOf;
}
