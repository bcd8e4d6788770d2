// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Program/StreamLoops.h"

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Host/Analysis/Formulas.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace mlir::heddle;

static flow::StreamsAttr streamsOf(scf::ForOp op) { return op->getAttrOfType<flow::StreamsAttr>(kStreamsAttr); }

//===--- The loop as it is ---------------------------------------------------------------------------------------===//

// The loop over streams that alone changes a tensor, which it carries on to the place where it came from.
static scf::ForOp findInner(BlockArgument carried) {
  scf::ForOp inner;
  for (OpOperand &use : carried.getUses()) {
    if (isa<tensor::DimOp>(use.getOwner()))
      continue;
    auto loop = dyn_cast<scf::ForOp>(use.getOwner());
    if (inner || !loop || !loop->hasAttr(kStreamsAttr) || !loop.getTiedLoopRegionIterArg(&use))
      return {};
    OpResult result = loop.getTiedLoopResult(&use);
    Operation *yield = carried.getOwner()->getTerminator();
    if (!result.hasOneUse() || result.use_begin()->getOwner() != yield ||
        result.use_begin()->getOperandNumber() + 1 != carried.getArgNumber())
      return {};
    inner = loop;
  }
  return inner;
}

// Each carried value is a tensor that one insertion, or one inner loop, changes.
LogicalResult StreamLoopBuilder::findInsertions() {
  for (BlockArgument argument : op.getRegionIterArgs()) {
    Carried &entry = carried.emplace_back();
    if (!isa<RankedTensorType>(argument.getType()))
      return op.emitOpError() << "runs on streams and carries " << argument.getType()
                              << " from one iteration to the next; only tensors of which each iteration writes a part "
                                 "can be";
    Operation *yielded = op.getBody()->getTerminator()->getOperand(argument.getArgNumber() - 1).getDefiningOp();
    auto insertion = dyn_cast_if_present<tensor::InsertSliceOp>(yielded);
    if (insertion && insertion.getDest() == argument && flow::isPartOfLoop(insertion))
      entry.insertion = insertion;
    else if (!findInner(argument))
      return op.emitOpError() << "runs on streams, so each iteration writes a part of what it carries by one "
                                 "tensor.insert_slice of unit strides and reads nothing of it, got result "
                              << argument.getArgNumber() - 1 << " changed otherwise";
  }
  return success();
}

// That of all that the loop issues: streams are of one device.
FailureOr<FlatSymbolRefAttr> StreamLoopBuilder::findDevice() {
  FlatSymbolRefAttr device;
  WalkResult walk = op.getBody()->walk([&](Operation *inner) {
    if (!isa<flow::DispatchOp, flow::TransferOp, flow::CollectiveOpInterface>(inner))
      return WalkResult::advance();
    auto transfer = dyn_cast<flow::TransferOp>(inner);
    FailureOr<FlatSymbolRefAttr> own =
        issue.deviceFrom(inner, transfer ? transfer.getAffinity() : inner->getAttr(kAffinityAttr));
    if (failed(own))
      return WalkResult::interrupt();
    if (device && device != *own) {
      inner->emitOpError() << "runs on " << *own << " in a loop over streams of " << device
                           << "; a loop over streams stays on one device";
      return WalkResult::interrupt();
    }
    device = *own;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return device ? device : issue.getDefaultDevice();
}

// A result's own memory where it is the loop's, what an outer loop carries where it is that; zeros stand for what
// nobody has written.
void StreamLoopBuilder::findTargets(FlatSymbolRefAttr device) {
  for (auto [i, entry] : llvm::enumerate(carried)) {
    Value init = op.getInitArgs()[i];
    const Storage from = storages[init];
    auto outer = dyn_cast<BlockArgument>(init);
    if (outer && findInner(outer) == op && outer.getOwner()->getParentOp()->hasAttr(kStreamsAttr)) {
      entry.whole = from;
      continue;
    }
    entry.whole = {storages.destination(op.getResult(i), from.dims, device), from.dims, device};
    auto empty = init.getDefiningOp<tensor::EmptyOp>();
    if (!empty || !flow::startsStreamLoop(empty)) {
      storages.copyToTargets(init, entry.whole);
      continue;
    }
    Value bytes = scalars.byteSize(cast<RankedTensorType>(init.getType()), from.dims);
    entry.zeros = host::FillOp::create(builder, loc, issue.stream(device), entry.whole.buffer, scalars.constant(0),
                                       bytes, scalars.constant(0), /*pattern_bytes=*/1);
  }
}

static bool isNonNegative(Value value) {
  host::Formulas formulas;
  return formulas.isNonNegative(formulas.of(value, nullptr, host::Instance::Earlier));
}

Value StreamLoopBuilder::countTrips() {
  Value low = scalars.of(op.getLowerBound()), high = scalars.of(op.getUpperBound()), step = scalars.of(op.getStep());
  Value trips = high;
  if (!isConstantIntValue(low, 0))
    trips = builder.createOrFold<arith::SubIOp>(loc, trips, low);
  if (!isConstantIntValue(step, 1))
    trips = builder.createOrFold<arith::CeilDivSIOp>(loc, trips, step);
  return isNonNegative(trips) ? trips : builder.createOrFold<arith::MaxSIOp>(loc, trips, scalars.constant(0));
}

Value StreamLoopBuilder::countStreams(FlatSymbolRefAttr device) {
  if (int64_t count = streamsOf(op).getCount(); count != flow::StreamsAttr::kAll)
    return scalars.constant(count);
  return host::QueryOp::create(builder, loc, builder.getIndexType(), device, builder.getStringAttr("streams"));
}

//===--- Parts ---------------------------------------------------------------------------------------------------===//

// Builds what the offsets and sizes of an insertion are computed from ahead of the body; whether it could.
bool StreamLoopBuilder::buildSizes(tensor::InsertSliceOp insertion) {
  SetVector<Operation *> needed;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *each) { return op.getBody()->findAncestorOpInBlock(*each) != nullptr; };
  for (ValueRange values : {ValueRange(insertion.getOffsets()), ValueRange(insertion.getSizes())})
    for (Value value : values)
      if (value.getDefiningOp() && failed(getBackwardSlice(value, &needed, options)))
        return false;
  SmallVector<Operation *> sorted(needed.begin(), needed.end());
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  auto isScalar = [](Type type) { return type.isIntOrIndex(); };
  for (Operation *each : sorted)
    if (each->getBlock() != op.getBody() || !isa<arith::ArithDialect>(each->getDialect()) ||
        !llvm::all_of(each->getOperandTypes(), isScalar))
      return false;
  for (Operation *each : sorted)
    scalars.clone(*each);
  return true;
}

static bool isEqual(Value a, Value b) { return host::Polynomial::of(a) == host::Polynomial::of(b); }

// The view of the whole in which the part lies; null where its bytes have gaps: a dispatch that knows of them finds its
// place by itself (HostUpdates.h).
Value StreamLoopBuilder::placePart(const Carried &entry) {
  tensor::InsertSliceOp insertion = entry.insertion;
  SmallVector<Value> sizes = scalars.sizesOf(insertion.getMixedSizes());
  SmallVector<Value> offsets = scalars.sizesOf(insertion.getMixedOffsets());
  const SmallVector<Value> &dims = entry.whole.dims;
  int64_t rank = insertion.getDestType().getRank(), cut = -1; // the only dimension that is not whole
  for (int64_t d = 0; d < rank; ++d) {
    if (isEqual(sizes[d], dims[d]) && isConstantIntValue(offsets[d], 0))
      continue;
    // Of size one, it counts no runs.
    if (cut >= 0 && !llvm::all_of(llvm::seq<int64_t>(0, d), [&](int64_t e) { return isConstantIntValue(sizes[e], 1); }))
      return {};
    cut = d;
  }
  cut = std::max<int64_t>(cut, 0);
  Value element = scalars.constant(HostScalars::elementBytes(insertion.getDestType().getElementType()));
  SmallVector<Value> row(ArrayRef(dims).drop_front(std::min(cut + 1, rank)));
  row.push_back(element);
  Value rowBytes = scalars.product(row);
  Value at = scalars.constant(0);
  for (int64_t d = 0; d <= cut && d < rank; ++d) {
    at = builder.createOrFold<arith::MulIOp>(loc, at, dims[d]);
    at = builder.createOrFold<arith::AddIOp>(loc, at, offsets[d]);
  }
  Value offset = scalars.product({at, rowBytes});
  Value run = rank ? scalars.product({sizes[cut], rowBytes}) : rowBytes;
  Value count = scalars.product(ArrayRef(sizes).take_front(cut));
  if (isConstantIntValue(count, 1))
    return host::ViewOp::create(builder, loc, entry.whole.buffer, offset, run);
  return {};
}

// Parts that dispatches, collectives and branches of the body compute are written where they belong.
void StreamLoopBuilder::placeParts(Block &body) {
  for (Carried &entry : carried) {
    if (!entry.insertion)
      continue;
    Value part = storages.findWritten(entry.insertion.getSource());
    Operation *writer = part.getDefiningOp();
    bool isWriter = isa_and_nonnull<flow::DispatchOp, flow::CollectiveOpInterface>(writer) ||
                    (isa_and_nonnull<scf::IfOp>(writer) && cast<RankedTensorType>(part.getType()).hasStaticShape());
    if (!isWriter || storages.hasTarget(part) || writer->getBlock() != op.getBody() ||
        storages.deviceOf(part) != entry.whole.device || !buildSizes(entry.insertion))
      continue;
    Value view = placePart(entry);
    if (!view)
      continue;
    storages.claimTarget(part, view);
    storages.placeSlice(entry.insertion);
  }
}

// Whether the parts of all iterations are the whole: each begins where the one before ends, the first at the begin, the
// last ends at the end.
bool StreamLoopBuilder::coversAll(const Carried &entry, host::StreamForOp loop) {
  tensor::InsertSliceOp insertion = entry.insertion;
  if (!insertion)
    return false;
  using host::Polynomial;
  host::Formulas formulas;
  auto of = [&](Value value) { return formulas.of(value, nullptr, host::Instance::Earlier); };
  SmallVector<Value> sizes = scalars.sizesOf(insertion.getMixedSizes());
  SmallVector<Value> offsets = scalars.sizesOf(insertion.getMixedOffsets());
  bool isCut = false;
  for (auto [size, offset, dim] : llvm::zip_equal(sizes, offsets, entry.whole.dims)) {
    if (isEqual(size, dim) && isConstantIntValue(offset, 0))
      continue;
    Polynomial begin = of(offset), end = begin + of(size), extent = of(dim), index = of(loop.getIndex());
    auto at = [&](const Polynomial &terms, const Polynomial &other) {
      return formulas.with(terms, loop.getIndex(), other);
    };
    Polynomial next = formulas.smaller(at(begin, index + Polynomial(1)), extent);
    if (isCut || !formulas.isNonNegative(end - next) ||
        !formulas.isNonNegative(at(begin, Polynomial(0)) * Polynomial(-1)) ||
        !formulas.isNonNegative(at(end, of(loop.getTrips()) - Polynomial(1)) - extent))
      return false;
    isCut = true;
  }
  return isCut;
}

//===--- The loop as it becomes ----------------------------------------------------------------------------------===//

LogicalResult StreamLoopBuilder::build() {
  if (!streamsOf(op))
    return op.emitOpError() << "has heddle.streams, which is a #flow.streams, got " << op->getAttr(kStreamsAttr);
  FailureOr<FlatSymbolRefAttr> device = findDevice();
  if (failed(device) || failed(findInsertions()))
    return failure();
  findTargets(*device);
  Value trips = countTrips(), streams = countStreams(*device);
  auto loop = host::StreamForOp::create(builder, loc, issue.stream(*device), trips, streams, *device,
                                        issue.firstLoopStream(*device), streamsOf(op).getOrdered());
  Block &body = loop.getBody().front();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(body.getTerminator());
    Value index = loop.getIndex(), step = scalars.of(op.getStep()), low = scalars.of(op.getLowerBound());
    if (!isConstantIntValue(step, 1))
      index = builder.createOrFold<arith::MulIOp>(loc, index, step);
    if (!isConstantIntValue(low, 0))
      index = builder.createOrFold<arith::AddIOp>(loc, index, low);
    scalars.map(op.getInductionVar(), index);
    for (auto [argument, entry] : llvm::zip_equal(op.getRegionIterArgs(), carried))
      storages[argument] = entry.whole;
    placeParts(body);
    issue.enterLoop(*device, loop.getMine(), streamsOf(op).getCount());
    LogicalResult built = buildBlock(*op.getBody());
    issue.leaveLoop();
    if (failed(built))
      return failure();
    loc = op.getLoc();
  }
  for (auto [result, entry] : llvm::zip_equal(op.getResults(), carried)) {
    storages[result] = entry.whole;
    if (entry.zeros && coversAll(entry, loop))
      entry.zeros.erase();
  }
  return success();
}
