// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Evaluation/Evaluator.h"
#include "compiler/Stages/Simplify/Contraction.h"
#include "compiler/Stages/Simplify/Passes.h"
#include "compiler/Stages/Simplify/ScaleChain.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FOLDSCALES
#include "compiler/Stages/Simplify/Passes.h.inc"
} // namespace mlir::heddle

// Scales above this could make finite weights infinite.
static constexpr double kMaximumScale = 0x1p60;

//===--- Contractions --------------------------------------------------------------------------------------------===//

namespace {

// A contraction whose result the elementwise op reads, and its constant operand.
struct Weighted {
  SmallVector<Operation *> path; // from the elementwise op up to the contraction
  linalg::LinalgOp contraction;
  OpOperand *weights = nullptr;
  // Loops of the elementwise op that walk along dimensions of the weights; along several where they were collapsed to
  // one.
  std::map<unsigned, SmallVector<unsigned>> channels;
};

} // namespace

// The position of the plain dimension `dim` in `map`; none if it also stands elsewhere.
static std::optional<unsigned> positionOf(AffineMap map, unsigned dim) {
  std::optional<unsigned> found;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (found || !isa<AffineDimExpr>(expr))
      return std::nullopt;
    found = i;
  }
  return found;
}

// The ops from `operand` up to a contraction, through transposes and collapsed dimensions, each read by the next one
// only; empty if there is none. `loops`: for each dimension of the contraction's result the loop of the reader that
// walks along it.
static SmallVector<Operation *> findContraction(OpOperand &operand, AffineMap read, SmallVectorImpl<unsigned> &loops) {
  if (!read.isProjectedPermutation())
    return {};
  SmallVector<Operation *> path;
  for (AffineExpr expr : read.getResults())
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  Value value = operand.get();
  for (; value.hasOneUse() && value.getDefiningOp(); value = value.getDefiningOp()->getOperand(0)) {
    path.push_back(value.getDefiningOp());
    if (path.back()->getBlock() != operand.getOwner()->getBlock())
      return {};
    SmallVector<unsigned> above;
    if (auto transpose = value.getDefiningOp<linalg::TransposeOp>()) {
      above.resize(loops.size());
      for (auto [loop, source] : llvm::zip(loops, transpose.getPermutation()))
        above[source] = loop;
    } else if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>()) {
      for (auto [loop, group] : llvm::zip(loops, collapse.getReassociationIndices()))
        above.append(group.size(), loop);
    } else {
      auto contraction = value.getDefiningOp<linalg::LinalgOp>();
      return contraction && isSumOfProducts(contraction) ? path : SmallVector<Operation *>();
    }
    loops.assign(above.begin(), above.end());
  }
  return {};
}

static std::optional<Weighted> findWeights(OpOperand &operand, AffineMap read) {
  SmallVector<unsigned> loops;
  Weighted found;
  found.path = findContraction(operand, read, loops);
  if (found.path.empty())
    return std::nullopt;
  found.contraction = cast<linalg::LinalgOp>(found.path.back());
  SmallVector<AffineMap> maps = found.contraction.getIndexingMapsArray();
  for (OpOperand *input : found.contraction.getDpsInputOperands())
    if (evaluation::isConstantExpression(input->get()))
      found.weights = input;
  if (!found.weights || !maps.back().isProjectedPermutation())
    return std::nullopt;
  AffineMap weightsMap = maps[found.weights->getOperandNumber()];
  llvm::SmallSetVector<unsigned, 4> refused;
  for (auto [loop, expr] : llvm::zip(loops, maps.back().getResults())) {
    std::optional<unsigned> dim = positionOf(weightsMap, cast<AffineDimExpr>(expr).getPosition());
    if (!dim)
      refused.insert(loop);
    else
      found.channels[loop].push_back(*dim);
  }
  for (unsigned loop : refused)
    found.channels.erase(loop);
  return found;
}

//===--- Rewriting -----------------------------------------------------------------------------------------------===//

// weights * scale. `scale` has a dimension for each of `loops`, which the weights may have split.
static Value scaleWeights(OpBuilder &builder, Location loc, const Weighted &weighted, Value scale,
                          ArrayRef<unsigned> loops) {
  Value weights = weighted.weights->get();
  auto type = cast<RankedTensorType>(weights.getType());
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  SmallVector<AffineExpr> read;
  for (unsigned loop : loops) {
    groups.emplace_back();
    for (unsigned dim : weighted.channels.at(loop)) {
      groups.back().push_back(shape.size());
      shape.push_back(type.getDimSize(dim));
      read.push_back(builder.getAffineDimExpr(dim));
    }
  }
  if (shape.size() != loops.size())
    scale =
        tensor::ExpandShapeOp::create(builder, loc, RankedTensorType::get(shape, type.getElementType()), scale, groups);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
  return linalg::GenericOp::create(
             builder, loc, TypeRange{type}, ValueRange{weights, scale}, ValueRange{empty},
             ArrayRef<AffineMap>{identity, AffineMap::get(type.getRank(), 0, read, builder.getContext()), identity},
             iterators,
             [](OpBuilder &b, Location l, ValueRange v) {
               linalg::YieldOp::create(b, l, Value(arith::MulFOp::create(b, l, v[0], v[1])));
             })
      .getResult(0);
}

// The contraction's values are no node's any more; who compares stages by nodes must be able to tell.
static Location scaledLocation(Location loc) {
  StringRef name = "contraction";
  loc->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    if (named)
      name = named.getName().getValue();
    return named ? WalkResult::interrupt() : WalkResult::advance();
  });
  return NameLoc::get(StringAttr::get(loc.getContext(), name + " (scaled)"));
}

// The elementwise op with its operand + offset where the chain's result was.
static linalg::GenericOp replaceChain(OpBuilder &builder, linalg::GenericOp op, unsigned operand,
                                      const ScaleChain &chain, Value offset) {
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<AffineExpr> read;
  for (unsigned loop : chain.loops())
    read.push_back(builder.getAffineDimExpr(loop));
  maps.insert(maps.begin() + inputs.size(), AffineMap::get(op.getNumLoops(), 0, read, builder.getContext()));
  inputs.push_back(offset);
  auto result = linalg::GenericOp::create(builder, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
                                          op.getIteratorTypesArray());
  result.getRegion().takeBody(op.getRegion());
  Block &body = result.getRegion().front();
  Value end = chain.result(), added = body.insertArgument(inputs.size() - 1, end.getType(), op.getLoc());
  builder.setInsertionPointAfterValue(end);
  end.replaceAllUsesWith(arith::AddFOp::create(builder, end.getLoc(), body.getArgument(operand), added));
  op.replaceAllUsesWith(result.getResults());
  op.erase();
  return result;
}

namespace {

struct FoldScales : mlir::heddle::impl::FoldScalesBase<FoldScales> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<linalg::GenericOp> candidates;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.getNumReductionLoops() == 0 && op.hasPureTensorSemantics())
        candidates.push_back(op);
    });
    for (linalg::GenericOp op : candidates)
      for (unsigned i = 0, inputs = op.getNumDpsInputs(); i < inputs; ++i)
        fold(op, i, symbols);
    // The old scales and offsets are read no more.
    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    if (failed(rewriteGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

  // Replaces `op` where its operand is a contraction whose weights can be scaled.
  static void fold(linalg::GenericOp &op, unsigned i, SymbolTable &symbols) {
    OpOperand &operand = op->getOpOperand(i);
    Type elementType = getElementTypeOrSelf(operand.get().getType());
    if (!elementType.isF32() && !elementType.isF64())
      return;
    std::optional<Weighted> weighted = findWeights(operand, op.getMatchingIndexingMap(&operand));
    if (!weighted)
      return;
    auto channels = llvm::map_to_vector(weighted->channels, [](const auto &channel) { return channel.first; });
    ScaleChain chain(op, op.getBody()->getArgument(i), channels);
    if (!chain.hasScale())
      return;
    OpBuilder builder(op);
    linalg::GenericOp factors = chain.emit(builder);
    Value scale = factors.getResult(0), offset = factors.getResult(1);
    if (!evaluation::isBounded(scale, kMaximumScale, symbols) ||
        !evaluation::isBounded(offset, std::numeric_limits<float>::max(), symbols)) {
      factors.erase();
      return;
    }
    weighted->weights->set(scaleWeights(builder, op.getLoc(), *weighted, scale, chain.loops()));
    for (Operation *step : llvm::reverse(weighted->path)) {
      step->moveBefore(op);
      step->setLoc(scaledLocation(step->getLoc()));
    }
    if (evaluation::isBounded(offset, 0, symbols))
      chain.result().replaceAllUsesWith(op.getBody()->getArgument(i));
    else
      op = replaceChain(builder, op, i, chain, offset);
  }
};

} // namespace
