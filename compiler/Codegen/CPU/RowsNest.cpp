// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of rows: for each row its reductions, with vectors along what is reduced; what several of its loops read, to
// scratch; then the row's elements.
#include "compiler/Codegen/CPU/RowsNest.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/CPU/RowReduction.h"
#include "compiler/Codegen/CPU/RowWalker.h"
#include "compiler/Codegen/CPU/Strategy.h"
#include "compiler/Codegen/CPU/Streaming.h"
#include "compiler/Codegen/Emit/VectorLoops.h"
#include "compiler/Codegen/IR/KernelOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

//===--- How many ------------------------------------------------------------------------------------------------===//

namespace {

RowSpace getSpace(const RowsPlan &nest, FunctionScalars &scalars) {
  SmallVector<Value> sizes = scalars.sizes(nest.value);
  RowSpace space;
  if (nest.laneDim)
    space.lanes = sizes[*nest.laneDim];
  Value work = scalars.constant(1);
  for (unsigned dim : nest.innerDims)
    work = scalars.mul(work, sizes[dim]);
  work = mostSteps(work, nest.steps, scalars);
  for (unsigned dim : nest.rowDims)
    space.sizes.push_back(sizes[dim]);
  space.total = scalars.product(space.sizes);
  space.setWork(work, scalars);
  return space;
}

// Rows computed side by side, step by step: while one waits for what goes across a vector, or for a quotient, there is
// the other. Where the result lies over an operand a row must not come twice, as the last one may here.
int64_t countTogether(const RowsPlan &nest, const RowSpace &space) {
  std::optional<int64_t> work = nest.oneVector ? nest.width : getConstant(space.work);
  if (nest.overwrites || !work || getConstant(space.total) == 1)
    return 1;
  return *work <= nest.mostSideBySide() ? 2 : 1;
}

// The part of a row buffer the step fills: sizes of the dimensions the row does not determine.
SmallVector<Value> bufferSizes(const RowStep &step, FunctionScalars &scalars) {
  SmallVector<Value> sizes;
  for (auto [dim, position] : llvm::enumerate(step.position))
    if (position < 0)
      sizes.push_back(scalars.size(step.op->getResult(0), dim));
  return sizes;
}

Value bufferBytes(const RowStep &step, Value result, FunctionScalars &scalars) {
  int64_t element = storageBytes(cast<RankedTensorType>(result.getType()).getElementType());
  Value bytes = scalars.mul(scalars.product(bufferSizes(step, scalars)), scalars.constant(element));
  return scalars.mul(scalars.ceilDiv(bytes, 64), scalars.constant(64));
}

} // namespace

//===--- Emission ------------------------------------------------------------------------------------------------===//

namespace {

class RowsEmitter : RowWalker {
public:
  RowsEmitter(const RowsPlan &nest, ElementEmitter &emitter, const Buffer &output, Value scratch)
      : RowWalker(nest, nest.rowDims, emitter, output, getSpace(nest, emitter.scalars)), nest(nest), scratch(scratch) {}

  void run(Value workgroup) {
    OpBuilder &builder = lanes.builder;
    auto [begin, end] = rangeOf(workgroup);
    int64_t together = countTogether(nest, space);
    if (together == 1)
      return forEachRow(begin, end, [&](SmallVector<LaneValue> &index) { emitRows(index); });
    emitter.loop(begin, end, together, {}, [&, end = end](Value first, ValueRange) -> SmallVector<Value> {
      std::vector<SmallVector<LaneValue>> rows{indexOf(first)};
      for (int64_t i = 1; i < together; ++i) {
        Value row = builder.createOrFold<arith::AddIOp>(lanes.loc, first, lanes.index(i));
        Value last = builder.createOrFold<arith::SubIOp>(lanes.loc, end, lanes.index(1));
        rows.push_back(indexOf(builder.createOrFold<arith::MinSIOp>(lanes.loc, row, last))); // the last one twice
      }
      emitRows(rows);
      return {};
    });
  }

  void emitRows(MutableArrayRef<SmallVector<LaneValue>> rows) {
    std::vector<SmallVector<Made>> made(rows.size());
    Value offset = scratch;
    for (const RowStep &step : nest.steps)
      for (auto [index, known] : llvm::zip_equal(rows, made)) {
        bind(known);
        step.isReduction ? emitReduction(step, index, known) : emitBuffer(step, index, offset, known);
      }
    for (auto [index, known] : llvm::zip_equal(rows, made)) {
      bind(known);
      emitElements(index);
    }
    for (const RowStep &step : nest.steps)
      for (Value result : step.op->getResults())
        emitter.unbind(result);
  }

private:
  // What a step has computed for one row.
  struct Made {
    Value tensor;
    std::variant<LaneValue, Buffer> where;
  };

  void bind(ArrayRef<Made> made) {
    for (const Made &one : made)
      std::visit([&](const auto &where) { emitter.bind(one.tensor, where); }, one.where);
  }

  SmallVector<LaneValue> positionOf(const RowStep &step, ArrayRef<LaneValue> index) {
    return llvm::map_to_vector(step.position, [&](int64_t dim) { return dim < 0 ? lanes.constant(0) : index[dim]; });
  }

  void emitReduction(const RowStep &step, ArrayRef<LaneValue> index, SmallVector<Made> &made) {
    SmallVector<LaneValue> at = positionOf(step, index);
    SmallVector<LaneValue> values = emitRowReduction(emitter, step.op, at, nest.width, nest.masks, nest.oneVector);
    for (auto [result, value] : llvm::zip(step.op->getResults(), values))
      made.push_back({result, value});
  }

  // Computes the row of an elementwise op into scratch memory.
  void emitBuffer(const RowStep &step, ArrayRef<LaneValue> index, Value &offset, SmallVector<Made> &made) {
    SmallVector<LaneValue> at = positionOf(step, index);
    SmallVector<Value> extent = bufferSizes(step, emitter.scalars);
    SmallVector<unsigned> dims;
    for (auto [dim, position] : llvm::enumerate(step.position))
      if (position < 0)
        dims.push_back(dim);
    SmallVector<Buffer> buffers;
    for (Value result : step.op->getResults()) {
      buffers.push_back(makeBuffer(result, dims, extent, offset));
      offset = lanes.builder.createOrFold<arith::AddIOp>(lanes.loc, offset, bufferBytes(step, result, emitter.scalars));
    }
    auto fill = [&](ArrayRef<LaneValue> where) {
      if (where.size() == index.size())
        prefetchNextRow(where);
      for (auto [result, buffer] : llvm::zip(step.op->getResults(), buffers))
        emitter.store(buffer, where, emitter.evaluate(result, where));
    };
    if (dims.empty()) {
      fill(at);
    } else if (nest.oneVector) {
      forOneVector(emitter, extent.back(), nest.width, [&](LaneValue i) {
        at[dims.back()] = i;
        fill(at);
      });
    } else {
      walk(at, ArrayRef(dims).drop_back(), ArrayRef(extent).drop_back(), [&] {
        forEachVector(emitter, lanes.index(0), extent.back(), nest.width, nest.masks, [&](LaneValue i) {
          at[dims.back()] = i;
          fill(at);
        });
      });
    }
    for (auto [result, buffer] : llvm::zip(step.op->getResults(), buffers))
      made.push_back({result, buffer});
  }

  Buffer makeBuffer(Value result, ArrayRef<unsigned> dims, ArrayRef<Value> extent, Value offset) {
    Type element = cast<RankedTensorType>(result.getType()).getElementType();
    auto type = MemRefType::get({ShapedType::kDynamic}, emitter.memoryType(element));
    Value memory = kernel::ScratchOp::create(lanes.builder, lanes.loc, type, offset);
    Buffer buffer{memory, element, SmallVector<unsigned>(dims), SmallVector<Value>(dims.size()),
                  SmallVector<Value>(dims.size())};
    Value stride = emitter.scalars.constant(1);
    for (size_t i = dims.size(); i-- > 0;) {
      buffer.strides[i] = stride;
      stride = emitter.scalars.mul(stride, extent[i]);
    }
    return buffer;
  }

  // While a row of a large result is computed the memory would be idle: the hardware's prefetchers stop at a page, and
  // a row is read as a whole before more of it is needed.
  void prefetchNextRow(ArrayRef<LaneValue> where) {
    if (nest.oneVector || nest.rowDims.empty() || !mayStream(nest, emitter.scalars))
      return;
    SmallVector<LaneValue> next(where);
    next[nest.rowDims.back()] = lanes.add(next[nest.rowDims.back()], lanes.constant(1));
    for (Value tensor : nest.rowLoads)
      emitter.prefetch(tensor, next);
  }

  void emitElements(SmallVector<LaneValue> &index) {
    auto storeOne = [&] { store(index); };
    if (!nest.laneDim || llvm::is_contained(nest.rowDims, *nest.laneDim))
      return walkInner(index, nest.innerDims, storeOne);
    auto set = [&](LaneValue i) {
      index[*nest.laneDim] = i;
      if (llvm::all_of(nest.steps, [](const RowStep &step) { return step.isReduction; }))
        prefetchNextRow(index);
      store(index);
    };
    if (nest.oneVector)
      return forOneVector(emitter, space.lanes, nest.width, set);
    SmallVector<unsigned> outer(nest.innerDims);
    llvm::erase(outer, *nest.laneDim);
    auto body = [&] {
      walkInner(index, outer,
                [&] { forEachVector(emitter, lanes.index(0), space.lanes, nest.width, nest.masks, set); });
    };
    *nest.laneDim + 1 == sizes.size() ? emitStreaming(nest, emitter, output, space.lanes, body) : body();
  }

  const RowsPlan &nest;
  Value scratch;
};

class RowsNest : public Strategy {
public:
  explicit RowsNest(const RowsPlan &nest) : nest(nest) {}

  Value workgroups(FunctionScalars &scalars) const override { return getSpace(nest, scalars).workgroups(scalars); }
  Value scratch(FunctionScalars &scalars) const override {
    Value total = scalars.constant(0);
    for (const RowStep &step : nest.steps)
      if (!step.isReduction)
        for (Value result : step.op->getResults())
          total = scalars.add(total, bufferBytes(step, result, scalars));
    return scalars.mul(total, scalars.constant(countTogether(nest, getSpace(nest, scalars))));
  }
  void emit(ElementEmitter &emitter, const Workgroup &at) const override {
    RowsEmitter(nest, emitter, at.output, at.scratch).run(at.number);
  }
  std::string describe() const override {
    return "rows, " + std::to_string(nest.steps.size()) + " steps, width " + std::to_string(nest.width);
  }
  bool isScalar() const override { return nest.width == 1; }
  // The most elements or steps that vectors walk in a row.
  Value countRows(FunctionScalars &scalars) const override {
    Value most = nest.innerDims.empty() ? scalars.constant(1) : scalars.sizes(nest.value)[*nest.laneDim];
    for (const RowStep &step : nest.steps) {
      SmallVector<unsigned> reductions;
      linalg::GenericOp(step.op).getReductionDims(reductions);
      SmallVector<Value> sizes = step.isReduction ? scalars.loopSizes(step.op) : bufferSizes(step, scalars);
      for (Value size : step.isReduction ? SmallVector<Value>{sizes[reductions.front()]} : sizes)
        most = scalars.max(most, size);
    }
    return most;
  }
  std::string describeClass(const RowClass &few) const override {
    return "of up to " + std::to_string(few.mostRows) + " elements without loops";
  }

private:
  const RowsPlan &nest;
};

} // namespace

void mlir::heddle::codegen::emitRow(const RowsPlan &nest, ElementEmitter &emitter, ArrayRef<LaneValue> index,
                                    const Buffer &output, Value scratch) {
  SmallVector<LaneValue> row(index);
  RowsEmitter(nest, emitter, output, scratch).emitRows(row);
}

std::unique_ptr<Strategy> mlir::heddle::codegen::makeStrategy(const RowsPlan &nest) {
  return std::make_unique<RowsNest>(nest);
}
