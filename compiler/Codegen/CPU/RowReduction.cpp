// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reduction of one row with vectors along what is reduced.
#include "compiler/Codegen/CPU/RowReduction.h"

#include "compiler/Codegen/Emit/VectorLoops.h"
#include "compiler/Codegen/Plan/Combiner.h"
#include "compiler/Codegen/Plan/RowJoins.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

class RowReduction {
public:
  RowReduction(ElementEmitter &emitter, linalg::GenericOp op, ArrayRef<LaneValue> index, int64_t width, bool masks,
               ArrayRef<Combiner> combiners)
      : emitter(emitter), lanes(emitter.lanes), op(op), width(width), masks(masks), combiners(combiners),
        dims(emitter.loopIndices(op, 0, index)), sizes(emitter.scalars.loopSizes(op)) {
    op.getReductionDims(outer);
    laneLoop = chooseLaneLoop();
    llvm::erase(outer, laneLoop);
    joinLoops();
  }

  SmallVector<LaneValue> run(bool oneVector) {
    OpBuilder &builder = lanes.builder;
    Location loc = lanes.loc;
    SmallVector<Value> totals = initialValues();
    SmallVector<Value> partial;
    for (const Combiner &combiner : combiners) {
      auto type = VectorType::get({width}, combiner.neutral.getType());
      partial.push_back(arith::ConstantOp::create(
          builder, loc, DenseElementsAttr::get(type, static_cast<Attribute>(combiner.neutral))));
    }
    Value zero = lanes.index(0), size = sizes[laneLoop];
    std::optional<int64_t> known = getConstant(size);
    bool whole = known && *known % width == 0;
    Value full = size;
    if (oneVector)
      full = zero;
    else if (!whole)
      full = builder.createOrFold<arith::SubIOp>(loc, size,
                                                 builder.createOrFold<arith::RemUIOp>(loc, size, lanes.index(width)));
    if (!oneVector) {
      zero = accumulateChains(full, partial);
      partial = accumulate(zero, full, width, false, partial);
    }
    if (oneVector)
      partial = accumulateOnce(zero, size, width, true, partial);
    else if (!whole && masks)
      partial = accumulate(full, size, width, true, partial);
    for (auto [total, combiner, vector] : llvm::zip(totals, combiners, partial)) {
      Value across = vector::ReductionOp::create(builder, loc, combiner.kind, vector);
      total = vector::makeArithReduction(builder, loc, combiner.kind, total, across);
    }
    if (!whole && !masks)
      totals = accumulate(full, size, 1, false, totals);
    return llvm::map_to_vector(totals, [](Value total) { return LaneValue::uniform(total); });
  }

private:
  // Loops before that of the lanes are one with it where every operand walks them alike: their index is 0, that of the
  // lanes runs over all their steps.
  void joinLoops() {
    auto isMemory = [&](Value value) { return !value.getDefiningOp() || emitter.isBound(value); };
    std::optional<Walks> walks;
    for (unsigned first = laneLoop; !outer.empty() && outer.back() + 1 == first; --first) {
      if (!walks)
        walks = collectWalks(op, isMemory);
      if (!walks || !areOne(*walks, first - 1))
        return;
      sizes[laneLoop] = emitter.scalars.mul(sizes[laneLoop], sizes[first - 1]);
      outer.pop_back();
    }
  }

  // The innermost reduction loop that some input has neighbours along.
  unsigned chooseLaneLoop() {
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (map.getNumResults() > 0)
        if (auto last = dyn_cast<AffineDimExpr>(map.getResults().back()))
          if (llvm::is_contained(outer, last.getPosition()))
            return last.getPosition();
    }
    return outer.back();
  }

  SmallVector<Value> initialValues() {
    SmallVector<Value> values;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      SmallVector<LaneValue> at;
      for (AffineExpr expr : op.getMatchingIndexingMap(&init).getResults())
        at.push_back(lanes.apply(expr, dims));
      values.push_back(emitter.evaluate(init.get(), at).base);
    }
    return values;
  }

  // Several sums (maxima, …) side by side, since each step of one waits for the step before; then their combination.
  // Returns where the rest begins.
  Value accumulateChains(Value full, SmallVector<Value> &partial) {
    constexpr int64_t kChains = 4;
    OpBuilder &builder = lanes.builder;
    std::optional<int64_t> known = getConstant(full);
    if (!outer.empty() || (known && *known < 2 * kChains * width))
      return lanes.index(0);
    int64_t step = kChains * width;
    Value rest = builder.createOrFold<arith::RemUIOp>(lanes.loc, full, lanes.index(step));
    Value end = builder.createOrFold<arith::SubIOp>(lanes.loc, full, rest);
    SmallVector<Value> chains;
    for (int64_t chain = 0; chain < kChains; ++chain)
      chains.append(partial.begin(), partial.end());
    chains = emitter.loop(lanes.index(0), end, step, chains, [&](Value i, ValueRange carried) {
      SmallVector<Value> next;
      for (int64_t chain = 0; chain < kChains; ++chain) {
        Value at = builder.createOrFold<arith::AddIOp>(lanes.loc, i, lanes.index(chain * width));
        llvm::append_range(
            next, accumulateOnce(at, end, width, false, carried.slice(chain * combiners.size(), combiners.size())));
      }
      return next;
    });
    for (auto [i, combiner] : llvm::enumerate(combiners)) {
      partial[i] = chains[i];
      for (int64_t chain = 1; chain < kChains; ++chain)
        partial[i] = vector::makeArithReduction(builder, lanes.loc, combiner.kind, partial[i],
                                                chains[chain * combiners.size() + i]);
    }
    return end;
  }

  SmallVector<Value> accumulate(Value begin, Value end, int64_t step, bool masked, ValueRange initial) {
    SmallVector<Value> extent = llvm::map_to_vector(outer, [&](unsigned dim) { return sizes[dim]; });
    return emitter.loops(extent, initial, [&](ArrayRef<Value> at, ValueRange carried) {
      for (auto [dim, i] : llvm::zip(outer, at))
        dims[dim] = LaneValue::uniform(i);
      return emitter.loop(begin, end, step, carried,
                          [&](Value i, ValueRange values) { return accumulateOnce(i, end, step, masked, values); });
    });
  }

  SmallVector<Value> accumulateOnce(Value i, Value end, int64_t step, bool masked, ValueRange values) {
    OpBuilder &builder = lanes.builder;
    lanes.width = step;
    lanes.mask = masked ? maskBelow(emitter, builder.createOrFold<arith::SubIOp>(lanes.loc, end, i), step) : Value();
    dims[laneLoop] = LaneValue::affine(i, step == 1 ? 0 : 1);
    DenseMap<Value, LaneValue> arguments;
    for (auto [argument, value] : llvm::zip(op.getRegionOutputArgs(), values))
      arguments[argument] = step == 1 ? LaneValue::uniform(value) : LaneValue::any(value);
    SmallVector<Value> next;
    for (auto [value, previous] : llvm::zip(emitter.evaluateBody(op, dims, arguments), values)) {
      Value combined = step == 1 ? value.base : lanes.toVector(value);
      if (masked)
        combined = arith::SelectOp::create(builder, lanes.loc, lanes.mask, combined, previous);
      next.push_back(combined);
    }
    lanes.width = 1;
    lanes.mask = {};
    return next;
  }

  ElementEmitter &emitter;
  LaneBuilder &lanes;
  linalg::GenericOp op;
  int64_t width;
  bool masks;
  ArrayRef<Combiner> combiners;
  SmallVector<LaneValue> dims;
  SmallVector<Value> sizes;
  SmallVector<unsigned> outer;
  unsigned laneLoop;
};

} // namespace

SmallVector<LaneValue> mlir::heddle::codegen::emitRowReduction(ElementEmitter &emitter, linalg::GenericOp op,
                                                               ArrayRef<LaneValue> index, int64_t width, bool masks,
                                                               bool oneVector) {
  auto combiners = getCombiners(op);
  if (!combiners || width == 1)
    return emitter.evaluateReduction(op, index);
  return RowReduction(emitter, op, index, width, masks, *combiners).run(oneVector);
}
