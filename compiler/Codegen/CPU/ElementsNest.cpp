// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of elements: rows of them, vectors along a row. Dimensions that all operands walk alike are one.
#include "compiler/Codegen/CPU/RowWalker.h"
#include "compiler/Codegen/CPU/Strategy.h"
#include "compiler/Codegen/CPU/Streaming.h"
#include "compiler/Codegen/Emit/JoinedRows.h"
#include "compiler/Codegen/Emit/VectorLoops.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

struct ElementSpace : RowSpace {
  bool isFlat = false; // one long row, cut by elements
  // Where the call joins rows: pieces of a row, each of which counts as a row, and how its operands are read.
  Value pieces;
  SmallVector<JoinedRows::Choice> choices;
};

// Makes rows of those that the call joins, cut to what is worth a core.
void joinAtCall(const ElementsPlan &nest, ElementSpace &space, SmallVector<Value> &sizes, FunctionScalars &scalars) {
  JoinedRows rows = joinRows(nest.joins, nest.value, scalars);
  for (auto [dim, joined] : llvm::zip_equal(nest.joins.dims, rows.joined)) {
    space.lanes = scalars.mul(space.lanes, scalars.select(joined, sizes[dim], scalars.constant(1)));
    sizes[dim] = scalars.select(joined, scalars.constant(1), sizes[dim]);
  }
  space.pieces = scalars.ceilDiv(space.lanes, kElementsPerWorkgroup);
  space.choices = std::move(rows.choices);
}

ElementSpace getSpace(const ElementsPlan &nest, FunctionScalars &scalars) {
  SmallVector<Value> sizes = scalars.sizes(nest.value);
  ElementSpace space;
  Value work = scalars.constant(1);
  if (nest.laneDim) {
    space.lanes = sizes[*nest.laneDim];
    work = scalars.mul(work, space.lanes);
  }
  for (unsigned dim : nest.joined) {
    work = scalars.mul(work, sizes[dim]);
    space.lanes = scalars.mul(space.lanes, sizes[dim]);
  }
  if (!nest.joins.dims.empty()) {
    joinAtCall(nest, space, sizes, scalars);
    work = scalars.min(space.lanes, scalars.constant(kElementsPerWorkgroup));
  }
  for (unsigned dim : nest.rowDims)
    space.sizes.push_back(sizes[dim]);
  space.total = scalars.product(space.sizes);
  if (space.pieces)
    space.total = scalars.mul(space.total, space.pieces);
  space.isFlat = nest.collapsed == sizes.size() && !sizes.empty();
  if (!space.isFlat) {
    space.setWork(work, scalars);
    return space;
  }
  space.lanes = scalars.product(sizes);
  space.total = scalars.ceilDiv(space.lanes, kElementsPerWorkgroup);
  space.perWorkgroup = scalars.constant(1);
  return space;
}

class ElementsEmitter : RowWalker {
public:
  ElementsEmitter(const ElementsPlan &nest, ElementSpace space, ElementEmitter &emitter, const Buffer &output)
      : RowWalker(nest, nest.rowDims, emitter, output, space), nest(nest), pieces(space.pieces),
        choices(std::move(space.choices)), isFlat(space.isFlat) {}

  void run(Value workgroup) {
    if (isFlat)
      return emitPiece(workgroup, lanes.index(kElementsPerWorkgroup));
    auto [begin, end] = rangeOf(workgroup);
    if (pieces)
      return emitPieces(begin, end);
    if (nest.collapsed == 0)
      return forEachRow(begin, end, [&](SmallVector<LaneValue> &index) { emitRow(index); });
    emitter.loop(begin, end, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      SmallVector<LaneValue> index(sizes.size(), lanes.constant(0));
      if (sizes.size() > 1)
        index[sizes.size() - 2] = LaneValue::uniform(row);
      emitRow(index);
      return {};
    });
  }

private:
  // Piece number `piece` of the row whose other indices are 0, or those of `index`.
  void emitPiece(Value piece, Value rowElements, SmallVector<LaneValue> index = {}) {
    OpBuilder &builder = lanes.builder;
    Value chunk = lanes.index(kElementsPerWorkgroup);
    Value begin = builder.createOrFold<arith::MulIOp>(lanes.loc, piece, chunk);
    Value after = builder.createOrFold<arith::AddIOp>(lanes.loc, begin, chunk);
    Value end = builder.createOrFold<arith::MinSIOp>(lanes.loc, after, space.lanes);
    if (index.empty())
      index.assign(sizes.size(), lanes.constant(0));
    stream(rowElements, [&] {
      forEachWay(choices, [&] {
        forEachVector(emitter, begin, end, nest.width, nest.masks, [&](LaneValue i) {
          index.back() = i;
          store(index);
        });
      });
    });
  }

  // A loop of its own for each way to read the operands: one element for the row, or as many as it has. A branch in the
  // loop would keep LLVM from unrolling it. Of more operands than `kMostLoops` only: all have as many, or not.
  void forEachWay(ArrayRef<JoinedRows::Choice> open, function_ref<void()> body) {
    constexpr size_t kMostLoops = 2;
    if (open.empty() || computesFunctions(emitter.scalars.getSource()))
      return body();
    OpBuilder &builder = lanes.builder;
    ArrayRef<JoinedRows::Choice> now = open.take_front(open.size() > kMostLoops ? open.size() : 1);
    Value isOne = now.front().isOne;
    for (const JoinedRows::Choice &choice : now.drop_front())
      isOne = builder.createOrFold<arith::OrIOp>(lanes.loc, isOne, choice.isOne);
    auto decide = [&](std::optional<bool> all) {
      for (const JoinedRows::Choice &choice : now)
        emitter.decide(choice.read, choice.position, all ? constant(*all) : choice.isOne);
    };
    auto one = [&] {
      if (now.size() == 1)
        decide(true);
      body();
    };
    auto many = [&] {
      decide(false);
      forEachWay(open.drop_front(now.size()), body);
    };
    emitter.either(isOne, one, many);
    decide(std::nullopt);
  }

  Value constant(bool value) {
    return arith::ConstantOp::create(lanes.builder, lanes.loc, lanes.builder.getBoolAttr(value));
  }

  void stream(Value rowElements, function_ref<void()> body) {
    emitStreaming(nest, emitter, output, rowElements, body, Streamed::NoFunctions);
  }

  // Pieces of rows that the call has joined.
  void emitPieces(Value begin, Value end) {
    OpBuilder &builder = lanes.builder;
    for (const JoinedRows::Choice &choice : choices)
      emitter.decide(choice.read, choice.position, choice.isOne);
    // Of the last row dimension all pieces of its rows; most rows are one piece.
    SmallVector<Value> grid(space.sizes);
    Value isWhole = emitter.scalars.isAtMost(pieces, 1), zero = lanes.index(0);
    grid.back() = emitter.scalars.mul(grid.back(), pieces);
    forEachIndex(begin, end, grid, [&](ArrayRef<Value> at) {
      if (nest.oneVector) {
        SmallVector<LaneValue> index = indexAt(at);
        return emitRow(index);
      }
      auto whole = [&]() -> SmallVector<Value> { return {at.back(), zero}; };
      auto part = [&]() -> SmallVector<Value> {
        return {arith::DivUIOp::create(builder, lanes.loc, at.back(), pieces),
                arith::RemUIOp::create(builder, lanes.loc, at.back(), pieces)};
      };
      SmallVector<Value> last = emitter.branches(isWhole, ValueRange{zero, zero}.getTypes(), whole, part), rows(at);
      rows.back() = last[0];
      emitPiece(last[1], space.lanes, indexAt(rows));
    });
    for (const JoinedRows::Choice &choice : choices)
      emitter.decide(choice.read, choice.position, {});
  }

  void emitRow(SmallVector<LaneValue> &index) {
    if (!nest.laneDim)
      return store(index);
    auto set = [&](LaneValue i) {
      index[*nest.laneDim] = i;
      store(index);
    };
    if (nest.oneVector)
      return forOneVector(emitter, space.lanes, nest.width, set);
    auto body = [&] {
      forEachVector(emitter, lanes.index(0), space.lanes, nest.width, nest.masks, set, nest.together);
    };
    *nest.laneDim + 1 == sizes.size() ? stream(space.lanes, body) : body();
  }

  const ElementsPlan &nest;
  Value pieces;
  SmallVector<JoinedRows::Choice> choices;
  bool isFlat;
};

class ElementsNest : public Strategy {
public:
  explicit ElementsNest(const ElementsPlan &nest) : nest(nest) {}

  Value workgroups(FunctionScalars &scalars) const override { return getSpace(nest, scalars).workgroups(scalars); }
  void emit(ElementEmitter &emitter, const Workgroup &at) const override {
    ElementsEmitter(nest, getSpace(nest, emitter.scalars), emitter, at.output).run(at.number);
  }
  std::string describe() const override {
    std::string text =
        "elements, width " + std::to_string(nest.width) + ", " + std::to_string(nest.collapsed) + " dimensions as one";
    if (!nest.joined.empty())
      text += ", rows of " + std::to_string(nest.joined.size() + 1);
    if (!nest.joins.dims.empty())
      text += ", rows of up to " + std::to_string(nest.joins.dims.size() + 1) + " by the call's sizes";
    return text;
  }
  bool isScalar() const override { return nest.width == 1; }
  Value countRows(FunctionScalars &scalars) const override { return getSpace(nest, scalars).lanes; }
  std::string describeClass(const RowClass &few) const override {
    return "of up to " + std::to_string(few.mostRows) + " elements without loops";
  }
  bool sharesGrid() const override { return true; }

private:
  const ElementsPlan &nest;
};

} // namespace

std::unique_ptr<Strategy> mlir::heddle::codegen::makeStrategy(const ElementsPlan &nest) {
  return std::make_unique<ElementsNest>(nest);
}
