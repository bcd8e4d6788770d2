// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/PartLoop.h"

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
  return slice && isa<BlockArgument>(slice.getSource()) && slice.hasUnitStride() && slice.getDroppedDims().none();
}

LogicalResult PartLoop::build() {
  loop = findLoop(source);
  auto isIndexed = [](tensor::ParallelInsertSliceOp insert, Value number) {
    return insert.getMixedOffsets().front() == OpFoldResult(number) && insert.hasUnitStride() &&
           llvm::all_of(llvm::drop_begin(insert.getMixedOffsets()), isZeroInteger);
  };
  if (loop.getRank() != 1 || !loop.isNormalized())
    return loop.emitError("a loop over parts has one dimension, from 0 in steps of 1");
  unsigned tensors = getNumTensorArguments(source);
  OpBuilder builder(source);
  SmallVector<Type> inputs(source.getArgumentTypes().take_front(tensors));
  SmallVector<tensor::ExtractSliceOp> taken;
  for (Operation &op : *loop.getBody())
    if (isSliceOfArgument(op)) {
      taken.push_back(cast<tensor::ExtractSliceOp>(op));
      inputs.push_back(op.getResult(0).getType());
    }
  llvm::append_range(inputs, source.getArgumentTypes().drop_front(tensors));
  inputs.push_back(builder.getIndexType());
  SmallVector<Value> results;
  SmallVector<Type> types;
  for (Operation &op : loop.getTerminator().getYieldingOps()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    if (!insert || !isIndexed(insert, loop.getInductionVar(0)))
      return loop.emitError("each part is inserted in a result at its number");
    results.push_back(insert.getSource());
    types.push_back(insert.getSource().getType());
  }
  part = func::FuncOp::create(builder, source.getLoc(), "part", builder.getFunctionType(inputs, types));
  part.setPrivate();
  Block *block = part.addEntryBlock();
  for (BlockArgument argument : source.getArguments()) {
    unsigned number = argument.getArgNumber();
    mapping.map(argument, block->getArgument(number < tensors ? number : number + taken.size()));
  }
  mapping.map(loop.getInductionVar(0), block->getArguments().back());
  builder.setInsertionPointToStart(block);
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
  return success();
}

Value PartLoop::count(FunctionScalars &scalars) {
  OpFoldResult bound = loop.getMixedUpperBound().front();
  if (auto known = dyn_cast<Attribute>(bound))
    return scalars.constant(cast<IntegerAttr>(known).getInt());
  return scalars.get(cast<Value>(bound));
}

FunctionScalars PartLoop::scalarsOf(FunctionScalars &scalars, OpBuilder at, Value number) {
  unsigned tensors = getNumTensorArguments(part);
  unsigned last = part.getNumArguments() - tensors - 1;
  unsigned offset = getNumTensorArguments(source);
  // The source's index arguments are known to its scalars.
  FunctionScalars own(part, at, [&scalars, number, last, offset](OpBuilder &, unsigned i) {
    return i == last ? number : scalars.get(scalars.getSource().getArgument(offset + i));
  });
  own.setEntry(scalars.getEntry());
  for (const Slice &slice : slices) {
    tensor::ExtractSliceOp op = ops.lookup(slice.argument);
    for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
      if (auto value = dyn_cast<Value>(size))
        own.setSize(slice.argument, dim, own.get(value));
  }
  return own;
}

FunctionScalars PartLoop::lastScalars(FunctionScalars &scalars) {
  Value last = scalars.sub(count(scalars), scalars.constant(1));
  return scalarsOf(scalars, scalars.getBuilder(), last);
}

Buffer PartLoop::sliceOf(const Slice &slice, const Buffer &whole, FunctionScalars &partScalars) {
  Buffer buffer = whole;
  buffer.base = partScalars.constant(0);
  tensor::ExtractSliceOp op = ops.lookup(slice.argument);
  for (auto [offset, stride] : llvm::zip_equal(op.getMixedOffsets(), whole.strides)) {
    Value at = isa<Attribute>(offset) ? partScalars.constant(*getConstantIntValue(offset))
                                      : partScalars.get(cast<Value>(offset));
    buffer.base = partScalars.add(buffer.base, partScalars.mul(at, stride));
  }
  return buffer;
}
