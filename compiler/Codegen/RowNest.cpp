// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of kinds Elements, Rows and Columns.
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Codegen/Nest.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

//===--- How many ------------------------------------------------------------------------------------------------===//

namespace {

// The rows of a nest and how many make a workgroup.
struct RowSpace {
  SmallVector<Value> sizes; // of the nest's row dimensions; in vectors, for that of the lanes of Columns
  Value total, perWorkgroup;
  Value lanes; // elements along the lanes; null for scalars
  Value work;  // elements, or steps of a reduction, of one row
  // Where the call joins rows: pieces of a row, each of which counts as a row, and how its operands are read.
  Value pieces;
  SmallVector<JoinedRows::Choice> choices;
};

// Makes rows of those that the call joins, cut to what is worth a core.
void joinAtCall(const Nest &nest, RowSpace &space, SmallVector<Value> &sizes, FunctionScalars &scalars) {
  JoinedRows rows = joinRows(nest.joins, nest.value, scalars);
  for (auto [dim, joined] : llvm::zip_equal(nest.joins.dims, rows.joined)) {
    space.lanes = scalars.mul(space.lanes, scalars.select(joined, sizes[dim], scalars.constant(1)));
    sizes[dim] = scalars.select(joined, scalars.constant(1), sizes[dim]);
  }
  space.pieces = scalars.ceilDiv(space.lanes, kElementsPerWorkgroup);
  space.choices = std::move(rows.choices);
}

RowSpace getRows(const Nest &nest, FunctionScalars &scalars) {
  SmallVector<Value> sizes = scalars.sizes(nest.value);
  RowSpace space;
  if (nest.laneDim)
    space.lanes = sizes[*nest.laneDim];
  Value work = scalars.constant(1);
  for (unsigned dim : nest.innerDims)
    work = scalars.mul(work, sizes[dim]);
  for (unsigned dim : nest.joined) {
    if (nest.kind == NestKind::Elements)
      work = scalars.mul(work, sizes[dim]);
    space.lanes = scalars.mul(space.lanes, sizes[dim]);
  }
  if (!nest.joins.dims.empty()) {
    joinAtCall(nest, space, sizes, scalars);
    work = scalars.min(space.lanes, scalars.constant(kElementsPerWorkgroup));
  }
  for (const RowStep &step : nest.steps)
    if (step.isReduction) {
      SmallVector<Value> loops = scalars.loopSizes(step.op);
      SmallVector<unsigned> reductions;
      linalg::GenericOp(step.op).getReductionDims(reductions);
      Value steps = scalars.constant(1);
      for (unsigned dim : reductions)
        steps = scalars.mul(steps, loops[dim]);
      work = scalars.max(work, steps);
    }
  for (unsigned dim : nest.rowDims) {
    Value size = sizes[dim];
    if (nest.kind == NestKind::Columns && dim == nest.laneDim)
      size = scalars.ceilDiv(space.lanes, nest.width);
    space.sizes.push_back(size);
  }
  space.total = scalars.product(space.sizes);
  if (space.pieces)
    space.total = scalars.mul(space.total, space.pieces);
  if (nest.collapsed == sizes.size() && !sizes.empty()) {
    // One long row, cut by elements.
    space.lanes = scalars.product(sizes);
    space.total = scalars.ceilDiv(space.lanes, kElementsPerWorkgroup);
    space.perWorkgroup = scalars.constant(1);
    return space;
  }
  space.work = work;
  Value one = scalars.constant(1);
  space.perWorkgroup =
      scalars.max(scalars.divide(scalars.constant(kElementsPerWorkgroup), scalars.max(work, one)), one);
  return space;
}

// Rows computed side by side, step by step: while one waits for what goes across a vector, or for a quotient, there is
// the other. Where the result lies over an operand a row must not come twice, as the last one may here.
int64_t countTogether(const Nest &nest, const RowSpace &space) {
  std::optional<int64_t> work = nest.oneVector ? nest.width : space.work ? getConstant(space.work) : std::nullopt;
  if (nest.overwrites || !work || getConstant(space.total) == 1)
    return 1;
  return *work <= mostSideBySide(nest) ? 2 : 1;
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

// Short ones only, shorter still where they lie in buffers between steps (docs/design/codegen.md).
int64_t mlir::heddle::codegen::mostSideBySide(const Nest &nest) {
  constexpr int64_t kMostReduced = 512, kMostBuffered = 128;
  auto isReduction = [](const RowStep &step) { return step.isReduction; };
  if (nest.kind != NestKind::Rows || llvm::none_of(nest.steps, isReduction))
    return 0;
  return llvm::all_of(nest.steps, isReduction) ? kMostReduced : kMostBuffered;
}

Value mlir::heddle::codegen::countAlongRows(const Nest &nest, FunctionScalars &scalars) {
  if (nest.kind == NestKind::Elements)
    return getRows(nest, scalars).lanes;
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

Value mlir::heddle::codegen::countRowWorkgroups(const Nest &nest, FunctionScalars &scalars) {
  RowSpace space = getRows(nest, scalars);
  Value rounded = scalars.sub(scalars.add(space.total, space.perWorkgroup), scalars.constant(1));
  return scalars.divide(rounded, space.perWorkgroup);
}

Value mlir::heddle::codegen::countRowScratch(const Nest &nest, FunctionScalars &scalars) {
  Value total = scalars.constant(0);
  for (const RowStep &step : nest.steps)
    if (!step.isReduction)
      for (Value result : step.op->getResults())
        total = scalars.add(total, bufferBytes(step, result, scalars));
  return scalars.mul(total, scalars.constant(countTogether(nest, getRows(nest, scalars))));
}

//===--- Emission ------------------------------------------------------------------------------------------------===//

namespace {

class RowEmitter {
public:
  RowEmitter(const Nest &nest, ElementEmitter &emitter, const Buffer &output, Value scratch)
      : nest(nest), emitter(emitter), output(output), scratch(scratch), lanes(emitter.lanes),
        space(getRows(nest, emitter.scalars)), sizes(emitter.scalars.sizes(nest.value)) {}

  void run(Value workgroup) {
    OpBuilder &builder = lanes.builder;
    Value begin = builder.createOrFold<arith::MulIOp>(lanes.loc, workgroup, space.perWorkgroup);
    Value after = builder.createOrFold<arith::AddIOp>(lanes.loc, begin, space.perWorkgroup);
    Value end = builder.createOrFold<arith::MinSIOp>(lanes.loc, after, space.total);
    if (nest.collapsed == sizes.size() && !sizes.empty())
      return emitFlat(workgroup);
    if (space.pieces)
      return emitPieces(begin, end);
    int64_t together = countTogether(nest, space);
    if (together == 1 && dividesBySizes())
      return forEachIndex(begin, end, space.sizes, [&](ArrayRef<Value> at) {
        SmallVector<LaneValue> index = indexAt(at);
        nest.kind == NestKind::Columns ? emitColumns(index) : emitRowsAt(index);
      });
    emitter.loop(begin, end, together, {}, [&](Value first, ValueRange) -> SmallVector<Value> {
      std::vector<SmallVector<LaneValue>> rows{indexOf(first)};
      for (int64_t i = 1; i < together; ++i) {
        Value row = builder.createOrFold<arith::AddIOp>(lanes.loc, first, lanes.index(i));
        Value last = builder.createOrFold<arith::SubIOp>(lanes.loc, end, lanes.index(1));
        rows.push_back(indexOf(builder.createOrFold<arith::MinSIOp>(lanes.loc, row, last))); // the last one twice
      }
      nest.kind == NestKind::Columns ? emitColumns(rows.front()) : emitRowsAt(rows);
      return {};
    });
  }

private:
  void emitFlat(Value workgroup) {
    OpBuilder &builder = lanes.builder;
    Value chunk = lanes.index(kElementsPerWorkgroup);
    Value begin = builder.createOrFold<arith::MulIOp>(lanes.loc, workgroup, chunk);
    Value end = builder.createOrFold<arith::MinSIOp>(
        lanes.loc, builder.createOrFold<arith::AddIOp>(lanes.loc, begin, chunk), space.lanes);
    emitStreaming(nest, emitter, output, chunk, [&] {
      SmallVector<LaneValue> index(sizes.size(), lanes.constant(0));
      forEachVector(emitter, begin, end, nest.width, nest.masks, [&](LaneValue i) {
        index.back() = i;
        emitter.store(output, index, emitter.evaluate(nest.value, index));
      });
    });
  }

  // Pieces of rows that the call has joined.
  void emitPieces(Value begin, Value end) {
    OpBuilder &builder = lanes.builder;
    for (const JoinedRows::Choice &choice : space.choices)
      emitter.decide(choice.read, choice.position, choice.isOne);
    // Of the last row dimension all pieces of its rows; most rows are one piece.
    SmallVector<Value> grid(space.sizes);
    Value isWhole = emitter.scalars.isAtMost(space.pieces, 1), zero = lanes.index(0);
    grid.back() = emitter.scalars.mul(grid.back(), space.pieces);
    forEachIndex(begin, end, grid, [&](ArrayRef<Value> at) {
      if (nest.oneVector) {
        SmallVector<LaneValue> index = indexAt(at);
        return emitElements(index);
      }
      auto whole = [&]() -> SmallVector<Value> { return {at.back(), zero}; };
      auto part = [&]() -> SmallVector<Value> {
        return {arith::DivUIOp::create(builder, lanes.loc, at.back(), space.pieces),
                arith::RemUIOp::create(builder, lanes.loc, at.back(), space.pieces)};
      };
      SmallVector<Value> last = emitter.branches(isWhole, ValueRange{zero, zero}.getTypes(), whole, part), rows(at);
      rows.back() = last[0];
      SmallVector<LaneValue> index = indexAt(rows);
      Value chunk = lanes.index(kElementsPerWorkgroup);
      Value from = builder.createOrFold<arith::MulIOp>(lanes.loc, last[1], chunk);
      Value after = builder.createOrFold<arith::AddIOp>(lanes.loc, from, chunk);
      Value to = builder.createOrFold<arith::MinSIOp>(lanes.loc, after, space.lanes);
      emitStreaming(nest, emitter, output, space.lanes, [&] {
        forEachVector(emitter, from, to, nest.width, nest.masks, [&](LaneValue i) {
          index.back() = i;
          emitter.store(output, index, emitter.evaluate(nest.value, index));
        });
      });
    });
    for (const JoinedRows::Choice &choice : space.choices)
      emitter.decide(choice.read, choice.position, {});
  }

  // Whether the indices of a row are quotients by sizes that only the call knows.
  bool dividesBySizes() const {
    return nest.collapsed == 0 && space.sizes.size() > 1 &&
           llvm::any_of(ArrayRef(space.sizes).drop_front(), [](Value size) { return !getConstant(size); });
  }

  // The rows of [begin, end), in runs along their last dimension: a short row takes less time than the divisions.
  void forEachIndex(Value begin, Value end, ArrayRef<Value> sizes, function_ref<void(ArrayRef<Value>)> body) {
    OpBuilder &builder = lanes.builder;
    FunctionScalars &scalars = emitter.scalars;
    auto divisors = llvm::map_to_vector(sizes, [&](Value size) { return scalars.max(size, scalars.constant(1)); });
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

  SmallVector<LaneValue> indexOf(Value row) {
    if (nest.collapsed == 0)
      return indexAt(delinearize(emitter, row, space.sizes));
    SmallVector<LaneValue> index(sizes.size(), lanes.constant(0));
    if (sizes.size() > 1)
      index[sizes.size() - 2] = LaneValue::uniform(row);
    return index;
  }

  // `at`: of the row dimensions.
  SmallVector<LaneValue> indexAt(ArrayRef<Value> at) {
    SmallVector<LaneValue> index(sizes.size(), lanes.constant(0));
    for (auto [dim, i] : llvm::zip_equal(nest.rowDims, at))
      index[dim] = LaneValue::uniform(i);
    return index;
  }

public:
  void emitRowsAt(MutableArrayRef<SmallVector<LaneValue>> rows) {
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
    release();
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

  void emitColumns(SmallVector<LaneValue> &index) {
    OpBuilder &builder = lanes.builder;
    Value begin = builder.createOrFold<arith::MulIOp>(lanes.loc, index[*nest.laneDim].base, lanes.index(nest.width));
    Value after = builder.createOrFold<arith::AddIOp>(lanes.loc, begin, lanes.index(nest.width));
    Value end = builder.createOrFold<arith::MinSIOp>(lanes.loc, after, space.lanes);
    forEachVector(emitter, begin, end, nest.width, nest.masks, [&](LaneValue at) {
      index[*nest.laneDim] = at;
      for (const RowStep &step : nest.steps)
        for (auto [result, value] :
             llvm::zip(step.op->getResults(), emitter.evaluateReduction(step.op, positionOf(step, index))))
          emitter.bind(result, value);
      walkInner(index, nest.innerDims, [&] { emitter.store(output, index, emitter.evaluate(nest.value, index)); });
      release();
    });
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

  Buffer makeBuffer(Value result, ArrayRef<unsigned> dims, ArrayRef<Value> extent, Value offset);

  // While a row of a large result is computed the memory would be idle: the hardware's prefetchers stop at a page, and
  // a row is read as a whole before more of it is needed.
  void prefetchNextRow(ArrayRef<LaneValue> where) {
    if (nest.rowDims.empty() || !mayStream(nest, emitter.scalars))
      return;
    SmallVector<LaneValue> next(where);
    next[nest.rowDims.back()] = lanes.add(next[nest.rowDims.back()], lanes.constant(1));
    for (Value tensor : nest.rowLoads)
      emitter.prefetch(tensor, next);
  }

  void emitElements(SmallVector<LaneValue> &index) {
    auto store = [&] { emitter.store(output, index, emitter.evaluate(nest.value, index)); };
    if (!nest.laneDim || llvm::is_contained(nest.rowDims, *nest.laneDim))
      return walkInner(index, nest.innerDims, store);
    SmallVector<unsigned> outer(nest.innerDims);
    llvm::erase(outer, *nest.laneDim);
    if (nest.oneVector)
      return forOneVector(emitter, space.lanes, nest.width, [&](LaneValue i) {
        index[*nest.laneDim] = i;
        store();
      });
    auto body = [&] {
      walkInner(index, outer, [&] {
        forEachVector(
            emitter, lanes.index(0), space.lanes, nest.width, nest.masks,
            [&](LaneValue i) {
              index[*nest.laneDim] = i;
              if (llvm::all_of(nest.steps, [](const RowStep &step) { return step.isReduction; }))
                prefetchNextRow(index);
              store();
            },
            nest.together);
      });
    };
    *nest.laneDim + 1 == sizes.size() ? emitStreaming(nest, emitter, output, space.lanes, body) : body();
  }

  void walkInner(SmallVector<LaneValue> &index, ArrayRef<unsigned> dims, function_ref<void()> body) {
    SmallVector<Value> extent = llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; });
    walk(index, dims, extent, body);
  }

  void walk(SmallVector<LaneValue> &index, ArrayRef<unsigned> dims, ArrayRef<Value> extent, function_ref<void()> body) {
    emitter.loops(extent, {}, [&](ArrayRef<Value> at, ValueRange) -> SmallVector<Value> {
      for (auto [dim, i] : llvm::zip(dims, at))
        index[dim] = LaneValue::uniform(i);
      body();
      return {};
    });
  }

  void release() {
    for (const RowStep &step : nest.steps)
      for (Value result : step.op->getResults())
        emitter.unbind(result);
  }

  const Nest &nest;
  ElementEmitter &emitter;
  const Buffer &output;
  Value scratch;
  LaneBuilder &lanes;
  RowSpace space;
  SmallVector<Value> sizes;
};

} // namespace

Buffer RowEmitter::makeBuffer(Value result, ArrayRef<unsigned> dims, ArrayRef<Value> extent, Value offset) {
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

void mlir::heddle::codegen::emitRow(const Nest &nest, ElementEmitter &emitter, ArrayRef<LaneValue> index,
                                    const Buffer &output, Value scratch) {
  SmallVector<LaneValue> row(index);
  RowEmitter(nest, emitter, output, scratch).emitRowsAt(row);
}

void mlir::heddle::codegen::emitRows(const Nest &nest, ElementEmitter &emitter, Value workgroup, const Buffer &output,
                                     Value scratch) {
  RowEmitter(nest, emitter, output, scratch).run(workgroup);
}
