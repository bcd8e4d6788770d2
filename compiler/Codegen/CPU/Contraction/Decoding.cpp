// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/Decoding.h"

#include "compiler/Codegen/CPU/Contraction/DepthSizes.h"
#include "compiler/Codegen/IR/KernelOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

Decoding::Decoding(const ContractionIndex &place, Value scratch)
    : place(place), decoded(*place.nest.decoding), lanes(place.lanes), builder(place.lanes.builder), scratch(scratch) {}

Value mlir::heddle::codegen::decodedBytes(const ContractionPlan &nest, FunctionScalars &scalars) {
  constexpr int64_t kBytes = 4; // f32
  Value steps = scalars.product(depthSizes(nest, scalars));
  int64_t bytes = kBytes * static_cast<int64_t>(nest.decoding->terms.size()) * tileColumns(nest);
  return scalars.mul(scalars.ceilDiv(scalars.mul(steps, scalars.constant(bytes)), 64), scalars.constant(64));
}

Value mlir::heddle::codegen::packedBytes(const ContractionPlan &nest, FunctionScalars &scalars) {
  if (nest.decoding && nest.contraction.packing == Packing::Always)
    return decodedBytes(nest, scalars);
  Value total = scalars.constant(0);
  for (unsigned operand : nest.packed)
    total = scalars.add(total, panelBytes(nest, operand, scalars));
  return total;
}

SmallVector<LaneValue> Decoding::at(ArrayRef<LaneValue> dims, ArrayRef<Value> reductions) const {
  SmallVector<LaneValue> result(dims);
  for (auto [dim, i] : llvm::zip(place.reductions, reductions))
    result[dim] = LaneValue::uniform(i);
  return result;
}

// A value of the body for a vector of columns.
Value Decoding::evaluate(Value value, SmallVector<LaneValue> dims, int64_t vector, Value mask) const {
  dims[place.laneLoop()] = place.columnLanes(vector);
  lanes.width = place.nest.contraction.width;
  lanes.mask = mask;
  LaneValue result = place.emitter.evaluateInBody(place.op, value, dims, lookUp(value, dims));
  Value element = lanes.width == 1 ? result.base : lanes.toVector(result);
  lanes.width = 1;
  lanes.mask = {};
  return element;
}

// What tables tell of a column's value, where one instruction looks up all lanes.
DenseMap<Value, LaneValue> Decoding::lookUp(Value value, ArrayRef<LaneValue> dims) const {
  DenseMap<Value, LaneValue> known;
  int64_t width = lanes.width;
  bool isColumn = llvm::any_of(decoded.terms, [&](const DecodedColumns::Term &term) { return term.column == value; });
  for (const DecodedColumns::Table &table : decoded.tables) {
    if (!isColumn || place.emitter.permutedLanes != width || width != static_cast<int64_t>(table.entries.size()))
      continue;
    Location loc = lanes.loc;
    Value half = lanes.toVector(place.emitter.evaluateInBody(place.op, table.half, dims, DenseMap<Value, LaneValue>()));
    auto type = VectorType::get({width}, builder.getF32Type());
    Value entries =
        arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<float>(table.entries)));
    known[table.value] = LaneValue::any(kernel::PermuteOp::create(builder, loc, type, entries, half));
  }
  return known;
}

// Of a vector in the panel: terms of a step follow one another.
Value Decoding::offsetOf(ArrayRef<Value> reductions, size_t term, int64_t vector) const {
  Location loc = lanes.loc;
  Value linear = lanes.index(0);
  for (auto [i, at, extent] : llvm::enumerate(reductions, extents)) {
    Value inside = begin.empty() ? at : builder.createOrFold<arith::SubIOp>(loc, at, begin[i]);
    linear = builder.createOrFold<arith::MulIOp>(loc, linear, extent);
    linear = builder.createOrFold<arith::AddIOp>(loc, linear, inside);
  }
  int64_t columns = tileColumns(place.nest);
  linear = builder.createOrFold<arith::MulIOp>(loc, linear, lanes.index(decoded.terms.size() * columns));
  return builder.createOrFold<arith::AddIOp>(loc, linear,
                                             lanes.index(term * columns + vector * place.nest.contraction.width));
}

void Decoding::fillPanel() {
  const ContractionConfig &config = place.nest.contraction;
  Location loc = lanes.loc;
  panel =
      kernel::ScratchOp::create(builder, loc, MemRefType::get({ShapedType::kDynamic}, builder.getF32Type()), scratch);
  begin = place.depthBegin;
  extents = place.depthExtents;
  SmallVector<LaneValue> dims = place.tileDims(place.blockBegin);
  place.emitter.loops(extents, {}, [&](ArrayRef<Value> steps, ValueRange) -> SmallVector<Value> {
    SmallVector<Value> reductions = place.toReductions(steps);
    SmallVector<LaneValue> inner = at(dims, reductions);
    for (int64_t vector = 0; vector < config.vectors; ++vector) {
      Value mask = place.columnMask(vector);
      Value scale = decoded.scale ? evaluate(decoded.scale, inner, vector, mask) : Value();
      SmallVector<Value> columns = llvm::map_to_vector(decoded.terms, [&](const DecodedColumns::Term &term) -> Value {
        Value column = evaluate(term.column, inner, vector, mask);
        return scale ? Value(arith::MulFOp::create(builder, loc, column, scale)) : column;
      });
      for (auto [i, column] : llvm::enumerate(columns))
        vector::StoreOp::create(builder, loc, column, panel, ValueRange{offsetOf(reductions, i, vector)});
    }
    return {};
  });
}

// Adds a step's products; each column is used by all rows.
SmallVector<Value> Decoding::addTerms(const Tile &tile, ArrayRef<Value> reductions, ValueRange sums,
                                      ColumnOf column) const {
  Location loc = lanes.loc;
  SmallVector<Value> next(sums);
  int64_t vectors = tile.masks.size();
  SmallVector<SmallVector<Value>> elements(decoded.terms.size()); // of rows, in all lanes
  for (auto [term, wide] : llvm::zip_equal(decoded.terms, elements))
    for (const SmallVector<LaneValue> &row : tile.rows) {
      LaneValue element =
          place.emitter.evaluateInBody(place.op, term.row, at(row, reductions), DenseMap<Value, LaneValue>());
      lanes.width = place.nest.contraction.width;
      wide.push_back(lanes.width == 1 ? element.base : lanes.toVector(element));
      lanes.width = 1;
    }
  for (int64_t vector = 0; vector < vectors; ++vector)
    for (auto [t, wide] : llvm::enumerate(elements)) {
      Value columns = column(t, vector);
      for (auto [i, element] : llvm::enumerate(wide)) {
        Value &sum = next[i * vectors + vector];
        sum = arith::AddFOp::create(builder, loc, sum, arith::MulFOp::create(builder, loc, element, columns));
      }
    }
  return next;
}

SmallVector<Value> Decoding::addPanel(const Tile &tile, SmallVector<Value> sums) const {
  auto type = VectorType::get({place.nest.contraction.width}, builder.getF32Type());
  return place.emitter.loops(place.depthExtents, sums, [&](ArrayRef<Value> steps, ValueRange carried) {
    SmallVector<Value> reductions = place.toReductions(steps);
    return addTerms(tile, reductions, carried, [&](size_t term, int64_t vector) -> Value {
      return vector::LoadOp::create(builder, lanes.loc, type, panel, ValueRange{offsetOf(reductions, term, vector)});
    });
  });
}

SmallVector<Value> Decoding::addDecoded(const Tile &tile, ArrayRef<Value> reductions, ValueRange sums) const {
  SmallVector<LaneValue> dims = at(tile.rows.front(), reductions);
  return addTerms(tile, reductions, sums, [&](size_t term, int64_t vector) {
    return evaluate(decoded.terms[term].column, dims, vector, tile.masks[vector]);
  });
}

// A block's products are summed by themselves, then scaled.
SmallVector<Value> Decoding::addBlock(const Tile &tile, ArrayRef<Value> block, ValueRange sums) const {
  Location loc = lanes.loc;
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sums.front().getType()));
  SmallVector<Value> zeros(sums.size(), zero), reductions(block);
  reductions.push_back(lanes.index(0));
  SmallVector<Value> products =
      place.emitter.loop(lanes.index(0), place.extents.back(), 1, zeros, [&](Value step, ValueRange carried) {
        reductions.back() = step;
        prefetchCodes(tile, reductions);
        return addDecoded(tile, reductions, carried);
      });
  reductions.back() = lanes.index(0);
  SmallVector<LaneValue> dims = at(tile.rows.front(), reductions);
  SmallVector<Value> next(sums);
  int64_t vectors = tile.masks.size();
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value scale = evaluate(decoded.scale, dims, vector, tile.masks[vector]);
    for (size_t i = vector; i < next.size(); i += vectors)
      next[i] = arith::AddFOp::create(builder, loc, next[i], arith::MulFOp::create(builder, loc, products[i], scale));
  }
  return next;
}

// Asks for codes ahead of their use; of what blocks have the hardware sees the next ones coming.
void Decoding::prefetchCodes(const Tile &tile, ArrayRef<Value> reductions) const {
  constexpr int64_t kLineBits = 512;
  int64_t width = place.nest.contraction.width;
  SmallVector<LaneValue> ahead = at(tile.rows.front(), reductions);
  int64_t distance = place.nest.contraction.paddedColumns ? kPanelPrefetchDistance : kRowPrefetchDistance;
  ahead[place.reductions.back()] =
      LaneValue::uniform(builder.createOrFold<arith::AddIOp>(lanes.loc, reductions.back(), lanes.index(distance)));
  place.forEachColumnOperand([&](Value tensor, AffineMap map) {
    if (!map.isFunctionOfDim(place.reductions.back()))
      return;
    int64_t bits = width * cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth();
    for (size_t vector = 0; vector < tile.masks.size(); ++vector)
      if (vector * bits % kLineBits == 0) {
        ahead[place.laneLoop()] = place.columnLanes(vector);
        place.emitter.prefetch(tensor, place.applyMap(map, ahead));
      }
  });
}

SmallVector<Value> Decoding::accumulate(const Tile &tile, SmallVector<Value> sums) const {
  if (panel)
    return addPanel(tile, std::move(sums));
  return place.emitter.loops(ArrayRef(place.extents).drop_back(), sums,
                             [&](ArrayRef<Value> block, ValueRange carried) { return addBlock(tile, block, carried); });
}
