// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/PieceCut.h"

#include "compiler/Dialect/Flow/Transforms/RankSlices.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Stages/Ranks/MoveReshapes.h"
#include "compiler/Stages/Ranks/PieceSlices.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::pieces;

// The dimension that a collective cuts or joins; -1 where it has none.
static int64_t ownDim(flow::CollectiveOpInterface op) {
  auto dim = op->getAttrOfType<IntegerAttr>("dim");
  return dim ? dim.getInt() : -1;
}

//===--- What can be cut -----------------------------------------------------------------------------------------===//

// The loop that walks a dimension of an operand alone.
static std::optional<unsigned> loopAt(linalg::LinalgOp op, OpOperand &operand, int64_t dim) {
  auto walk = dyn_cast<AffineDimExpr>(op.getMatchingIndexingMap(&operand).getResult(dim));
  return walk ? std::optional(walk.getPosition()) : std::nullopt;
}

// The dimension that the loop walks alone; none where the map does not mention it.
static std::optional<int64_t> findDim(AffineMap map, unsigned loop) {
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto walk = dyn_cast<AffineDimExpr>(expr); walk && walk.getPosition() == loop)
      return dim;
  return std::nullopt;
}

// Whether the op can be computed for some positions of the loop only, from slices of its operands.
static bool isCuttable(linalg::LinalgOp op, unsigned loop) {
  if (!op.hasPureTensorSemantics() || op.hasIndexSemantics() ||
      op.getIteratorTypesArray()[loop] != utils::IteratorType::parallel)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned walks = 0;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      if (!expr.isFunctionOfDim(loop))
        continue;
      if (!isa<AffineDimExpr>(expr) || ++walks > 1)
        return false;
    }
    if (op.isDpsInit(&operand) && walks != 1)
      return false;
  }
  return true;
}

PieceCut::PieceCut(flow::CollectiveOpInterface collective, int64_t dim) : collective(collective), dim(dim) {
  feeds = isa<flow::AllGatherOp>(collective);
  byMember = ownDim(collective) == dim;
  int64_t size = flow::getGroupSize(collective, flow::getMesh(collective, collective.getMeshAttr()));
  Value between = feeds ? collective.getResult() : collective.getOperand();
  members = size == device::MeshOp::kFree ? OverlapAccount::kFree : size;
  extent = typeOf(between).getDimSize(dim);
  cutValues[between] = dim;
  find();
}

bool PieceCut::refuse(std::string reason) {
  if (why.empty())
    why = std::move(reason);
  return false;
}

bool PieceCut::find() {
  if (members == OverlapAccount::kFree && byMember)
    return refuse("parts of each rank's rows are of a size that the mesh's free size decides");
  if (members != OverlapAccount::kFree && members < 2)
    return refuse("a rank meets nobody");
  if (byMember && (isFree() ? collective.isCut() : !hasEqualPieces(collective)))
    return refuse("ranks have rows of several sizes");
  if (byMember && !isFree())
    extent /= members;
  if (!isFree() && extent < 2)
    return refuse("each rank has one row");
  if (!(feeds ? findReaders() : findMakers()))
    return refuse("no product next to it can be cut along dimension " + std::to_string(dim));
  if (llvm::none_of(works, [](const Work &work) { return work.op.getNumReductionLoops() > 0; }))
    return refuse("no product is next to it");
  if (!llvm::all_of(works, [&](const Work &work) { return readsPieces(work); }))
    return refuse("one product reads all that another one makes");
  return true;
}

bool PieceCut::isWork(Operation *op) const {
  return llvm::any_of(works, [&](const Work &work) { return work.op == op; });
}

// Whether a piece of the work reads pieces only, where others make its operands in pieces; and has parts by member only
// of what is known to have as many rows: by its type, or as all that a loop walks does.
bool PieceCut::readsPieces(const Work &work) const {
  return llvm::all_of(work.op->getOpOperands(), [&](OpOperand &operand) {
    std::optional<int64_t> walked = findDim(work.op.getMatchingIndexingMap(&operand), work.loop);
    if (std::optional<int64_t> made = dimOf(operand.get()))
      return walked == made;
    return !walked || !byMember || typeOf(operand.get()).isDynamicDim(*walked) == isFree();
  });
}

bool PieceCut::addWork(linalg::LinalgOp op, unsigned loop) {
  for (const Work &work : works)
    if (work.op == op)
      return work.loop == loop;
  if (op->getBlock() != collective->getBlock() || !isCuttable(op, loop))
    return false;
  works.push_back({op, loop});
  for (OpResult result : op->getResults())
    cutValues[result] = *findDim(op.getIndexingMapMatchingResult(result), loop);
  return true;
}

// With what alone reads its results one after the other, as far as that is element by element: it is fused with it.
bool PieceCut::addChain(linalg::LinalgOp op, unsigned loop) {
  if (!addWork(op, loop))
    return false;
  while (op->getNumResults() == 1 && op->getResult(0).hasOneUse()) {
    OpOperand &use = *op->getResult(0).use_begin();
    auto next = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!next || next.getNumReductionLoops() > 0 || next.isDpsInit(&use))
      break;
    std::optional<unsigned> walk = loopAt(next, use, cutValues[op->getResult(0)]);
    if (!walk || !addWork(next, *walk))
      break;
    op = next;
  }
  return true;
}

bool PieceCut::findReaders() {
  for (OpOperand &use : collective.getResult().getUses()) {
    if (auto size = dyn_cast<tensor::DimOp>(use.getOwner()); size && size.getConstantIndex())
      continue;
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    std::optional<unsigned> loop = op && !op.isDpsInit(&use) ? loopAt(op, use, dim) : std::nullopt;
    if (!loop || !addChain(op, *loop))
      return false;
  }
  if (works.empty())
    return false;
  llvm::sort(works, [](const Work &a, const Work &b) { return a.op->isBeforeInBlock(b.op); });
  return findBehind();
}

// Results are whole behind the last of the works: what reads them in front of it can stand there, too, unless a work
// needs it.
bool PieceCut::findBehind() {
  llvm::SmallPtrSet<Operation *, 8> moved;
  Block *block = collective->getBlock();
  for (Operation *op = works.front().op; op != works.back().op->getNextNode(); op = op->getNextNode()) {
    bool readsWork = false, readsMoved = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *made = operand.getDefiningOp() ? block->findAncestorOpInBlock(*operand.getDefiningOp()) : nullptr;
        readsWork |= made && isWork(made);
        readsMoved |= made && moved.contains(made);
      }
    });
    if (isWork(op) && readsMoved)
      return false;
    if (isWork(op) || !(readsWork || readsMoved))
      continue;
    if (!isMemoryEffectFree(op) && !isa<flow::CollectiveOpInterface>(op))
      return false;
    moved.insert(op);
    behind.push_back(op);
  }
  return true;
}

bool PieceCut::findMakers() {
  if (!addMaker(collective.getOperand(), dim))
    return false;
  llvm::sort(works, [](const Work &a, const Work &b) { return a.op->isBeforeInBlock(b.op); });
  return true;
}

// With what makes it: a contraction, or what is element by element of one or more of them. What leads to none stays
// whole.
bool PieceCut::addMaker(Value made, int64_t at) {
  auto op = made.getDefiningOp<linalg::LinalgOp>();
  if (!op || op->getNumResults() != 1 || !made.hasOneUse())
    return false;
  std::optional<unsigned> loop = loopAt(op, *op.getDpsInitOperand(0), at);
  if (!loop || !addWork(op, *loop))
    return false;
  bool isMade = op.getNumReductionLoops() > 0;
  if (!isMade)
    for (OpOperand *input : op.getDpsInputOperands())
      if (std::optional<int64_t> walked = findDim(op.getMatchingIndexingMap(input), *loop))
        isMade |= addMaker(input->get(), *walked);
  if (isMade)
    return true;
  works.pop_back(); // those in front of it have gone
  cutValues.erase(made);
  return false;
}

// What others than the works read of what they make.
SmallVector<Value> PieceCut::findJoined() const {
  if (!feeds)
    return {collective.getResult()};
  SmallVector<Value> joined;
  for (const Work &work : works)
    for (Value result : work.op->getResults())
      if (!llvm::all_of(result.getUsers(), [&](Operation *user) { return isWork(user); }))
        joined.push_back(result);
  return joined;
}

std::optional<int64_t> PieceCut::dimOf(Value value) const {
  auto found = cutValues.find(value);
  return found == cutValues.end() ? std::nullopt : std::optional(found->second);
}

//===--- The account ---------------------------------------------------------------------------------------------===//

// A dispatch that writes each element once, and reads as many.
static OverlapAccount::Work copyOf(Value value, flow::SizeEstimates &sizes) {
  uint64_t elements = 1;
  for (int64_t size : sizes.shape(value))
    elements *= size;
  return {elements, 2 * sizes.bytes(value)};
}

void PieceCut::describeWorks(flow::SizeEstimates &sizes, OverlapAccount &overlap) const {
  llvm::DenseMap<Value, size_t> dispatches; // of values that a work makes
  for (const Work &each : works) {
    linalg::LinalgOp work = each.op;
    // What is element by element is fused with what makes its operand.
    std::optional<size_t> fused;
    for (Value operand : work->getOperands())
      if (auto made = dispatches.find(operand); made != dispatches.end() && work.getNumReductionLoops() == 0)
        fused = made->second;
    if (!fused) {
      fused = overlap.works.size();
      overlap.works.emplace_back();
    }
    OverlapAccount::Work &into = overlap.works[*fused];
    into.flops += flow::estimateFlops(work, &sizes);
    for (OpOperand &operand : work->getOpOperands()) {
      if (auto made = dispatches.find(operand.get()); made != dispatches.end()) {
        if (made->second != *fused) { // of another dispatch, which writes it
          into.bytes += sizes.bytes(operand.get());
          if (operand.get().hasOneUse())
            overlap.works[made->second].bytes += sizes.bytes(operand.get());
        }
        continue;
      }
      if (auto fill = operand.get().getDefiningOp<linalg::FillOp>()) {
        into.flops += flow::estimateFlops(fill, &sizes);
        continue;
      }
      if (operand.get().getDefiningOp<tensor::EmptyOp>() || !isa<RankedTensorType>(operand.get().getType()))
        continue;
      bool isCut = findDim(work.getMatchingIndexingMap(&operand), each.loop).has_value();
      (isCut ? into.bytes : into.sharedBytes) += sizes.bytes(operand.get());
      if (isCut && byMember && !dimOf(operand.get()))
        overlap.slices.push_back({0, 2 * sizes.bytes(operand.get())});
    }
    for (Value result : work->getResults()) {
      dispatches[result] = *fused;
      if (!result.hasOneUse() || !dimOf(result) || !isWork(*result.user_begin()))
        into.bytes += sizes.bytes(result);
    }
  }
}

OverlapAccount PieceCut::describe(flow::SizeEstimates &sizes) const {
  OverlapAccount overlap;
  overlap.kind = collective.getKind();
  overlap.feeds = feeds;
  overlap.members = members;
  overlap.extent = extent;
  if (isFree()) {
    Value between = cutValues.begin()->first;
    overlap.extent = std::max<int64_t>(1, sizes.shape(between)[dim] / (byMember ? members : 1));
  }
  overlap.movedBytes =
      sizes.bytes(isa<flow::ReduceScatterOp>(collective) ? collective.getResult() : collective.getOperand());
  describeWorks(sizes, overlap);
  if (feeds ? byMember || copiesParts() : copiesParts() && !byMember)
    for (Value joined : findJoined())
      overlap.joins.push_back(copyOf(joined, sizes));
  if (!feeds && canGoAround()) { // a sum of what all members sent, from a fill of zeros
    Value own = collective.getResult();
    uint64_t elements = copyOf(own, sizes).flops, parts = static_cast<uint64_t>(members);
    overlap.sums.push_back({(parts + 1) * elements, (parts + 1) * sizes.bytes(own)});
  }
  // A collective that is not along the outermost dimension has a transpose beside it.
  if (Value between = cutValues.begin()->first; ownDim(collective) > dim)
    overlap.works.push_back(copyOf(between, sizes));
  return overlap;
}

//===--- Rewriting -----------------------------------------------------------------------------------------------===//

Value PieceCut::slice(OpBuilder &builder, Value value, int64_t at, const Piece &piece, bool isOfMembers) const {
  if (!isOfMembers)
    return sliceAt(builder, value, at, piece.begin, piece.size);
  Value parts = splitMembers(builder, value, at, members, freeExtent);
  return mergeMembers(builder, sliceAt(builder, parts, at + 1, piece.begin, piece.size), at);
}

// What a work begins with: a piece that is as large, where nothing is in it yet.
Value PieceCut::sliceInit(OpBuilder &builder, Value init, int64_t at, const Piece &piece) const {
  Location loc = init.getLoc();
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill && !init.getDefiningOp<tensor::EmptyOp>())
    return slice(builder, init, at, piece, byMember);
  SmallVector<OpFoldResult> sizes = sizesOf(builder, init);
  sizes[at] = ofAll(builder, piece.size, byMember);
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, typeOf(init).getElementType());
  return fill ? linalg::FillOp::create(builder, loc, fill.getInputs(), empty).getResult(0) : empty;
}

// The collective of a piece of its operand.
Value PieceCut::move(OpBuilder &builder, Value operand, const Piece &piece) const {
  SmallVector<OpFoldResult> from = sizesOf(builder, operand);
  SmallVector<OpFoldResult> to =
      getMixedValues(collective.getResultType().getShape(), collective.getResultDims(), builder.getContext());
  OpFoldResult size = ofAll(builder, piece.size, feeds && byMember);
  to[dim] = size;
  OperationState state(collective.getLoc(), collective->getName());
  SmallVector<Value> ofOperand = dynamicOf(from), ofResult = dynamicOf(to);
  state.addOperands(operand);
  state.addOperands(ofOperand);
  state.addTypes(resized(collective.getResult(), dim, size));
  state.addAttributes(collective->getAttrs());
  if (collective->hasAttr("operandSegmentSizes")) {
    // Of equal pieces nothing need be said. Along another dimension they are what they were.
    SmallVector<Value> cut;
    if (!hasEqualPieces(collective))
      llvm::append_range(cut, collective.getCut());
    state.addOperands(ofResult);
    state.addOperands(cut);
    state.attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, static_cast<int32_t>(ofOperand.size()),
                                                                              static_cast<int32_t>(ofResult.size()),
                                                                              static_cast<int32_t>(cut.size())}));
  }
  return builder.create(state)->getResult(0);
}

void PieceCut::work(OpBuilder &builder, const Work &each, const Piece &piece, IRMapping &mapping) const {
  linalg::LinalgOp op = each.op;
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    std::optional<int64_t> at = findDim(op.getMatchingIndexingMap(&operand), each.loop);
    if (Value made = mapping.lookupOrNull(value))
      operands.push_back(made);
    else if (!at)
      operands.push_back(value);
    else
      operands.push_back(op.isDpsInit(&operand) ? sliceInit(builder, value, *at, piece)
                                                : slice(builder, value, *at, piece, byMember));
  }
  SmallVector<Type> types;
  for (Value init : ArrayRef(operands).take_back(op.getNumDpsInits()))
    types.push_back(init.getType());
  Operation *made = clone(builder, op, types, operands);
  mapping.map(op->getResults(), made->getResults());
}

// Parts behind one another; by member those of each member.
Value PieceCut::join(OpBuilder &builder, ArrayRef<Value> parts, int64_t at, Value whole, bool isOfMembers) const {
  SmallVector<Value> all(parts);
  if (isOfMembers)
    for (Value &part : all)
      part = splitMembers(builder, part, at, members, builder.getIndexAttr(typeOf(part).getDimSize(at) / members));
  Value joined = tensor::ConcatOp::create(builder, whole.getLoc(), at + isOfMembers, all);
  if (isOfMembers)
    joined = mergeMembers(builder, joined, at);
  return joined.getType() == whole.getType()
             ? joined
             : tensor::CastOp::create(builder, whole.getLoc(), whole.getType(), joined).getResult();
}

OpFoldResult PieceCut::ofAll(OpBuilder &builder, OpFoldResult size, bool isOfMembers) const {
  if (!isOfMembers)
    return size;
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return builder.getIndexAttr(*number * members);
  Location loc = collective.getLoc();
  return arith::MulIOp::create(builder, loc, cast<Value>(size), arith::ConstantIndexOp::create(builder, loc, members))
      .getResult();
}

// Of a free extent: slices by member, or parts of several free sizes.
bool PieceCut::copiesParts() const { return isFree() && (byMember || !fillsInPlace()); }

bool PieceCut::fillsInPlace() const {
  return llvm::all_of(findJoined(), [&](Value joined) {
    int64_t at = feeds ? *dimOf(joined) : dim;
    return typeOf(joined).getNumDynamicDims() == int64_t(typeOf(joined).isDynamicDim(at));
  });
}

// What parts of a free size fill: where it can be, before any of them is there, else behind them. It is as large as
// `like`, but for the dimension that is cut.
Value PieceCut::makeMemory(OpBuilder &builder, Value like, int64_t at, bool isOfMembers, int64_t number) const {
  SmallVector<OpFoldResult> sizes =
      fillsInPlace() ? getAsIndexOpFoldResult(builder.getContext(), typeOf(like).getShape()) : sizesOf(builder, like);
  sizes[at] = freeExtent;
  if (isOfMembers)
    sizes.insert(sizes.begin() + at, builder.getIndexAttr(members));
  auto memory = tensor::EmptyOp::create(builder, like.getLoc(), sizes, typeOf(like).getElementType());
  if (fillsInPlace())
    memory->setAttr(flow::kFilledAttr, builder.getI64IntegerAttr(number));
  return memory;
}

// Parts of free sizes into what all of them are.
Value PieceCut::fill(OpBuilder &builder, Value memory, ArrayRef<Value> parts, ArrayRef<Piece> all, int64_t at,
                     Value whole, bool isOfMembers) const {
  Location loc = parts.front().getLoc();
  SmallVector<OpFoldResult> sizes = memory.getDefiningOp<tensor::EmptyOp>().getMixedSizes();
  Value filled = memory;
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
      steps(sizes.size(), builder.getIndexAttr(1));
  for (auto [part, piece] : llvm::zip_equal(parts, all)) {
    offsets[at + isOfMembers] = piece.begin;
    sizes[at + isOfMembers] = piece.size;
    Value from = isOfMembers ? splitMembers(builder, part, at, members, piece.size) : part;
    filled = tensor::InsertSliceOp::create(builder, loc, from, filled, offsets, sizes, steps);
  }
  filled = isOfMembers ? mergeMembers(builder, filled, at) : filled;
  return filled.getType() == whole.getType()
             ? filled
             : tensor::CastOp::create(builder, loc, whole.getType(), filled).getResult();
}

std::optional<PieceCut> mlir::heddle::findCut(flow::CollectiveOpInterface collective) {
  if (!isa<flow::AllGatherOp, flow::AllReduceOp, flow::ReduceScatterOp>(collective))
    return std::nullopt;
  ArrayRef<int64_t> shape =
      (isa<flow::AllGatherOp>(collective) ? collective.getResultType() : collective.getOperandType()).getShape();
  auto dim = llvm::find_if(shape, [](int64_t size) { return size != 1; }) - shape.begin();
  if (dim == static_cast<int64_t>(shape.size()))
    return std::nullopt;
  PieceCut cut(collective, dim);
  return cut;
}
