// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowGlobals.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"
#include "compiler/Dialect/NodeNames.h"
#include "compiler/Stages/Import/Annotations/ShardRequests.h"
#include "compiler/Stages/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_APPLYSHARDFILE
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

// A parameter's name; "" of what is none.
static StringRef getParameterName(Operation *op) {
  if (auto load = dyn_cast<flow::ParameterLoadOp>(op))
    return load.getParameter();
  auto constant = dyn_cast<arith::ConstantOp>(op);
  auto resource = constant ? dyn_cast<DenseResourceElementsAttr>(constant.getValue()) : DenseResourceElementsAttr();
  return resource ? resource.getRawHandle().getKey() : "";
}

// Whether it stands where whole tensors are computed, and not in the body of an op.
static bool isAmongTensors(Operation *op) {
  Operation *parent = op->getParentOp();
  return isa<func::FuncOp>(parent) || isa_and_nonnull<scf::SCFDialect>(parent->getDialect());
}

namespace {

struct ApplyShardFile : mlir::heddle::impl::ApplyShardFileBase<ApplyShardFile> {
  using ApplyShardFileBase::ApplyShardFileBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool isWrittenForRanks = !module.getOps<device::MeshOp>().empty();
    FailureOr<ShardRequests> requests =
        ShardRequests::read(file, &getContext(), llvm::to_vector(module.getOps<device::MeshOp>()));
    if (failed(requests) || failed(requests->declareMeshes(module)))
      return signalPassFailure();
    for (auto func : module.getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      if (failed(apply(func, *requests)))
        return signalPassFailure();
      if (!isWrittenForRanks)
        func->setAttr(kWholeProgramAttr, UnitAttr::get(&getContext()));
    }
    if (failed(requests->reportIdle()))
      return signalPassFailure();
  }

private:
  LogicalResult apply(func::FuncOp func, ShardRequests &requests);
  static LogicalResult applyToArguments(func::FuncOp func, ShardRequests &requests);
  static LogicalResult applyToResults(func::FuncOp func, ShardRequests &requests);
  static LogicalResult applyToOp(Operation *op, ShardRequests &requests);
};

} // namespace

// What reads the value reads the shard from here on; ops of `except`, a node's own, do not.
static LogicalResult shard(OpBuilder &builder, ShardRequests &requests, Value value, ValueNames names,
                           llvm::function_ref<bool(OpOperand &)> except) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    requests.noteHost(names);
    return success();
  }
  FailureOr<flow::ShardingAttr> sharding = requests.find(names, type.getRank());
  if (failed(sharding) || !*sharding)
    return sharding;
  StringRef name = names.value.empty() ? names.node : names.value;
  auto op = flow::ShardOp::create(builder, NameLoc::get(builder.getStringAttr(name)), type, value, *sharding);
  value.replaceUsesWithIf(op, [&](OpOperand &use) { return use.getOwner() != op && !except(use); });
  return success();
}

static bool exceptNone(OpOperand &) { return false; }

LogicalResult ApplyShardFile::apply(func::FuncOp func, ShardRequests &requests) {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (op != func && isAmongTensors(op) && op->getNumResults() > 0)
      ops.push_back(op);
  });
  if (failed(applyToArguments(func, requests)))
    return failure();
  for (Operation *op : ops)
    if (failed(applyToOp(op, requests)))
      return failure();
  return applyToResults(func, requests);
}

LogicalResult ApplyShardFile::applyToArguments(func::FuncOp func, ShardRequests &requests) {
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  for (BlockArgument argument : func.getArguments())
    if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttr))
      if (failed(shard(builder, requests, argument, {name, ""}, exceptNone)))
        return failure();
  return success();
}

// A node is all ops of its name: its results are those that others read.
LogicalResult ApplyShardFile::applyToOp(Operation *op, ShardRequests &requests) {
  ValueNames names{getParameterName(op), getNodeName(op->getLoc())};
  if (names.value.empty() && names.node.empty())
    return success();
  auto isOwn = [&](OpOperand &use) {
    return !names.node.empty() && getNodeName(use.getOwner()->getLoc()) == names.node;
  };
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    if (llvm::any_of(result.getUses(), [&](OpOperand &use) { return !isOwn(use); }))
      if (failed(shard(builder, requests, result, names, isOwn)))
        return failure();
  return success();
}

LogicalResult ApplyShardFile::applyToResults(func::FuncOp func, ShardRequests &requests) {
  Operation *end = func.getBody().front().getTerminator();
  OpBuilder builder(end);
  for (OpOperand &result : end->getOpOperands()) {
    auto name = dyn_cast_if_present<StringAttr>(func.getResultAttr(result.getOperandNumber(), kNameAttr));
    if (!name)
      continue;
    auto others = [&](OpOperand &use) { return &use != &result; };
    if (failed(shard(builder, requests, result.get(), {name, ""}, others)))
      return failure();
  }
  return success();
}
