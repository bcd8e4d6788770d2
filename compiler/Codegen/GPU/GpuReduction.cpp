// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reduction computed by all invocations of a workgroup.
#include "compiler/Codegen/GPU/GpuReduction.h"

#include "compiler/Codegen/GPU/GpuNest.h"
#include "compiler/Codegen/IR/KernelOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

class SharedReduction {
public:
  SharedReduction(ElementEmitter &emitter, linalg::GenericOp op, ArrayRef<LaneValue> index,
                  const gpu::GpuFeatures &features, Value invocation, ArrayRef<Combiner> combiners)
      : emitter(emitter), builder(emitter.lanes.builder), loc(emitter.lanes.loc), op(op), features(features),
        invocation(invocation), combiners(combiners), dims(emitter.loopIndices(op, 0, index)) {
    op.getReductionDims(reductions);
    for (unsigned dim : reductions)
      dims[dim] = emitter.lanes.constant(0);
  }

  SmallVector<LaneValue> run() {
    SmallVector<Value> totals = initialValues();
    SmallVector<Value> partial = computeParts();
    SmallVector<LaneValue> results;
    for (auto [total, part, combiner] : llvm::zip(totals, partial, combiners)) {
      Value across = combineAcross(part, combiner.kind);
      results.push_back(LaneValue::uniform(vector::makeArithReduction(builder, loc, combiner.kind, total, across)));
    }
    return results;
  }

private:
  SmallVector<Value> initialValues() {
    SmallVector<Value> values;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      SmallVector<LaneValue> at;
      for (AffineExpr expr : op.getMatchingIndexingMap(&init).getResults())
        at.push_back(emitter.lanes.apply(expr, dims));
      values.push_back(emitter.evaluate(init.get(), at).base);
    }
    return values;
  }

  // Neighbouring invocations take neighbouring elements of what is reduced.
  SmallVector<Value> computeParts() {
    SmallVector<Value> bounds = emitter.scalars.loopSizes(op), sizes, neutral;
    for (unsigned dim : reductions)
      sizes.push_back(bounds[dim]);
    for (const Combiner &combiner : combiners)
      neutral.push_back(arith::ConstantOp::create(builder, loc, combiner.neutral));
    Value total = emitter.scalars.product(sizes);
    return emitter.loop(invocation, total, features.invocations, neutral, [&](Value i, ValueRange carried) {
      LaneValue rest = LaneValue::uniform(i);
      for (size_t d = reductions.size(); d-- > 0;) {
        LaneValue size = LaneValue::uniform(sizes[d]);
        dims[reductions[d]] = d == 0 ? rest : emitter.lanes.mod(rest, size);
        rest = d == 0 ? rest : emitter.lanes.floorDiv(rest, size);
      }
      DenseMap<Value, LaneValue> arguments;
      for (auto [argument, value] : llvm::zip(op.getRegionOutputArgs(), carried))
        arguments[argument] = LaneValue::uniform(value);
      return llvm::map_to_vector(emitter.evaluateBody(op, dims, arguments), [](LaneValue v) { return v.base; });
    });
  }

  Value combineAcross(Value part, vector::CombiningKind kind) {
    auto type = MemRefType::get({features.invocations}, part.getType());
    Value shared = kernel::SharedOp::create(builder, loc, type);
    memref::StoreOp::create(builder, loc, part, shared, invocation);
    kernel::BarrierOp::create(builder, loc);
    for (int64_t half = features.invocations / 2; half > 0; half /= 2) {
      Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, invocation, index(half));
      emitter.when(below, [&] {
        Value other = arith::AddIOp::create(builder, loc, invocation, index(half));
        Value mine = memref::LoadOp::create(builder, loc, shared, invocation);
        Value its = memref::LoadOp::create(builder, loc, shared, other);
        memref::StoreOp::create(builder, loc, vector::makeArithReduction(builder, loc, kind, mine, its), shared,
                                invocation);
      });
      kernel::BarrierOp::create(builder, loc);
    }
    return memref::LoadOp::create(builder, loc, shared, index(0));
  }

  Value index(int64_t value) { return emitter.lanes.index(value); }

  ElementEmitter &emitter;
  OpBuilder &builder;
  Location loc;
  linalg::GenericOp op;
  const gpu::GpuFeatures &features;
  Value invocation;
  ArrayRef<Combiner> combiners;
  SmallVector<LaneValue> dims;
  SmallVector<unsigned> reductions;
};

} // namespace

SmallVector<LaneValue> mlir::heddle::codegen::emitSharedReduction(ElementEmitter &emitter, linalg::GenericOp op,
                                                                  ArrayRef<LaneValue> index,
                                                                  const gpu::GpuFeatures &features, Value invocation) {
  std::optional<SmallVector<Combiner>> combiners = getSharedCombiners(op);
  if (!combiners)
    return emitter.evaluateReduction(op, index);
  return SharedReduction(emitter, op, index, features, invocation, *combiners).run();
}
