// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Singular values by Jacobi's rotations: simple, and as precise as the matrix allows, at some ten sweeps of n^3 each.
#include "compiler/Stages/Import/Emit/Numerics/Factorizations.h"
#include "compiler/Stages/Import/Emit/Numerics/MatrixCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::numerics;
using importer::describeResult;
using Values = MatrixCode::Values;

// Convergence is quadratic; more sweeps than these only move what is rounded.
static constexpr int64_t kMostSweeps = 30;

// Of the rotation that makes the off-diagonal element of ((app, apq), (apq, aqq)) zero: tangent, cosine, sine.
static Values findRotation(MatrixCode &c, Value app, Value apq, Value aqq) {
  Value one = c.real(1), ratio = c.s.div(c.s.sub(aqq, app), c.s.add(apq, apq));
  // Its square may be infinite; then the tangent is 0 or of half the reciprocal.
  Value root = c.s.sqrt(c.s.add(one, c.s.mul(ratio, ratio)));
  Value size = c.s.div(one, c.s.add(c.s.abs(ratio), root));
  Value tangent = math::CopySignOp::create(c.b, c.loc, size, ratio);
  Value cosine = c.s.div(one, c.s.sqrt(c.s.add(one, c.s.mul(tangent, tangent))));
  return {tangent, cosine, c.s.mul(tangent, cosine)};
}

// Sweeps over all pairs p < q of `n` until one rotates nothing. `rotate` gives the new versions of `state` and whether
// it rotated (i1), after them.
static Values sweep(MatrixCode &c, Value n, ValueRange state,
                    llvm::function_ref<Values(Value p, Value q, ValueRange state)> rotate) {
  Values carried(state);
  carried.push_back(c.i64(0));                                       // sweeps so far
  carried.push_back(arith::ConstantIntOp::create(c.b, c.loc, 1, 1)); // whether one rotated
  size_t count = state.size();
  Values done = c.repeat(
      carried, [&](ValueRange v) { return c.both(v[count + 1], c.less(v[count], c.i64(kMostSweeps))); },
      [&](ValueRange v) {
        Values start(v.take_front(count));
        start.push_back(arith::ConstantIntOp::create(c.b, c.loc, 0, 1));
        Values swept = c.loop(c.index(0), n, start, [&](Value p, ValueRange outer) {
          return c.loop(c.next(p), n, outer, [&](Value q, ValueRange inner) {
            Values next = rotate(p, q, inner.take_front(count));
            next.back() = c.either(next.back(), inner[count]);
            return next;
          });
        });
        Value rotated = swept.pop_back_val();
        swept.append({c.add(v[count], c.i64(1)), rotated});
        return swept;
      });
  done.resize(count);
  return done;
}

static Value square(MatrixCode &c, Value x) { return c.s.mul(x, x); }

//===--- Singular values -----------------------------------------------------------------------------------------===//

// Rows p and q of `work`, which has `width` columns, made orthogonal, and the same done to the rows of `turns`.
static Values rotateRows(MatrixCode &c, Value p, Value q, ValueRange state, Value n, Value width, Value least) {
  Value work = state[0], zero = c.real(0);
  Values products = c.loop(c.index(0), width, {zero, zero, zero}, [&](Value j, ValueRange v) -> Values {
    Value x = c.at(work, p, j), y = c.at(work, q, j);
    return {c.s.add(v[0], c.s.mul(x, x)), c.s.add(v[1], c.s.mul(x, y)), c.s.add(v[2], c.s.mul(y, y))};
  });
  Value size = importer::convert(c.s, c.toI64(width), c.b.getI64Type(), c.s.type);
  Value close = c.s.mul(c.s.mul(c.real(c.resolution()), c.s.sqrt(size)), c.s.sqrt(c.s.mul(products[0], products[2])));
  Value rotates =
      c.both(c.s.less(close, c.s.abs(products[1])), c.s.less(square(c, least), c.s.min(products[0], products[2])));
  auto rotate = [&]() -> Values {
    Values rotation = findRotation(c, products[0], products[1], products[2]);
    return {c.turnRows(work, p, q, rotation[1], rotation[2], width),
            c.turnRows(state[1], p, q, rotation[1], rotation[2], n)};
  };
  Values next = c.choose(rotates, rotate, [&] { return Values(state); });
  next.push_back(rotates);
  return next;
}

// Row r of `basis`, whose r rows before it are orthonormal: the unit vector that they say least of, less their parts of
// it, twice.
static Value completeRow(MatrixCode &c, Value basis, Value r, Value width) {
  Value zero = c.real(0), one = c.real(1);
  Value chosen = c.loop(c.index(0), width, {c.real(-1), c.index(0)}, [&](Value j, ValueRange best) -> Values {
    Value rest =
        c.fold(c.index(0), r, one, [&](Value i, Value sum) { return c.s.sub(sum, square(c, c.at(basis, i, j))); });
    Value isBetter = c.s.less(best[0], rest);
    return {c.select(isBetter, rest, best[0]), c.select(isBetter, j, best[1])};
  })[1];
  Value made = c.loop(c.index(0), width, basis, [&](Value j, ValueRange v) -> Values {
    return {c.put(c.select(c.equal(j, chosen), one, zero), v[0], r, j)};
  })[0];
  made = c.loop(c.index(0), c.index(2), made, [&](Value, ValueRange pass) {
    return c.loop(c.index(0), r, pass, [&](Value i, ValueRange v) -> Values {
      Value part = c.fold(c.index(0), width, zero, [&](Value j, Value sum) {
        return c.s.add(sum, c.s.mul(c.at(v[0], i, j), c.at(v[0], r, j)));
      });
      return {c.subtractRow(v[0], r, i, part, c.index(0), width)};
    });
  })[0];
  Value length = c.s.sqrt(
      c.fold(c.index(0), width, zero, [&](Value j, Value sum) { return c.s.add(sum, square(c, c.at(made, r, j))); }));
  return c.loop(c.index(0), width, made, [&](Value j, ValueRange v) -> Values {
    return {c.put(c.s.div(c.at(v[0], r, j), length), v[0], r, j)};
  })[0];
}

namespace {

// Of a wide matrix [n, width]: turns' diag(values) basis, where basis has `rows` rows.
struct Wide {
  Tensor values, turns, basis, info;
};

} // namespace

static Wide findWide(Emitter &emitter, Tensor &a, OpFoldResult basisRows) {
  Value source = emitter.value(a), n = emitter.sizes.value(a.sizes[1]), width = emitter.sizes.value(a.sizes[2]);
  Value rows = emitter.sizes.value(basisRows);
  auto body = [&](MatrixCode &c, ValueRange results) -> Values {
    Value zero = c.real(0);
    auto element = [&](Value i, Value j) { return c.at(source, i, j); };
    MatrixCode::Scale scale = c.scaleOf(n, width, element);
    Value work = c.fill(results[4], n, width, [&](Value i, Value j) { return c.s.div(element(i, j), scale.by); });
    Value turns = c.fill(results[1], n, n, [&](Value i, Value j) { return c.select(c.equal(i, j), c.real(1), zero); });
    auto lengthOf = [&](Value matrix, Value i) {
      return c.s.sqrt(c.fold(c.index(0), width, zero,
                             [&](Value j, Value sum) { return c.s.add(sum, square(c, c.at(matrix, i, j))); }));
    };
    Value norm = c.s.sqrt(
        c.fold(c.index(0), n, zero, [&](Value i, Value sum) { return c.s.add(sum, square(c, lengthOf(work, i))); }));
    Value least = c.s.mul(c.real(c.resolution()), norm);
    Values done = sweep(c, n, {work, turns}, [&](Value p, Value q, ValueRange state) {
      return rotateRows(c, p, q, state, n, width, least);
    });
    Value values = c.loop(c.index(0), n, results[0],
                          [&](Value i, ValueRange v) -> Values { return {c.put(lengthOf(done[0], i), v[0], i)}; })[0];
    Values sorted = c.sortRows(n, /*ascending=*/false, values, {{done[0], width}, {done[1], n}});
    Value basis = c.loop(c.index(0), rows, results[2], [&](Value i, ValueRange v) -> Values {
      Value there = c.less(i, n), place = c.select(there, i, c.index(0));
      Value length = c.select(there, c.at(sorted[0], place), zero);
      return c.choose(
          c.s.less(least, length),
          [&] {
            return c.loop(c.index(0), width, v, [&](Value j, ValueRange m) -> Values {
              return {c.put(c.s.div(c.at(sorted[1], i, j), length), m[0], i, j)};
            });
          },
          [&] { return Values{completeRow(c, v[0], i, width)}; });
    })[0];
    Value scaled = c.loop(c.index(0), n, sorted[0], [&](Value i, ValueRange v) -> Values {
      return {c.put(c.s.mul(c.at(v[0], i), scale.by), v[0], i)};
    })[0];
    return {scaled, sorted[2], basis, c.writeInfo(results[3], scale), sorted[1]};
  };
  Type type = a.elementType;
  OpFoldResult batch = a.sizes[0], size = a.sizes[1];
  SmallVector<Tensor> made =
      forEachMatrix(emitter, batch, type,
                    {describeResult(type, {batch, size}), describeResult(type, {batch, size, size}),
                     describeResult(type, {batch, basisRows, a.sizes[2]}),
                     describeResult(emitter.builder.getI32Type(), {batch}), describeResult(type, a.sizes)},
                    body);
  return {made[0], made[1], made[2], made[3]};
}

Singular mlir::heddle::numerics::findSingular(Emitter &emitter, Tensor &a, bool full) {
  bool isTall = *a.staticSize(2) < *a.staticSize(1);
  Tensor turned = isTall ? emitter.transpose(a, {0, 2, 1}) : a;
  Wide wide = findWide(emitter, turned, full ? turned.sizes[2] : turned.sizes[1]);
  if (isTall)
    return {wide.values, emitter.transpose(wide.basis, {0, 2, 1}), wide.turns, wide.info};
  return {wide.values, emitter.transpose(wide.turns, {0, 2, 1}), wide.basis, wide.info};
}
