// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Program/HostUpdates.h"

#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

using namespace mlir;
using namespace mlir::heddle;

bool mlir::heddle::isContiguous(tensor::ExtractSliceOp op) {
  auto isWhole = [&](int64_t d) {
    OpFoldResult size = op.getMixedSizes()[d];
    if (auto known = getConstantIntValue(size))
      return *known == op.getSourceType().getDimSize(d);
    auto dim = cast<Value>(size).getDefiningOp<tensor::DimOp>();
    return dim && dim.getSource() == op.getSource() && dim.getConstantIndex() == d;
  };
  int64_t cut = op.getSourceType().getRank();
  while (cut > 0 && isWhole(cut - 1))
    --cut;
  for (int64_t d = 0; d + 1 < cut; ++d)
    if (!isConstantIntValue(op.getMixedSizes()[d], 1))
      return false;
  return llvm::all_of(op.getMixedStrides(), [](OpFoldResult stride) { return isConstantIntValue(stride, 1); });
}

// `body` for each number of a run below `count`: few ones one after the other, else in a loop.
static void forEachRun(HostScalars &scalars, Value count, llvm::function_ref<void(Value)> body) {
  OpBuilder &builder = scalars.builder;
  constexpr int64_t kMostCopies = 64;
  if (auto known = getConstantIntValue(count); known && *known <= kMostCopies) {
    for (int64_t i = 0; i < *known; ++i)
      body(scalars.constant(i));
    return;
  }
  auto loop = scf::ForOp::create(builder, scalars.loc, scalars.constant(0), count, scalars.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

// A slice is a copy for each run of bytes that lie side by side in both.
static LogicalResult copySlice(tensor::InsertSliceOp op, HostScalars &scalars, Issue &issue, Storages &storages) {
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
  Value element = scalars.byteSize(RankedTensorType::get({}, op.getSourceType().getElementType()), {});
  Value bytes = scalars.product({scalars.product(ArrayRef(sizes).drop_front(run)), element});
  Value whole = scalars.product(ArrayRef(target.dims).drop_front(run + 1));
  forEachRun(scalars, scalars.product(ArrayRef(sizes).take_front(run)), [&](Value index) {
    // The position of the run among those of the target.
    Value at = scalars.constant(0), rest = index;
    SmallVector<Value> indices(run);
    for (int64_t d = run; d-- > 0;) {
      indices[d] = builder.createOrFold<arith::RemSIOp>(loc, rest, sizes[d]);
      rest = builder.createOrFold<arith::DivSIOp>(loc, rest, sizes[d]);
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
  });
  storages[op.getResult()] = target;
  return success();
}

// The element of the destination where the slice begins.
static Value firstElement(tensor::InsertSliceOp op, ArrayRef<Value> dims, HostScalars &scalars) {
  OpBuilder &builder = scalars.builder;
  Value at = scalars.constant(0);
  for (auto [dim, offset] : llvm::zip_equal(dims, scalars.sizesOf(op.getMixedOffsets()))) {
    at = builder.createOrFold<arith::MulIOp>(scalars.loc, at, dim);
    at = builder.createOrFold<arith::AddIOp>(scalars.loc, at, offset);
  }
  return at;
}

// Sizes that the form takes for whole (flow::findForm) are those of the destination.
static void checkWhole(tensor::InsertSliceOp op, ArrayRef<Value> sizes, const Storage &target, HostScalars &scalars,
                       Storages &storages) {
  SmallVector<Value> checked(sizes);
  bool isFirst = true;
  for (int64_t d = 0; d < op.getDestType().getRank(); ++d) {
    if (isFirst || flow::cuts(op, d))
      checked[d] = target.dims[d];
    isFirst &= op.getStaticSizes()[d] == 1;
  }
  storages.checkSizes({Value(), checked}, target);
}

static Value bytesOf(ArrayRef<Value> dims, RankedTensorType type, HostScalars &scalars) {
  SmallVector<Value> factors(dims);
  factors.push_back(scalars.constant(HostScalars::elementBytes(type.getElementType())));
  return scalars.product(factors);
}

// What the op's place is computed of was built before the op that computes its source.
static bool isPlaceKnown(tensor::InsertSliceOp op, Operation *maker) {
  SmallVector<Value> values(op.getOffsets());
  llvm::append_range(values, op.getSizes());
  values.push_back(flow::findMemory(op));
  return op->getBlock() == maker->getBlock() && llvm::all_of(values, [&](Value value) {
           Operation *def = value.getDefiningOp();
           return !def || def->getBlock() != maker->getBlock() || def->isBeforeInBlock(maker);
         });
}

// The only op that reads a value, behind what changes its shape; null where there are several.
static Operation *findReader(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return user;
    value = user->getResult(0);
  }
  return nullptr;
}

// Whether queues may write their parts of the tensor side by side: it is filled part by part, by the block of an entry
// point, whose order of streams is worked out by bytes.
static bool mayShareFilled(tensor::InsertSliceOp op) {
  return flow::isFill(op) && isa<func::FuncOp>(op->getParentOp());
}

Value mlir::heddle::placePart(OpResult result, const std::optional<flow::Pitch> &pitch, HostScalars &scalars,
                              Issue &issue, Storages &storages) {
  Operation *maker = result.getOwner();
  Operation *user = findReader(result);
  auto op = dyn_cast_if_present<tensor::InsertSliceOp>(user);
  std::optional<flow::InsertedValue> inserted = op ? flow::findInserted(op) : std::nullopt;
  if (!inserted || inserted->value != result || flow::isArgumentUpdate(op) || !flow::isUpdate(op) ||
      !isPlaceKnown(op, maker))
    return {};
  std::optional<flow::SliceForm> form = flow::findForm(op);
  const Storage target = storages[flow::findMemory(op)];
  bool isRead = llvm::any_of(maker->getOperands(), [&](Value operand) {
    return isa<TensorType>(operand.getType()) && storages[operand].buffer == target.buffer;
  });
  if (isRead || inserted->outer != (pitch ? pitch->outer : 0) || !target.buffer ||
      storages.deviceOf(result) != target.device ||
      (Issue::queueOf(maker->getAttr(kAffinityAttr)) != 0 && !mayShareFilled(op)))
    return {};
  SmallVector<Value> sizes = scalars.sizesOf(op.getMixedSizes());
  checkWhole(op, sizes, target, scalars, storages);
  RankedTensorType type = op.getDestType();
  Value offset = bytesOf(firstElement(op, target.dims, scalars), type, scalars);
  storages.placeSlice(op);
  ArrayRef<Value> outer = ArrayRef(sizes).take_front(form->cut), run = ArrayRef(sizes).drop_front(form->cut);
  SmallVector<Value> runs;
  if (pitch)
    runs = {scalars.product(outer), bytesOf(ArrayRef(target.dims).drop_front(form->cut), type, scalars)};
  return host::ViewOp::create(scalars.builder, scalars.loc, target.buffer, offset,
                              bytesOf(pitch ? run : ArrayRef(sizes), type, scalars), runs);
}

Value SpannedResult::runBytes(HostScalars &scalars) const {
  return bytesOf(ArrayRef(dims).drop_front(outer), type, scalars);
}

Value SpannedResult::pitchBytes(HostScalars &scalars) const { return bytesOf(pitch, type, scalars); }

Value SpannedResult::allocate(FlatSymbolRefAttr device, HostScalars &scalars) {
  SmallVector<Value> factors(ArrayRef(dims).take_front(outer));
  Value count = scalars.product(factors);
  factors.push_back(pitch);
  span = host::AllocOp::create(scalars.builder, scalars.loc, device, bytesOf(factors, type, scalars));
  return host::ViewOp::create(scalars.builder, scalars.loc, span, scalars.constant(0), runBytes(scalars),
                              ValueRange{count, pitchBytes(scalars)});
}

void SpannedResult::copyTo(Value target, Value stream, HostScalars &scalars) const {
  Value run = runBytes(scalars), step = pitchBytes(scalars);
  forEachRun(scalars, scalars.product(ArrayRef(dims).take_front(outer)), [&](Value index) {
    OpBuilder &builder = scalars.builder;
    Location loc = scalars.loc;
    host::CopyOp::create(builder, loc, stream, target, builder.createOrFold<arith::MulIOp>(loc, index, run), span,
                         builder.createOrFold<arith::MulIOp>(loc, index, step), run);
  });
}

// Rows of a carried tensor that nothing else reads are written where it lies.
LogicalResult mlir::heddle::buildUpdate(tensor::InsertSliceOp op, HostScalars &scalars, Issue &issue,
                                        Storages &storages) {
  if (storages.isPlaced(op)) {
    storages[op.getResult()] = Storage(storages[op.getDest()]);
    return success();
  }
  if (flow::isArgumentUpdate(op) || flow::isFill(op) ||
      ((flow::isPartUpdate(op) || flow::isPartOfLoop(op)) && !flow::isRowUpdate(op)))
    return copySlice(op, scalars, issue, storages);
  OpBuilder &builder = scalars.builder;
  Location loc = scalars.loc;
  const Storage target = storages[op.getDest()], source = storages[op.getSource()];
  if (!flow::isRowUpdate(op))
    return op.emitOpError() << "is not an update of a tensor that a loop carries, nor of an argument that the call may "
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
