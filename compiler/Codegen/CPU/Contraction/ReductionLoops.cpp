// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/ReductionLoops.h"

#include "compiler/Codegen/Emit/VectorLoops.h"

#include "compiler/Analysis/StorageBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

// Asks for the result's lines of row `number` of the tile.
static void prefetchResultRow(const ContractionIndex &place, const RowTile &tile, int64_t vectors, const Buffer &output,
                              Value number) {
  LaneBuilder &lanes = place.lanes;
  OpBuilder &builder = lanes.builder;
  constexpr int64_t kLine = 64;
  int64_t line = kLine / storageBytes(output.elementType);
  SmallVector<Value> extents = llvm::map_to_vector(tile.extent, [&](int64_t extent) { return lanes.index(extent); });
  SmallVector<LaneValue> at = place.index;
  for (auto [dim, begin, i] :
       llvm::zip_equal(place.nest.tileDims, tile.begin, delinearize(place.emitter, number, extents)))
    at[dim] = LaneValue::uniform(builder.createOrFold<arith::AddIOp>(lanes.loc, begin, i));
  for (int64_t column = 0; column < vectors * place.nest.contraction.width; column += line) {
    Value first = builder.createOrFold<arith::AddIOp>(lanes.loc, place.firstColumn, lanes.index(column));
    at[*place.nest.laneDim] = LaneValue::uniform(first);
    place.emitter.prefetchStore(output, at);
  }
}

SmallVector<Value> mlir::heddle::codegen::emitReductionLoops(const ContractionIndex &place, const RowTile &tile,
                                                             int64_t vectors, const Buffer &output,
                                                             ArrayRef<Value> sizes, ValueRange carried,
                                                             ReductionBody body) {
  LaneBuilder &lanes = place.lanes;
  ElementEmitter &emitter = place.emitter;
  std::optional<int64_t> steps = sizes.empty() ? std::nullopt : getConstant(sizes.back());
  bool isOne = llvm::all_of(sizes.drop_back(sizes.empty() ? 0 : 1), [](Value size) { return getConstant(size) == 1; });
  if (!place.nest.contraction.prefetchResult || !steps || !isOne || *steps < tile.rows())
    return emitter.loops(sizes, carried, body);
  int64_t share = llvm::divideCeil(*steps, tile.rows()), turns = llvm::divideCeil(*steps, share);
  SmallVector<Value> index(sizes.size(), lanes.index(0));
  return emitter.loop(lanes.index(0), lanes.index(turns), 1, carried, [&](Value turn, ValueRange values) {
    prefetchResultRow(place, tile, vectors, output, turn);
    Value begin = lanes.builder.createOrFold<arith::MulIOp>(lanes.loc, turn, lanes.index(share));
    Value end = lanes.builder.createOrFold<arith::AddIOp>(lanes.loc, begin, lanes.index(share));
    if (*steps % share != 0)
      end = lanes.builder.createOrFold<arith::MinSIOp>(lanes.loc, end, sizes.back());
    return emitter.loop(begin, end, 1, values, [&](Value i, ValueRange inner) {
      index.back() = i;
      return body(index, inner);
    });
  });
}
