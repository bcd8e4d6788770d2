// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Direct factorizations and triangular systems.
#include "compiler/Stages/Import/Emit/Numerics/Factorizations.h"

#include "compiler/Stages/Import/Emit/Numerics/MatrixCode.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::numerics;
using importer::describeResult;
using Values = MatrixCode::Values;

static Value sizeOf(Emitter &emitter, const Tensor &tensor, int64_t dim) {
  return emitter.sizes.value(tensor.sizes[dim]);
}

static Tensor infoOf(Emitter &emitter, const Tensor &a) {
  return describeResult(emitter.builder.getI32Type(), {a.sizes[0]});
}

// `info` [batch] with `number` where none is noted yet and `failed` holds.
static Value note(MatrixCode &c, Value info, Value failed, Value number) {
  Value before = c.read(info, c.batch), none = c.s.constant(c.b.getI32Type(), 0);
  Value isFirst = c.both(failed, c.equal(before, none));
  return c.write(c.select(isFirst, c.integer(number), before), info, c.batch);
}

static Value clear(MatrixCode &c, Value info) { return c.write(c.s.constant(c.b.getI32Type(), 0), info, c.batch); }

//===--- Cholesky ------------------------------------------------------------------------------------------------===//

// The upper factor row by row, each of which is subtracted from those under it; the lower one is its transpose.
Cholesky mlir::heddle::numerics::factorCholesky(Emitter &emitter, Tensor &a, bool lower) {
  Value source = emitter.value(a), n = sizeOf(emitter, a, 1);
  auto body = [&](MatrixCode &c, ValueRange results) -> Values {
    Value zero = c.real(0);
    Value upper = c.fill(results[0], n, n, [&](Value i, Value j) {
      Value element = lower ? c.at(source, j, i) : c.at(source, i, j);
      return c.select(c.less(j, i), zero, element);
    });
    Values done = c.loop(c.index(0), n, {upper, clear(c, results[1])}, [&](Value k, ValueRange v) -> Values {
      Value pivot = c.at(v[0], k, k), isPositive = c.s.less(zero, pivot);
      Value info = note(c, v[1], c.isNot(isPositive), c.next(k));
      Value root = c.s.sqrt(pivot);
      Value scaled = c.loop(k, n, v[0], [&](Value j, ValueRange m) -> Values {
        return {c.put(c.s.div(c.at(m[0], k, j), root), m[0], k, j)};
      })[0];
      Value rest = c.loop(c.next(k), n, scaled, [&](Value i, ValueRange m) -> Values {
        return {c.subtractRow(m[0], i, k, c.at(m[0], k, i), i, n)};
      })[0];
      return {rest, info};
    });
    if (!lower)
      return done;
    Value turned = c.loop(c.index(0), n, done[0], [&](Value i, ValueRange outer) {
      return c.loop(c.index(0), i, outer, [&](Value j, ValueRange v) -> Values {
        return {c.put(zero, c.put(c.at(v[0], j, i), v[0], i, j), j, i)};
      });
    })[0];
    return {turned, done[1]};
  };
  SmallVector<Tensor> made = forEachMatrix(emitter, a.sizes[0], a.elementType,
                                           {describeResult(a.elementType, a.sizes), infoOf(emitter, a)}, body);
  return {made[0], made[1]};
}

//===--- LU ------------------------------------------------------------------------------------------------------===//

// The row, from k on, of the greatest magnitude in column k.
static Value findPivot(MatrixCode &c, Value matrix, Value k, Value rows) {
  return c.loop(c.next(k), rows, {c.s.abs(c.at(matrix, k, k)), k}, [&](Value i, ValueRange best) -> Values {
    Value magnitude = c.s.abs(c.at(matrix, i, k)), isGreater = c.s.less(best[0], magnitude);
    return {c.select(isGreater, magnitude, best[0]), c.select(isGreater, i, best[1])};
  })[1];
}

Lu mlir::heddle::numerics::factorLu(Emitter &emitter, Tensor &a) {
  Value source = emitter.value(a), rows = sizeOf(emitter, a, 1), columns = sizeOf(emitter, a, 2);
  OpFoldResult steps = emitter.sizes.min(a.sizes[1], a.sizes[2]);
  Value count = emitter.sizes.value(steps);
  auto body = [&](MatrixCode &c, ValueRange results) -> Values {
    Value copy = c.fill(results[0], rows, columns, [&](Value i, Value j) { return c.at(source, i, j); });
    Values start{copy, results[1], clear(c, results[2])};
    return c.loop(c.index(0), count, start, [&](Value k, ValueRange v) -> Values {
      Value chosen = findPivot(c, v[0], k, rows), under = c.next(k);
      Value matrix = c.swapRows(v[0], k, chosen, columns);
      Value pivots = c.put(c.integer(c.next(chosen)), v[1], k);
      Value pivot = c.at(matrix, k, k), isZero = c.s.equal(pivot, c.real(0));
      Value info = note(c, v[2], isZero, under);
      Value rest = c.loop(under, rows, matrix, [&](Value i, ValueRange m) -> Values {
        Value element = c.at(m[0], i, k), factor = c.select(isZero, element, c.s.div(element, pivot));
        return {c.subtractRow(c.put(factor, m[0], i, k), i, k, factor, under, columns)};
      })[0];
      return {rest, pivots, info};
    });
  };
  SmallVector<Tensor> made =
      forEachMatrix(emitter, a.sizes[0], a.elementType,
                    {describeResult(a.elementType, a.sizes),
                     describeResult(emitter.builder.getI32Type(), {a.sizes[0], steps}), infoOf(emitter, a)},
                    body);
  return {made[0], made[1], made[2]};
}

//===--- QR ------------------------------------------------------------------------------------------------------===//

Qr mlir::heddle::numerics::factorQr(Emitter &emitter, Tensor &a) {
  Value source = emitter.value(a), rows = sizeOf(emitter, a, 1), columns = sizeOf(emitter, a, 2);
  OpFoldResult steps = emitter.sizes.min(a.sizes[1], a.sizes[2]);
  Value count = emitter.sizes.value(steps);
  auto body = [&](MatrixCode &c, ValueRange results) -> Values {
    Value copy = c.fill(results[0], rows, columns, [&](Value i, Value j) { return c.at(source, i, j); });
    return c.loop(c.index(0), count, {copy, results[1], results[2]}, [&](Value k, ValueRange v) -> Values {
      Values made = c.makeReflection(v[0], k, k, rows, /*alongRow=*/false);
      Values rest = c.reflect(made[0], v[2], k, rows, c.next(k), columns, made[2],
                              [&](Value matrix, Value i) { return c.at(matrix, i, k); });
      return {rest[0], c.put(made[2], v[1], k), rest[1]};
    });
  };
  SmallVector<Tensor> made =
      forEachMatrix(emitter, a.sizes[0], a.elementType,
                    {describeResult(a.elementType, a.sizes), describeResult(a.elementType, {a.sizes[0], steps}),
                     describeResult(a.elementType, {a.sizes[0], a.sizes[2]})},
                    body);
  return {made[0], made[1]};
}

// The last reflection first, each on what the ones behind it made of the identity.
Tensor mlir::heddle::numerics::formQ(Emitter &emitter, Tensor &factors, Tensor &taus) {
  Value packed = emitter.value(factors), scales = emitter.value(taus);
  Value rows = sizeOf(emitter, factors, 1), columns = sizeOf(emitter, factors, 2), count = sizeOf(emitter, taus, 1);
  auto body = [&](MatrixCode &c, ValueRange results) -> Values {
    Value zero = c.real(0), one = c.real(1);
    Value identity =
        c.fill(results[0], rows, columns, [&](Value i, Value j) { return c.select(c.equal(i, j), one, zero); });
    return c.loop(c.index(0), count, {identity, results[1]}, [&](Value step, ValueRange v) -> Values {
      Value k = c.sub(count, c.next(step));
      return c.reflect(v[0], v[1], k, rows, k, columns, c.at(scales, k),
                       [&](Value, Value i) { return c.at(packed, i, k); });
    });
  };
  Type type = factors.elementType;
  return forEachMatrix(
             emitter, factors.sizes[0], type,
             {describeResult(type, factors.sizes), describeResult(type, {factors.sizes[0], factors.sizes[2]})}, body)
      .front();
}

//===--- Triangular systems --------------------------------------------------------------------------------------===//

// Row after row of x, for some columns at a time: from the top if op(a) is lower, else from the bottom.
static Tensor solveLeft(Emitter &emitter, Tensor &a, Tensor &b, TriangularSolve how) {
  Value matrix = emitter.value(a), sides = emitter.value(b), n = sizeOf(emitter, b, 1), columns = sizeOf(emitter, b, 2);
  int64_t width = emitter.forms.rowColumns;
  OpFoldResult parts = emitter.sizes.ceilDiv(b.sizes[2], emitter.sizes.constant(width));
  Value blocks = emitter.sizes.value(parts);
  bool fromTop = how.lower != how.transposed;
  auto body = [&](MatrixCode &c, ValueRange results) -> Values {
    Value begin = c.mul(c.remainder(c.batch, blocks), c.index(width));
    Value end = c.min(c.add(begin, c.index(width)), columns);
    c.batch = c.quotient(c.batch, blocks);
    return c.loop(c.index(0), n, results, [&](Value step, ValueRange so_far) -> Values {
      Value i = fromTop ? step : c.sub(n, c.next(step));
      Value row = c.loop(begin, end, so_far,
                         [&](Value j, ValueRange v) -> Values { return {c.put(c.at(sides, i, j), v[0], i, j)}; })[0];
      Value first = fromTop ? c.index(0) : c.next(i), last = fromTop ? i : n;
      row = c.loop(first, last, row, [&](Value k, ValueRange v) -> Values {
        Value factor = how.transposed ? c.at(matrix, k, i) : c.at(matrix, i, k);
        return {c.subtractRow(v[0], i, k, factor, begin, end)};
      })[0];
      if (how.unit)
        return {row};
      Value diagonal = c.at(matrix, i, i);
      return c.loop(begin, end, row, [&](Value j, ValueRange v) -> Values {
        return {c.put(c.s.div(c.at(v[0], i, j), diagonal), v[0], i, j)};
      });
    });
  };
  return forEachMatrix(emitter, emitter.sizes.mul(b.sizes[0], parts), b.elementType,
                       {describeResult(b.elementType, b.sizes)}, body)
      .front();
}

Tensor mlir::heddle::numerics::solveTriangular(Emitter &emitter, Tensor &a, Tensor &b, TriangularSolve how) {
  if (!how.right)
    return solveLeft(emitter, a, b, how);
  how.transposed = !how.transposed;
  Tensor turned = emitter.transpose(b, {0, 2, 1});
  Tensor solved = solveLeft(emitter, a, turned, how);
  return emitter.transpose(solved, {0, 2, 1});
}
