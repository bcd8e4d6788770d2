// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workgroup for each row: its reductions, what it reads several times, then its elements.
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/GPU/GpuInvocation.h"
#include "compiler/Codegen/GPU/GpuReduction.h"
#include "compiler/Codegen/IR/KernelOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

SmallVector<Value> pick(ArrayRef<Value> sizes, ArrayRef<unsigned> dims) {
  return llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; });
}

// Whether a plan with `longReductions` has a workgroup for each element.
Value choosesRows(const GpuValue &of, const GpuRows &nest, FunctionScalars &scalars) {
  OpBuilder &builder = scalars.getBuilder();
  Location loc = of.value.getLoc();
  Value length = scalars.constant(0);
  for (linalg::GenericOp op : nest.longReductions) {
    SmallVector<Value> sizes = scalars.loopSizes(op), reduced;
    for (auto [size, kind] : llvm::zip(sizes, op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction)
        reduced.push_back(size);
    length = scalars.max(length, scalars.product(reduced));
  }
  auto less = [&](Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a, b);
  };
  Value isLong = less(scalars.constant(kLongReduction - 1), length),
        isEndless = less(scalars.constant(kEndlessReduction - 1), length);
  Value isFew = less(scalars.product(scalars.sizes(of.value)), scalars.constant(kFewResults + 1));
  Value pays = builder.createOrFold<arith::AndIOp>(loc, isLong, isFew);
  return builder.createOrFold<arith::OrIOp>(loc, pays, isEndless);
}

class GpuRowEmitter : GpuInvocation {
public:
  GpuRowEmitter(const GpuValue &of, const GpuRows &nest, ElementEmitter &emitter, const GpuPlace &at)
      : GpuInvocation(of, emitter, at), nest(nest) {}

  void run() {
    setIndex(nest.rowDims, at.workgroup);
    // Rows of free size are kept where they turn out to fit, else computed again.
    Value fits;
    for (const GpuStep &step : nest.steps)
      if (Value size = step.walked ? freeSize(step) : Value()) {
        Value one = less(size, lanes.index(capacity(step) + 1));
        fits = fits ? lanes.builder.createOrFold<arith::AndIOp>(lanes.loc, fits, one) : one;
      }
    if (!fits)
      return emitSteps(true);
    emitter.either(fits, [&] { emitSteps(true); }, [&] { emitSteps(false); });
  }

private:
  void emitSteps(bool keepFree) {
    int64_t used = 0;
    for (const GpuStep &step : nest.steps) {
      if (!step.walked) {
        emitReduction(step);
        continue;
      }
      bool isFree = freeSize(step) != nullptr;
      int64_t elements = isFree ? capacity(step) : staticSize(step);
      int64_t bytes = elements * rowBytes(step);
      if ((isFree && !keepFree) || (!isFree && used + bytes > rowBudget()))
        continue;
      used += isFree ? 0 : bytes;
      emitSharedRow(step, elements);
    }
    emitInner();
    for (const GpuStep &step : nest.steps)
      for (Value result : step.op->getResults())
        emitter.unbind(result);
  }

  void emitReduction(const GpuStep &step) {
    SmallVector<LaneValue> values = emitSharedReduction(emitter, step.op, positionOf(step), features, at.invocation);
    for (auto [result, value] : llvm::zip(step.op->getResults(), values))
      emitter.bind(result, value);
  }

  // The invocations compute a row together and wait for each other.
  void emitSharedRow(const GpuStep &step, int64_t elements) {
    SmallVector<LaneValue> where = positionOf(step);
    SmallVector<Buffer> buffers;
    for (Value result : step.op->getResults()) {
      Type element = cast<RankedTensorType>(result.getType()).getElementType();
      auto type = MemRefType::get({elements}, emitter.memoryType(element));
      Value memory = kernel::SharedOp::create(lanes.builder, lanes.loc, type);
      buffers.push_back({memory, element, {*step.walked}, {lanes.index(1)}, {Value()}});
    }
    Value size = emitter.scalars.size(step.op->getResult(0), *step.walked);
    emitter.loop(at.invocation, size, features.invocations, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      where[*step.walked] = LaneValue::uniform(i);
      for (auto [result, buffer] : llvm::zip(step.op->getResults(), buffers))
        emitter.store(buffer, where, emitter.evaluate(result, where));
      return {};
    });
    kernel::BarrierOp::create(lanes.builder, lanes.loc);
    for (auto [result, buffer] : llvm::zip(step.op->getResults(), buffers))
      emitter.bind(result, buffer);
  }

  void emitInner() {
    Value total = emitter.scalars.product(pick(sizes, nest.innerDims));
    emitter.loop(at.invocation, total, features.invocations, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      setIndex(nest.innerDims, i);
      store();
      return {};
    });
  }

  SmallVector<LaneValue> positionOf(const GpuStep &step) {
    return llvm::map_to_vector(step.position, [&](int64_t dim) { return dim < 0 ? lanes.constant(0) : index[dim]; });
  }

  int64_t staticSize(const GpuStep &step) const {
    return cast<RankedTensorType>(step.op->getResult(0).getType()).getDimSize(*step.walked);
  }
  // Null where it is known now.
  Value freeSize(const GpuStep &step) {
    return ShapedType::isDynamic(staticSize(step)) ? emitter.scalars.size(step.op->getResult(0), *step.walked)
                                                   : Value();
  }
  // Bytes of one element of all of the op's results.
  int64_t rowBytes(const GpuStep &step) const {
    int64_t bytes = 0;
    for (Type type : step.op->getResultTypes())
      bytes += storageBytes(cast<RankedTensorType>(type).getElementType());
    return bytes;
  }
  // Half of shared memory is for rows of free size where there are some, an eighth for reductions.
  int64_t rowBudget() const {
    bool anyFree = llvm::any_of(
        nest.steps, [&](const GpuStep &step) { return step.walked && ShapedType::isDynamic(staticSize(step)); });
    return anyFree ? features.sharedBytes / 4 : features.sharedBytes * 3 / 4;
  }
  int64_t capacity(const GpuStep &step) const {
    int64_t bytes = 0;
    for (const GpuStep &other : nest.steps)
      if (other.walked && ShapedType::isDynamic(staticSize(other)))
        bytes += rowBytes(other);
    return features.sharedBytes / 2 / bytes;
  }

  const GpuRows &nest;
};

class GpuRowsNest : public GpuStrategy {
public:
  GpuRowsNest(const GpuValue &of, const GpuRows &nest) : of(of), nest(nest) {}

  Value workgroups(FunctionScalars &scalars) const override {
    SmallVector<Value> sizes = scalars.sizes(of.value);
    // Nothing to do where the rows have no elements.
    Value rows = scalars.product(pick(sizes, nest.rowDims)), inner = scalars.product(pick(sizes, nest.innerDims));
    Value asRows = scalars.mul(rows, scalars.min(inner, scalars.constant(1)));
    if (nest.longReductions.empty())
      return asRows;
    Value asElements = scalars.ceilDiv(rows, of.features.invocations);
    return scalars.getBuilder().createOrFold<arith::SelectOp>(of.value.getLoc(), choosesRows(of, nest, scalars), asRows,
                                                              asElements);
  }
  void emit(ElementEmitter &emitter, const GpuPlace &at) const override {
    auto byRow = [&] { GpuRowEmitter(of, nest, emitter, at).run(); };
    if (nest.longReductions.empty())
      return byRow();
    emitter.either(choosesRows(of, nest, emitter.scalars), byRow, [&] {
      GpuInvocation invocation(of, emitter, at);
      invocation.forElement([&] { invocation.store(); });
    });
  }
  std::string describe() const override {
    return "rows by workgroups of " + std::to_string(of.features.invocations) + ", " +
           std::to_string(nest.steps.size()) + " steps" +
           (nest.longReductions.empty() ? "" : ", or elements where sizes say so");
  }

private:
  GpuValue of;
  const GpuRows &nest;
};

} // namespace

std::unique_ptr<GpuStrategy> mlir::heddle::codegen::makeStrategy(const GpuValue &of, const GpuRows &plan) {
  return std::make_unique<GpuRowsNest>(of, plan);
}
