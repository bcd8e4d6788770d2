// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/Movement.h"
#include "compiler/Stages/Form/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SPLITTRANSPOSES
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

// A last dimension up to this is too short for the lanes of a vector.
static constexpr int64_t kShort = 8;

// Whether the result's last dimension is short and another one than the source's. What computes with the result shares
// a dispatch with the transpose, and the view would keep it out.
static bool endsShort(linalg::TransposeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getInit().getType());
  if (!type || type.getEncoding() || cast<RankedTensorType>(op.getInput().getType()).getEncoding())
    return false;
  int64_t rank = type.getRank(), last = rank < 2 ? 1 : type.getShape().back();
  bool isComputedWith = llvm::any_of(fusion::getUses(op.getOperation()),
                                     [](OpOperand *use) { return isa<linalg::LinalgOp>(use->getOwner()); });
  return !isComputedWith && rank >= 2 && last > 1 && last <= kShort && op.getPermutation().back() != rank - 1;
}

// Whether, moreover, its rows have long neighbours to be interleaved with.
static bool interleaves(linalg::TransposeOp op) {
  if (!endsShort(op))
    return false;
  auto type = cast<RankedTensorType>(op.getInit().getType());
  int64_t before = type.getDimSize(type.getRank() - 2);
  return ShapedType::isDynamic(before) || before > kShort;
}

// The runs of the result's dimensions that are neighbours in the source, too, in the same order.
static SmallVector<ReassociationIndices> neighboursOf(linalg::TransposeOp op) {
  SmallVector<ReassociationIndices> runs;
  for (auto [i, dim] : llvm::enumerate(op.getPermutation())) {
    if (i == 0 || dim != op.getPermutation()[i - 1] + 1)
      runs.emplace_back();
    runs.back().push_back(static_cast<int64_t>(i));
  }
  return runs;
}

// The same with each such run as one dimension, and views around it.
static linalg::TransposeOp mergeNeighbours(linalg::TransposeOp op, RewriterBase &rewriter) {
  SmallVector<ReassociationIndices> runs = neighboursOf(op);
  int64_t count = static_cast<int64_t>(runs.size());
  if (count < 2 || count == static_cast<int64_t>(op.getPermutation().size()))
    return op;
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, count)), merged(count);
  llvm::sort(order, [&](int64_t a, int64_t b) { return permutation[runs[a].front()] < permutation[runs[b].front()]; });
  SmallVector<ReassociationIndices> ofSource;
  for (auto [place, run] : llvm::enumerate(order)) {
    merged[run] = static_cast<int64_t>(place);
    ofSource.push_back(llvm::map_to_vector<2>(runs[run], [&](int64_t i) { return permutation[i]; }));
  }
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, op.getInput()), turned, whole;
  Value source = tensor::CollapseShapeOp::create(rewriter, loc, op.getInput(), ofSource);
  SmallVector<OpFoldResult> sides = tensor::getMixedSizes(rewriter, loc, source);
  for (int64_t dim : merged)
    turned.push_back(sides[dim]);
  for (int64_t dim : permutation)
    whole.push_back(sizes[dim]);
  auto type = cast<RankedTensorType>(op.getInit().getType());
  Value empty = tensor::EmptyOp::create(rewriter, loc, turned, type.getElementType());
  auto made = linalg::TransposeOp::create(rewriter, loc, source, empty, merged);
  rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, type, made->getResult(0), runs, whole);
  return made;
}

namespace {

class Splitter {
public:
  Splitter(linalg::TransposeOp op, RewriterBase &rewriter)
      : op(op), rewriter(rewriter), loc(op.getLoc()), permutation(op.getPermutation()),
        rank(static_cast<int64_t>(permutation.size())) {}

  Value run() {
    Value source = op.getInput();
    if (permutation[rank - 2] != rank - 1) // the source's neighbours are not the result's, but for the short dimension
      source = turn(source, permutation[rank - 2] + 1);
    return interleave(source);
  }

private:
  Type elementType() { return cast<RankedTensorType>(op.getInput().getType()).getElementType(); }

  // Dimensions from `first` on come first: the transpose of a matrix.
  Value turn(Value source, int64_t first) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, source);
    SmallVector<ReassociationIndices> rows(2), columns(2);
    SmallVector<OpFoldResult> turned;
    for (int64_t i = 0; i < rank; ++i) {
      rows[i < first ? 0 : 1].push_back(i);
      columns[i < rank - first ? 0 : 1].push_back(i);
      turned.push_back(sizes[(i + first) % rank]);
    }
    SmallVector<int64_t> shape;
    for (OpFoldResult size : turned)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    Value matrix = tensor::CollapseShapeOp::create(rewriter, loc, source, rows);
    SmallVector<OpFoldResult> sides = tensor::getMixedSizes(rewriter, loc, matrix);
    Value empty = tensor::EmptyOp::create(rewriter, loc, ArrayRef<OpFoldResult>{sides[1], sides[0]}, elementType());
    Value transposed = linalg::TransposeOp::create(rewriter, loc, matrix, empty, ArrayRef<int64_t>{1, 0})->getResult(0);
    for (int64_t &dim : permutation)
      dim = dim < first ? dim + rank - first : dim - first;
    return tensor::ExpandShapeOp::create(rewriter, loc, RankedTensorType::get(shape, elementType()), transposed,
                                         columns, turned);
  }

  // `source` permuted, with the last two dimensions of the result as one: element d of them is row d mod n of the short
  // dimension at d floordiv n.
  Value interleave(Value source) {
    int64_t count = cast<RankedTensorType>(op.getInit().getType()).getShape().back();
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, source), shape, whole;
    for (int64_t dim : permutation)
      whole.push_back(sizes[dim]);
    shape.assign(whole.begin(), whole.end() - 1);
    AffineExpr size = rewriter.getAffineSymbolExpr(0), d = rewriter.getAffineDimExpr(rank - 2);
    shape.back() = affine::makeComposedFoldedAffineApply(rewriter, loc, size * count, {shape.back()});
    SmallVector<AffineExpr> read(rank);
    for (int64_t i = 0; i + 2 < rank; ++i)
      read[permutation[i]] = rewriter.getAffineDimExpr(i);
    read[permutation[rank - 2]] = d.floorDiv(count);
    read[permutation[rank - 1]] = d % count;
    Value empty = tensor::EmptyOp::create(rewriter, loc, shape, elementType());
    SmallVector<utils::IteratorType> kinds(rank - 1, utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, empty.getType(), source, empty,
        ArrayRef<AffineMap>{AffineMap::get(rank - 1, 0, read, rewriter.getContext()),
                            rewriter.getMultiDimIdentityMap(rank - 1)},
        kinds, [](OpBuilder &builder, Location loc, ValueRange v) { linalg::YieldOp::create(builder, loc, v[0]); });
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim + 1 < rank; ++dim)
      groups.push_back({dim});
    groups.back().push_back(rank - 1);
    return tensor::ExpandShapeOp::create(rewriter, loc, op.getInit().getType(), generic.getResult(0), groups, whole);
  }

  linalg::TransposeOp op;
  RewriterBase &rewriter;
  Location loc;
  SmallVector<int64_t> permutation;
  int64_t rank;
};

struct SplitTransposes : mlir::heddle::impl::SplitTransposesBase<SplitTransposes> {
  void runOnOperation() override {
    splitSources();
    SmallVector<linalg::TransposeOp> found;
    getOperation().walk([&](linalg::TransposeOp op) {
      if (op.hasPureTensorSemantics() && endsShort(op))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::TransposeOp op : found) {
      rewriter.setInsertionPoint(op);
      op = mergeNeighbours(op, rewriter);
      rewriter.setInsertionPoint(op);
      if (interleaves(op))
        rewriter.replaceOp(op, Splitter(op, rewriter).run());
    }
  }

  // The last of several movements first, which takes those before it along. Twice, as those that move few elements wait
  // for others of their source.
  void splitSources() {
    IRRewriter rewriter(&getContext());
    ShortRows rows(rewriter);
    for (int round = 0; round < 2; ++round) {
      SmallVector<linalg::LinalgOp> found;
      getOperation().walk([&](linalg::LinalgOp op) { found.push_back(op); });
      for (linalg::LinalgOp op : llvm::reverse(found)) {
        if (isOpTriviallyDead(op))
          rows.erase(op);
        else
          rows.split(op);
      }
    }
  }
};

} // namespace
