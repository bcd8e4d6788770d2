// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Rows/ParallelRows.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;
using Values = RowCode::Values;

PartRange::PartRange(RowCode &c, int64_t width, Value part, Value size)
    : begin(c.mul(part, c.index(width))), end(c.min(c.add(begin, c.index(width)), size)) {}

// In one row.
static Sums sumsOfRow(Emitter &emitter, Tensor &list) {
  Sizes &sizes = emitter.sizes;
  Type i64 = emitter.builder.getI64Type();
  Value source = emitter.value(list), size = sizes.value(list.sizes[0]);
  SmallVector<Tensor> made =
      emitRows(emitter, sizes.constant(1), {describeResult(i64, list.sizes), describeResult(i64, {sizes.constant(1)})},
               [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> Values {
                 RowCode c{b, loc};
                 Values walked = c.loop(c.index(0), size, {results[0], c.i64(0)}, [&](Value i, ValueRange v) -> Values {
                   return {c.write(v[1], v[0], i), c.add(v[1], c.read(source, i))};
                 });
                 return {walked[0], c.write(walked[1], results[1], row)};
               });
  return {made[0], made[1]};
}

static Sums sumsAtLevel(Emitter &emitter, Tensor &list, int64_t level) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult n = list.sizes[0];
  std::optional<int64_t> fixed = getConstantIntValue(n);
  if (fixed ? *fixed <= emitter.forms.serialElements : level == emitter.forms.freeSumLevels)
    return sumsOfRow(emitter, list);
  Type i64 = emitter.builder.getI64Type();
  OpFoldResult parts = sizes.ceilDiv(n, sizes.constant(emitter.forms.partElements));
  Value source = emitter.value(list), size = sizes.value(n);
  Tensor totals = emitRows(emitter, parts, {describeResult(i64, {parts})},
                           [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> Values {
                             RowCode c{b, loc};
                             PartRange part(c, emitter.forms.partElements, row, size);
                             Value sum = c.loop(part.begin, part.end, c.i64(0), [&](Value i, ValueRange v) -> Values {
                               return {c.add(v[0], c.read(source, i))};
                             })[0];
                             return {c.write(sum, results[0], row)};
                           })
                      .front();
  Sums outer = sumsAtLevel(emitter, totals, level + 1);
  Value begun = emitter.value(outer.before);
  Tensor before = emitRows(emitter, parts, {describeResult(i64, {n})},
                           [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> Values {
                             RowCode c{b, loc};
                             PartRange part(c, emitter.forms.partElements, row, size);
                             return {c.loop(part.begin, part.end, {results[0], c.read(begun, row)},
                                            [&](Value i, ValueRange v) -> Values {
                                              return {c.write(v[1], v[0], i), c.add(v[1], c.read(source, i))};
                                            })[0]};
                           })
                      .front();
  return {before, outer.total};
}

Sums mlir::heddle::importer::sumsBefore(Emitter &emitter, Tensor &list) { return sumsAtLevel(emitter, list, 0); }

Selected mlir::heddle::importer::selectInParts(Emitter &emitter, OpFoldResult size, CountsAt counts) {
  Sizes &sizes = emitter.sizes;
  Type i64 = emitter.builder.getI64Type();
  OpFoldResult parts = sizes.ceilDiv(size, sizes.constant(emitter.forms.partElements));
  Value end = sizes.value(size);
  Tensor numbers = emitRows(emitter, parts, {describeResult(i64, {parts})},
                            [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> Values {
                              RowCode c{b, loc};
                              PartRange part(c, emitter.forms.partElements, row, end);
                              Value number =
                                  c.loop(part.begin, part.end, c.i64(0), [&](Value i, ValueRange v) -> Values {
                                    return {c.add(v[0], c.select(counts(c, i), c.i64(1), c.i64(0)))};
                                  })[0];
                              return {c.write(number, results[0], row)};
                            })
                       .front();
  Sums sums = sumsBefore(emitter, numbers);
  Value begun = emitter.value(sums.before);
  Tensor positions =
      emitRows(emitter, parts, {describeResult(i64, {size})},
               [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> Values {
                 RowCode c{b, loc};
                 PartRange part(c, emitter.forms.partElements, row, end);
                 Value first = c.toIndex(c.read(begun, row));
                 return {c.loop(part.begin, part.end, {results[0], first}, [&](Value i, ValueRange v) -> Values {
                   return c.choose(
                       counts(c, i), [&] { return Values{c.write(c.toI64(i), v[0], v[1]), c.add(v[1], c.index(1))}; },
                       [&] { return Values(v); });
                 })[0]};
               })
          .front();
  return {positions, sums.total};
}
