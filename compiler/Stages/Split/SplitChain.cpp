// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Split/SplitChain.h"

#include "compiler/Dialect/Flow/Transforms/Parts.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Split/Reduction.h"
#include "compiler/Stages/Split/RegionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

using Sizes = SmallVector<OpFoldResult>;

// Elementwise ops and sums of tensors, as linalg.generic with the maps given.
Value emitGeneric(OpBuilder &b, Location loc, ArrayRef<Value> inputs, ArrayRef<AffineMap> maps, Value init,
                  unsigned reduced, function_ref<Value(OpBuilder &, ValueRange)> body) {
  unsigned loops = maps.front().getNumDims();
  SmallVector<utils::IteratorType> kinds(loops - reduced, utils::IteratorType::parallel);
  kinds.append(reduced, utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, TypeRange(init.getType()), inputs, ValueRange{init}, maps, kinds,
             [&](OpBuilder &inner, Location, ValueRange v) { linalg::YieldOp::create(inner, loc, body(inner, v)); })
      .getResult(0);
}

Value toType(OpBuilder &b, Location loc, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  return from < to ? Value(arith::ExtFOp::create(b, loc, type, value)) : arith::TruncFOp::create(b, loc, type, value);
}

class ChainSplitter {
public:
  ChainSplitter(flow::RegionOp region, split::SoftmaxChain &chain, const split::ChainShape &shape, Value count)
      : region(region), chain(chain), shape(shape), count(count), loc(chain.product.getLoc()), builder(region),
        granules(split::countGranules(builder, loc, shape.product.problem)),
        rowType(cast<FloatType>(getElementTypeOrSelf(chain.sum->getResult(0)))),
        resultType(cast<FloatType>(getElementTypeOrSelf(chain.product->getResult(0)))) {}

  void run(const std::string &why) {
    flow::RegionOp parts = emitParts();
    note(parts, "split into parts along its positions: " + why);
    flow::RegionOp merged = emitMerge(parts.getResults());
    note(merged, "merges the parts by their peaks and sums");
    region.replaceAllUsesWith(merged);
    region.erase();
  }

private:
  static void note(flow::RegionOp made, const std::string &text) {
    made->setAttr(kSplitNoteAttr, StringAttr::get(made.getContext(), text));
  }

  const Sizes &sizesOf(Operation *op) const { return shape.sizes.find(op)->second; }

  //===--- Parts --------------------------------------------------------------------------------------------------===//

  Value filled(OpBuilder &b, ArrayRef<OpFoldResult> sizes, Value element) {
    Value empty = tensor::EmptyOp::create(b, loc, sizes, element.getType());
    return linalg::FillOp::create(b, loc, ValueRange{element}, ValueRange{empty}).getResult(0);
  }

  Value constant(OpBuilder &b, const APFloat &value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(rowType, value));
  }

  // At least `bound`.
  Value atLeast(OpBuilder &b, Value rows, const APFloat &bound) {
    Value least = constant(b, bound);
    int64_t rank = cast<RankedTensorType>(rows.getType()).getRank();
    Value empty = tensor::EmptyOp::create(b, loc, sizesOf(chain.sum), rowType);
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
    return emitGeneric(b, loc, {rows}, maps, empty, 0, [&](OpBuilder &inner, ValueRange v) -> Value {
      return arith::MaximumFOp::create(inner, loc, v[0], least);
    });
  }

  APFloat leastPeak() const { return APFloat::getLargest(rowType.getFloatSemantics(), /*Negative=*/true); }
  APFloat leastSum() const { return APFloat::getSmallestNormalized(rowType.getFloatSemantics()); }

  // A part of dimension `dim` of a value: a slice, or what the region computes of such.
  Value slice(OpBuilder &b, Value value, unsigned dim, const flow::Part &cut, IRMapping &mapping) {
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    if (op && op->getParentOp() == region)
      return compute(b, op, dim, cut, mapping);
    Value source = mapping.lookupOrDefault(value);
    Sizes sizes = tensor::getMixedSizes(b, loc, source);
    Sizes offsets(sizes.size(), b.getIndexAttr(0)), strides(sizes.size(), b.getIndexAttr(1));
    offsets[dim] = cut.begin;
    sizes[dim] = cut.size;
    return tensor::ExtractSliceOp::create(b, loc, source, offsets, sizes, strides);
  }

  Value compute(OpBuilder &b, linalg::LinalgOp op, unsigned dim, const flow::Part &cut, IRMapping &mapping) {
    Value &made = computed[op];
    if (made)
      return made;
    Sizes sizes = sizesOf(op);
    sizes[dim] = cut.size;
    Value empty = tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(op->getResult(0)));
    if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
      return linalg::FillOp::create(b, loc, ValueRange{mapping.lookupOrDefault(fill.value())}, ValueRange{empty})
          .getResult(0);
    auto loop = cast<AffineDimExpr>(op.getIndexingMapsArray().back().getResult(dim));
    SmallVector<Value> operands = sliceInputs(b, op, loop, cut, mapping);
    auto init = op.getDpsInits().front().getDefiningOp<linalg::FillOp>();
    operands.push_back(
        init ? linalg::FillOp::create(b, loc, ValueRange{mapping.lookupOrDefault(init.value())}, ValueRange{empty})
                   .getResult(0)
             : empty);
    Operation *cloned = split::cloneOn(b, op, operands, mapping);
    split::shiftPositions(cloned, loop.getPosition(), cut.begin);
    return computed[op] = cloned->getResult(0);
  }

  SmallVector<Value> sliceInputs(OpBuilder &b, linalg::LinalgOp op, AffineDimExpr loop, const flow::Part &cut,
                                 IRMapping &mapping) {
    SmallVector<Value> operands;
    for (OpOperand *input : op.getDpsInputOperands()) {
      ArrayRef<AffineExpr> read = op.getMatchingIndexingMap(input).getResults();
      auto at = llvm::find(read, AffineExpr(loop));
      operands.push_back(at == read.end() ? mapping.lookupOrDefault(input->get())
                                          : slice(b, input->get(), at - read.begin(), cut, mapping));
    }
    return operands;
  }

  // A sum, greatest or product of the part alone: it begins with what is neutral.
  Value reducePart(OpBuilder &b, linalg::LinalgOp op, unsigned loop, const flow::Part &cut, IRMapping &mapping) {
    auto expr = cast<AffineDimExpr>(b.getAffineDimExpr(loop));
    SmallVector<Value> operands = sliceInputs(b, op, expr, cut, mapping);
    TypedAttr neutral = std::get<flow::Combiner>(flow::findCombiner(op)).neutral;
    operands.push_back(filled(b, sizesOf(op), arith::ConstantOp::create(b, loc, neutral)));
    return split::cloneOn(b, op, operands, mapping)->getResult(0);
  }

  unsigned reducedLoop(linalg::LinalgOp op) const {
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    return loops.front();
  }

  // Peaks, sums and the values that the part's own softmax weights.
  SmallVector<Value> emitPart(OpBuilder &b, Value number, IRMapping &mapping) {
    const split::Problem &problem = shape.product.problem;
    flow::Part cut = flow::cutPart(b, loc, number, count, granules, problem.granule, problem.length);
    Value peak = atLeast(b, reducePart(b, chain.peak, reducedLoop(chain.peak), cut, mapping), leastPeak());
    mapping.map(chain.peak->getResult(0), peak);
    Value sum = reducePart(b, chain.sum, reducedLoop(chain.sum), cut, mapping);
    mapping.map(chain.total->get(), atLeast(b, sum, leastSum()));
    Value result = reducePart(b, chain.product, reducedLoop(chain.product), cut, mapping);
    return {peak, sum, result};
  }

  flow::RegionOp emitParts() {
    SmallVector<split::RegionResult> results;
    for (linalg::LinalgOp op : {chain.peak, chain.sum, chain.product}) {
      Sizes sizes = sizesOf(op);
      sizes.insert(sizes.begin(), getAsOpFoldResult(count));
      results.push_back({getElementTypeOrSelf(op->getResult(0)), sizes});
    }
    flow::RegionOp parts = split::emitRegion(builder, region, results);
    OpBuilder b = OpBuilder::atBlockBegin(&parts.getBody().front());
    IRMapping mapping;
    split::cloneBefore(b, chain.product, mapping);
    SmallVector<Value> empties;
    for (const split::RegionResult &result : results)
      empties.push_back(tensor::EmptyOp::create(b, loc, result.sizes, result.element));
    auto loop = scf::ForallOp::create(b, loc, getAsOpFoldResult(ValueRange{count}), empties, std::nullopt);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop.getTerminator());
      SmallVector<Value> values = emitPart(b, loop.getInductionVar(0), mapping);
      b.setInsertionPointToStart(loop.getTerminator().getBody());
      for (auto [value, result, out] : llvm::zip_equal(values, results, loop.getRegionIterArgs())) {
        Sizes offsets(result.sizes.size(), b.getIndexAttr(0)), strides(result.sizes.size(), b.getIndexAttr(1));
        Sizes extent(result.sizes);
        offsets[0] = loop.getInductionVar(0);
        extent[0] = b.getIndexAttr(1);
        tensor::ParallelInsertSliceOp::create(b, loc, value, out, offsets, extent, strides);
      }
    }
    flow::ReturnOp::create(b, loc, loop.getResults());
    split::eraseDead(parts);
    return parts;
  }

  //===--- Merge --------------------------------------------------------------------------------------------------===//

  // sum sums[p] * exp(peaks[p] - peak), from what the whole begins with.
  Value mergeSums(OpBuilder &b, Value peaks, Value sums, Value peak, Value init) {
    int64_t rank = cast<RankedTensorType>(peak.getType()).getRank();
    MLIRContext *context = b.getContext();
    AffineMap rows = AffineMap::getMultiDimIdentityMap(rank + 1, context).dropResult(rank);
    SmallVector<AffineExpr> all{b.getAffineDimExpr(rank)};
    llvm::append_range(all, rows.getResults());
    AffineMap parts = AffineMap::get(rank + 1, 0, all, context);
    return emitGeneric(b, loc, {peaks, sums, peak}, {parts, parts, rows, rows}, init, 1,
                       [&](OpBuilder &inner, ValueRange v) -> Value {
                         Value scale = scaleOf(inner, v[0], v[2]);
                         Value term = arith::MulFOp::create(inner, loc, v[1], scale);
                         return arith::AddFOp::create(inner, loc, v[3], term);
                       });
  }

  Value scaleOf(OpBuilder &b, Value own, Value peak) {
    return math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, own, peak));
  }

  // Which dimension of the product's result each of a row's statistics is.
  SmallVector<AffineExpr> rowsOfResult() {
    linalg::LinalgOp op = chain.product;
    OpOperand *weights = op.getDpsInputOperand(1 - chain.getValues()->getOperandNumber());
    AffineMap rows = chain.rows.compose(op.getMatchingIndexingMap(weights));
    AffineMap write = op.getIndexingMapsArray().back();
    return llvm::map_to_vector(rows.getResults(), [&](AffineExpr expr) -> AffineExpr {
      return getAffineDimExpr(*write.getResultPosition(expr), expr.getContext());
    });
  }

  // (sum results[p] * max(sums[p], least) * exp(peaks[p] - peak)) / total.
  Value mergeResults(OpBuilder &b, ValueRange parts, Value peak, Value total) {
    const Sizes &sizes = sizesOf(chain.product);
    int64_t rank = sizes.size();
    MLIRContext *context = b.getContext();
    Type wide = rowType.getWidth() >= resultType.getWidth() ? rowType : resultType;
    AffineMap result = AffineMap::getMultiDimIdentityMap(rank + 1, context).dropResult(rank);
    SmallVector<AffineExpr> rowDims = rowsOfResult(), part{b.getAffineDimExpr(rank)}, rowPart = part;
    llvm::append_range(part, result.getResults());
    llvm::append_range(rowPart, rowDims);
    auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(rank + 1, 0, exprs, context); };
    Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(wide, 0));
    Value summed = emitGeneric(b, loc, {parts[0], parts[1], parts[2], peak},
                               {map(rowPart), map(rowPart), map(part), map(rowDims), result}, filled(b, sizes, zero), 1,
                               [&](OpBuilder &inner, ValueRange v) -> Value {
                                 Value sum = arith::MaximumFOp::create(inner, loc, v[1], constant(inner, leastSum()));
                                 Value scale = arith::MulFOp::create(inner, loc, sum, scaleOf(inner, v[0], v[3]));
                                 Value term = arith::MulFOp::create(inner, loc, toType(inner, loc, v[2], wide),
                                                                    toType(inner, loc, scale, wide));
                                 return arith::AddFOp::create(inner, loc, v[4], term);
                               });
    AffineMap whole = b.getMultiDimIdentityMap(rank);
    Value empty = tensor::EmptyOp::create(b, loc, sizes, resultType);
    return emitGeneric(b, loc, {summed, total}, {whole, AffineMap::get(rank, 0, rowDims, context), whole}, empty, 0,
                       [&](OpBuilder &inner, ValueRange v) -> Value {
                         Value row = toType(inner, loc, v[1], wide);
                         return toType(inner, loc, arith::DivFOp::create(inner, loc, v[0], row), resultType);
                       });
  }

  // The region with what the parts give in the product's place.
  flow::RegionOp emitMerge(ValueRange parts) {
    auto merged = cast<flow::RegionOp>(builder.clone(*region));
    llvm::DenseMap<Operation *, Operation *> copies;
    for (auto [from, to] : llvm::zip(region.getBody().front(), merged.getBody().front()))
      copies[&from] = &to;
    auto initOf = [&](linalg::LinalgOp op) { return cast<linalg::LinalgOp>(copies[op]).getDpsInits().front(); };
    OpBuilder b(copies[chain.peak]);
    Operation *combiner = std::get<flow::Combiner>(flow::findCombiner(chain.peak)).op;
    Value peak = flow::mergeParts(b, loc, combiner, parts[0], initOf(chain.peak));
    copies[chain.peak]->getResult(0).replaceAllUsesWith(peak);
    b.setInsertionPoint(copies[chain.sum]);
    Value sum = mergeSums(b, parts[0], parts[1], peak, initOf(chain.sum));
    copies[chain.sum]->getResult(0).replaceAllUsesWith(sum);
    Operation *old = copies[chain.product];
    b.setInsertionPoint(old);
    Value total = cast<linalg::LinalgOp>(copies[chain.weights])->getOperand(chain.total->getOperandNumber());
    old->getResult(0).replaceAllUsesWith(mergeResults(b, parts, peak, total));
    old->erase();
    split::eraseDead(merged);
    return merged;
  }

  flow::RegionOp region;
  split::SoftmaxChain &chain;
  const split::ChainShape &shape;
  Value count;
  Location loc;
  OpBuilder builder;
  Value granules;
  FloatType rowType, resultType;
  llvm::DenseMap<Operation *, Value> computed; // of the part that is emitted
};

} // namespace

std::optional<split::ChainShape> split::readChainShape(OpBuilder &before, flow::RegionOp region, SoftmaxChain &chain) {
  std::optional<Shape> product = readShape(before, region, std::get<Reduction>(findReduction(chain.product)));
  if (!product)
    return std::nullopt;
  ChainShape shape;
  shape.product = *product;
  for (auto op : region.getBody().front().getOps<linalg::LinalgOp>()) {
    if (op->getNumResults() != 1)
      continue;
    std::optional<Sizes> sizes = readResultSizes(before, region, op);
    if (!sizes)
      return std::nullopt;
    shape.sizes[op] = *sizes;
  }
  return shape;
}

void split::splitChain(flow::RegionOp region, SoftmaxChain &chain, const ChainShape &shape, Value count,
                       const std::string &why) {
  ChainSplitter(region, chain, shape, count).run(why);
}
