// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/Chains.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Form/Fusion.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

bool isRowOp(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || isContraction(op))
    return false;
  // One element at a time is not how rows are computed.
  return llvm::all_of(*linalgOp.getBlock(), [](Operation &inner) { return inner.getNumRegions() == 0; });
}

bool isReduced(linalg::LinalgOp op, AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim && op.getIteratorTypesArray()[dim.getPosition()] == utils::IteratorType::reduction;
}

bool isOne(Value tensor, int64_t dim) { return cast<RankedTensorType>(tensor.getType()).getDimSize(dim) == 1; }

// A contraction of floats, one result in order, whose columns lie in the last dimension where vectors read them from
// memory, or are turned: neighbours lie along what is reduced, and code generation copies them for each block of rows.
struct Product {
  OpOperand *rows = nullptr, *columns = nullptr;
  bool turned = false;

  static std::optional<Product> match(Operation *op) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !isContraction(op) || op->getNumResults() != 1 || linalgOp.getNumReductionLoops() != 1)
      return std::nullopt;
    Value result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    AffineMap map = linalgOp.getIndexingMapsArray().back();
    if (!isa<FloatType>(type.getElementType()) || !map.isProjectedPermutation() || type.getRank() == 0 ||
        isOne(result, type.getRank() - 1))
      return std::nullopt;
    std::optional<ProductSides> sides = findSides(linalgOp);
    if (!sides)
      return std::nullopt;
    AffineExpr column = map.getResults().back(),
               last = linalgOp.getMatchingIndexingMap(sides->columns).getResults().back();
    Product product{sides->rows, sides->columns, last != column};
    if (product.turned && (!isReduced(linalgOp, last) || !(product.hasRows(linalgOp) || op->hasAttr(kSplitScoresAttr))))
      return std::nullopt;
    return product;
  }

  // Whether the columns are used for several rows. For one they are read as they lie, as rows of what is reduced, and
  // share a dispatch only to be computed in parts (compiler/Stages/Split/SoftmaxChain.h).
  bool hasRows(linalg::LinalgOp op) const {
    AffineMap read = op.getMatchingIndexingMap(columns);
    return llvm::any_of(llvm::enumerate(op.getIndexingMapsArray().back().getResults()), [&](auto it) {
      auto dim = cast<AffineDimExpr>(it.value());
      return !read.isFunctionOfDim(dim.getPosition()) && !isOne(op->getResult(0), it.index());
    });
  }
};

// The contraction among the ops, if there is one only and the others are elementwise or reduce rows.
Operation *onlyContraction(ArrayRef<Operation *> ops) {
  Operation *found = nullptr;
  for (Operation *op : ops) {
    if (isContraction(op)) {
      if (found)
        return nullptr;
      found = op;
    } else if (!isRowOp(op)) {
      return nullptr;
    }
  }
  return found;
}

// Weights that the product reads row by row: its result's dimensions in order but the columns, then what it reduces.
Value weightsOf(Operation *op) {
  std::optional<Product> product = Product::match(op);
  if (!product || product->turned)
    return {};
  auto linalgOp = cast<linalg::LinalgOp>(op);
  AffineMap read = linalgOp.getMatchingIndexingMap(product->rows), write = linalgOp.getIndexingMapsArray().back();
  if (read.getNumResults() != write.getNumResults() || !read.isProjectedPermutation() ||
      read.getResults().drop_back() != write.getResults().drop_back())
    return {};
  return fusion::getPlain(product->rows->get());
}

// Every reduction is of the last dimension of values that have as many as `weights`.
bool reduceRows(ArrayRef<Operation *> ops, Value weights) {
  int64_t rank = cast<RankedTensorType>(weights.getType()).getRank();
  bool reduces = false;
  for (Operation *op : ops) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (linalgOp.getNumReductionLoops() == 0 || isContraction(op))
      continue;
    reduces = true;
    if (static_cast<int64_t>(linalgOp.getNumLoops()) != rank || linalgOp.getNumReductionLoops() != 1)
      return false;
  }
  return reduces;
}

// Whether the rows' ops read the scores where they are, the whole row or the element.
bool readRows(Value scores, ArrayRef<Operation *> rows) {
  return llvm::all_of(fusion::getUses(scores), [&](OpOperand *use) {
    auto reader = dyn_cast<linalg::LinalgOp>(use->getOwner());
    return reader && llvm::is_contained(rows, reader) && !isContraction(reader) && reader.isDpsInput(use) &&
           reader.getMatchingIndexingMap(use).isIdentity();
  });
}

bool haveScores(ArrayRef<Operation *> rows) {
  return llvm::any_of(rows, [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Value scores = fusion::getPlain(operand);
      Operation *def = scores.getDefiningOp();
      return def && !llvm::is_contained(rows, def) && Product::match(def) && readRows(scores, rows);
    });
  });
}

// A layer's columns are read again for each block of rows, which only pays while they stay in a core's cache.
bool isTooWide(Operation *product, Value weights) {
  constexpr int64_t kMost = 4096; // of a row: a block of 32 rows of scores is half a megabyte
  Value columns = Product::match(product)->columns->get();
  while (fusion::isEncodingChange(columns.getDefiningOp()))
    columns = columns.getDefiningOp()->getOperand(0);
  int64_t width = cast<RankedTensorType>(weights.getType()).getShape().back();
  return columns.getDefiningOp<flow::ParameterLoadOp>() && !ShapedType::isDynamic(width) && width > kMost;
}

} // namespace

bool fusion::isPartOfChain(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer) {
  Operation *product = onlyContraction(consumer);
  Value weights = product ? weightsOf(product) : Value();
  Operation *last = weights ? weights.getDefiningOp() : nullptr;
  if (!last || fusion::getUses(weights).size() != 1 || isTooWide(product, weights))
    return false;
  if (producer.size() == 1 && isContraction(producer.front()))
    return llvm::is_contained(consumer, last) && reduceRows(consumer, weights) && Product::match(producer.front()) &&
           readRows(producer.front()->getResult(0), consumer);
  if (!llvm::is_contained(producer, last) || !llvm::all_of(producer, isRowOp) || !reduceRows(producer, weights))
    return false;
  bool givesOnlyWeights = llvm::all_of(producer, [&](Operation *op) {
    return op == last || llvm::all_of(fusion::getUses(op),
                                      [&](OpOperand *use) { return llvm::is_contained(producer, use->getOwner()); });
  });
  return givesOnlyWeights && haveScores(producer);
}
