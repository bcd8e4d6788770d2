// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/HostUpdates.h"

#include "compiler/Dialect/Flow/Transforms/Updates.h"

using namespace mlir;
using namespace mlir::heddle;

// A copy for each run of bytes that lie side by side in the slice and in what it is written to.
static LogicalResult buildRunCopies(tensor::InsertSliceOp op, HostScalars &scalars, Issue &issue, Storages &storages) {
  OpBuilder &builder = scalars.builder;
  Location loc = scalars.loc;
  const Storage target = storages[op.getDest()], source = storages[op.getSource()];
  SmallVector<Value> sizes = scalars.sizesOf(op.getMixedSizes()), offsets = scalars.sizesOf(op.getMixedOffsets());
  // The dimensions from `run` on are one run: behind the last that is cut, all are whole.
  int64_t run = op.getDestType().getRank();
  auto isWhole = [&](int64_t d) {
    auto size = getConstantIntValue(sizes[d]);
    return sizes[d] == target.dims[d] || (size && size == getConstantIntValue(target.dims[d]));
  };
  while (run > 0 && isWhole(run - 1))
    --run;
  run = std::max<int64_t>(run - 1, 0);
  Value element = scalars.byteSize(RankedTensorType::get({}, op.getSourceType().getElementType()), {}),
        one = scalars.constant(1);
  Value bytes = scalars.product({scalars.product(ArrayRef(sizes).drop_front(run)), element});
  Value count = scalars.product(ArrayRef(sizes).take_front(run)),
        whole = scalars.product(ArrayRef(target.dims).drop_front(run + 1));
  auto copyRun = [&](Value index) {
    // The position of the run among those of the target.
    Value at = scalars.constant(0), rest = index;
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
    host::CopyOp::create(builder, loc, issue.stream(target.device), target.buffer,
                         scalars.product({at, whole, element}), source.buffer,
                         builder.createOrFold<arith::MulIOp>(loc, index, bytes), bytes);
  };
  constexpr int64_t kMostCopies = 64;
  if (auto known = getConstantIntValue(count); known && *known <= kMostCopies) {
    for (int64_t i = 0; i < *known; ++i)
      copyRun(scalars.constant(i));
  } else {
    auto loop = scf::ForOp::create(builder, loc, scalars.constant(0), count, one);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    copyRun(loop.getInductionVar());
  }
  storages[op.getResult()] = target;
  return success();
}

// Rows of a carried tensor that nothing else reads are written where it lies.
LogicalResult mlir::heddle::buildUpdate(tensor::InsertSliceOp op, HostScalars &scalars, Issue &issue,
                                        Storages &storages) {
  if (storages.isPlaced(op)) {
    storages[op.getResult()] = Storage(storages[op.getDest()]);
    return success();
  }
  if (flow::isArgumentUpdate(op) || (flow::isPartOfLoop(op) && !flow::isRowUpdate(op)))
    return buildRunCopies(op, scalars, issue, storages);
  OpBuilder &builder = scalars.builder;
  Location loc = scalars.loc;
  const Storage target = storages[op.getDest()], source = storages[op.getSource()];
  if (!flow::isRowUpdate(op))
    return op.emitOpError() << "is no update of a tensor that a loop carries, nor of an argument that the call may "
                               "write; form it into a dispatch";
  SmallVector<Value> sizes = scalars.sizesOf(op.getMixedSizes());
  sizes.front() = target.dims.front();
  storages.checkSizes({Value(), sizes}, target);
  Value row = scalars.sizesOf(op.getMixedOffsets()).front();
  for (Value dim : ArrayRef<Value>(target.dims).drop_front())
    row = builder.createOrFold<arith::MulIOp>(loc, row, dim);
  RankedTensorType type = op.getSourceType();
  Value element = scalars.byteSize(RankedTensorType::get({}, type.getElementType()), {});
  host::CopyOp::create(builder, loc, issue.stream(target.device), target.buffer, scalars.product({row, element}),
                       source.buffer, scalars.constant(0), scalars.byteSize(type, source.dims));
  storages[op.getResult()] = target;
  return success();
}
