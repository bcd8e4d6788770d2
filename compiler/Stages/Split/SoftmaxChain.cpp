// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Split/SoftmaxChain.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Dialect/Flow/Transforms/Parts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

//===--- Bodies --------------------------------------------------------------------------------------------------===//

static Value withoutCasts(Value value) {
  while (Operation *cast = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(cast))
      break;
    value = cast->getOperand(0);
  }
  return value;
}

static Value yieldOf(linalg::LinalgOp op) { return op.getBlock()->getTerminator()->getOperand(0); }

// The operand whose element the value is, if nothing else of the body reads it.
static OpOperand *operandOf(linalg::GenericOp op, Value element) {
  auto argument = dyn_cast<BlockArgument>(withoutCasts(element));
  if (!argument || argument.getOwner() != op.getBody() || !argument.hasOneUse())
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return op.isDpsInput(operand) ? operand : nullptr;
}

static bool isElementwise(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumReductionLoops() == 0 && op->getNumResults() == 1 &&
         op.getIndexingMapsArray().back().isIdentity();
}

// A reduction along one loop of one operand's rows, by an op of the kinds; null where it is none.
template <typename... Kinds> static linalg::LinalgOp findRowReduction(Value value, AffineMap rows) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumReductionLoops() != 1 || op.getNumDpsInputs() != 1)
    return nullptr;
  auto found = flow::findCombiner(op);
  auto *combiner = std::get_if<flow::Combiner>(&found);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool isPlain = combiner && isa<Kinds...>(combiner->op) && maps.front().isIdentity() && maps.back() == rows &&
                 llvm::is_contained(combiner->op->getOperands(), op.getBlock()->getArgument(0)) &&
                 yieldOf(op) == combiner->op->getResult(0);
  return isPlain ? op : linalg::LinalgOp();
}

//===--- Matching ------------------------------------------------------------------------------------------------===//

// weights = power / total.
static bool matchWeights(split::SoftmaxChain &chain, linalg::GenericOp op) {
  if (!isElementwise(op) || !op->hasOneUse() || op.getNumDpsInputs() != 2)
    return false;
  auto quotient = withoutCasts(yieldOf(op)).getDefiningOp<arith::DivFOp>();
  OpOperand *power = quotient ? operandOf(op, quotient.getLhs()) : nullptr;
  chain.total = quotient ? operandOf(op, quotient.getRhs()) : nullptr;
  if (!power || !chain.total || power == chain.total || !op.getMatchingIndexingMap(power).isIdentity())
    return false;
  chain.weights = op;
  chain.rows = op.getMatchingIndexingMap(chain.total);
  chain.power = power->get().getDefiningOp<linalg::GenericOp>();
  return isElementwise(chain.power) && chain.rows.isProjectedPermutation();
}

// power = exp(x - peak), where x does not depend on the peak.
static bool matchPower(split::SoftmaxChain &chain) {
  auto power = withoutCasts(yieldOf(chain.power)).getDefiningOp<math::ExpOp>();
  auto difference = power ? withoutCasts(power.getOperand()).getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  OpOperand *peak = difference ? operandOf(chain.power, difference.getRhs()) : nullptr;
  if (!peak || chain.power.getMatchingIndexingMap(peak) != chain.rows)
    return false;
  chain.peak = findRowReduction<arith::MaximumFOp, arith::MaxNumFOp>(peak->get(), chain.rows);
  return static_cast<bool>(chain.peak);
}

static bool matchTotal(split::SoftmaxChain &chain) {
  Value total = chain.total->get();
  chain.sum = findRowReduction<arith::AddFOp>(total, chain.rows);
  if (auto ofRows = total.getDefiningOp<linalg::GenericOp>(); !chain.sum && isElementwise(ofRows))
    for (OpOperand *input : ofRows.getDpsInputOperands())
      if (ofRows.getMatchingIndexingMap(input).isIdentity() && !chain.sum)
        chain.sum = findRowReduction<arith::AddFOp>(input->get(), chain.rows);
  return chain.sum && chain.sum.getDpsInputs().front() == chain.power->getResult(0) &&
         total.getType() == chain.sum->getResult(0).getType() &&
         chain.sum->getResult(0).getType() == chain.peak->getResult(0).getType();
}

// Scores from which the value is computed element by element; null where it is none or there are several.
static linalg::LinalgOp findScores(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op)
    return nullptr;
  if (isContraction(op))
    return op;
  if (op.getNumReductionLoops() > 0)
    return nullptr;
  linalg::LinalgOp found;
  for (Value input : op.getDpsInputs())
    if (linalg::LinalgOp scores = findScores(input)) {
      if (found && found != scores)
        return nullptr;
      found = scores;
    }
  return found;
}

// Whether the value can be computed for a part of dimension `dim`: what it is computed from in the region is cut, too.
static bool isCuttable(Value value, unsigned dim, split::SoftmaxChain &chain, flow::RegionOp region) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || !region || op->getParentOp() != region)
    return true;
  if (isa<linalg::FillOp>(op.getOperation()))
    return true;
  if (op->getNumResults() != 1 || op->walk([](tensor::ExtractOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return false;
  // What it begins with is made anew.
  if (!op.getDpsInits().front().getDefiningOp<linalg::FillOp>() &&
      !op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty())
    return false;
  auto loop = dyn_cast<AffineDimExpr>(op.getIndexingMapsArray().back().getResult(dim));
  if (!loop || op.getIteratorTypesArray()[loop.getPosition()] != utils::IteratorType::parallel ||
      !flow::isSliceable(op, loop.getPosition()))
    return false;
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    ArrayRef<AffineExpr> read = op.getMatchingIndexingMap(input).getResults();
    auto at = llvm::find(read, AffineExpr(loop));
    return input->get() == chain.peak->getResult(0) || at == read.end() ||
           (llvm::count(read, AffineExpr(loop)) == 1 && isCuttable(input->get(), at - read.begin(), chain, region));
  });
}

OpOperand *split::SoftmaxChain::getValues() {
  OpOperand *first = product.getDpsInputOperand(0);
  return first->get() == weights->getResult(0) ? product.getDpsInputOperand(1) : first;
}

// The product sums along the weights' rows, from 0; each of its results has one row.
static bool matchProduct(split::SoftmaxChain &chain, flow::RegionOp region) {
  linalg::LinalgOp op = chain.product;
  OpOperand *values = chain.getValues();
  OpOperand *weights = op.getDpsInputOperand(1 - values->getOperandNumber());
  AffineMap read = op.getMatchingIndexingMap(weights), write = op.getIndexingMapsArray().back();
  if (op.getNumReductionLoops() != 1 || !read.isProjectedPermutation() || !write.isProjectedPermutation())
    return false;
  auto loop = cast<AffineDimExpr>(read.getResult(chain.position));
  if (op.getIteratorTypesArray()[loop.getPosition()] != utils::IteratorType::reduction)
    return false;
  auto fill = op.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.value(), m_AnyZeroFloat()))
    return false;
  std::optional<unsigned> at;
  for (auto [i, expr] : llvm::enumerate(op.getMatchingIndexingMap(values).getResults()))
    if (expr == loop)
      at = i;
  return at && isCuttable(values->get(), *at, chain, region);
}

std::optional<split::SoftmaxChain> split::matchSoftmaxChain(linalg::LinalgOp product, flow::RegionOp region) {
  if (product.getNumDpsInputs() != 2 || product->getNumResults() != 1 || !isContraction(product) ||
      !isa<FloatType>(getElementTypeOrSelf(product->getResult(0))))
    return std::nullopt;
  for (Value operand : product.getDpsInputs()) {
    SoftmaxChain chain;
    chain.product = product;
    auto weights = operand.getDefiningOp<linalg::GenericOp>();
    if (!weights || !matchWeights(chain, weights) || !matchPower(chain) || !matchTotal(chain))
      continue;
    chain.scores = findScores(chain.peak.getDpsInputs().front());
    SmallVector<unsigned> reduced;
    chain.peak.getReductionDims(reduced);
    chain.position = reduced.front();
    bool isOwn = llvm::all_of(chain.power->getUsers(),
                              [&](Operation *user) { return user == chain.sum || user == chain.weights; });
    if (chain.scores && isOwn && matchProduct(chain, region) &&
        isCuttable(chain.peak.getDpsInputs().front(), chain.position, chain, region) &&
        isCuttable(chain.power->getResult(0), chain.position, chain, region))
      return chain;
  }
  return std::nullopt;
}

bool split::hasLoneRows(SoftmaxChain &chain) {
  std::optional<ProductSides> sides = findSides(chain.scores);
  if (!sides)
    return true;
  AffineMap columns = chain.scores.getMatchingIndexingMap(sides->columns);
  SmallVector<int64_t> sizes = chain.scores.getStaticLoopRanges();
  bool isTurned = columns.getResults().back() != chain.scores.getIndexingMapsArray().back().getResults().back();
  return isTurned && llvm::none_of(llvm::enumerate(chain.scores.getIteratorTypesArray()), [&](auto it) {
           return it.value() == utils::IteratorType::parallel && !columns.isFunctionOfDim(it.index()) &&
                  sizes[it.index()] != 1;
         });
}
