// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of convolutions by fewer products (compiler/Analysis/Winograd.h): what lies between the transforms is in
// scratch memory, a block of tiles at a time.
//
//   for each workgroup: a block of tiles x one tile of columns (filters)
//     for each tile: input[places, tile, channels] = transform      unless the workgroup before did
//     for each place: sums[place, tiles, columns] = product of input and weights
//     for each tile: its results = transform of sums, in place; then the epilogue of each
#include "compiler/Codegen/CPU/Contraction/ContractionIndex.h"
#include "compiler/Codegen/CPU/Contraction/ContractionNest.h"
#include "compiler/Codegen/CPU/Strategy.h"
#include "compiler/Codegen/CPU/WinogradTransform.h"
#include "compiler/Codegen/Emit/VectorLoops.h"
#include "compiler/Codegen/IR/KernelOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

constexpr int64_t kBytes = 4, kLine = 16; // of an f32; elements of a cache line

// Blocks of tiles along each dimension, then tiles of columns.
SmallVector<Value> gridOf(const WinogradPlan &nest, FunctionScalars &scalars) {
  ContractionSpace space(nest.product, scalars);
  return SmallVector<Value>(ArrayRef(space.grid).drop_front(nest.product.batchDims.size()));
}

Value channelsOf(const WinogradPlan &nest, FunctionScalars &scalars) {
  Value input = linalg::GenericOp(nest.convolution.input)->getResult(0);
  return scalars.size(input, cast<RankedTensorType>(input.getType()).getRank() - 1);
}

// Elements from one tile to the next: lines of their own, and not a power of two apart.
Value inputStride(const WinogradPlan &nest, FunctionScalars &scalars) {
  Value lines = scalars.ceilDiv(channelsOf(nest, scalars), kLine);
  return scalars.mul(scalars.add(lines, scalars.constant(1)), scalars.constant(kLine));
}

// Bytes of all places of a block's tiles, `stride` elements each.
Value blockBytes(const WinogradPlan &nest, Value stride, FunctionScalars &scalars) {
  Value tiles = scalars.product(blockExtents(nest.product, scalars));
  Value bytes = scalars.mul(scalars.mul(tiles, stride), scalars.constant(nest.convolution.places() * kBytes));
  return scalars.mul(scalars.ceilDiv(bytes, 64), scalars.constant(64));
}

class WinogradEmitter {
public:
  WinogradEmitter(const WinogradPlan &nest, ElementEmitter &emitter, const Workgroup &at)
      : nest(nest), tile(nest.convolution.tile), side(tile + winograd::kWindow - 1),
        transforms(winograd::getTransforms(tile)), emitter(emitter), at(at), lanes(emitter.lanes),
        builder(lanes.builder), loc(lanes.loc), place(nest.product, emitter), convolution(nest.convolution),
        batch(nest.position.size() - 3) {}

  void run() {
    SmallVector<Value> position(nest.product.batchDims.size(), lanes.index(0));
    position.append(delinearize(emitter, at.number, gridOf(nest, emitter.scalars)));
    place.moveTo(position);
    FunctionScalars &scalars = emitter.scalars;
    Value stride = inputStride(nest, scalars), columns = lanes.index(tileColumns(nest.product));
    Value sumsBegin = add(at.scratch, blockBytes(nest, stride, scalars));
    Value end = add(sumsBegin, blockBytes(nest, columns, scalars));
    Value input = convolution.input->getResult(0), product = convolution.product->getResult(0);
    Buffer inputs = makeBlock(at.scratch, stride, Value()), sums = makeBlock(sumsBegin, columns, place.firstColumn);
    Value isNew =
        builder.createOrFold<arith::OrIOp>(loc, compare(arith::CmpIPredicate::eq, at.number, at.first),
                                           compare(arith::CmpIPredicate::eq, position.back(), lanes.index(0)));
    emitter.when(isNew, [&] { place.forEachBlockRow([&](ArrayRef<Value> row) { emitInput(row, inputs); }); });
    emitter.bind(input, inputs);
    emitter.loops({lanes.index(side), lanes.index(side)}, {},
                  [&](ArrayRef<Value> of, ValueRange) -> SmallVector<Value> {
                    position[0] = of[0];
                    position[1] = of[1];
                    emitContractionTile(nest.product, emitter, position, sums, end);
                    return {};
                  });
    emitter.unbind(input);
    emitter.bind(product, sums);
    place.forEachBlockRow([&](ArrayRef<Value> row) {
      emitOutput(row, sums);
      emitEpilogue(row);
    });
    emitter.unbind(product);
  }

private:
  // That of columns and channels, of what lies between the transforms.
  unsigned columnDim() const { return batch + 4; }

  Value add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
  Value times(Value a, int64_t b) { return builder.createOrFold<arith::MulIOp>(loc, a, lanes.index(b)); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }

  // Memory of the block's tiles at all places, with `stride` elements for each, that of columns from `first` on.
  Buffer makeBlock(Value begins, Value stride, Value first) {
    Type element = builder.getF32Type();
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    Buffer buffer{kernel::ScratchOp::create(builder, loc, type, begins), element, {}, {}, {}};
    auto push = [&](unsigned dim, Value step, Value origin) {
      buffer.dims.push_back(dim);
      buffer.strides.push_back(step);
      buffer.origin.push_back(origin);
    };
    push(columnDim(), lanes.index(1), first);
    Value step = stride;
    SmallVector<Value> extents = blockExtents(nest.product, emitter.scalars);
    for (size_t i = nest.product.tileDims.size(); i-- > 0;) {
      push(nest.product.tileDims[i], step, place.blockBegin[i]);
      step = emitter.scalars.mul(step, extents[i]);
    }
    push(1, step, Value());
    push(0, emitter.scalars.mul(step, emitter.scalars.constant(side)), Value());
    return buffer;
  }

  // The index of a tile in what lies between the transforms: places and columns are 0.
  SmallVector<LaneValue> indexOf(ArrayRef<Value> row) {
    SmallVector<LaneValue> index(columnDim() + 1, lanes.constant(0));
    for (auto [dim, i] : llvm::zip_equal(nest.product.tileDims, row))
      index[dim] = LaneValue::uniform(i);
    return index;
  }

  Value asValue(LaneValue value) { return lanes.width == 1 ? value.base : lanes.toVector(value); }
  LaneValue asLanes(Value value) { return lanes.width == 1 ? LaneValue::uniform(value) : LaneValue::any(value); }

  //===--- The operand ---===//

  void emitInput(ArrayRef<Value> row, const Buffer &inputs) {
    SmallVector<LaneValue> index = indexOf(row);
    auto pad = convolution.input.getDpsInputs()[2].getDefiningOp<tensor::PadOp>();
    Value inside = pad ? isInside(pad, index) : Value();
    if (!inside)
      return emitTile(index, inputs);
    auto assume = [&](bool known) {
      for (int64_t dim : {batch, batch + 1})
        emitter.assumeInside(pad, dim, known);
    };
    emitter.either(
        inside,
        [&] {
          assume(true);
          emitTile(index, inputs);
          assume(false);
        },
        [&] { emitTile(index, inputs); });
  }

  // Whether a tile reads none of the padding; null where all else but its place decides.
  Value isInside(tensor::PadOp pad, ArrayRef<LaneValue> index) {
    if (emitter.isBound(pad.getResult()))
      return {};
    Value inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    for (int64_t dim : {batch, batch + 1}) {
      Value begin = times(index[dim + 2].base, tile), low = emitter.scalars.toValue(pad.getMixedLowPad()[dim]);
      Value behind = add(low, emitter.scalars.size(pad.getSource(), dim));
      Value begins = compare(arith::CmpIPredicate::sge, begin, low),
            ends = compare(arith::CmpIPredicate::sle, add(begin, lanes.index(side)), behind);
      inside = builder.createOrFold<arith::AndIOp>(loc, inside, builder.createOrFold<arith::AndIOp>(loc, begins, ends));
    }
    return inside;
  }

  void emitTile(ArrayRef<LaneValue> index, const Buffer &inputs) {
    Value channels = channelsOf(nest, emitter.scalars);
    int64_t width = nest.product.contraction.width;
    forEachVector(emitter, lanes.index(0), channels, width, nest.masks, [&](LaneValue channel) {
      SmallVector<Value> values;
      for (int64_t i = 0; i < side * side; ++i) {
        auto position = [&](LaneValue of, int64_t offset) {
          return LaneValue::uniform(add(times(of.base, tile), lanes.index(offset)));
        };
        SmallVector<LaneValue> from(index.begin() + 2, index.begin() + 2 + batch);
        from.append({position(index[batch + 2], i / side), position(index[batch + 3], i % side), channel});
        values.push_back(asValue(emitter.evaluate(convolution.input.getDpsInputs()[2], from)));
        if (i % side >= side - tile)
          askForNext(from);
      }
      storePlaces(inputs, index, channel, side, emitSquareTransform(builder, loc, transforms.input, values));
    });
  }

  // Asks for what the tile to the right reads at the same place of it: rows of the operand lie far apart, and on
  // several cores another one may have written them.
  void askForNext(SmallVector<LaneValue> at) {
    Value source = convolution.input.getDpsInputs()[2];
    at[batch + 1] = lanes.add(at[batch + 1], lanes.constant(tile));
    if (auto pad = source.getDefiningOp<tensor::PadOp>(); pad && !emitter.isBound(source)) {
      for (auto [index, low] : llvm::zip_equal(at, pad.getMixedLowPad()))
        index = lanes.sub(index, LaneValue::uniform(emitter.scalars.toValue(low)));
      source = pad.getSource();
    }
    emitter.prefetch(source, at);
  }

  // To the first `rows` places along each dimension.
  void storePlaces(const Buffer &buffer, ArrayRef<LaneValue> index, LaneValue column, int64_t rows,
                   ArrayRef<Value> values) {
    for (auto [i, value] : llvm::enumerate(values)) {
      SmallVector<LaneValue> to(index);
      to[0] = lanes.constant(i / rows);
      to[1] = lanes.constant(i % rows);
      to[columnDim()] = column;
      emitter.store(buffer, to, asLanes(value));
    }
  }

  //===--- The result ---===//

  void forEachColumn(function_ref<void(LaneValue)> body) {
    Value last = add(place.firstColumn, lanes.index(tileColumns(nest.product)));
    if (place.ragged)
      last = builder.createOrFold<arith::MinSIOp>(loc, last, place.space.columns);
    forEachVector(emitter, place.firstColumn, last, nest.product.contraction.width, nest.masks, body);
  }

  LaneValue loadSums(ArrayRef<LaneValue> index, LaneValue i, LaneValue j, LaneValue column) {
    SmallVector<LaneValue> from(index);
    from[0] = i;
    from[1] = j;
    from[columnDim()] = column;
    return emitter.evaluate(convolution.product->getResult(0), from);
  }

  // The results of a tile to the place of its first sums.
  void emitOutput(ArrayRef<Value> row, const Buffer &sums) {
    SmallVector<LaneValue> index = indexOf(row);
    forEachColumn([&](LaneValue column) {
      SmallVector<Value> values;
      for (int64_t i = 0; i < side * side; ++i)
        values.push_back(asValue(loadSums(index, lanes.constant(i / side), lanes.constant(i % side), column)));
      storePlaces(sums, index, column, tile, emitSquareTransform(builder, loc, transforms.output, values));
    });
  }

  // What is made of a tile's results, as far as they are there.
  void emitEpilogue(ArrayRef<Value> row) {
    SmallVector<LaneValue> index = indexOf(row);
    SmallVector<Value> sizes = emitter.scalars.sizes(convolution.output->getResult(0)), begins, counts;
    for (int64_t dim : {batch, batch + 1}) {
      begins.push_back(times(index[dim + 2].base, tile));
      Value left = builder.createOrFold<arith::SubIOp>(loc, sizes[dim], begins.back());
      bool whole = getConstant(sizes[dim]) && *getConstant(sizes[dim]) % tile == 0;
      counts.push_back(whole ? lanes.index(tile) : builder.createOrFold<arith::MinSIOp>(loc, left, lanes.index(tile)));
    }
    emitter.loops(counts, {}, [&](ArrayRef<Value> of, ValueRange) -> SmallVector<Value> {
      SmallVector<LaneValue> to(nest.position.size(), lanes.constant(0));
      if (batch)
        to[nest.position[0]] = index[2];
      to[nest.position[batch]] = LaneValue::uniform(add(begins[0], of[0]));
      to[nest.position[batch + 1]] = LaneValue::uniform(add(begins[1], of[1]));
      forEachColumn([&](LaneValue column) {
        to[nest.position.back()] = column;
        Value result = convolution.output->getResult(0);
        emitter.bind(result, loadSums(index, LaneValue::uniform(of[0]), LaneValue::uniform(of[1]), column));
        emitter.store(at.output, to, emitter.evaluate(nest.value, to));
        emitter.unbind(result);
      });
      return {};
    });
  }

  const WinogradPlan &nest;
  int64_t tile, side; // results of a tile along each dimension, and elements of the operand that it reads
  winograd::Transforms transforms;
  ElementEmitter &emitter;
  const Workgroup &at;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  ContractionIndex place; // of the product
  winograd::Convolution convolution;
  int64_t batch; // dimensions of it, 0 or 1, before those of positions
};

class WinogradNest : public Strategy {
public:
  explicit WinogradNest(const WinogradPlan &nest) : nest(nest) {}

  Value workgroups(FunctionScalars &scalars) const override { return scalars.product(gridOf(nest, scalars)); }
  Value grain(FunctionScalars &scalars) const override {
    // Each share of a call transforms the block's operand: all columns of a block are one share where there are blocks
    // enough for cores, else a few are.
    constexpr int64_t kManyBlocks = 6, kOfFew = 2, kOfOne = 4;
    SmallVector<Value> grid = gridOf(nest, scalars);
    int64_t blocks = getConstant(scalars.product(ArrayRef(grid).drop_back())).value_or(kOfFew);
    int64_t shares = blocks >= kManyBlocks ? 1 : blocks > 1 ? kOfFew : kOfOne;
    Value least = scalars.ceilDiv(contractionGrain(nest.product, scalars), nest.convolution.places());
    return scalars.max(least, scalars.ceilDiv(grid.back(), shares));
  }
  Value scratch(FunctionScalars &scalars) const override {
    Value kept = scalars.add(blockBytes(nest, inputStride(nest, scalars), scalars),
                             blockBytes(nest, scalars.constant(tileColumns(nest.product)), scalars));
    return scalars.add(kept, makeStrategy(nest.product)->scratch(scalars));
  }
  void emit(ElementEmitter &emitter, const Workgroup &at) const override { WinogradEmitter(nest, emitter, at).run(); }
  std::string describe() const override {
    std::string tile = std::to_string(nest.convolution.tile);
    return "winograd, tiles of " + tile + "x" + tile + ", " + std::to_string(nest.product.contraction.blockRows()) +
           " at a time; " + describeTile(nest.product);
  }
  bool isScalar() const override { return nest.product.contraction.width == 1; }
  Unrolled unrolled() const override { return Unrolled::Addresses; }

private:
  const WinogradPlan &nest;
};

} // namespace

std::unique_ptr<Strategy> mlir::heddle::codegen::makeStrategy(const WinogradPlan &nest) {
  return std::make_unique<WinogradNest>(nest);
}
