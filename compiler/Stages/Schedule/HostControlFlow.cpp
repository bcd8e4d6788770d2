// The part of HostProgramBuilder that walks into scf.
#include "compiler/Stages/Schedule/HostProgramBuilder.h"

using namespace mlir;
using namespace mlir::heddle;

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

// How values cross a region's border: scalars as they are, tensors of static shape not at all (they lie in a buffer
// allocated outside), other tensors as an owned buffer and their dynamic dimensions.
static SmallVector<Type> getCarriedTypes(TypeRange types) {
  SmallVector<Type> carried;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      carried.push_back(type);
    } else if (!tensor.hasStaticShape()) {
      carried.push_back(host::BufferType::get(type.getContext()));
      carried.append(tensor.getNumDynamicDims(), IndexType::get(type.getContext()));
    }
  }
  return carried;
}

static Block &resetBlock(Region &region, TypeRange types, Location loc) {
  region.getBlocks().clear();
  Block &block = region.emplaceBlock();
  for (Type type : types)
    block.addArgument(type, loc);
  return block;
}

SmallVector<Value> HostProgramBuilder::allocateTargets(ValueRange tensors) {
  SmallVector<Value> targets;
  for (Value tensor : tensors) {
    if (!isStaticTensor(tensor.getType()))
      targets.push_back(Value());
    else
      targets.push_back(allocate(tensor, mixedDims(cast<RankedTensorType>(tensor.getType()), {})));
  }
  return targets;
}

// All at once: a value that lies in another one's target goes through a buffer of its own.
void HostProgramBuilder::copyToTargets(ValueRange values, ArrayRef<Value> targets) {
  SmallVector<std::pair<Value, Value>> copies; // target, source buffer
  for (auto [value, target] : llvm::zip_equal(values, targets)) {
    if (!target || storage[value].buffer == target)
      continue;
    Value buffer = storage[value].buffer;
    if (llvm::is_contained(targets, viewRoot(buffer))) {
      Value own = allocate(value, storage[value].dims);
      copy(own, value);
      buffer = own;
    }
    copies.push_back({target, buffer});
  }
  size_t next = 0;
  for (auto [value, target] : llvm::zip_equal(values, targets)) {
    if (next == copies.size() || copies[next].first != target)
      continue;
    Value bytes = byteSize(cast<RankedTensorType>(value.getType()), storage[value].dims);
    host::CopyOp::create(builder, loc, program.getStream(), target, constant(0), copies[next].second, constant(0),
                         bytes);
    ++next;
  }
}

// A buffer that the receiver may own: the value's own if this block owns it and nobody else gets it, else a copy.
Value HostProgramBuilder::ownedBuffer(Value tensor, bool mayMove, llvm::SmallPtrSetImpl<Value> &moved) {
  Value buffer = storage[tensor].buffer;
  Block *block = builder.getInsertionBlock();
  Operation *op = buffer.getDefiningOp();
  bool isOwner = !op || isa<host::AllocOp>(op) || isa<scf::SCFDialect>(op->getDialect());
  if (mayMove && isOwner && buffer.getParentBlock() == block && moved.insert(buffer).second)
    return buffer;
  Value own = allocate(tensor, storage[tensor].dims);
  copy(own, tensor);
  return own;
}

SmallVector<Value> HostProgramBuilder::carry(ValueRange values, bool mayMove) {
  SmallVector<Value> carried;
  llvm::SmallPtrSet<Value, 4> moved;
  for (Value value : values) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor) {
      carried.push_back(scalar(value));
    } else if (!tensor.hasStaticShape()) {
      carried.push_back(ownedBuffer(value, mayMove, moved));
      for (auto [d, dim] : llvm::enumerate(storage[value].dims))
        if (tensor.isDynamicDim(d))
          carried.push_back(dim);
    }
  }
  return carried;
}

void HostProgramBuilder::bindCarried(ValueRange sources, ArrayRef<Value> targets, ValueRange carried) {
  for (auto [source, target] : llvm::zip_equal(sources, targets)) {
    auto tensor = dyn_cast<RankedTensorType>(source.getType());
    if (!tensor) {
      scalars.map(source, carried.front());
      carried = carried.drop_front();
    } else if (target) {
      storage[source] = {target, mixedDims(tensor, {})};
    } else {
      ValueRange dims = carried.slice(1, tensor.getNumDynamicDims());
      storage[source] = {carried.front(), mixedDims(tensor, dims)};
      carried = carried.drop_front(1 + tensor.getNumDynamicDims());
    }
  }
}

// Builds `from` into the empty block `into` and yields its values.
LogicalResult HostProgramBuilder::buildBranch(Block &from, Block &into, ArrayRef<Value> targets) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&into);
  if (failed(buildBlock(from)))
    return failure();
  Operation *terminator = from.getTerminator();
  loc = terminator->getLoc();
  copyToTargets(terminator->getOperands(), targets);
  scf::YieldOp::create(builder, loc, carry(terminator->getOperands(), /*mayMove=*/true));
  return success();
}

LogicalResult HostProgramBuilder::buildIf(scf::IfOp op) {
  SmallVector<Value> targets = allocateTargets(op.getResults());
  auto branch = scf::IfOp::create(builder, loc, getCarriedTypes(op.getResultTypes()), scalar(op.getCondition()),
                                  /*withElseRegion=*/!op.getElseRegion().empty());
  Block &thenBlock = resetBlock(branch.getThenRegion(), {}, loc);
  if (failed(buildBranch(op.getThenRegion().front(), thenBlock, targets)))
    return failure();
  if (!op.getElseRegion().empty()) {
    Block &elseBlock = resetBlock(branch.getElseRegion(), {}, loc);
    if (failed(buildBranch(op.getElseRegion().front(), elseBlock, targets)))
      return failure();
  }
  bindCarried(op.getResults(), targets, branch.getResults());
  return success();
}

LogicalResult HostProgramBuilder::buildFor(scf::ForOp op) {
  SmallVector<Value> targets = allocateTargets(op.getInitArgs());
  copyToTargets(op.getInitArgs(), targets);
  SmallVector<Value> inits = carry(op.getInitArgs(), /*mayMove=*/false);
  auto loop = scf::ForOp::create(builder, loc, scalar(op.getLowerBound()), scalar(op.getUpperBound()),
                                 scalar(op.getStep()), inits);
  SmallVector<Type> types{op.getInductionVar().getType()};
  llvm::append_range(types, getCarriedTypes(op.getInitArgs().getTypes()));
  Block &body = resetBlock(loop.getRegion(), types, loc);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    scalars.map(op.getInductionVar(), body.getArgument(0));
    bindCarried(op.getRegionIterArgs(), targets, body.getArguments().drop_front());
  }
  if (failed(buildBranch(*op.getBody(), body, targets)))
    return failure();
  bindCarried(op.getResults(), targets, loop.getResults());
  return success();
}

// What the condition hands on lies where the loop's own value lies if it is that value, else in a buffer of its own.
LogicalResult HostProgramBuilder::buildWhile(scf::WhileOp op) {
  SmallVector<Value> targets = allocateTargets(op.getInits());
  copyToTargets(op.getInits(), targets);
  SmallVector<Value> inits = carry(op.getInits(), /*mayMove=*/false), passedTargets;
  scf::ConditionOp condition = op.getConditionOp();
  for (Value passed : condition.getArgs()) {
    auto argument = dyn_cast<BlockArgument>(passed);
    bool isOwn = argument && argument.getOwner() == op.getBeforeBody() && isStaticTensor(passed.getType());
    passedTargets.push_back(isOwn ? targets[argument.getArgNumber()] : allocateTargets(passed)[0]);
  }
  SmallVector<Type> beforeTypes = getCarriedTypes(op.getInits().getTypes());
  SmallVector<Type> afterTypes = getCarriedTypes(op.getResultTypes());
  auto loop = scf::WhileOp::create(builder, loc, afterTypes, inits);
  Block &before = resetBlock(loop.getBefore(), beforeTypes, loc), &after = resetBlock(loop.getAfter(), afterTypes, loc);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&before);
    bindCarried(op.getBeforeArguments(), targets, before.getArguments());
    if (failed(buildBlock(*op.getBeforeBody())))
      return failure();
    loc = condition.getLoc();
    copyToTargets(condition.getArgs(), passedTargets);
    SmallVector<Value> passed = carry(condition.getArgs(), /*mayMove=*/true);
    scf::ConditionOp::create(builder, loc, scalar(condition.getCondition()), passed);
    builder.setInsertionPointToEnd(&after);
    bindCarried(op.getAfterArguments(), passedTargets, after.getArguments());
  }
  if (failed(buildBranch(*op.getAfterBody(), after, targets)))
    return failure();
  bindCarried(op.getResults(), passedTargets, loop.getResults());
  return success();
}
