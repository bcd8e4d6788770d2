// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/RoundedSums.h"

#include "compiler/Codegen/IR/KernelOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

// The rows' indices in the block, at its first byte.
SmallVector<RoundedSums::Dims> RoundedSums::inBlock(ArrayRef<SmallVector<LaneValue>> rows,
                                                    ArrayRef<Value> block) const {
  SmallVector<Dims> result(rows);
  for (Dims &dims : result) {
    for (auto [loop, i] : llvm::zip(place.reductions, block))
      dims[loop] = LaneValue::uniform(i);
    dims[place.reductions.back()] = lanes.constant(0);
  }
  return result;
}

RoundedSums::Dims RoundedSums::placeIn(unsigned number, const Dims &dims) const {
  linalg::GenericOp op = place.op;
  return place.applyMap(op.getMatchingIndexingMap(&op->getOpOperand(number)), dims);
}

RoundedSums::Address RoundedSums::locate(unsigned number, const Dims &dims) const {
  auto [memory, offset] = *place.emitter.locate(operand(number), placeIn(number, dims));
  return {memory, offset};
}

// A vector of what columns have; panels are padded, so that none is left out.
Value RoundedSums::columnValues(unsigned number, Dims dims, int64_t vector) const {
  dims[place.laneLoop()] = place.columnLanes(vector);
  lanes.width = place.nest.contraction.width;
  Value values = lanes.toVector(place.emitter.evaluate(operand(number), placeIn(number, dims)));
  lanes.width = 1;
  return values;
}

Value RoundedSums::rowNumber(unsigned number, const Dims &dims) const {
  return place.emitter.evaluate(operand(number), placeIn(number, dims)).base;
}

Value RoundedSums::splat(double number) const {
  auto type = VectorType::get({place.nest.contraction.width}, builder.getF32Type());
  auto element = static_cast<float>(number);
  return arith::ConstantOp::create(builder, lanes.loc, DenseElementsAttr::get(type, element));
}

Value RoundedSums::loadBytes(const Address &from, Value at, int64_t count) const {
  Value offset = builder.createOrFold<arith::AddIOp>(lanes.loc, from.offset, at);
  return vector::LoadOp::create(builder, lanes.loc, VectorType::get({count}, builder.getI8Type()), from.memory,
                                ValueRange{offset});
}

// The codes of a vector of bytes: of the lower halves, of the upper ones; or the bytes themselves.
SmallVector<Value> RoundedSums::partsOf(Value bytes) const {
  auto all = [&](int8_t value) -> Value {
    auto attr = DenseElementsAttr::get(cast<VectorType>(bytes.getType()), value);
    return arith::ConstantOp::create(builder, lanes.loc, attr);
  };
  if (product.parts() == 2)
    return {arith::AndIOp::create(builder, lanes.loc, bytes, all(15)),
            arith::ShRUIOp::create(builder, lanes.loc, bytes, all(4))};
  return {product.shift() ? Value(arith::XOrIOp::create(builder, lanes.loc, bytes, all(-128))) : bytes};
}

// The upper half of a code of 8 bits counts 16 times.
Value RoundedSums::dot(Value sum, size_t part, Value codes, Value row) const {
  Location loc = lanes.loc;
  bool isSigned = product.dots == RoundedProduct::Dots::Signed, isUpper = part == 1 && product.perByte == 1;
  auto add = [&](Value to) -> Value {
    return kernel::DotOp::create(builder, loc, to.getType(), to, codes, row, isSigned, /*rhs_signed=*/true,
                                 product.dots == RoundedProduct::Dots::Words);
  };
  if (!isUpper)
    return add(sum);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sum.getType()));
  Value four = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(cast<VectorType>(sum.getType()), static_cast<int32_t>(4)));
  return arith::AddIOp::create(builder, loc, sum, arith::ShLIOp::create(builder, loc, add(zero), four));
}

// What a block's sums of integers begin with: where all codes have one whole zero, what it takes off.
SmallVector<Value> RoundedSums::beginBlock(ArrayRef<Dims> rows, int64_t vectors) const {
  Location loc = lanes.loc;
  auto type = VectorType::get({place.nest.contraction.width}, builder.getI32Type());
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  SmallVector<Value> first;
  double taken = product.zero - static_cast<double>(product.shift());
  bool isWhole = product.rowSums > 0 && !product.zeros && taken == static_cast<double>(static_cast<int32_t>(taken));
  for (const Dims &dims : rows) {
    Value begin = zero;
    if (isWhole && taken != 0) {
      Value factor = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-static_cast<int32_t>(taken)));
      Value number = arith::MulIOp::create(builder, loc, rowNumber(product.rowSums, dims), factor);
      begin = vector::BroadcastOp::create(builder, loc, type, number);
    }
    first.append(vectors, begin);
  }
  return first;
}

SmallVector<Value> RoundedSums::addGroups(ArrayRef<Dims> rows, int64_t vectors, SmallVector<Value> integers) const {
  Location loc = lanes.loc;
  int64_t width = place.nest.contraction.width, parts = product.parts();
  SmallVector<Address> codes;
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Dims dims = rows.front();
    dims[place.laneLoop()] =
        LaneValue::uniform(builder.createOrFold<arith::AddIOp>(loc, place.firstColumn, lanes.index(vector * width)));
    codes.push_back(locate(product.codes, dims));
  }
  SmallVector<SmallVector<Address>> from; // of rows, for each code in a byte
  for (const Dims &dims : rows) {
    from.emplace_back();
    for (unsigned half = 0; half < product.perByte; ++half)
      from.back().push_back(locate(half, dims));
  }
  auto words = VectorType::get({width}, builder.getI32Type());
  auto bytes = VectorType::get({width * RoundedProduct::kGroup}, builder.getI8Type());
  auto addGroup = [&](Value group, SmallVector<Value> sums) {
    Value inRow = builder.createOrFold<arith::MulIOp>(loc, group, lanes.index(RoundedProduct::kGroup));
    Value inPanel =
        builder.createOrFold<arith::MulIOp>(loc, group, lanes.index(RoundedProduct::kGroup * product.panel));
    auto rowOf = [&](const Address &address) -> Value {
      Value word = vector::BitCastOp::create(builder, loc, VectorType::get({1}, builder.getI32Type()),
                                             loadBytes(address, inRow, RoundedProduct::kGroup));
      word = vector::ExtractOp::create(builder, loc, word, ArrayRef<int64_t>{0});
      return vector::BitCastOp::create(builder, loc, bytes, vector::BroadcastOp::create(builder, loc, words, word));
    };
    SmallVector<SmallVector<Value>> elements;
    for (ArrayRef<Address> row : from)
      elements.push_back(llvm::map_to_vector(row, rowOf));
    for (int64_t vector = 0; vector < vectors; ++vector) {
      SmallVector<Value> apart = partsOf(loadBytes(codes[vector], inPanel, width * RoundedProduct::kGroup));
      for (int64_t part = 0; part < parts; ++part)
        for (size_t row = 0; row < rows.size(); ++row) {
          Value &sum = sums[row * vectors + vector];
          sum = dot(sum, part, apart[part], elements[row][product.perByte == 2 ? part : 0]);
        }
    }
    return sums;
  };
  constexpr int64_t kUnrolled = 4; // groups
  int64_t groups = *getConstant(place.extents.back()) / RoundedProduct::kGroup, step = std::min(groups, kUnrolled);
  return place.emitter.loop(lanes.index(0), lanes.index(groups), step, integers, [&](Value first, ValueRange carried) {
    SmallVector<Value> sums(carried);
    for (int64_t i = 0; i < step; ++i)
      sums = addGroup(builder.createOrFold<arith::AddIOp>(loc, first, lanes.index(i)), std::move(sums));
    return sums;
  });
}

SmallVector<Value> RoundedSums::endBlock(ArrayRef<Dims> rows, int64_t vectors, ValueRange integers,
                                         ValueRange sums) const {
  Location loc = lanes.loc;
  Type f32 = builder.getF32Type();
  auto type = VectorType::get({place.nest.contraction.width}, f32);
  auto all = [&](Value number) -> Value { return vector::BroadcastOp::create(builder, loc, type, number); };
  double taken = product.zero - static_cast<double>(product.shift());
  bool isTaken = !product.zeros && taken == static_cast<double>(static_cast<int32_t>(taken)); // by beginBlock
  SmallVector<Value> scales, counts, next(sums);
  for (const Dims &dims : rows) {
    scales.push_back(all(rowNumber(product.rowScales, dims)));
    if (product.rowSums > 0 && !isTaken)
      counts.push_back(all(arith::SIToFPOp::create(builder, loc, f32, rowNumber(product.rowSums, dims))));
  }
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value ofColumns = columnValues(product.scales, rows.front(), vector), zeros;
    if (!counts.empty())
      zeros = zerosOf(rows.front(), vector);
    for (size_t row = 0; row < rows.size(); ++row) {
      size_t i = row * vectors + vector;
      Value sum = arith::SIToFPOp::create(builder, loc, type, integers[i]);
      if (zeros)
        sum = arith::SubFOp::create(builder, loc, sum, arith::MulFOp::create(builder, loc, counts[row], zeros));
      sum = arith::MulFOp::create(builder, loc, sum, scales[row]);
      next[i] = arith::AddFOp::create(builder, loc, next[i], arith::MulFOp::create(builder, loc, sum, ofColumns));
    }
  }
  return next;
}

// The columns' zeros in a block, less what codes are shifted by.
Value RoundedSums::zerosOf(const Dims &dims, int64_t vector) const {
  Location loc = lanes.loc;
  double shift = static_cast<double>(product.shift());
  if (!product.zeros)
    return splat(product.zero - shift);
  Value zeros = columnValues(*product.zeros, dims, vector);
  auto type = VectorType::get({place.nest.contraction.width}, builder.getF32Type());
  if (!isa<FloatType>(getElementTypeOrSelf(zeros.getType()))) {
    Value wide = arith::ExtUIOp::create(builder, loc, type.clone(builder.getI32Type()), zeros);
    zeros = arith::SIToFPOp::create(builder, loc, type, wide);
  }
  return shift == 0 ? zeros : arith::SubFOp::create(builder, loc, zeros, splat(shift));
}

SmallVector<Value> RoundedSums::accumulate(ArrayRef<SmallVector<LaneValue>> rows, int64_t vectors,
                                           SmallVector<Value> sums) const {
  return place.emitter.loops(ArrayRef(place.extents).drop_back(), sums, [&](ArrayRef<Value> block, ValueRange carried) {
    SmallVector<Dims> at = inBlock(rows, block);
    SmallVector<Value> integers = addGroups(at, vectors, beginBlock(at, vectors));
    return endBlock(at, vectors, integers, carried);
  });
}
