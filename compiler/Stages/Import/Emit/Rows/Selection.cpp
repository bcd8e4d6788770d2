// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Rows/Selection.h"

#include "compiler/Stages/Import/Emit/Rows/ParallelRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle::importer;

Tensor mlir::heddle::importer::firstAlong(Emitter &emitter, Tensor &tensor, OpFoldResult count, int64_t axis) {
  SizeList offsets(tensor.rank(), emitter.sizes.constant(0)), extents = tensor.sizes;
  extents[axis] = count;
  return emitter.slice(tensor, offsets, extents, SmallVector<int64_t>(tensor.rank(), 1));
}

// Devices that run a row in one invocation: in parts, side by side.
static Tensor positionsInParts(Emitter &emitter, Tensor &vector) {
  Value source = emitter.value(vector);
  Selected selected = selectInParts(emitter, vector.sizes[0], [&](RowCode &c, Value i) {
    return convert({c.b, c.loc}, c.read(source, i), vector.elementType, c.b.getI1Type());
  });
  return firstAlong(emitter, selected.positions, readSize(emitter, selected.count, vector.sizes[0]), 0);
}

// Every position is written where the next one found goes, and stays there if it counts: no branch.
Tensor mlir::heddle::importer::positionsOfNonZero(Emitter &emitter, Tensor &vector) {
  if (emitter.forms.shortRows)
    return positionsInParts(emitter, vector);
  Sizes &sizes = emitter.sizes;
  OpFoldResult size = vector.sizes[0];
  Value source = emitter.value(vector), end = sizes.value(size);
  Type type = vector.elementType, i64 = emitter.builder.getI64Type();
  SmallVector<Tensor> found =
      emitRows(emitter, sizes.constant(1), {describeResult(i64, {size}), describeResult(i64, {sizes.constant(1)})},
               [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> SmallVector<Value> {
                 RowCode c{b, loc};
                 auto next = c.loop(c.index(0), end, {results[0], c.index(0)}, [&](Value i, ValueRange carried) {
                   Value position = c.toI64(i), one = c.index(1), none = c.index(0);
                   Value counts = convert({b, loc}, c.read(source, i), type, b.getI1Type());
                   Value written = c.write(position, carried[0], carried[1]);
                   return RowCode::Values{written, c.add(carried[1], c.select(counts, one, none))};
                 });
                 return {next[0], c.write(c.toI64(next[1]), results[1], row)};
               });
  return firstAlong(emitter, found[0], readSize(emitter, found[1], size), 0);
}

Tensor mlir::heddle::importer::takeAlong(Emitter &emitter, Tensor &tensor, Tensor &positions, int64_t axis) {
  SizeList shape = tensor.sizes, aligned(tensor.rank(), emitter.sizes.constant(1));
  shape[axis] = aligned[axis] = positions.sizes[0];
  Tensor wide = emitter.reshape(positions, aligned);
  Value source = emitter.value(tensor);
  return emitter.generate(shape, tensor.elementType, {&wide}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    SmallVector<Value> at(v.drop_front());
    at[axis] = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]);
    return tensor::ExtractOp::create(b, loc, source, at);
  });
}
