// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/DepthBlocks.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/CPU/Contraction/DepthSizes.h"
#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Codegen/Plan/Nest.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

Type sumType(const ContractionIndex &place) {
  return cast<RankedTensorType>(linalg::GenericOp(place.op).getResult(0).getType()).getElementType();
}

} // namespace

void mlir::heddle::codegen::forEachDepthBlock(ContractionIndex &place, function_ref<void(Value isFirst)> body) {
  LaneBuilder &lanes = place.lanes;
  OpBuilder &builder = lanes.builder;
  Location loc = lanes.loc;
  FunctionScalars &scalars = place.emitter.scalars;
  DepthCut cut = findCut(place.extents, place.nest.contraction.depth);
  Value size = place.extents[cut.loop];
  DepthChunks chunks = findChunks(size, cut.most, scalars);
  bool isEven = getConstant(size) && *getConstant(size) == *getConstant(chunks.count) * *getConstant(chunks.steps);
  SmallVector<Value> counts(ArrayRef(place.extents).take_front(cut.loop));
  counts.push_back(chunks.count);
  place.emitter.loops(counts, {}, [&](ArrayRef<Value> at, ValueRange) -> SmallVector<Value> {
    Value isFirst;
    for (Value index : at) {
      Value isZero = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, index, lanes.index(0));
      isFirst = isFirst ? builder.createOrFold<arith::AndIOp>(loc, isFirst, isZero) : isZero;
    }
    place.depthCut = cut.loop;
    place.depthBegin.assign(at);
    place.depthExtents.assign(cut.loop, lanes.index(1));
    Value begin = builder.createOrFold<arith::MulIOp>(loc, at.back(), chunks.steps);
    Value left = builder.createOrFold<arith::SubIOp>(loc, size, begin);
    place.depthBegin.back() = begin;
    place.depthExtents.push_back(isEven ? chunks.steps : builder.createOrFold<arith::MinSIOp>(loc, left, chunks.steps));
    for (size_t loop = cut.loop + 1; loop < place.extents.size(); ++loop) {
      place.depthBegin.push_back(lanes.index(0));
      place.depthExtents.push_back(place.extents[loop]);
    }
    body(isFirst);
    place.depthBegin.clear();
    place.depthExtents = place.extents;
    return {};
  });
}

//===--- Sums ----------------------------------------------------------------------------------------------------===//

DepthSums::DepthSums(const ContractionIndex &place, Value scratch) : place(place) {
  auto type = MemRefType::get({ShapedType::kDynamic}, sumType(place));
  memory = kernel::ScratchOp::create(place.lanes.builder, place.lanes.loc, type, scratch);
}

Value DepthSums::bytes(const ContractionPlan &nest, FunctionScalars &scalars) {
  auto type = cast<RankedTensorType>(nest.step.op->getResult(0).getType());
  int64_t rowBytes = tileColumns(nest) * storageBytes(type.getElementType());
  return scalars.constant(llvm::alignTo(nest.contraction.blockRows() * rowBytes, 64));
}

Value DepthSums::slotOf(ArrayRef<Value> row) const {
  OpBuilder &builder = place.lanes.builder;
  Location loc = place.lanes.loc;
  Value slot = place.lanes.index(0);
  for (auto [i, begin, block] : llvm::zip_equal(row, place.blockBegin, place.nest.contraction.block)) {
    slot = builder.createOrFold<arith::MulIOp>(loc, slot, place.lanes.index(block));
    slot = builder.createOrFold<arith::AddIOp>(loc, slot, builder.createOrFold<arith::SubIOp>(loc, i, begin));
  }
  return slot;
}

Value DepthSums::load(Value from, Value offset) const {
  int64_t width = place.nest.contraction.width;
  OpBuilder &builder = place.lanes.builder;
  if (width == 1)
    return memref::LoadOp::create(builder, place.lanes.loc, from, offset);
  auto type = VectorType::get({width}, sumType(place));
  return vector::LoadOp::create(builder, place.lanes.loc, type, from, ValueRange{offset});
}

void DepthSums::addVector(Value slot, int64_t vectors, int64_t vector, Value sum, bool sets) const {
  OpBuilder &builder = place.lanes.builder;
  Location loc = place.lanes.loc;
  int64_t width = place.nest.contraction.width, stride = isTile ? vectors * width : tileColumns(place.nest);
  Value offset = builder.createOrFold<arith::MulIOp>(loc, slot, place.lanes.index(stride));
  offset = builder.createOrFold<arith::AddIOp>(loc, offset, place.lanes.index(vector * width));
  Value total = sets ? sum : arith::AddFOp::create(builder, loc, load(memory, offset), sum);
  if (width == 1)
    memref::StoreOp::create(builder, loc, total, memory, offset);
  else
    vector::StoreOp::create(builder, loc, total, memory, ValueRange{offset});
}

void DepthSums::add(const RowTile &tile, int64_t vectors, ArrayRef<Value> sums, Value isFirst) const {
  SmallVector<Value> slots;
  for (auto [i, row] : llvm::enumerate(place.tileRows(tile)))
    slots.push_back(isTile ? place.lanes.index(i) : slotOf(row));
  auto addAll = [&](bool sets) {
    for (auto [i, sum] : llvm::enumerate(sums))
      addVector(slots[i / vectors], vectors, i % vectors, sum, sets);
  };
  place.emitter.either(isFirst, [&] { addAll(true); }, [&] { addAll(false); });
}

void DepthSums::addFrom(const RowTile &tile, int64_t vectors, Value tileMemory, Value isFirst) const {
  OpBuilder &builder = place.lanes.builder;
  Location loc = place.lanes.loc;
  Value first = slotOf(tile.begin);
  auto addAll = [&](bool sets) {
    place.emitter.loop(
        place.lanes.index(0), tile.count.back(), 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
          Value slot = builder.createOrFold<arith::AddIOp>(loc, first, row);
          for (int64_t vector = 0; vector < vectors; ++vector) {
            Value from = builder.createOrFold<arith::MulIOp>(loc, row, place.lanes.index(vectors));
            from = builder.createOrFold<arith::AddIOp>(loc, from, place.lanes.index(vector));
            from = builder.createOrFold<arith::MulIOp>(loc, from, place.lanes.index(place.nest.contraction.width));
            addVector(slot, vectors, vector, load(tileMemory, from), sets);
          }
          return {};
        });
  };
  place.emitter.either(isFirst, [&] { addAll(true); }, [&] { addAll(false); });
}

RowTile DepthSums::rowsOfBlock() const {
  RowTile rows;
  rows.begin = place.blockBegin;
  for (auto [begin, end] : llvm::zip_equal(place.blockBegin, place.blockEnd))
    rows.count.push_back(place.lanes.builder.createOrFold<arith::SubIOp>(place.lanes.loc, end, begin));
  rows.extent = llvm::to_vector(place.nest.contraction.block);
  rows.skip.assign(rows.begin.size(), 0);
  return rows;
}
