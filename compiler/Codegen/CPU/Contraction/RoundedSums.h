// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of a product of rounded rows (Plan/RoundedProduct.h): a block's in integers, by dot products of groups of
// four codes, then in floats, times the scales of the row and of the column.
//
//   for each block
//     for each group of bytes: codes of each vector of columns taken apart once, for all rows of the tile
//     sums += (float(integers) - sum of the row's codes * zero) * scale of the row * scales of the columns
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_ROUNDEDSUMS_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_ROUNDEDSUMS_H

#include "compiler/Codegen/CPU/Contraction/ContractionIndex.h"

namespace mlir::heddle::codegen {

class RoundedSums {
public:
  // The nest is `rounded`.
  explicit RoundedSums(const ContractionIndex &place)
      : place(place), product(*place.nest.rounded), lanes(place.lanes), builder(place.lanes.builder) {}

  // `sums`, the first row's vectors first, with all products added. `rows`: the op's loop indices at each row.
  SmallVector<Value> accumulate(ArrayRef<SmallVector<LaneValue>> rows, int64_t vectors, SmallVector<Value> sums) const;

private:
  struct Address {
    Value memory, offset;
  };
  using Dims = SmallVector<LaneValue>;

  SmallVector<Dims> inBlock(ArrayRef<SmallVector<LaneValue>> rows, ArrayRef<Value> block) const;
  Value operand(unsigned number) const { return place.op->getOperand(number); }
  Dims placeIn(unsigned number, const Dims &dims) const; // in the operand
  Address locate(unsigned number, const Dims &dims) const;
  Value columnValues(unsigned number, Dims dims, int64_t vector) const;
  Value rowNumber(unsigned number, const Dims &dims) const;
  Value splat(double number) const;
  Value zerosOf(const Dims &dims, int64_t vector) const;
  Value loadBytes(const Address &from, Value at, int64_t count) const;
  SmallVector<Value> partsOf(Value bytes) const;
  Value dot(Value sum, size_t part, Value codes, Value row) const;
  SmallVector<Value> beginBlock(ArrayRef<Dims> rows, int64_t vectors) const;
  SmallVector<Value> addGroups(ArrayRef<Dims> rows, int64_t vectors, SmallVector<Value> integers) const;
  SmallVector<Value> endBlock(ArrayRef<Dims> rows, int64_t vectors, ValueRange integers, ValueRange sums) const;

  const ContractionIndex &place;
  const RoundedProduct &product;
  LaneBuilder &lanes;
  OpBuilder &builder;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_ROUNDEDSUMS_H
