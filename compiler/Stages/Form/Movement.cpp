// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/Movement.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Stages/Form/Fusion.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

// Rows up to this are short: squares of elements that are turned in registers are longer.
static constexpr int64_t kShortRow = 8;

static bool isPlain(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.getEncoding();
}

// The dimension that an index walks, and whether it does so from the end of a dimension of `size`.
static std::optional<std::pair<int64_t, bool>> matchIndex(AffineExpr index, int64_t size, unsigned rank) {
  for (unsigned position = 0; position < rank; ++position) {
    AffineExpr dim = getAffineDimExpr(position, index.getContext());
    if (index == dim)
      return std::pair(static_cast<int64_t>(position), false);
    if (!ShapedType::isDynamic(size) && index == size - 1 - dim)
      return std::pair(static_cast<int64_t>(position), true);
  }
  return std::nullopt;
}

// Of the one op.
static std::optional<Movement> matchOne(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() || linalgOp.getNumDpsInputs() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  Value source = linalgOp.getDpsInputs()[0], result = op->getResult(0);
  if (!isPlain(source) || !isPlain(result))
    return std::nullopt;
  Movement movement{source, cast<RankedTensorType>(result.getType()), {}, {}};
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    movement.permutation.assign(transpose.getPermutation());
    movement.reversed.assign(movement.rank(), false);
    return movement;
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumParallelLoops() != generic.getNumLoops() ||
      !generic.getIndexingMapsArray()[1].isIdentity() || !llvm::hasSingleElement(generic.getBody()->getOperations()) ||
      generic.getBody()->getTerminator()->getOperand(0) != generic.getBody()->getArgument(0))
    return std::nullopt;
  AffineMap read = generic.getIndexingMapsArray()[0];
  if (read.getNumResults() != movement.rank())
    return std::nullopt;
  movement.permutation.assign(movement.rank(), -1);
  movement.reversed.assign(movement.rank(), false);
  for (auto [place, index] : llvm::enumerate(read.getResults())) {
    auto walked = matchIndex(index, cast<RankedTensorType>(source.getType()).getDimSize(place), movement.rank());
    if (!walked || movement.permutation[walked->first] >= 0)
      return std::nullopt;
    movement.permutation[walked->first] = static_cast<int64_t>(place);
    movement.reversed[walked->first] = walked->second;
  }
  return movement;
}

std::optional<Movement> mlir::heddle::matchMovement(Operation *op) {
  std::optional<Movement> movement = matchOne(op);
  while (movement && movement->source.hasOneUse() && movement->source.getDefiningOp()) {
    std::optional<Movement> before = matchOne(movement->source.getDefiningOp());
    if (!before)
      break;
    for (int64_t i = 0; i < movement->rank(); ++i) {
      int64_t between = movement->permutation[i];
      movement->permutation[i] = before->permutation[between];
      movement->reversed[i] = movement->reversed[i] != before->reversed[between];
    }
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

// Whether rows of the source are short, and more dimensions than one lie behind that of the result's rows.
static bool isFromShortRows(const Movement &movement) {
  auto source = cast<RankedTensorType>(movement.source.getType());
  int64_t rank = movement.rank(), lane = rank < 2 ? rank : movement.permutation.back();
  if (rank < 2 || lane == rank - 1 || movement.reversed.back() || source.getDimSize(rank - 1) > kShortRow ||
      ShapedType::isDynamic(source.getDimSize(rank - 1)))
    return false;
  // Rows of the result that are short, too, are interleaved elsewhere.
  int64_t row = source.getDimSize(lane);
  if (!ShapedType::isDynamic(row) && row <= kShortRow)
    return false;
  int64_t behind = 0;
  for (int64_t dim = lane + 1; dim < rank; ++dim)
    behind += source.getDimSize(dim) != 1;
  return behind > 1 || (behind == 1 && llvm::is_contained(movement.reversed, true));
}

// [before…, lane, behind…] to [before…, behind…, lane]: as many transposes of a matrix as there are elements before.
static Value turnBehind(RewriterBase &rewriter, Location loc, Value source, int64_t lane) {
  auto type = cast<RankedTensorType>(source.getType());
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, source), turned;
  SmallVector<ReassociationIndices> groups, back;
  SmallVector<int64_t> order, shape;
  auto group = [](int64_t begin, int64_t end) {
    return ReassociationIndices(llvm::to_vector(llvm::seq<int64_t>(begin, end)));
  };
  if (lane > 0) {
    groups.push_back(group(0, lane));
    back.push_back(group(0, lane));
    order.push_back(0);
  }
  groups.push_back({lane});
  groups.push_back(group(lane + 1, rank));
  back.push_back(group(lane, rank - 1));
  back.push_back({rank - 1});
  order.push_back(static_cast<int64_t>(order.size()) + 1);
  order.push_back(static_cast<int64_t>(order.size()) - 1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t from = dim < lane ? dim : dim + 1 < rank ? dim + 1 : lane;
    turned.push_back(sizes[from]);
    shape.push_back(type.getDimSize(from));
  }
  Value matrix = tensor::CollapseShapeOp::create(rewriter, loc, source, groups);
  SmallVector<OpFoldResult> sides = tensor::getMixedSizes(rewriter, loc, matrix), made;
  for (int64_t dim : order)
    made.push_back(sides[dim]);
  Value empty = tensor::EmptyOp::create(rewriter, loc, made, type.getElementType());
  Value transposed = linalg::TransposeOp::create(rewriter, loc, matrix, empty, order)->getResult(0);
  return tensor::ExpandShapeOp::create(rewriter, loc, RankedTensorType::get(shape, type.getElementType()), transposed,
                                       back, turned);
}

// The op that does a movement.
static Value move(RewriterBase &rewriter, Location loc, const Movement &movement) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, movement.source), made;
  for (int64_t dim : movement.permutation)
    made.push_back(sizes[dim]);
  bool isReversed = llvm::is_contained(movement.reversed, true);
  if (!isReversed && llvm::is_sorted(movement.permutation))
    return movement.source;
  int64_t rank = movement.rank();
  Value empty = tensor::EmptyOp::create(rewriter, loc, made, movement.type.getElementType());
  if (!isReversed)
    return linalg::TransposeOp::create(rewriter, loc, movement.source, empty, movement.permutation)->getResult(0);
  SmallVector<AffineExpr> read(rank);
  for (int64_t i = 0; i < rank; ++i) {
    AffineExpr dim = rewriter.getAffineDimExpr(i);
    read[movement.permutation[i]] = movement.reversed[i] ? movement.type.getDimSize(i) - 1 - dim : dim;
  }
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), movement.source, empty,
             ArrayRef<AffineMap>{AffineMap::get(rank, 0, read, rewriter.getContext()),
                                 rewriter.getMultiDimIdentityMap(rank)},
             kinds, [](OpBuilder &builder, Location loc, ValueRange v) { linalg::YieldOp::create(builder, loc, v[0]); })
      .getResult(0);
}

bool mlir::heddle::splitShortRows(linalg::LinalgOp op, RewriterBase &rewriter) {
  std::optional<Movement> movement = matchMovement(op);
  if (!movement || !isFromShortRows(*movement) || isComputedWith(op))
    return false;
  rewriter.setInsertionPoint(op);
  int64_t rank = movement->rank(), lane = movement->permutation.back();
  movement->source = turnBehind(rewriter, op.getLoc(), movement->source, lane);
  for (int64_t &dim : movement->permutation)
    dim = dim == lane ? rank - 1 : dim - (dim > lane);
  rewriter.replaceOp(op, move(rewriter, op.getLoc(), *movement));
  return true;
}
