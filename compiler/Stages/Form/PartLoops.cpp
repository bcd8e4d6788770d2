// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/PartLoops.h"
#include "compiler/Dialect/Flow/Analysis/Segmenter.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/PartPlaces.h"
#include "compiler/Stages/Form/Passes.h"
#include "compiler/Stages/Form/ProgramLoop.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PARTLOOPS
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

using Insert = tensor::ParallelInsertSliceOp;

Insert insertOf(scf::ForallOp loop, unsigned result) {
  for (Operation &op : loop.getTerminator().getYieldingOps())
    if (auto insert = dyn_cast<Insert>(op); insert && insert.getDest() == loop.getRegionIterArgs()[result])
      return insert;
  return {};
}

void lowerAffine(scf::ForallOp loop) {
  loop.getBody()->walk([](Operation *op) {
    if (!isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op))
      return;
    OpBuilder b(op);
    AffineMap map = cast<AffineMapAttr>(op->getAttr("map")).getValue();
    std::optional<SmallVector<Value, 8>> values = affine::expandAffineMap(b, op->getLoc(), map, op->getOperands());
    if (!values)
      return;
    Value result = values->front();
    for (Value value : llvm::drop_begin(*values))
      result = isa<affine::AffineMinOp>(op) ? arith::MinSIOp::create(b, op->getLoc(), result, value).getResult()
                                            : arith::MaxSIOp::create(b, op->getLoc(), result, value).getResult();
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  });
}

// Whether nothing is said of what the tensor holds.
bool isUnwritten(Value tensor) { return tensor.getDefiningOp<tensor::EmptyOp>() != nullptr; }

// Without the dimensions of one element.
SmallVector<int64_t> longDims(RankedTensorType type) {
  SmallVector<int64_t> sizes(type.getShape());
  llvm::erase(sizes, 1);
  return sizes;
}

// Inserts what a reshape only gives dimensions of one element, or takes them from.
void insertPlain(Insert insert) {
  for (;;) {
    Operation *def = insert.getSource().getDefiningOp();
    if (!isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def))
      return;
    auto from = cast<RankedTensorType>(def->getOperand(0).getType());
    if (longDims(from) != longDims(insert.getSourceType()) || from.getRank() > insert.getDestType().getRank() ||
        from.getRank() > insert.getSourceType().getRank())
      return;
    insert.getSourceMutable().set(def->getOperand(0));
  }
}

// The ops of the loop's body that compute, as they would be dispatches.
class BodyGraph {
public:
  explicit BodyGraph(scf::ForallOp loop) : loop(loop) {
    for (Operation &op : loop.getBody()->without_terminator())
      if (fusion::isCompute(&op) && !fusion::isCloned(&op)) {
        index[&op] = ops.size();
        ops.push_back(&op);
      }
  }

  // "" or why one dispatch cannot hold the body.
  std::string refuse() {
    for (Operation &op : loop.getBody()->without_terminator())
      if (op.getNumRegions() > 0 && !isa<linalg::LinalgOp, tensor::PadOp, tensor::GenerateOp>(op))
        return ("a part has a " + op.getName().getStringRef() + " in it").str();
    flow::SegmentGraph graph = makeGraph();
    std::vector<std::vector<unsigned>> segments = flow::segment(graph, [&](auto producer, auto consumer) {
      SmallVector<Operation *> from = select(producer), to = select(consumer);
      return fusion::shouldMerge(from, to) && fusion::fitsDispatch(from, to);
    });
    DenseMap<unsigned, unsigned> segmentOf;
    for (auto [number, members] : llvm::enumerate(segments))
      for (unsigned member : members)
        segmentOf[member] = number;
    for (auto [producer, consumer] : graph.edges)
      if (segmentOf[producer] != segmentOf[consumer])
        return "a part is several dispatches";
    for (const std::vector<unsigned> &members : segments)
      if (!isInserted(ops[members.back()]))
        return "a part is several dispatches";
    return "";
  }

private:
  SmallVector<Operation *> select(ArrayRef<unsigned> members) const {
    return llvm::map_to_vector(members, [&](unsigned i) { return ops[i]; });
  }

  bool isInserted(Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) { return isa<Insert>(user); });
  }

  flow::SegmentGraph makeGraph() {
    flow::SegmentGraph graph;
    graph.nodes = ops.size();
    DenseMap<Operation *, SmallVector<unsigned>> sources;
    for (Operation &op : loop.getBody()->without_terminator()) {
      SmallVector<unsigned> &list = sources[&op];
      for (Value operand : fusion::getOperands(&op))
        if (Operation *def = operand.getDefiningOp(); def && def->getBlock() == loop.getBody()) {
          if (auto it = index.find(def); it != index.end())
            list.push_back(it->second);
          else
            llvm::append_range(list, SmallVector<unsigned>(sources.lookup(def)));
        }
      llvm::sort(list);
      list.erase(llvm::unique(list), list.end());
      if (auto it = index.find(&op); it != index.end())
        for (unsigned source : list)
          graph.edges.emplace_back(source, it->second);
    }
    return graph;
  }

  scf::ForallOp loop;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, unsigned> index;
};

// One loop, while it becomes what a dispatch or the host program takes.
class LoopRewriter {
public:
  LoopRewriter(scf::ForallOp loop, const parts::Places &places)
      : loop(loop), loc(loop.getLoc()), builder(loop), places(places) {}

  // "" or why the loop is none of one dispatch.
  std::string refuse() {
    if (!places.areApart && !loop->hasAttr(flow::kApartAttr))
      return "only the call knows whether no two parts write the same element";
    for (unsigned result = 0; result < loop.getNumResults(); ++result)
      if (!places.covers[result] && !isUnwritten(loop.getOutputs()[result]))
        return "its parts may not be all of a result";
    for (Operation &op : *loop.getBody())
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op); slice && !slice.hasUnitStride())
        return "a part is cut in steps";
    for (unsigned result = 0; result < loop.getNumResults(); ++result)
      if (Insert insert = insertOf(loop, result); !insert.hasUnitStride() || !orderOf(insert))
        return "a part is inserted in steps";
    return BodyGraph(loop).refuse();
  }

  void toParts() {
    countAll();
    SmallVector<Value> memory;
    for (unsigned result = 0; result < loop.getNumResults(); ++result)
      memory.push_back(makeMemory(result));
    auto made = scf::ForallOp::create(builder, loc, getAsOpFoldResult(ValueRange{total}), memory, std::nullopt);
    for (NamedAttribute attribute : loop->getDiscardableAttrs())
      if (attribute.getName() != flow::kApartAttr)
        made->setDiscardableAttr(attribute.getName(), attribute.getValue());
    if (!places.longest)
      made->setAttr(flow::kUnevenPartsAttr, builder.getUnitAttr());
    OpBuilder b(made.getTerminator());
    SmallVector<Value> numbers = makeNumbers(b, made.getInductionVar(0));
    moveBody(made.getBody(), made.getTerminator(), numbers, loop.getOutputs());
    for (unsigned result = 0; result < loop.getNumResults(); ++result)
      insertPart(made, result);
    for (Operation &op : llvm::make_early_inc_range(*made.getBody()))
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op); slice && places.unproved.contains(slice))
        checkSlice(slice);
    builder.setInsertionPointAfter(made);
    for (unsigned result = 0; result < loop.getNumResults(); ++result)
      replace(result, made.getResult(result));
    loop.erase();
  }

  // A loop of the host program, one part after the other.
  void toTurns() {
    countAll();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto made = scf::ForOp::create(builder, loc, zero, total, one, loop.getOutputs());
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    OpBuilder b = OpBuilder::atBlockBegin(made.getBody());
    SmallVector<Value> numbers = makeNumbers(b, made.getInductionVar());
    SmallVector<Value> next(loop.getNumResults());
    SmallVector<Insert> inserts;
    for (unsigned result = 0; result < loop.getNumResults(); ++result)
      inserts.push_back(insertOf(loop, result));
    moveBody(made.getBody(), nullptr, numbers, made.getRegionIterArgs());
    b.setInsertionPointToEnd(made.getBody());
    for (auto [result, insert] : llvm::enumerate(inserts))
      next[result] =
          tensor::InsertSliceOp::create(b, insert.getLoc(), insert.getSource(), made.getRegionIterArgs()[result],
                                        insert.getMixedOffsets(), insert.getMixedSizes(), insert.getMixedStrides());
    scf::YieldOp::create(b, loc, next);
    loop.replaceAllUsesWith(made.getResults());
    loop.erase();
  }

private:
  Value toValue(OpBuilder &b, OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, loc, value); }

  void countAll() {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1), zero = arith::ConstantIndexOp::create(builder, loc, 0);
    total = one;
    for (auto [low, high, step] :
         llvm::zip_equal(loop.getMixedLowerBound(), loop.getMixedUpperBound(), loop.getMixedStep())) {
      Value by = toValue(builder, step);
      Value length = builder.createOrFold<arith::SubIOp>(loc, toValue(builder, high), toValue(builder, low));
      Value before = builder.createOrFold<arith::SubIOp>(loc, by, one);
      Value count = builder.createOrFold<arith::AddIOp>(loc, length, before);
      count = builder.createOrFold<arith::DivSIOp>(loc, count, by);
      count = builder.createOrFold<arith::MaxSIOp>(loc, count, zero);
      counts.push_back(count);
      total = builder.createOrFold<arith::MulIOp>(loc, total, count);
    }
  }

  // The loop's numbers of part `part`; the longest part is the last one, if somebody knows it.
  SmallVector<Value> makeNumbers(OpBuilder &b, Value part) {
    SmallVector<Value> numbers(counts.size());
    SmallVector<OpFoldResult> lows = loop.getMixedLowerBound(), steps = loop.getMixedStep();
    Value rest = part, one = arith::ConstantIndexOp::create(b, loc, 1);
    for (size_t dim = counts.size(); dim-- > 0;) {
      Value turn = rest;
      if (dim > 0) {
        // Of no part there are numbers, too: the host asks how many workgroups the last one has.
        Value divisor = b.createOrFold<arith::MaxSIOp>(loc, counts[dim], one);
        turn = b.createOrFold<arith::RemSIOp>(loc, rest, divisor);
        rest = b.createOrFold<arith::DivSIOp>(loc, rest, divisor);
      }
      if (places.longest && !(*places.longest)[dim])
        turn = b.createOrFold<arith::SubIOp>(loc, b.createOrFold<arith::SubIOp>(loc, counts[dim], one), turn);
      Value offset = b.createOrFold<arith::MulIOp>(loc, turn, toValue(b, steps[dim]));
      numbers[dim] = b.createOrFold<arith::AddIOp>(loc, offset, toValue(b, lows[dim]));
    }
    return numbers;
  }

  // Before `place`, or at the end.
  void moveBody(Block *to, Operation *place, ValueRange numbers, ValueRange outputs) {
    for (auto [number, value] : llvm::zip_equal(loop.getInductionVars(), numbers))
      number.replaceAllUsesWith(value);
    for (auto [argument, output] : llvm::zip_equal(loop.getRegionIterArgs(), outputs))
      argument.replaceUsesWithIf(output, [](OpOperand &use) { return !isa<Insert>(use.getOwner()); });
    Block *from = loop.getBody();
    to->getOperations().splice(place ? Block::iterator(place) : to->end(), from->getOperations(), from->begin(),
                               std::prev(from->end()));
  }

  //===--- Results ------------------------------------------------------------------------------------------------===//

  // The dimensions of the result in the order in which they are stored: those that a part has one element of come
  // first, if the last one is among them. None where vectors would have to step.
  static std::optional<SmallVector<int64_t>> orderOf(Insert insert) {
    SmallVector<int64_t> single, others;
    int64_t rank = insert.getDestType().getRank();
    for (auto [dim, size] : llvm::enumerate(insert.getMixedSizes()))
      (isConstantIntValue(size, 1) ? single : others).push_back(dim);
    auto identity = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    if (others.empty() || others.back() == rank - 1)
      return identity;
    if (insert.getDestType().getDimSize(rank - 1) == 1 && insert.getSourceType().getRank() == rank)
      return identity;
    llvm::append_range(single, others);
    return single;
  }

  Value makeMemory(unsigned result) {
    Value output = loop.getOutputs()[result];
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, output), ordered;
    for (int64_t dim : *orderOf(insertOf(loop, result)))
      ordered.push_back(sizes[dim]);
    return tensor::EmptyOp::create(builder, loc, ordered, cast<RankedTensorType>(output.getType()).getElementType());
  }

  // Also where the body was moved, insertions are still the old loop's.
  void insertPart(scf::ForallOp made, unsigned result) {
    Insert insert = insertOf(loop, result);
    SmallVector<int64_t> order = *orderOf(insert);
    OpBuilder b(made.getTerminator());
    Value source = toComputed(b, made, insert.getSource());
    SmallVector<OpFoldResult> offsets = insert.getMixedOffsets(), sizes = insert.getMixedSizes();
    if (places.unproved.contains(insert))
      checkOffsets(b, made, result, insert, source, order, offsets);
    bool isTurned = !llvm::equal(order, llvm::seq<int64_t>(0, order.size()));
    if (isTurned)
      source = dropSingles(b, source, insert);
    SmallVector<OpFoldResult> at, extent, strides(order.size(), b.getIndexAttr(1));
    for (int64_t dim : order) {
      at.push_back(offsets[dim]);
      extent.push_back(sizes[dim]);
    }
    b.setInsertionPointToEnd(made.getTerminator().getBody());
    Insert::create(b, insert.getLoc(), source, made.getRegionIterArgs()[result], at, extent, strides);
  }

  // Without dimensions of one element, which may stand anywhere in the result.
  Value dropSingles(OpBuilder &b, Value source, Insert insert) {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, source);
    SmallVector<int64_t> kept;
    for (int64_t size : type.getShape())
      if (size != 1)
        kept.push_back(size);
    if (kept.size() == static_cast<size_t>(type.getRank()))
      return source;
    auto reduced = RankedTensorType::get(kept, type.getElementType());
    SmallVector<OpFoldResult> zeros(type.getRank(), b.getIndexAttr(0)), ones(type.getRank(), b.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(b, insert.getLoc(), reduced, source, zeros, sizes, ones);
  }

  // A copy of what no op of the part computes.
  Value toComputed(OpBuilder &b, scf::ForallOp made, Value value) {
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == made.getBody() && fusion::isCompute(def) && !isa<tensor::ExtractSliceOp>(def))
      return value;
    Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, value),
                                          cast<RankedTensorType>(value.getType()).getElementType());
    return linalg::CopyOp::create(b, loc, value, empty).getResult(0);
  }

  void replace(unsigned result, Value made) {
    SmallVector<int64_t> order = *orderOf(insertOf(loop, result));
    Value old = loop.getResult(result);
    if (made.getType() == old.getType() && llvm::equal(order, llvm::seq<int64_t>(0, order.size()))) {
      old.replaceAllUsesWith(made);
      return;
    }
    // Structured ops read it as it lies.
    for (OpOperand &use : llvm::make_early_inc_range(old.getUses())) {
      auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (!reader || !reader.isDpsInput(&use))
        continue;
      SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
      AffineMap &map = maps[use.getOperandNumber()];
      SmallVector<AffineExpr> exprs;
      for (int64_t dim : order)
        exprs.push_back(map.getResult(dim));
      map = AffineMap::get(map.getNumDims(), 0, exprs, builder.getContext());
      use.set(made);
      reader.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
    }
    if (old.use_empty())
      return;
    Value empty = tensor::EmptyOp::create(builder, loc, tensor::getMixedSizes(builder, loc, loop.getOutputs()[result]),
                                          cast<RankedTensorType>(old.getType()).getElementType());
    SmallVector<int64_t> back(order.size());
    for (auto [position, dim] : llvm::enumerate(order))
      back[dim] = position;
    old.replaceAllUsesWith(linalg::TransposeOp::create(builder, loc, made, empty, back)->getResult(0));
  }

  //===--- Checks in the call -------------------------------------------------------------------------------------===//

  // `offset` where a slice of `size` elements begins in a dimension of `length`.
  OpFoldResult checkOffset(OpBuilder &b, OpFoldResult offset, Value size, Value length) {
    Value one = arith::ConstantIndexOp::create(b, loc, 1), zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value room = b.createOrFold<arith::SubIOp>(loc, length, size);
    room = b.createOrFold<arith::MaxSIOp>(loc, b.createOrFold<arith::AddIOp>(loc, room, one), zero);
    return Value(flow::CheckedIndexOp::create(b, loc, toValue(b, offset), room));
  }

  void checkSlice(tensor::ExtractSliceOp slice) {
    OpBuilder b(slice);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(), sizes = slice.getMixedSizes();
    for (auto [dim, offset] : llvm::enumerate(offsets)) {
      OpFoldResult &size = sizes[dim] = slice.getMixedSizes()[dim]; // checked along an earlier dimension, maybe
      OpFoldResult whole = tensor::getMixedSize(b, loc, slice.getSource(), dim);
      bool isAll = isConstantIntValue(offset, 0) && isWhole(size, slice.getSource(), dim);
      if (isAll || (getConstantIntValue(offset) && getConstantIntValue(size) && getConstantIntValue(whole)))
        continue;
      if (auto value = dyn_cast<Value>(size))
        size = checkSize(slice, dim, value);
      offset = checkOffset(b, offset, toValue(b, size), toValue(b, whole));
    }
    for (auto [dim, size] : llvm::enumerate(sizes))
      size = slice.getMixedSizes()[dim];
    auto made = tensor::ExtractSliceOp::create(b, slice.getLoc(), slice.getType(), slice.getSource(), offsets, sizes,
                                               slice.getMixedStrides());
    slice.getResult().replaceAllUsesWith(made);
    slice.erase();
  }

  // The size, or 0 where it is not one of the slice's dimension. All of the body has that from here on.
  Value checkSize(tensor::ExtractSliceOp slice, unsigned dim, Value size) {
    Block *body = slice->getBlock();
    OpBuilder b(slice);
    if (Operation *def = size.getDefiningOp(); slice.getSource().getParentBlock() == body)
      b.setInsertionPoint(slice);
    else if (def && def->getBlock() == body)
      b.setInsertionPointAfter(def);
    else
      b.setInsertionPointToStart(body);
    Value length = toValue(b, tensor::getMixedSize(b, loc, slice.getSource(), dim));
    Value limit = b.createOrFold<arith::AddIOp>(loc, length, arith::ConstantIndexOp::create(b, loc, 1));
    Value checked = flow::CheckedIndexOp::create(b, loc, size, limit);
    size.replaceUsesWithIf(checked, [&](OpOperand &use) {
      Operation *user = body->findAncestorOpInBlock(*use.getOwner());
      return user && user != checked.getDefiningOp() && checked.getDefiningOp()->isBeforeInBlock(user);
    });
    return checked;
  }

  static bool isWhole(OpFoldResult size, Value tensor, int64_t dim) {
    auto value = dyn_cast<Value>(size);
    auto known = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    return known && known.getSource() == tensor && known.getConstantIndex() == dim;
  }

  // By the sizes of what is inserted, which is what is written.
  void checkOffsets(OpBuilder &b, scf::ForallOp made, unsigned result, Insert insert, Value source,
                    ArrayRef<int64_t> order, SmallVector<OpFoldResult> &offsets) {
    SmallVector<OpFoldResult> stored = made.getOutputs()[result].getDefiningOp<tensor::EmptyOp>().getMixedSizes();
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    int64_t position = 0;
    for (auto [dim, offset] : llvm::enumerate(offsets)) {
      OpFoldResult size = b.getIndexAttr(1);
      if (!dropped.test(dim))
        size = tensor::getMixedSize(b, loc, source, position++);
      OpFoldResult length = stored[llvm::find(order, static_cast<int64_t>(dim)) - order.begin()];
      if (getConstantIntValue(offset) && getConstantIntValue(size) && getConstantIntValue(length))
        continue;
      offset = checkOffset(b, offset, toValue(b, size), toValue(b, length));
    }
  }

  scf::ForallOp loop;
  Location loc;
  OpBuilder builder;
  const parts::Places &places;
  SmallVector<Value> counts; // of the loop's dimensions
  Value total;
};

struct PartLoops : mlir::heddle::impl::PartLoopsBase<PartLoops> {
  void runOnOperation() override {
    // Outer loops first: what they become says where the inner ones stand.
    SmallVector<scf::ForallOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) { loops.push_back(loop); });
    for (scf::ForallOp loop : loops)
      if (failed(rewrite(loop)))
        return signalPassFailure();
    if (!loops.empty())
      parts::keepConstantsPlain(getOperation());
  }

  static LogicalResult rewrite(scf::ForallOp loop) {
    if (failed(parts::verifyProgramLoop(loop)))
      return failure();
    for (unsigned result = 0; result < loop.getNumResults(); ++result)
      insertPlain(insertOf(loop, result));
    FailureOr<parts::Places> places = parts::findPlaces(loop);
    if (failed(places))
      return failure();
    lowerAffine(loop);
    LoopRewriter rewriter(loop, *places);
    std::string reason = rewriter.refuse();
    reason.empty() ? rewriter.toParts() : rewriter.toTurns();
    return success();
  }
};

} // namespace
