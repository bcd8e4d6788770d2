// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/Movement.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Stages/Form/Fusion.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

// Rows up to this are short: squares of elements that are turned in registers are longer.
static constexpr int64_t kShortRow = 8;
// A source of more than so many times the elements that are moved is not turned for them alone.
static constexpr int64_t kMostUnread = 4;

static bool isPlain(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.getEncoding();
}

// Whether each dimension is in one index, and no index has two.
static bool walksApart(AffineMap read) {
  SmallVector<int64_t> uses(read.getNumDims());
  for (AffineExpr index : read.getResults()) {
    int64_t dims = 0;
    for (unsigned dim = 0; dim < read.getNumDims(); ++dim)
      if (index.isFunctionOfDim(dim)) {
        ++uses[dim];
        ++dims;
      }
    if (dims > 1)
      return false;
  }
  return llvm::all_of(uses, [](int64_t count) { return count == 1; });
}

// Of the one op.
static std::optional<Movement> matchOne(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  Value source = op.getDpsInputs()[0], result = op->getResult(0);
  if (!isPlain(source) || !isPlain(result))
    return std::nullopt;
  auto type = cast<RankedTensorType>(result.getType());
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op.getOperation())) {
    auto order = AffineMap::getPermutationMap(transpose.getPermutation(), op.getContext());
    return Movement{source, type, inversePermutation(order)};
  }
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || generic.getNumParallelLoops() != generic.getNumLoops() ||
      !generic.getIndexingMapsArray()[1].isIdentity() || !llvm::hasSingleElement(generic.getBody()->getOperations()) ||
      generic.getBody()->getTerminator()->getOperand(0) != generic.getBody()->getArgument(0) ||
      !walksApart(generic.getIndexingMapsArray()[0]))
    return std::nullopt;
  return Movement{source, type, generic.getIndexingMapsArray()[0]};
}

std::optional<Movement> mlir::heddle::matchMovement(linalg::LinalgOp op) {
  std::optional<Movement> movement = matchOne(op);
  while (movement && movement->source.hasOneUse()) {
    auto def = movement->source.getDefiningOp<linalg::LinalgOp>();
    std::optional<Movement> before = def ? matchOne(def) : std::nullopt;
    if (!before)
      break;
    movement->read = before->read.compose(movement->read);
    movement->source = before->source;
  }
  return movement;
}

// What computes with the result shares a dispatch with the movement. Sums of products do not: they read elements often.
static bool isComputedWith(Operation *op) {
  return llvm::any_of(fusion::getUses(op), [](OpOperand *use) {
    auto reader = dyn_cast<linalg::LinalgOp>(use->getOwner());
    return reader && !Structure::of(reader).isProduct();
  });
}

// The source's dimension that is the result's last one; none where that is not walked one by one to its end.
static std::optional<int64_t> laneOf(const Movement &movement) {
  int64_t last = movement.type.getRank() - 1;
  auto source = cast<RankedTensorType>(movement.source.getType());
  for (auto [place, index] : llvm::enumerate(movement.read.getResults()))
    if (last >= 0 && index == getAffineDimExpr(last, index.getContext()) &&
        (movement.type.isDynamicDim(last) || movement.type.getDimSize(last) == source.getDimSize(place)))
      return static_cast<int64_t>(place);
  return std::nullopt;
}

// Whether rows of the source are short, and more than a transpose of matrices is needed to make rows of `lane`.
static bool isFromShortRows(const Movement &movement, int64_t lane) {
  auto source = cast<RankedTensorType>(movement.source.getType());
  int64_t last = source.getRank() - 1, row = source.getDimSize(lane);
  if (lane == last || source.isDynamicDim(last) || source.getDimSize(last) > kShortRow)
    return false;
  // Rows of the result that are short, too, are interleaved elsewhere.
  if (!ShapedType::isDynamic(row) && row <= kShortRow)
    return false;
  int64_t behind = llvm::count_if(source.getShape().drop_front(lane + 1), [](int64_t size) { return size != 1; });
  return behind > 1 || (behind == 1 && !movement.read.isPermutation());
}

static bool movesFew(const Movement &movement) {
  auto source = cast<RankedTensorType>(movement.source.getType());
  return source.hasStaticShape() && movement.type.hasStaticShape() &&
         movement.type.getNumElements() * kMostUnread < source.getNumElements();
}

static ReassociationIndices rangeOf(int64_t begin, int64_t end) {
  return ReassociationIndices(llvm::to_vector(llvm::seq<int64_t>(begin, end)));
}

// [before…, lane, behind…] to [before…, behind…, lane]: as many transposes of a matrix as there are elements before.
Value ShortRows::turnBehind(Value source, int64_t lane) {
  Value &made = turned[source][lane];
  if (made)
    return made;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(source);
  Location loc = source.getLoc();
  auto type = cast<RankedTensorType>(source.getType());
  int64_t rank = type.getRank(), matrices = lane > 0;
  SmallVector<ReassociationIndices> apart, together;
  if (lane > 0) {
    apart.push_back(rangeOf(0, lane));
    together.push_back(rangeOf(0, lane));
  }
  apart.append({{lane}, rangeOf(lane + 1, rank)});
  together.append({rangeOf(lane, rank - 1), {rank - 1}});
  SmallVector<int64_t> order = matrices ? SmallVector<int64_t>{0, 2, 1} : SmallVector<int64_t>{1, 0}, shape;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, source), whole, sides;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t from = dim < lane ? dim : dim + 1 < rank ? dim + 1 : lane;
    whole.push_back(sizes[from]);
    shape.push_back(type.getDimSize(from));
  }
  Value matrix = tensor::CollapseShapeOp::create(rewriter, loc, source, apart);
  SmallVector<OpFoldResult> ofMatrix = tensor::getMixedSizes(rewriter, loc, matrix);
  for (int64_t dim : order)
    sides.push_back(ofMatrix[dim]);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sides, type.getElementType());
  Value transposed = linalg::TransposeOp::create(rewriter, loc, matrix, empty, order)->getResult(0);
  made = tensor::ExpandShapeOp::create(rewriter, loc, RankedTensorType::get(shape, type.getElementType()), transposed,
                                       together, whole);
  return made;
}

// The op that does a movement, into `init`.
static Value move(RewriterBase &rewriter, Location loc, const Movement &movement, Value init) {
  if (movement.read.isIdentity())
    return movement.source;
  if (movement.read.isPermutation()) {
    SmallVector<int64_t> order;
    for (AffineExpr dim : inversePermutation(movement.read).getResults())
      order.push_back(cast<AffineDimExpr>(dim).getPosition());
    return linalg::TransposeOp::create(rewriter, loc, movement.source, init, order)->getResult(0);
  }
  int64_t rank = movement.type.getRank();
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, movement.type, movement.source, init,
             ArrayRef<AffineMap>{movement.read, rewriter.getMultiDimIdentityMap(rank)}, kinds,
             [](OpBuilder &builder, Location loc, ValueRange v) { linalg::YieldOp::create(builder, loc, v[0]); })
      .getResult(0);
}

bool ShortRows::split(linalg::LinalgOp op) {
  std::optional<Movement> movement = matchMovement(op);
  std::optional<int64_t> lane = movement ? laneOf(*movement) : std::nullopt;
  if (!lane || !isFromShortRows(*movement, *lane) || isComputedWith(op))
    return false;
  if (movesFew(*movement) && !isTurned(movement->source, *lane))
    return false;
  SmallVector<AffineExpr> read(movement->read.getResults());
  std::rotate(read.begin() + *lane, read.begin() + *lane + 1, read.end());
  movement->read = AffineMap::get(movement->read.getNumDims(), 0, read, op.getContext());
  movement->source = turnBehind(movement->source, *lane);
  rewriter.setInsertionPoint(op);
  Value moved = move(rewriter, op.getLoc(), *movement, op.getDpsInits()[0]);
  turned.erase(op->getResult(0));
  rewriter.replaceOp(op, moved);
  return true;
}

bool ShortRows::isTurned(Value source, int64_t lane) const {
  auto found = turned.find(source);
  return found != turned.end() && found->second.contains(lane);
}

void ShortRows::erase(linalg::LinalgOp op) {
  for (Value result : op->getResults())
    turned.erase(result);
  rewriter.eraseOp(op);
}
