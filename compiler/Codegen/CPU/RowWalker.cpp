// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/RowWalker.h"

#include "compiler/Codegen/Emit/VectorLoops.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

Value RowSpace::workgroups(FunctionScalars &scalars) const {
  Value rounded = scalars.sub(scalars.add(total, perWorkgroup), scalars.constant(1));
  return scalars.divide(rounded, perWorkgroup);
}

void RowSpace::setWork(Value rowWork, FunctionScalars &scalars) {
  work = rowWork;
  Value one = scalars.constant(1);
  perWorkgroup = scalars.max(scalars.divide(scalars.constant(kElementsPerWorkgroup), scalars.max(work, one)), one);
}

Value mlir::heddle::codegen::mostSteps(Value work, ArrayRef<RowStep> steps, FunctionScalars &scalars) {
  for (const RowStep &step : steps)
    if (step.isReduction) {
      SmallVector<Value> loops = scalars.loopSizes(step.op);
      SmallVector<unsigned> reductions;
      linalg::GenericOp(step.op).getReductionDims(reductions);
      Value count = scalars.constant(1);
      for (unsigned dim : reductions)
        count = scalars.mul(count, loops[dim]);
      work = scalars.max(work, count);
    }
  return work;
}

RowWalker::RowWalker(const PlanCommon &nest, ArrayRef<unsigned> rowDims, ElementEmitter &emitter, const Buffer &output,
                     RowSpace space)
    : value(nest.value), rowDims(rowDims), emitter(emitter), output(output), lanes(emitter.lanes),
      space(std::move(space)), sizes(emitter.scalars.sizes(nest.value)) {}

std::pair<Value, Value> RowWalker::rangeOf(Value workgroup) {
  OpBuilder &builder = lanes.builder;
  Value begin = builder.createOrFold<arith::MulIOp>(lanes.loc, workgroup, space.perWorkgroup);
  Value after = builder.createOrFold<arith::AddIOp>(lanes.loc, begin, space.perWorkgroup);
  return {begin, builder.createOrFold<arith::MinSIOp>(lanes.loc, after, space.total)};
}

bool RowWalker::dividesBySizes() const {
  return space.sizes.size() > 1 &&
         llvm::any_of(ArrayRef(space.sizes).drop_front(), [](Value size) { return !getConstant(size); });
}

void RowWalker::forEachIndex(Value begin, Value end, ArrayRef<Value> grid, function_ref<void(ArrayRef<Value>)> body) {
  OpBuilder &builder = lanes.builder;
  FunctionScalars &scalars = emitter.scalars;
  auto divisors = llvm::map_to_vector(grid, [&](Value size) { return scalars.max(size, scalars.constant(1)); });
  Value inner = divisors.pop_back_val();
  Value first = builder.createOrFold<arith::DivUIOp>(lanes.loc, begin, inner);
  Value after = builder.createOrFold<arith::AddIOp>(lanes.loc, end, scalars.sub(inner, scalars.constant(1)));
  Value last = builder.createOrFold<arith::DivUIOp>(lanes.loc, after, inner);
  emitter.loop(first, last, 1, {}, [&](Value outer, ValueRange) -> SmallVector<Value> {
    SmallVector<Value> at = delinearize(emitter, outer, divisors);
    Value base = builder.createOrFold<arith::MulIOp>(lanes.loc, outer, inner);
    auto inRun = [&](Value row) { return builder.createOrFold<arith::SubIOp>(lanes.loc, row, base); };
    Value from = builder.createOrFold<arith::MaxSIOp>(lanes.loc, inRun(begin), lanes.index(0));
    Value to = builder.createOrFold<arith::MinSIOp>(lanes.loc, inRun(end), inner);
    emitter.loop(from, to, 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> whole(at);
      whole.push_back(i);
      body(whole);
      return {};
    });
    return {};
  });
}

SmallVector<LaneValue> RowWalker::indexOf(Value row) { return indexAt(delinearize(emitter, row, space.sizes)); }

SmallVector<LaneValue> RowWalker::indexAt(ArrayRef<Value> at) {
  SmallVector<LaneValue> index(sizes.size(), lanes.constant(0));
  for (auto [dim, i] : llvm::zip_equal(rowDims, at))
    index[dim] = LaneValue::uniform(i);
  return index;
}

void RowWalker::forEachRow(Value begin, Value end, function_ref<void(SmallVector<LaneValue> &index)> body) {
  if (dividesBySizes())
    return forEachIndex(begin, end, space.sizes, [&](ArrayRef<Value> at) {
      SmallVector<LaneValue> index = indexAt(at);
      body(index);
    });
  emitter.loop(begin, end, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
    SmallVector<LaneValue> index = indexOf(row);
    body(index);
    return {};
  });
}

void RowWalker::walk(SmallVector<LaneValue> &index, ArrayRef<unsigned> dims, ArrayRef<Value> extent,
                     function_ref<void()> body) {
  emitter.loops(extent, {}, [&](ArrayRef<Value> at, ValueRange) -> SmallVector<Value> {
    for (auto [dim, i] : llvm::zip(dims, at))
      index[dim] = LaneValue::uniform(i);
    body();
    return {};
  });
}

void RowWalker::walkInner(SmallVector<LaneValue> &index, ArrayRef<unsigned> dims, function_ref<void()> body) {
  SmallVector<Value> extent = llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; });
  walk(index, dims, extent, body);
}

void RowWalker::store(ArrayRef<LaneValue> index) { emitter.store(output, index, emitter.evaluate(value, index)); }
