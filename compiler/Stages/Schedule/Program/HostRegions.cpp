// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Program/HostRegions.h"

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Schedule/Program/StreamLoops.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

static Block &resetBlock(Region &region, TypeRange types, Location loc) {
  region.getBlocks().clear();
  Block &block = region.emplaceBlock();
  for (Type type : types)
    block.addArgument(type, loc);
  return block;
}

// Where values lie that cross a region's border: scalars and tensors of unknown size nowhere (null); they are carried.
SmallVector<Storage> HostRegions::allocateTargets(ValueRange tensors) {
  SmallVector<Storage> targets;
  for (Value tensor : tensors) {
    Storage &target = targets.emplace_back();
    if (!isStaticTensor(tensor.getType()))
      continue;
    target.dims = scalars.dimsOf(cast<RankedTensorType>(tensor.getType()), {});
    target.device = storages.deviceOf(tensor);
    target.buffer = storages.allocate(tensor, target.dims, target.device);
  }
  return targets;
}

// The dynamic sizes of what an op computes; none of what it says none of.
static std::optional<SmallVector<Value>> dynamicSizesOf(OpResult result) {
  Operation *op = result.getOwner();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return llvm::to_vector(empty.getDynamicSizes());
  if (auto collective = dyn_cast<flow::CollectiveOpInterface>(op))
    return llvm::to_vector(collective.getResultDims());
  auto dispatch = dyn_cast<flow::DispatchOp>(op);
  if (!dispatch)
    return std::nullopt;
  ValueRange dims = dispatch.getResultDims();
  for (Value before : dispatch.getResults().take_front(result.getResultNumber()))
    dims = dims.drop_front(cast<RankedTensorType>(before.getType()).getNumDynamicDims());
  return llvm::to_vector(dims.take_front(cast<RankedTensorType>(result.getType()).getNumDynamicDims()));
}

// Whether an op of the side writes a tensor that nobody has read, where it is told to.
bool HostRegions::isWriter(Value root, Block &side) {
  Operation *op = root.getDefiningOp();
  if (!op || op->getBlock() != &side)
    return false;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isStaticTensor(root.getType()) || findSizes(cast<OpResult>(root), branch).has_value();
  return (isa<flow::DispatchOp>(op) && Issue::queueOf(op->getAttr(kAffinityAttr)) == 0) ||
         isa<flow::CollectiveOpInterface>(op) || (isa<tensor::EmptyOp>(op) && op->hasAttr(flow::kFilledAttr));
}

// The dynamic sizes of a branch's result that are known in front of `outer`: each side writes a tensor of these sizes.
// So the result is one buffer that lives around the branch, and no side hands on one of its own.
std::optional<SmallVector<Value>> HostRegions::findSizes(OpResult result, scf::IfOp outer) {
  std::optional<SmallVector<Value>> common;
  for (Region &side : result.getOwner()->getRegions()) {
    if (side.empty())
      return std::nullopt;
    Value yielded = side.front().getTerminator()->getOperand(result.getResultNumber());
    auto root = dyn_cast<OpResult>(storages.findWritten(yielded));
    if (!root || root.getType() != yielded.getType() || root.getOwner()->getBlock() != &side.front())
      return std::nullopt;
    std::optional<SmallVector<Value>> sizes;
    if (isa<scf::IfOp>(root.getOwner()))
      sizes = findSizes(root, outer);
    else if (isWriter(root, side.front()))
      sizes = dynamicSizesOf(root);
    bool isKnown = sizes && llvm::none_of(*sizes, [&](Value size) {
                     return outer->isAncestor(size.getParentBlock()->getParentOp());
                   });
    if (!isKnown || (common && *common != *sizes))
      return std::nullopt;
    common = std::move(sizes);
  }
  return common;
}

// What a dispatch or collective of the branch computes for a result, or its parts fill, is written in the result's
// buffer, which nobody has read yet.
void HostRegions::claimTargets(Block &branch, ArrayRef<Storage> targets) {
  for (auto [value, target] : llvm::zip_equal(branch.getTerminator()->getOperands(), targets)) {
    if (!target.buffer)
      continue;
    Value root = storages.findWritten(value);
    if (isWriter(root, branch) && storages.deviceOf(root) == target.device)
      storages.claimTarget(root, target.buffer);
  }
}

// A loop that keeps shapes needs no more than one buffer for each tensor; an initial value that nobody wrote is one.
SmallVector<Storage> HostRegions::loopTargets(scf::ForOp op) {
  SmallVector<Storage> targets;
  for (Value init : op.getInitArgs()) {
    Storage &target = targets.emplace_back();
    auto tensor = dyn_cast<RankedTensorType>(init.getType());
    if (!tensor || (!tensor.hasStaticShape() && !op->hasAttr(kKeepsShapesAttr)))
      continue;
    target.dims = storages[init].dims;
    target.device = storages[init].device;
    Operation *def = init.getDefiningOp();
    bool isOwn = isa_and_nonnull<tensor::EmptyOp>(def) && def->getBlock() == op->getBlock() && init.hasOneUse();
    target.buffer = isOwn ? storages[init].buffer : storages.allocate(init, target.dims, target.device);
  }
  return targets;
}

// How values cross a region's border that have no target: scalars as they are, tensors as an owned buffer and their
// dynamic dimensions.
SmallVector<Type> HostRegions::carriedTypes(TypeRange types, ArrayRef<Storage> targets) {
  SmallVector<Type> carried;
  for (auto [type, target] : llvm::zip_equal(types, targets)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      carried.push_back(type);
    } else if (!target.buffer) {
      carried.push_back(host::BufferType::get(type.getContext()));
      carried.append(tensor.getNumDynamicDims(), IndexType::get(type.getContext()));
    }
  }
  return carried;
}

// Whether a collective writes the buffer in a loop: the next iteration's would read it beside the free of this one's.
static bool isOfCollectiveInLoop(Value buffer, Block *block) {
  Operation *parent = block->getParentOp();
  if (!isa<LoopLikeOpInterface>(parent) && !parent->getParentOfType<LoopLikeOpInterface>())
    return false;
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    auto collective = dyn_cast<host::CollectiveOp>(user);
    return collective && collective.getTarget() == buffer;
  });
}

// A buffer on `device` that the receiver may own: the value's own if it lies there, this block owns it or it is among
// those that are `dying`, and nobody else gets it, else a copy.
Value HostRegions::ownedBuffer(Value tensor, FlatSymbolRefAttr device, bool mayMove, ArrayRef<Storage> dying,
                               llvm::SmallPtrSetImpl<Value> &moved) {
  Value buffer = storages[tensor].buffer;
  Block *block = builder.getInsertionBlock();
  Operation *op = buffer.getDefiningOp();
  bool isOwner = !op || isa<host::AllocOp>(op) || isa<scf::SCFDialect>(op->getDialect());
  bool isHere = buffer.getParentBlock() == block ||
                llvm::any_of(dying, [&](const Storage &storage) { return storage.buffer == buffer; });
  if (mayMove && isOwner && !isOfCollectiveInLoop(buffer, block) && storages[tensor].device == device && isHere &&
      moved.insert(buffer).second)
    return buffer;
  Value own = storages.allocate(tensor, storages[tensor].dims, device);
  storages.copy(own, tensor, device);
  return own;
}

SmallVector<Value> HostRegions::carry(ValueRange values, ArrayRef<Storage> targets, ArrayRef<FlatSymbolRefAttr> devices,
                                      bool mayMove, ArrayRef<Storage> dying) {
  SmallVector<Value> carried;
  llvm::SmallPtrSet<Value, 4> moved;
  for (auto [value, target, device] : llvm::zip_equal(values, targets, devices)) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor) {
      carried.push_back(scalars.of(value));
    } else if (!target.buffer) {
      carried.push_back(ownedBuffer(value, device, mayMove, dying, moved));
      for (auto [d, dim] : llvm::enumerate(storages[value].dims))
        if (tensor.isDynamicDim(d))
          carried.push_back(dim);
    }
  }
  for (const Storage &entry : dying)
    if (!moved.contains(entry.buffer))
      host::FreeOp::create(builder, loc, issue.stream(entry.device), entry.buffer);
  return carried;
}

void HostRegions::bindCarried(ValueRange sources, ArrayRef<Storage> targets, ArrayRef<FlatSymbolRefAttr> devices,
                              ValueRange carried) {
  for (auto [source, target, device] : llvm::zip_equal(sources, targets, devices)) {
    auto tensor = dyn_cast<RankedTensorType>(source.getType());
    if (!tensor) {
      scalars.map(source, carried.front());
      carried = carried.drop_front();
    } else if (target.buffer) {
      storages[source] = target;
    } else {
      ValueRange dims = carried.slice(1, tensor.getNumDynamicDims());
      storages[source] = {carried.front(), scalars.dimsOf(tensor, dims), device};
      carried = carried.drop_front(1 + tensor.getNumDynamicDims());
    }
  }
}

// Buffers whose lives end in the branches: what a loop carries without a target and nothing but the branches reads, if
// one of them hands it on. A branch that does not frees it.
SmallVector<Storage> HostRegions::findDying(scf::IfOp op, ArrayRef<Storage> targets) {
  llvm::MapVector<Value, Storage> dying;
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    for (auto [value, target] : llvm::zip_equal(region.front().getTerminator()->getOperands(), targets)) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (target.buffer || !argument || !isa<RankedTensorType>(value.getType()) ||
          argument.getOwner() != op->getBlock() || !isa<scf::SCFDialect>(op->getParentOp()->getDialect()))
        continue;
      Value buffer = storages[value].buffer;
      bool isCarried = isa<BlockArgument>(buffer) && buffer.getParentBlock() == builder.getInsertionBlock();
      bool isReadAfter = llvm::any_of(
          value.getUsers(), [&](Operation *user) { return !isa<tensor::DimOp>(user) && !op->isProperAncestor(user); });
      if (isCarried && !isReadAfter)
        dying.insert({buffer, storages[value]});
    }
  }
  return llvm::to_vector(llvm::make_second_range(dying));
}

// Builds `from` into the empty block `into` and yields its values.
LogicalResult HostRegions::buildBranch(Block &from, Block &into, ArrayRef<Storage> targets,
                                       ArrayRef<FlatSymbolRefAttr> devices, ArrayRef<Storage> dying) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&into);
  if (failed(buildBlock(from)))
    return failure();
  Operation *terminator = from.getTerminator();
  loc = terminator->getLoc();
  storages.copyToTargets(terminator->getOperands(), targets);
  scf::YieldOp::create(builder, loc, carry(terminator->getOperands(), targets, devices, /*mayMove=*/true, dying));
  return success();
}

// The dynamic sizes of what lies in one buffer around the branch, as values of the host program; none of what is
// carried.
std::optional<SmallVector<Value>> HostRegions::sizesInFront(OpResult result) {
  if (isStaticTensor(result.getType()))
    return SmallVector<Value>();
  if (!isa<RankedTensorType>(result.getType()))
    return std::nullopt;
  std::optional<SmallVector<Value>> sizes = findSizes(result, cast<scf::IfOp>(result.getOwner()));
  if (sizes)
    for (Value &size : *sizes)
      size = scalars.of(size);
  return sizes;
}

LogicalResult HostRegions::buildIf(scf::IfOp op) {
  SmallVector<Storage> targets(op.getNumResults());
  for (auto [result, target] : llvm::zip_equal(op.getResults(), targets))
    if (std::optional<SmallVector<Value>> sizes = sizesInFront(result)) {
      SmallVector<Value> dims = scalars.dimsOf(cast<RankedTensorType>(result.getType()), *sizes);
      FlatSymbolRefAttr device = storages.deviceOf(result);
      target = {storages.destination(result, dims, device), dims, device};
    }
  SmallVector<FlatSymbolRefAttr> devices = storages.devicesOf(op.getResults());
  auto branch =
      scf::IfOp::create(builder, loc, carriedTypes(op.getResultTypes(), targets), scalars.of(op.getCondition()),
                        /*withElseRegion=*/!op.getElseRegion().empty());
  SmallVector<Storage> dying = findDying(op, targets);
  for (Region &region : op->getRegions())
    if (!region.empty())
      claimTargets(region.front(), targets);
  Block &thenBlock = resetBlock(branch.getThenRegion(), {}, loc);
  if (failed(buildBranch(op.getThenRegion().front(), thenBlock, targets, devices, dying)))
    return failure();
  if (!op.getElseRegion().empty()) {
    Block &elseBlock = resetBlock(branch.getElseRegion(), {}, loc);
    if (failed(buildBranch(op.getElseRegion().front(), elseBlock, targets, devices, dying)))
      return failure();
  }
  bindCarried(op.getResults(), targets, devices, branch.getResults());
  return success();
}

LogicalResult HostRegions::buildFor(scf::ForOp op) {
  if (op->hasAttr(kStreamsAttr))
    return StreamLoopBuilder(op, scalars, issue, storages, buildBlock).build();
  SmallVector<Storage> targets = loopTargets(op);
  SmallVector<FlatSymbolRefAttr> devices = storages.devicesOf(op.getInitArgs());
  storages.copyToTargets(op.getInitArgs(), targets);
  SmallVector<Value> inits = carry(op.getInitArgs(), targets, devices, /*mayMove=*/false);
  auto loop = scf::ForOp::create(builder, loc, scalars.of(op.getLowerBound()), scalars.of(op.getUpperBound()),
                                 scalars.of(op.getStep()), inits);
  SmallVector<Type> types{op.getInductionVar().getType()};
  llvm::append_range(types, carriedTypes(op.getInitArgs().getTypes(), targets));
  Block &body = resetBlock(loop.getRegion(), types, loc);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    scalars.map(op.getInductionVar(), body.getArgument(0));
    bindCarried(op.getRegionIterArgs(), targets, devices, body.getArguments().drop_front());
  }
  if (failed(buildBranch(*op.getBody(), body, targets, devices)))
    return failure();
  bindCarried(op.getResults(), targets, devices, loop.getResults());
  return success();
}

// What the condition hands on lies where the loop's own value lies if it is that value, else in a buffer of its own.
LogicalResult HostRegions::buildWhile(scf::WhileOp op) {
  SmallVector<Storage> targets = allocateTargets(op.getInits()), passedTargets;
  SmallVector<FlatSymbolRefAttr> devices = storages.devicesOf(op.getInits());
  storages.copyToTargets(op.getInits(), targets);
  SmallVector<Value> inits = carry(op.getInits(), targets, devices, /*mayMove=*/false);
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<FlatSymbolRefAttr> passedDevices = storages.devicesOf(condition.getArgs());
  for (Value passed : condition.getArgs()) {
    auto argument = dyn_cast<BlockArgument>(passed);
    bool isOwn = argument && argument.getOwner() == op.getBeforeBody() && isStaticTensor(passed.getType());
    passedTargets.push_back(isOwn ? targets[argument.getArgNumber()] : allocateTargets(passed)[0]);
  }
  SmallVector<Type> beforeTypes = carriedTypes(op.getInits().getTypes(), targets);
  SmallVector<Type> afterTypes = carriedTypes(op.getResultTypes(), passedTargets);
  auto loop = scf::WhileOp::create(builder, loc, afterTypes, inits);
  Block &before = resetBlock(loop.getBefore(), beforeTypes, loc), &after = resetBlock(loop.getAfter(), afterTypes, loc);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&before);
    bindCarried(op.getBeforeArguments(), targets, devices, before.getArguments());
    if (failed(buildBlock(*op.getBeforeBody())))
      return failure();
    loc = condition.getLoc();
    storages.copyToTargets(condition.getArgs(), passedTargets);
    SmallVector<Value> passed = carry(condition.getArgs(), passedTargets, passedDevices, /*mayMove=*/true);
    scf::ConditionOp::create(builder, loc, scalars.of(condition.getCondition()), passed);
    builder.setInsertionPointToEnd(&after);
    bindCarried(op.getAfterArguments(), passedTargets, passedDevices, after.getArguments());
  }
  if (failed(buildBranch(*op.getAfterBody(), after, targets, devices)))
    return failure();
  bindCarried(op.getResults(), passedTargets, passedDevices, loop.getResults());
  return success();
}
