// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/PartLoop.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/IR/PartLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

static scf::ForallOp findLoop(func::FuncOp source) {
  ValueRange results = source.getBody().front().getTerminator()->getOperands();
  return results.empty() ? scf::ForallOp() : results.front().getDefiningOp<scf::ForallOp>();
}

bool PartLoop::isPartLoop(func::FuncOp source) {
  scf::ForallOp loop = findLoop(source);
  return loop && ValueRange(source.getBody().front().getTerminator()->getOperands()) == loop.getResults();
}

FailureOr<std::unique_ptr<PartLoop>> PartLoop::create(func::FuncOp source) {
  std::unique_ptr<PartLoop> made(new PartLoop(source));
  if (failed(made->build()))
    return failure();
  return made;
}

PartLoop::~PartLoop() {
  if (part)
    part.erase();
}

static bool isSliceOfArgument(Operation &op) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  return slice && isa<BlockArgument>(slice.getSource()) && slice.hasUnitStride();
}

SmallVector<tensor::ExtractSliceOp> PartLoop::takeSlices() {
  SmallVector<tensor::ExtractSliceOp> taken;
  for (Operation &op : *loop.getBody())
    if (isSliceOfArgument(op))
      taken.push_back(cast<tensor::ExtractSliceOp>(op));
  return taken;
}

LogicalResult PartLoop::build() {
  loop = findLoop(source);
  if (loop.getRank() != 1 || !loop.isNormalized())
    return loop.emitError("a loop over parts has one dimension, from 0 in steps of 1");
  unsigned tensors = getNumTensorArguments(source);
  OpBuilder builder(source);
  SmallVector<Type> inputs(source.getArgumentTypes().take_front(tensors));
  SmallVector<tensor::ExtractSliceOp> taken = takeSlices();
  for (tensor::ExtractSliceOp slice : taken)
    inputs.push_back(slice.getType());
  llvm::append_range(inputs, source.getArgumentTypes().drop_front(tensors));
  inputs.push_back(builder.getIndexType());
  SmallVector<Value> results;
  for (Operation &op : loop.getTerminator().getYieldingOps()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    if (!insert || !insert.hasUnitStride() || insert.getDest() != loop.getRegionIterArgs()[results.size()])
      return loop.emitError("each part is inserted in each result once, in steps of 1");
    inserts.push_back(insert);
    results.push_back(insert.getSource());
  }
  auto type = builder.getFunctionType(inputs, ValueRange(results).getTypes());
  part = func::FuncOp::create(builder, source.getLoc(), "part", type);
  part.setPrivate();
  clone(taken, results);
  return success();
}

void PartLoop::clone(MutableArrayRef<tensor::ExtractSliceOp> taken, ValueRange results) {
  unsigned tensors = getNumTensorArguments(source);
  Block *block = part.addEntryBlock();
  for (BlockArgument argument : source.getArguments()) {
    unsigned number = argument.getArgNumber();
    mapping.map(argument, block->getArgument(number < tensors ? number : number + taken.size()));
  }
  mapping.map(loop.getInductionVar(0), block->getArguments().back());
  OpBuilder builder = OpBuilder::atBlockBegin(block);
  for (Operation &op : source.getBody().front().without_terminator())
    if (&op != loop)
      builder.clone(op, mapping);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
  for (auto [i, slice] : llvm::enumerate(taken)) {
    BlockArgument argument = block->getArgument(tensors + i);
    auto clone = mapping.lookup(slice.getResult()).getDefiningOp<tensor::ExtractSliceOp>();
    slices.push_back({argument, cast<BlockArgument>(slice.getSource())});
    clone.getResult().replaceAllUsesWith(argument);
    mapping.map(slice.getResult(), argument);
    ops[argument] = clone;
  }
  func::ReturnOp::create(builder, source.getLoc(),
                         llvm::map_to_vector(results, [&](Value value) { return mapping.lookup(value); }));
}

Value PartLoop::count(FunctionScalars &scalars) {
  OpFoldResult bound = loop.getMixedUpperBound().front();
  if (auto known = dyn_cast<Attribute>(bound))
    return scalars.constant(cast<IntegerAttr>(known).getInt());
  return scalars.get(cast<Value>(bound));
}

void PartLoop::setSizes(FunctionScalars &own, BlockArgument argument, tensor::ExtractSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned position = 0;
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes())) {
    if (dropped.test(dim))
      continue;
    if (auto value = dyn_cast<Value>(size))
      own.setSize(argument, position, own.get(value));
    ++position;
  }
}

FunctionScalars PartLoop::openScalars(FunctionScalars &scalars, OpBuilder at, Value number) {
  unsigned tensors = getNumTensorArguments(part);
  unsigned last = part.getNumArguments() - tensors - 1;
  unsigned offset = getNumTensorArguments(source);
  // The source's index arguments are known to its scalars.
  FunctionScalars own(part, at, [&scalars, number, last, offset](OpBuilder &, unsigned i) {
    return i == last ? number : scalars.get(scalars.getSource().getArgument(offset + i));
  });
  own.setEntry(scalars.getEntry());
  return own;
}

FunctionScalars PartLoop::scalarsOf(FunctionScalars &scalars, OpBuilder at, Value number, MemoryOf memoryOf) {
  FunctionScalars own = openScalars(scalars, at, number);
  own.failChecks();
  Location loc = source.getLoc();
  own.readElements([=, this](OpBuilder &builder, BlockArgument tensor, ValueRange index) {
    Buffer buffer = memoryOf(source.getArgument(tensor.getArgNumber()));
    Value offset = arith::ConstantIndexOp::create(builder, loc, 0);
    for (auto [at, stride] : llvm::zip_equal(index, buffer.strides))
      offset = builder.createOrFold<arith::AddIOp>(loc, offset, builder.createOrFold<arith::MulIOp>(loc, at, stride));
    return memref::LoadOp::create(builder, loc, buffer.memory, offset).getResult();
  });
  for (const Slice &slice : slices)
    setSizes(own, slice.argument, ops.lookup(slice.argument));
  return own;
}

FunctionScalars PartLoop::longestScalars(FunctionScalars &scalars) {
  Value last = scalars.sub(count(scalars), scalars.constant(1));
  FunctionScalars own = openScalars(scalars, scalars.getBuilder(), last);
  if (loop->hasAttr(flow::kUnevenPartsAttr))
    for (const Slice &slice : slices)
      for (auto [dim, size] : llvm::enumerate(ops.lookup(slice.argument).getMixedSizes()))
        if (auto value = dyn_cast<Value>(size))
          own.assume(value, scalars.size(slice.source, dim));
  for (const Slice &slice : slices)
    setSizes(own, slice.argument, ops.lookup(slice.argument));
  return own;
}

bool PartLoop::hasEqualGrids() {
  return llvm::all_of(inserts, [&](tensor::ParallelInsertSliceOp insert) {
    return llvm::all_of(insert.getSizes(), [&](Value size) { return loop.isDefinedOutsideOfLoop(size); });
  });
}

Buffer PartLoop::cut(const Buffer &whole, ArrayRef<OpFoldResult> offsets, const llvm::SmallBitVector &dropped,
                     FunctionScalars &partScalars) {
  Buffer buffer{whole.memory, whole.elementType, {}, {}, {}};
  buffer.base = partScalars.constant(0);
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Value stride = whole.strides[dim];
    buffer.base = partScalars.add(buffer.base, partScalars.mul(partScalars.toValue(offset), stride));
    if (dropped.test(dim))
      continue;
    buffer.dims.push_back(buffer.dims.size());
    buffer.strides.push_back(stride);
    buffer.origin.push_back({});
  }
  return buffer;
}

Buffer PartLoop::sliceOf(const Slice &slice, const Buffer &whole, FunctionScalars &partScalars) {
  tensor::ExtractSliceOp op = ops.lookup(slice.argument);
  return cut(whole, op.getMixedOffsets(), op.getDroppedDims(), partScalars);
}

Buffer PartLoop::placeOf(unsigned result, const Buffer &whole, FunctionScalars &partScalars) {
  tensor::ParallelInsertSliceOp insert = inserts[result];
  auto inPart = [&](OpFoldResult offset) -> OpFoldResult {
    auto value = dyn_cast<Value>(offset);
    return value ? OpFoldResult(mapping.lookup(value)) : offset;
  };
  return cut(whole, llvm::map_to_vector(insert.getMixedOffsets(), inPart), insert.getDroppedDims(), partScalars);
}

Value PartLoop::fits(FunctionScalars &partScalars) {
  Value all;
  OpBuilder &builder = partScalars.getBuilder();
  Location loc = source.getLoc();
  for (tensor::ParallelInsertSliceOp insert : inserts)
    for (Value offset : insert.getOffsets()) {
      auto check = mapping.lookupOrDefault(offset).getDefiningOp<flow::CheckedIndexOp>();
      if (!check)
        continue;
      Value index = partScalars.get(check.getIndex()), room = partScalars.get(check.getSize());
      Value inside = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, index, room);
      all = all ? builder.createOrFold<arith::AndIOp>(loc, all, inside) : inside;
    }
  return all;
}

llvm::SmallBitVector PartLoop::findApart(unsigned result) {
  tensor::ParallelInsertSliceOp insert = inserts[result];
  llvm::SmallBitVector dropped = insert.getDroppedDims(), apart(insert.getSourceType().getRank());
  if (flow::getPitch(source, result))
    return apart.flip();
  auto memory = loop.getOutputs()[result].getDefiningOp<tensor::EmptyOp>();
  SmallVector<OpFoldResult> sizes = insert.getMixedSizes();
  unsigned position = apart.size();
  bool isOne = true; // with the dimension behind it
  for (int64_t dim = sizes.size(); dim-- > 0;) {
    if (!dropped.test(dim)) {
      if (!isOne)
        apart.set(position - 1);
      --position;
      isOne = true;
    }
    isOne &= memory && isEqualConstantIntOrValue(sizes[dim], memory.getMixedSizes()[dim]);
  }
  return apart;
}
