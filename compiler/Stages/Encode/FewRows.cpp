// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Passes.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Evaluation/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FEWROWS
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

// A product of floats of what the program computes.
static bool isComputedProduct(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->hasAttr(kKeepsLayoutAttr) || op.getNumDpsInputs() != 2 ||
      op->getNumResults() != 1)
    return false;
  const Structure structure = Structure::of(op);
  return structure.isContraction() && structure.arithmetic == Arithmetic::Float &&
         llvm::none_of(op.getDpsInputs(), evaluation::isConstantExpression);
}

//===--- Unit loops ----------------------------------------------------------------------------------------------===//

static bool hasUnitLoop(linalg::LinalgOp op) { return llvm::is_contained(op.getStaticLoopRanges(), 1); }

// Whether the op is computed element by element or reduces rows, of tensors that no op stands for as a whole.
static bool isOfRows(linalg::GenericOp op) {
  const Structure structure = Structure::of(op);
  return op.hasPureTensorSemantics() &&
         (structure.kind == Structure::Kind::Elementwise || structure.kind == Structure::Kind::Reduction);
}

// What reads or makes an operand of the product without another product, views between.
static void collectRows(linalg::LinalgOp product, llvm::SetVector<Operation *> &found) {
  llvm::SetVector<Operation *> reached;
  reached.insert(product);
  auto reach = [&](Operation *op) {
    auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
    if ((generic && isOfRows(generic)) || isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      reached.insert(op);
  };
  for (size_t i = 0; i < reached.size(); ++i) {
    for (Operation *user : reached[i]->getUsers())
      reach(user);
    for (Value operand : reached[i]->getOperands())
      reach(operand.getDefiningOp());
  }
  found.insert_range(reached);
}

//===--- Turned columns ------------------------------------------------------------------------------------------===//

// How many results read one column of the product; none where only the call knows.
static std::optional<int64_t> countRows(linalg::LinalgOp op, const ProductSides &sides) {
  AffineMap columns = op.getMatchingIndexingMap(sides.columns);
  int64_t rows = 1;
  for (auto [loop, size, kind] : llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel && !columns.isFunctionOfDim(loop)) {
      if (ShapedType::isDynamic(size))
        return std::nullopt;
      rows *= size;
    }
  return rows;
}

// Whether the op computes each element of one operand's element at the same place, for one reader.
static bool isCast(linalg::GenericOp op) {
  return op && op.getNumDpsInputs() == 1 && op->getNumResults() == 1 && op->hasOneUse() &&
         op.getNumReductionLoops() == 0 &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }) &&
         llvm::range_size(*op.getBody()) == 2 && isa<arith::ExtFOp>(op.getBody()->front());
}

// The transpose of which the columns are computed, element by element.
static linalg::TransposeOp findTranspose(Value columns) {
  auto generic = columns.getDefiningOp<linalg::GenericOp>();
  if (isCast(generic))
    columns = generic.getDpsInputs().front();
  return columns.getDefiningOp<linalg::TransposeOp>();
}

// The map of what is transposed, from that of its transpose.
static AffineMap mapOfSource(AffineMap map, ArrayRef<int64_t> permutation) {
  SmallVector<AffineExpr> results(map.getNumResults());
  for (auto [from, to] : llvm::zip_equal(map.getResults(), permutation))
    results[to] = from;
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

static void eraseUnused(IRRewriter &rewriter, Operation *op) {
  if (op && isOpTriviallyDead(op))
    rewriter.eraseOp(op);
}

static void readUnturned(IRRewriter &rewriter, linalg::GenericOp op, OpOperand &columns,
                         linalg::TransposeOp transpose) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[columns.getOperandNumber()];
  map = mapOfSource(map, transpose.getPermutation());
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  if (columns.get() == transpose->getResult(0)) {
    columns.set(transpose.getInput());
    eraseUnused(rewriter, transpose);
    return;
  }
  auto cast = columns.get().getDefiningOp<linalg::GenericOp>();
  rewriter.setInsertionPoint(cast);
  Value source = transpose.getInput();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, cast.getLoc(), source);
  Value empty = tensor::EmptyOp::create(rewriter, cast.getLoc(), sizes, getElementTypeOrSelf(columns.get()));
  columns.set(clone(rewriter, cast, empty.getType(), {source, empty})->getResult(0));
  eraseUnused(rewriter, cast);
  eraseUnused(rewriter, transpose);
}

// The body widens what the columns are widened of.
static void readNarrow(IRRewriter &rewriter, linalg::GenericOp op, OpOperand &columns) {
  auto cast = columns.get().getDefiningOp<linalg::GenericOp>();
  if (!isCast(cast))
    return;
  BlockArgument element = op.getMatchingBlockArgument(&columns);
  Type wide = element.getType();
  columns.set(cast.getDpsInputs().front());
  eraseUnused(rewriter, cast);
  element.setType(getElementTypeOrSelf(columns.get()));
  rewriter.setInsertionPointToStart(op.getBody());
  auto widened = arith::ExtFOp::create(rewriter, op.getLoc(), wide, element);
  rewriter.replaceAllUsesExcept(element, widened, widened);
}

namespace {

struct FewRows : mlir::heddle::impl::FewRowsBase<FewRows> {
  using FewRowsBase::FewRowsBase;

  void runOnOperation() override {
    if (failed(dropUnitLoops()))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : findProducts())
      if (std::optional<ProductSides> sides = findSides(op)) {
        std::optional<int64_t> count = countRows(op, *sides);
        if (!count || *count > rows)
          continue;
        linalg::TransposeOp transpose = findTranspose(sides->columns->get());
        if (transpose && isTurned(op, *sides->columns, transpose))
          readUnturned(rewriter, op, *sides->columns, transpose);
        readNarrow(rewriter, op, *sides->columns);
      }
  }

private:
  // Whether columns are read through a transpose or a cast.
  static bool mayReadUnturned(linalg::LinalgOp op) {
    std::optional<ProductSides> sides = findSides(op);
    return sides && sides->columns->get().getDefiningOp<linalg::LinalgOp>();
  }

  SmallVector<linalg::GenericOp> findProducts() {
    SmallVector<linalg::GenericOp> found;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isComputedProduct(op))
        found.push_back(op);
    });
    return found;
  }

  // Whether neighbours of the source are what the product sums.
  static bool isTurned(linalg::LinalgOp op, OpOperand &columns, linalg::TransposeOp transpose) {
    AffineMap map = mapOfSource(op.getMatchingIndexingMap(&columns), transpose.getPermutation());
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    return map.isProjectedPermutation() && last &&
           op.getIteratorTypesArray()[last.getPosition()] == utils::IteratorType::reduction;
  }

  LogicalResult dropUnitLoops() {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> named;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp>(op) && isComputedProduct(op) && (hasUnitLoop(op) || mayReadUnturned(op)))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      DictionaryAttr said = op->getDiscardableAttrDictionary(); // how many parts, where it runs
      Location loc = op.getLoc();
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        return emitError(loc, "cannot be written as linalg.generic");
      (*made)->setDiscardableAttrs(said);
    }
    llvm::SetVector<Operation *> found;
    for (linalg::GenericOp op : findProducts())
      if (hasUnitLoop(op))
        collectRows(op, found);
    linalg::ControlDropUnitDims control;
    for (Operation *op : found)
      if (auto generic = dyn_cast<linalg::GenericOp>(op); generic && hasUnitLoop(generic)) {
        rewriter.setInsertionPoint(generic);
        if (auto dropped = linalg::dropUnitDims(rewriter, generic, control); succeeded(dropped)) {
          dropped->resultOp->setDiscardableAttrs(generic->getDiscardableAttrDictionary());
          rewriter.replaceOp(generic, dropped->replacements);
        }
      }
    if (found.empty())
      return success();
    RewritePatternSet patterns(&getContext());
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext());
    return rewriteGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
