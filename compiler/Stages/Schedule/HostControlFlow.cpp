// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of HostProgramBuilder that walks into scf.
#include "compiler/Stages/Schedule/HostProgramBuilder.h"

#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

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
SmallVector<HostProgramBuilder::Storage> HostProgramBuilder::allocateTargets(ValueRange tensors) {
  SmallVector<Storage> targets;
  for (Value tensor : tensors) {
    Storage &target = targets.emplace_back();
    if (!isStaticTensor(tensor.getType()))
      continue;
    target.dims = mixedDims(cast<RankedTensorType>(tensor.getType()), {});
    target.device = deviceOf(tensor);
    target.buffer = allocate(tensor, target.dims, target.device);
  }
  return targets;
}

// What a dispatch of the branch computes for a result is written in the result's buffer, which nobody has read yet.
void HostProgramBuilder::claimTargets(Block &branch, ArrayRef<Storage> targets) {
  for (auto [value, target] : llvm::zip_equal(branch.getTerminator()->getOperands(), targets)) {
    if (!target.buffer)
      continue;
    Value root = findWritten(value);
    Operation *op = root.getDefiningOp();
    bool isWriter = (isa_and_nonnull<flow::DispatchOp>(op) && queueOf(op->getAttr(kAffinityAttr)) == 0) ||
                    (isa_and_nonnull<scf::IfOp>(op) && isStaticTensor(root.getType()));
    if (isWriter && op->getBlock() == &branch && deviceOf(root) == target.device)
      targetOf.try_emplace(root, target.buffer);
  }
}

// A loop that keeps shapes needs no more than one buffer for each tensor; an initial value that nobody wrote is one.
SmallVector<HostProgramBuilder::Storage> HostProgramBuilder::loopTargets(scf::ForOp op) {
  SmallVector<Storage> targets;
  for (Value init : op.getInitArgs()) {
    Storage &target = targets.emplace_back();
    auto tensor = dyn_cast<RankedTensorType>(init.getType());
    if (!tensor || (!tensor.hasStaticShape() && !op->hasAttr(kKeepsShapesAttr)))
      continue;
    target.dims = storage[init].dims;
    target.device = storage[init].device;
    Operation *def = init.getDefiningOp();
    bool isOwn = isa_and_nonnull<tensor::EmptyOp>(def) && def->getBlock() == op->getBlock() && init.hasOneUse();
    target.buffer = isOwn ? storage[init].buffer : allocate(init, target.dims, target.device);
  }
  return targets;
}

// How values cross a region's border that have no target: scalars as they are, tensors as an owned buffer and their
// dynamic dimensions.
SmallVector<Type> HostProgramBuilder::carriedTypes(TypeRange types, ArrayRef<Storage> targets) {
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

void HostProgramBuilder::checkSizes(const Storage &value, const Storage &target) {
  for (auto [have, want] : llvm::zip_equal(value.dims, target.dims)) {
    if (have == want || (getConstantIntValue(have) && getConstantIntValue(have) == getConstantIntValue(want)))
      continue;
    Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, have, want);
    host::CheckOp::create(builder, loc, same, builder.getStringAttr("a tensor that a loop carries changed its size"));
  }
}

// All at once: a value that lies, or may lie, in another one's target goes through a buffer of its own.
void HostProgramBuilder::copyToTargets(ValueRange values, ArrayRef<Storage> targets) {
  SmallVector<std::tuple<Value, Value, Value, FlatSymbolRefAttr>> copies; // target, source buffer, bytes, device
  auto isTarget = [&](Value buffer) {
    return llvm::any_of(targets, [&](const Storage &target) { return target.buffer == buffer; });
  };
  for (auto [value, target] : llvm::zip_equal(values, targets)) {
    if (!target.buffer || storage[value].buffer == target.buffer)
      continue;
    checkSizes(storage[value], target);
    Value buffer = parameterOn(storage[value].buffer, target.device);
    if (llvm::any_of(rootsOf(buffer), isTarget)) {
      Value own = allocate(value, storage[value].dims, target.device);
      copy(own, value, target.device);
      buffer = own;
    }
    copies.push_back(
        {target.buffer, buffer, byteSize(cast<RankedTensorType>(value.getType()), target.dims), target.device});
  }
  for (auto [target, source, bytes, device] : copies)
    host::CopyOp::create(builder, loc, stream(device), target, constant(0), source, constant(0), bytes);
}

// A slice of an argument that the call may write: a copy for each run of bytes that lie side by side in both.
LogicalResult HostProgramBuilder::buildArgumentUpdate(tensor::InsertSliceOp op) {
  const Storage target = storage[op.getDest()], source = storage[op.getSource()];
  SmallVector<Value> sizes = mixedSizes(op.getMixedSizes()), offsets = mixedSizes(op.getMixedOffsets());
  // The dimensions from `run` on are one run: behind the last that is cut, all are whole.
  int64_t run = op.getDestType().getRank();
  auto isWhole = [&](int64_t d) {
    auto size = getConstantIntValue(sizes[d]);
    return sizes[d] == target.dims[d] || (size && size == getConstantIntValue(target.dims[d]));
  };
  while (run > 0 && isWhole(run - 1))
    --run;
  run = std::max<int64_t>(run - 1, 0);
  Value element = byteSize(RankedTensorType::get({}, op.getSourceType().getElementType()), {}), one = constant(1);
  Value bytes = product({product(ArrayRef(sizes).drop_front(run)), element});
  Value count = product(ArrayRef(sizes).take_front(run)), whole = product(ArrayRef(target.dims).drop_front(run + 1));
  auto copyRun = [&](Value index) {
    // The position of the run among those of the target.
    Value at = constant(0), rest = index;
    SmallVector<Value> indices(run);
    for (int64_t d = run; d-- > 0;) {
      indices[d] = builder.createOrFold<arith::RemUIOp>(loc, rest, sizes[d]);
      rest = builder.createOrFold<arith::DivUIOp>(loc, rest, sizes[d]);
    }
    for (int64_t d = 0; d <= run && d < op.getDestType().getRank(); ++d) {
      at = builder.createOrFold<arith::MulIOp>(loc, at, target.dims[d]);
      at = builder.createOrFold<arith::AddIOp>(loc, at, offsets[d]);
      if (d < run)
        at = builder.createOrFold<arith::AddIOp>(loc, at, indices[d]);
    }
    host::CopyOp::create(builder, loc, stream(target.device), target.buffer, product({at, whole, element}),
                         source.buffer, builder.createOrFold<arith::MulIOp>(loc, index, bytes), bytes);
  };
  constexpr int64_t kMostCopies = 64;
  if (auto known = getConstantIntValue(count); known && *known <= kMostCopies) {
    for (int64_t i = 0; i < *known; ++i)
      copyRun(constant(i));
  } else {
    auto loop = scf::ForOp::create(builder, loc, constant(0), count, one);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    copyRun(loop.getInductionVar());
  }
  storage[op.getResult()] = target;
  return success();
}

// Rows of a carried tensor that nothing else reads are written where it lies.
LogicalResult HostProgramBuilder::buildUpdate(tensor::InsertSliceOp op) {
  if (flow::isArgumentUpdate(op))
    return buildArgumentUpdate(op);
  const Storage target = storage[op.getDest()], source = storage[op.getSource()];
  if (!flow::isRowUpdate(op))
    return op.emitOpError() << "is no update of a tensor that a loop carries, nor of an argument that the call may "
                               "write; form it into a dispatch";
  SmallVector<Value> sizes = mixedSizes(op.getMixedSizes());
  sizes.front() = target.dims.front();
  checkSizes({Value(), sizes}, target);
  Value row = mixedSizes(op.getMixedOffsets()).front();
  for (Value dim : ArrayRef<Value>(target.dims).drop_front())
    row = builder.createOrFold<arith::MulIOp>(loc, row, dim);
  RankedTensorType type = op.getSourceType();
  Value element = byteSize(RankedTensorType::get({}, type.getElementType()), {});
  host::CopyOp::create(builder, loc, stream(target.device), target.buffer, product({row, element}), source.buffer,
                       constant(0), byteSize(type, source.dims));
  storage[op.getResult()] = target;
  return success();
}

// A buffer on `device` that the receiver may own: the value's own if it lies there, this block owns it or it is among
// those that are `dying`, and nobody else gets it, else a copy.
Value HostProgramBuilder::ownedBuffer(Value tensor, FlatSymbolRefAttr device, bool mayMove, ArrayRef<Storage> dying,
                                      llvm::SmallPtrSetImpl<Value> &moved) {
  Value buffer = storage[tensor].buffer;
  Block *block = builder.getInsertionBlock();
  Operation *op = buffer.getDefiningOp();
  bool isOwner = !op || isa<host::AllocOp>(op) || isa<scf::SCFDialect>(op->getDialect());
  bool isHere = buffer.getParentBlock() == block ||
                llvm::any_of(dying, [&](const Storage &storage) { return storage.buffer == buffer; });
  if (mayMove && isOwner && storage[tensor].device == device && isHere && moved.insert(buffer).second)
    return buffer;
  Value own = allocate(tensor, storage[tensor].dims, device);
  copy(own, tensor, device);
  return own;
}

SmallVector<FlatSymbolRefAttr> HostProgramBuilder::devicesOf(ValueRange values) {
  return llvm::map_to_vector(
      values, [&](Value value) { return isa<TensorType>(value.getType()) ? deviceOf(value) : FlatSymbolRefAttr(); });
}

SmallVector<Value> HostProgramBuilder::carry(ValueRange values, ArrayRef<Storage> targets,
                                             ArrayRef<FlatSymbolRefAttr> devices, bool mayMove,
                                             ArrayRef<Storage> dying) {
  SmallVector<Value> carried;
  llvm::SmallPtrSet<Value, 4> moved;
  for (auto [value, target, device] : llvm::zip_equal(values, targets, devices)) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor) {
      carried.push_back(scalar(value));
    } else if (!target.buffer) {
      carried.push_back(ownedBuffer(value, device, mayMove, dying, moved));
      for (auto [d, dim] : llvm::enumerate(storage[value].dims))
        if (tensor.isDynamicDim(d))
          carried.push_back(dim);
    }
  }
  for (const Storage &entry : dying)
    if (!moved.contains(entry.buffer))
      host::FreeOp::create(builder, loc, stream(entry.device), entry.buffer);
  return carried;
}

void HostProgramBuilder::bindCarried(ValueRange sources, ArrayRef<Storage> targets, ArrayRef<FlatSymbolRefAttr> devices,
                                     ValueRange carried) {
  for (auto [source, target, device] : llvm::zip_equal(sources, targets, devices)) {
    auto tensor = dyn_cast<RankedTensorType>(source.getType());
    if (!tensor) {
      scalars.map(source, carried.front());
      carried = carried.drop_front();
    } else if (target.buffer) {
      storage[source] = target;
    } else {
      ValueRange dims = carried.slice(1, tensor.getNumDynamicDims());
      storage[source] = {carried.front(), mixedDims(tensor, dims), device};
      carried = carried.drop_front(1 + tensor.getNumDynamicDims());
    }
  }
}

// Buffers whose lives end in the branches: what a loop carries without a target and nothing but the branches reads, if
// one of them hands it on. A branch that does not frees it.
SmallVector<HostProgramBuilder::Storage> HostProgramBuilder::findDying(scf::IfOp op, ArrayRef<Storage> targets) {
  llvm::MapVector<Value, Storage> dying;
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    for (auto [value, target] : llvm::zip_equal(region.front().getTerminator()->getOperands(), targets)) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (target.buffer || !argument || !isa<RankedTensorType>(value.getType()) ||
          argument.getOwner() != op->getBlock() || !isa<scf::SCFDialect>(op->getParentOp()->getDialect()))
        continue;
      Value buffer = storage[value].buffer;
      bool isCarried = isa<BlockArgument>(buffer) && buffer.getParentBlock() == builder.getInsertionBlock();
      bool isReadAfter = llvm::any_of(
          value.getUsers(), [&](Operation *user) { return !isa<tensor::DimOp>(user) && !op->isProperAncestor(user); });
      if (isCarried && !isReadAfter)
        dying.insert({buffer, storage[value]});
    }
  }
  return llvm::to_vector(llvm::make_second_range(dying));
}

// Builds `from` into the empty block `into` and yields its values.
LogicalResult HostProgramBuilder::buildBranch(Block &from, Block &into, ArrayRef<Storage> targets,
                                              ArrayRef<FlatSymbolRefAttr> devices, ArrayRef<Storage> dying) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&into);
  if (failed(buildBlock(from)))
    return failure();
  Operation *terminator = from.getTerminator();
  loc = terminator->getLoc();
  copyToTargets(terminator->getOperands(), targets);
  scf::YieldOp::create(builder, loc, carry(terminator->getOperands(), targets, devices, /*mayMove=*/true, dying));
  return success();
}

LogicalResult HostProgramBuilder::buildIf(scf::IfOp op) {
  SmallVector<Storage> targets(op.getNumResults());
  for (auto [result, target] : llvm::zip_equal(op.getResults(), targets))
    if (isStaticTensor(result.getType())) {
      SmallVector<Value> dims = mixedDims(cast<RankedTensorType>(result.getType()), {});
      FlatSymbolRefAttr device = deviceOf(result);
      target = {destination(result, dims, device), dims, device};
    }
  SmallVector<FlatSymbolRefAttr> devices = devicesOf(op.getResults());
  auto branch = scf::IfOp::create(builder, loc, carriedTypes(op.getResultTypes(), targets), scalar(op.getCondition()),
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

LogicalResult HostProgramBuilder::buildFor(scf::ForOp op) {
  SmallVector<Storage> targets = loopTargets(op);
  SmallVector<FlatSymbolRefAttr> devices = devicesOf(op.getInitArgs());
  copyToTargets(op.getInitArgs(), targets);
  SmallVector<Value> inits = carry(op.getInitArgs(), targets, devices, /*mayMove=*/false);
  auto loop = scf::ForOp::create(builder, loc, scalar(op.getLowerBound()), scalar(op.getUpperBound()),
                                 scalar(op.getStep()), inits);
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
LogicalResult HostProgramBuilder::buildWhile(scf::WhileOp op) {
  SmallVector<Storage> targets = allocateTargets(op.getInits()), passedTargets;
  SmallVector<FlatSymbolRefAttr> devices = devicesOf(op.getInits());
  copyToTargets(op.getInits(), targets);
  SmallVector<Value> inits = carry(op.getInits(), targets, devices, /*mayMove=*/false);
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<FlatSymbolRefAttr> passedDevices = devicesOf(condition.getArgs());
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
    copyToTargets(condition.getArgs(), passedTargets);
    SmallVector<Value> passed = carry(condition.getArgs(), passedTargets, passedDevices, /*mayMove=*/true);
    scf::ConditionOp::create(builder, loc, scalar(condition.getCondition()), passed);
    builder.setInsertionPointToEnd(&after);
    bindCarried(op.getAfterArguments(), passedTargets, passedDevices, after.getArguments());
  }
  if (failed(buildBranch(*op.getAfterBody(), after, targets, devices)))
    return failure();
  bindCarried(op.getResults(), passedTargets, passedDevices, loop.getResults());
  return success();
}
