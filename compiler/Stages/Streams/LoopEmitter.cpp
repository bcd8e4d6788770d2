// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Streams/LoopEmitter.h"

#include "compiler/Dialect/Flow/Transforms/AlignedOps.h"
#include "compiler/Dialect/Flow/Transforms/Parts.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Evaluation/Evaluator.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::streams;
using flow::Product;
using flow::StreamAxisAttr;

// Whether anything but the members reads the value, also through ops that move no element.
static bool isNeededOutside(const Group &group, Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (group.find(user))
      return false;
    return !flow::isTransparent(user) || isNeededOutside(group, user->getResult(0));
  });
}

// The value as a tensor of another type of the same sizes.
static Value castTo(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type ? value : Value(tensor::CastOp::create(b, loc, type, value));
}

// The type of a slice that has `size` along `dim` and is whole otherwise.
static RankedTensorType sliceType(Type whole, int64_t dim, OpFoldResult size) {
  auto type = cast<RankedTensorType>(whole);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = getConstantIntValue(size).value_or(ShapedType::kDynamic);
  return RankedTensorType::get(shape, type.getElementType());
}

// Sizes with names may be 0; what is divided by them then is, too.
static Value atLeastOne(OpBuilder &b, Location loc, OpFoldResult size) {
  Value value = getValueOrCreateConstantIndexOp(b, loc, size);
  return b.createOrFold<arith::MaxSIOp>(loc, value, arith::ConstantIndexOp::create(b, loc, 1));
}

static OpFoldResult scale(OpBuilder &b, Location loc, OpFoldResult position, const Product &mul, const Product &div) {
  std::optional<int64_t> times = mul.getConstant(), over = div.getConstant();
  if (times && over) {
    AffineExpr scaled = (b.getAffineSymbolExpr(0) * *times).floorDiv(*over);
    return affine::makeComposedFoldedAffineApply(b, loc, scaled, {position});
  }
  Value value = getValueOrCreateConstantIndexOp(b, loc, position);
  if (!mul.isOne())
    value =
        b.createOrFold<arith::MulIOp>(loc, value, getValueOrCreateConstantIndexOp(b, loc, materialize(b, loc, mul)));
  if (!div.isOne())
    value = b.createOrFold<arith::DivSIOp>(loc, value, atLeastOne(b, loc, materialize(b, loc, div)));
  return OpFoldResult(value);
}

namespace {

class LoopEmitter {
public:
  explicit LoopEmitter(const Group &given)
      : group(refresh(given)), b(group.members.back().op), loc(fuseLocations(group)) {}

  void run() {
    block = group.members.back().op->getBlock();
    moveUsers();
    const Member &first = group.members.front();
    std::optional<int64_t> known = first.getTrips();
    trips = known ? Value(arith::ConstantIndexOp::create(b, loc, *known)) : countGranules(first);
    SmallVector<Value> inits;
    for (const Member &member : group.members)
      for (OpResult result : member.op->getResults())
        if (isNeededOutside(group, result)) {
          carried.push_back({&member, result});
          inits.push_back(makeEmpty(member, result));
        }
    if (!carried.empty())
      emit(inits);
    eraseMembers();
  }

private:
  // A result that something outside of the loop reads.
  struct Carried {
    const Member *member;
    OpResult result;
  };

  struct Cut {
    OpFoldResult begin, size;
  };

  // A part of a member's result and where it belongs in the whole.
  struct Piece {
    Value value;
    SmallVector<OpFoldResult> offsets, sizes;
  };

  // Loops that were written since may have moved members and replaced what tells their extents.
  static Group refresh(const Group &given) {
    Group group = given;
    llvm::sort(group.members, [](const Member &a, const Member &b) { return a.op->isBeforeInBlock(b.op); });
    for (Member &member : group.members)
      member.extents = flow::traceExtents(member.op, member.axis);
    return group;
  }

  static Location fuseLocations(const Group &group) {
    SmallVector<Location> all;
    for (const Member &member : group.members)
      all.push_back(member.op->getLoc());
    return FusedLoc::get(group.members.front().op->getContext(), all);
  }

  //===--- Around the loop ----------------------------------------------------------------------------------------===//

  // Behind the last member: what needs the result of one, in its order. The group has no path that goes around.
  void moveUsers() {
    Operation *last = group.members.back().op, *at = last;
    llvm::SmallDenseSet<Operation *> moving;
    for (Operation &op :
         llvm::make_early_inc_range(llvm::make_range(group.members.front().op->getIterator(), last->getIterator()))) {
      if (group.find(&op))
        continue;
      bool isUser = false;
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *def = operand.getDefiningOp();
          isUser |= def && (moving.contains(def) || group.find(def));
        }
      });
      if (!isUser)
        continue;
      moving.insert(&op);
      op.moveAfter(at);
      at = &op;
    }
  }

  Value index(OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, loc, value); }

  Value countGranules(const Member &member) {
    if (std::optional<OpFoldResult> exact = divideExactly(b, loc, member.extents, member.granule))
      return index(*exact);
    Value extent = index(materialize(b, loc, member.extents.front()));
    if (member.granule.isOne())
      return extent;
    Value granule = atLeastOne(b, loc, materialize(b, loc, member.granule));
    return b.createOrFold<arith::CeilDivSIOp>(loc, extent, granule);
  }

  static Value getInit(OpResult result) {
    return cast<linalg::LinalgOp>(result.getOwner()).getDpsInits()[result.getResultNumber()];
  }

  SmallVector<OpFoldResult> sizesOf(OpResult result) {
    return flow::traceSizes(b, loc, isa<linalg::LinalgOp>(result.getOwner()) ? getInit(result) : Value(result));
  }

  // What the loop fills: the result, or of a reduced one its parts one after the other.
  Value makeEmpty(const Member &member, OpResult result) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<OpFoldResult> sizes = sizesOf(result);
    if (member.isReduced) {
      shape.insert(shape.begin(), getConstantIntValue(trips).value_or(ShapedType::kDynamic));
      sizes.insert(sizes.begin(), OpFoldResult(trips));
    }
    SmallVector<Value> dynamic;
    for (auto [extent, size] : llvm::zip_equal(shape, sizes))
      if (ShapedType::isDynamic(extent))
        dynamic.push_back(index(size));
    return tensor::EmptyOp::create(b, loc, shape, type.getElementType(), dynamic);
  }

  void emit(ArrayRef<Value> inits) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
    for (const Member &member : group.members)
      if (member.parts != StreamAxisAttr::kAll)
        granules[member.op] = countGranules(member);
    auto loop = scf::ForOp::create(b, loc, zero, trips, one, inits);
    loop->setAttr(kStreamsAttr, group.streams);
    loop->setAttr(kKeepsShapesAttr, b.getUnitAttr());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      iteration = loop.getInductionVar();
      for (const Member &member : group.members)
        emitMember(member);
      SmallVector<Value> next;
      for (auto [entry, argument] : llvm::zip_equal(carried, loop.getRegionIterArgs()))
        next.push_back(insert(pieces.lookup(entry.result), argument));
      scf::YieldOp::create(b, loc, next);
      forgetWholes(*loop.getBody());
    }
    for (auto [entry, value] : llvm::zip_equal(carried, loop.getResults())) {
      Value whole = value;
      if (entry.member->isReduced) {
        auto combiner = std::get<flow::Combiner>(flow::findCombiner(cast<linalg::LinalgOp>(entry.member->op)));
        whole = flow::mergeParts(b, entry.member->op->getLoc(), combiner.op, value, getInit(entry.result));
        // In one order, whatever the device has: the parts alone tell the bits.
        whole.getDefiningOp()->setAttr(kSplitAttr, b.getI64IntegerAttr(1));
      }
      entry.result.replaceUsesWithIf(whole, [&](OpOperand &use) { return !group.find(use.getOwner()); });
    }
  }

  // Sizes of members' results are those of their inits: the results will be the loop's.
  void forgetWholes(Block &body) {
    SmallVector<tensor::DimOp> asked(body.getOps<tensor::DimOp>());
    for (tensor::DimOp dim : asked) {
      std::optional<int64_t> number = dim.getConstantIndex();
      if (!number || !findSource(group, dim.getSource(), 0))
        continue;
      b.setInsertionPoint(dim);
      dim.replaceAllUsesWith(index(materialize(b, loc, flow::traceExtent(dim.getSource(), *number))));
      dim.erase();
    }
  }

  Value insert(const Piece &piece, Value whole) {
    SmallVector<OpFoldResult> strides(piece.offsets.size(), b.getIndexAttr(1));
    return tensor::InsertSliceOp::create(b, loc, piece.value, whole, piece.offsets, piece.sizes, strides);
  }

  // Members, and what lay between them and only they read.
  void eraseMembers() {
    llvm::SmallDenseSet<Operation *> old(between);
    for (const Member &member : group.members)
      old.insert(member.op);
    // What moved behind the loop stands behind its readers.
    for (bool erased = true; erased;) {
      erased = false;
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (old.contains(&op) && op.use_empty()) {
          old.erase(&op);
          op.erase();
          erased = true;
        }
    }
  }

  //===--- In the loop --------------------------------------------------------------------------------------------===//

  Cut cut(const Member &member) {
    std::optional<int64_t> fixed = member.granule.getConstant(), count = member.getTrips();
    OpFoldResult extent = materialize(b, loc, member.extents.front());
    std::optional<int64_t> length = getConstantIntValue(extent);
    if (length && count && fixed && *length > 0 && *length % (*fixed * *count) == 0)
      return {times(b.getIndexAttr(*length / *count)), b.getIndexAttr(*length / *count)};
    OpFoldResult granule = materialize(b, loc, member.granule);
    if (member.parts == StreamAxisAttr::kAll) {
      Value begin = times(granule);
      if (fixed == 1 || divideExactly(b, loc, member.extents, member.granule))
        return {begin, granule};
      Value rest = arith::SubIOp::create(b, loc, index(extent), begin);
      return {begin, Value(arith::MinSIOp::create(b, loc, rest, index(granule)))};
    }
    Value all = granules.lookup(member.op);
    flow::Part part = flow::cutPart(b, loc, iteration, trips, all, fixed.value_or(1), fixed ? index(extent) : all);
    if (fixed)
      return {part.begin, part.size};
    // In granules, of a size with a name.
    Value begin = b.createOrFold<arith::MulIOp>(loc, part.begin, index(granule));
    if (divideExactly(b, loc, member.extents, member.granule))
      return {begin, b.createOrFold<arith::MulIOp>(loc, part.size, index(granule))};
    Value end = b.createOrFold<arith::AddIOp>(loc, part.begin, part.size);
    end = arith::MinSIOp::create(b, loc, b.createOrFold<arith::MulIOp>(loc, end, index(granule)), index(extent));
    return {begin, Value(arith::SubIOp::create(b, loc, end, begin))};
  }

  Value times(OpFoldResult step) {
    return getConstantIntValue(step) == 1 ? iteration : b.createOrFold<arith::MulIOp>(loc, iteration, index(step));
  }

  void emitMember(const Member &member) {
    Cut part = cut(member);
    if (auto structured = dyn_cast<linalg::LinalgOp>(member.op))
      emitStructured(member, structured, part);
    else if (flow::mayBeAligned(member.op))
      emitAligned(member, part);
    else
      emitReshape(member, part);
  }

  // Sizes of the tiles of all loops: 0 where a loop is not cut, and how far the others go where a window needs it.
  SmallVector<OpFoldResult> readBounds(linalg::LinalgOp op, unsigned axis) {
    SmallVector<OpFoldResult> bounds(op.getNumLoops(), b.getIndexAttr(1));
    for (AffineMap map : op.getIndexingMapsArray())
      for (AffineExpr expr : map.getResults())
        for (unsigned loop = 0; expr.isFunctionOfDim(axis) && loop < op.getNumLoops(); ++loop)
          if (loop != axis && expr.isFunctionOfDim(loop))
            bounds[loop] = materialize(b, loc, flow::traceLoop(op, loop).front());
    return bounds;
  }

  void emitStructured(const Member &member, linalg::LinalgOp op, const Cut &part) {
    unsigned axis = member.axis;
    SmallVector<OpFoldResult> tiles(op.getNumLoops(), b.getIndexAttr(0)), offsets(op.getNumLoops());
    tiles[axis] = part.size;
    offsets[axis] = part.begin;
    SmallVector<Value> operands =
        linalg::makeTiledShapes(b, loc, op, op->getOperands(), {part.begin}, tiles, readBounds(op, axis),
                                /*omitPartialTileCheck=*/true);
    bool cutsConstant = false;
    SmallVector<Piece> places;
    for (auto [operand, tile] : llvm::zip_equal(op->getOpOperands(), operands)) {
      auto slice = tile.getDefiningOp<tensor::ExtractSliceOp>();
      bool isInit = op.isDpsInit(&operand);
      if (isInit)
        places.push_back(placeOf(member, cast<RankedTensorType>(operand.get().getType()), slice));
      else if (slice && slice.getSource() == operand.get())
        cutsConstant |= evaluation::isConstantExpression(operand.get());
      if (slice && slice.getSource() == operand.get())
        tile = isInit && member.isReduced ? startParts(op, slice) : replaceSlice(slice, part.size, axis, op, operand);
    }
    Operation *made = clone(b, op, linalg::getTensorOutputTypes(op, operands), operands);
    linalg::offsetIndices(b, cast<linalg::LinalgOp>(made), offsets);
    flow::setStreamAxes(made, ArrayRef(flow::getStreamAxes(op)).drop_front());
    // Layouts are of whole operands: what is cut in every iteration stays in rows.
    if (member.isReduced || cutsConstant)
      made->setAttr(kKeepsLayoutAttr, b.getUnitAttr());
    // A part is no more divided, by what the device has.
    if (member.isReduced && !made->hasAttr(kSplitAttr))
      made->setAttr(kSplitAttr, b.getI64IntegerAttr(1));
    for (auto [result, value, piece] : llvm::zip_equal(op->getResults(), made->getResults(), places)) {
      piece.value = value;
      pieces[result] = piece;
    }
  }

  // Where a part of a result belongs: where its slice was, or in front of it by the number of the part.
  Piece placeOf(const Member &member, RankedTensorType type, tensor::ExtractSliceOp slice) {
    Piece piece;
    if (!member.isReduced)
      return {{}, slice.getMixedOffsets(), slice.getMixedSizes()};
    piece.offsets.assign(type.getRank() + 1, b.getIndexAttr(0));
    piece.offsets.front() = OpFoldResult(iteration);
    piece.sizes = slice ? slice.getMixedSizes() : SmallVector<OpFoldResult>();
    piece.sizes.insert(piece.sizes.begin(), b.getIndexAttr(1));
    return piece;
  }

  // What the part of a reduction begins with.
  Value startParts(linalg::LinalgOp op, tensor::ExtractSliceOp slice) {
    auto combiner = std::get<flow::Combiner>(flow::findCombiner(op));
    Value neutral = arith::ConstantOp::create(b, loc, combiner.neutral);
    Value empty = tensor::EmptyOp::create(b, loc, slice.getMixedSizes(), combiner.neutral.getType());
    slice.erase();
    return linalg::FillOp::create(b, loc, ValueRange{neutral}, ValueRange{empty}).getResult(0);
  }

  // The slice, or what it is without the whole: the part of another member, a smaller fill.
  Value replaceSlice(tensor::ExtractSliceOp slice, OpFoldResult size, unsigned axis, linalg::LinalgOp op,
                     OpOperand &operand) {
    Value whole = operand.get(), value;
    std::optional<unsigned> dim =
        op.getMatchingIndexingMap(&operand).getResultPosition(getAffineDimExpr(axis, op->getContext()));
    if (std::optional<Source> source = findSource(group, whole, dim.value_or(0)); dim && source)
      value = castTo(b, loc, takePart(*source, size), slice.getType());
    else if (whole.getDefiningOp<tensor::EmptyOp>())
      value = tensor::EmptyOp::create(b, loc, slice.getMixedSizes(), slice.getType().getElementType());
    else if (auto fill = whole.getDefiningOp<linalg::FillOp>()) {
      Value empty = tensor::EmptyOp::create(b, loc, slice.getMixedSizes(), slice.getType().getElementType());
      value = linalg::FillOp::create(b, loc, fill.getInputs(), ValueRange{empty}).getResult(0);
    }
    if (!value)
      return slice;
    slice.erase();
    return value;
  }

  // The part of a member's result, reshaped as what lies between reshapes the whole. `size` is that of the value that
  // is read.
  Value takePart(const Source &source, OpFoldResult size) {
    SmallVector<OpFoldResult> sizes; // of the results of `between`
    for (auto [op, dim] : llvm::zip_equal(source.between, source.dims)) {
      sizes.push_back(size);
      flow::SourceDim back = *flow::traceDim(op, dim);
      size = scale(b, loc, size, back.mul, back.div);
    }
    Value value =
        castTo(b, loc, pieces.lookup(source.result).value, sliceType(source.result.getType(), source.dim, size));
    for (size_t i = source.between.size(); i-- > 0;) {
      value = reshape(source.between[i], value, source.dims[i], sizes[i]);
      between.insert(source.between[i]);
    }
    return value;
  }

  // What the op makes of a slice of its operand; `size` of the result along `dim`.
  Value reshape(Operation *op, Value slice, int64_t dim, OpFoldResult size) {
    RankedTensorType type = sliceType(op->getResult(0).getType(), dim, size);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
      sizes[dim] = size;
      return tensor::ExpandShapeOp::create(b, loc, type, slice, expand.getReassociationIndices(), sizes);
    }
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      slice = tensor::CollapseShapeOp::create(b, loc, slice, collapse.getReassociationIndices());
    return castTo(b, loc, slice, type);
  }

  void emitReshape(const Member &member, const Cut &part) {
    flow::SourceDim back = *flow::traceDim(member.op, member.axis);
    Cut source{scale(b, loc, part.begin, back.mul, back.div), scale(b, loc, part.size, back.mul, back.div)};
    Value slice = takeSlice(member.op->getOperand(0), back.dim, source);
    put(member, part, reshape(member.op, slice, member.axis, part.size));
  }

  void emitAligned(const Member &member, const Cut &part) {
    SmallVector<Value> operands(member.op->getOperands());
    for (auto [operand, isCut] : llvm::zip_equal(operands, *flow::findAligned(member.op, member.axis)))
      if (isCut)
        operand = takeSlice(operand, member.axis, part);
    Operation *made = flow::cloneAligned(b, member.op, operands, member.axis, part.size);
    flow::setStreamAxes(made, ArrayRef(flow::getStreamAxes(member.op)).drop_front());
    put(member, part, made->getResult(0));
  }

  // A slice of an operand along `dim`: of another member its part.
  Value takeSlice(Value whole, int64_t dim, const Cut &cut) {
    RankedTensorType type = sliceType(whole.getType(), dim, cut.size);
    if (std::optional<Source> source = findSource(group, whole, dim))
      return castTo(b, loc, takePart(*source, cut.size), type);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, whole);
    sizes[dim] = cut.size;
    if (whole.getDefiningOp<tensor::EmptyOp>())
      return tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), strides(type.getRank(), b.getIndexAttr(1));
    offsets[dim] = cut.begin;
    return tensor::ExtractSliceOp::create(b, loc, whole, offsets, sizes, strides);
  }

  // The part of a member without loops of its own.
  void put(const Member &member, const Cut &part, Value value) {
    auto result = cast<OpResult>(member.op->getResult(0));
    Piece piece{value, {}, sizesAs(result)};
    piece.sizes[member.axis] = part.size;
    piece.offsets.assign(piece.sizes.size(), b.getIndexAttr(0));
    piece.offsets[member.axis] = part.begin;
    pieces[result] = piece;
  }

  // Sizes that are numbers where the type says so.
  SmallVector<OpFoldResult> sizesAs(OpResult result) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<OpFoldResult> sizes = flow::traceSizes(b, loc, result);
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (type.isDynamicDim(dim))
        size = OpFoldResult(index(size));
    return sizes;
  }

  const Group group;
  OpBuilder b;
  Location loc;
  Block *block = nullptr;
  Value trips, iteration;
  SmallVector<Carried> carried;
  llvm::DenseMap<Operation *, Value> granules; // of members with a number of parts
  llvm::DenseMap<Value, Piece> pieces;         // of members' results
  llvm::SmallDenseSet<Operation *> between;
};

} // namespace

void streams::emitLoop(const Group &group) { LoopEmitter(group).run(); }
