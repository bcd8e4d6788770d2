// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenvalues of symmetric matrices: Householder's tridiagonal form, then the QL method with implicit shifts, which
// turns rows of the vectors (G. Golub and C. Van Loan, "Matrix Computations", 8.3).
#include "compiler/Stages/Import/Emit/Numerics/Factorizations.h"
#include "compiler/Stages/Import/Emit/Numerics/MatrixCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::numerics;
using importer::describeResult;
using Values = MatrixCode::Values;

// Of one eigenvalue; two are usual.
static constexpr int64_t kMostSteps = 60;

namespace {

class SymmetricEigen {
public:
  SymmetricEigen(MatrixCode &c, Value n) : c(c), n(n) {}

  // Of `matrix`, which is full: the matrix with reflections in its rows, the elements beside the diagonal, taus.
  Values makeTridiagonal(Value matrix, Value beside, Value taus, Value space);
  // The product of the reflections, transposed, and the space.
  Values formRows(Value rows, Value reflections, Value taus, Value space);
  // Of a tridiagonal matrix with `diagonal`, which becomes the eigenvalues; the rows turn with it. The new versions of
  // all three and whether an eigenvalue was not found.
  Values iterate(Value diagonal, Value beside, Value rows);

private:
  Values subtractPair(Value matrix, Value k, Value first, Value tau, Value space);
  Value findEnd(Value diagonal, Value beside, Value begin);
  Values step(Value begin, Value end, Value diagonal, Value beside, Value rows);

  MatrixCode &c;
  Value n;
};

} // namespace

// From both sides the reflection by v, row k from `first` on: v w' + w v' with w = tau (A v - tau / 2 (v' A v) v).
Values SymmetricEigen::subtractPair(Value matrix, Value k, Value first, Value tau, Value space) {
  Value product =
      c.loop(first, n, space, [&](Value j, ValueRange v) -> Values { return {c.put(c.real(0), v[0], j)}; })[0];
  product = c.loop(first, n, product, [&](Value i, ValueRange outer) {
    Value factor = c.at(matrix, k, i);
    return c.loop(first, n, outer, [&](Value j, ValueRange v) -> Values {
      return {c.put(c.s.add(c.at(v[0], j), c.s.mul(factor, c.at(matrix, i, j))), v[0], j)};
    });
  })[0];
  Value sum = c.fold(first, n, c.real(0), [&](Value j, Value so_far) {
    return c.s.add(so_far, c.s.mul(c.at(product, j), c.at(matrix, k, j)));
  });
  Value part = c.s.mul(c.s.mul(c.real(0.5), tau), sum);
  product = c.loop(first, n, product, [&](Value j, ValueRange v) -> Values {
    return {c.put(c.s.mul(tau, c.s.sub(c.at(v[0], j), c.s.mul(part, c.at(matrix, k, j)))), v[0], j)};
  })[0];
  Value result = c.loop(first, n, matrix, [&](Value i, ValueRange outer) {
    Value left = c.at(outer[0], k, i), right = c.at(product, i);
    return c.loop(first, n, outer, [&](Value j, ValueRange v) -> Values {
      Value pair = c.s.add(c.s.mul(left, c.at(product, j)), c.s.mul(right, c.at(v[0], k, j)));
      return {c.put(c.s.sub(c.at(v[0], i, j), pair), v[0], i, j)};
    });
  })[0];
  return {result, product};
}

Values SymmetricEigen::makeTridiagonal(Value matrix, Value beside, Value taus, Value space) {
  Value last = c.sub(n, c.index(2)), zero = c.index(0);
  Values done = c.loop(zero, last, {matrix, beside, taus, space}, [&](Value k, ValueRange v) -> Values {
    Value first = c.next(k);
    Values made = c.makeReflection(v[0], k, first, n, /*alongRow=*/true);
    Value whole = c.put(c.real(1), made[0], k, first); // all of v stands in the row
    Values rest = subtractPair(whole, k, first, made[2], v[3]);
    return {rest[0], c.put(made[1], v[1], k), c.put(made[2], v[2], k), rest[1]};
  });
  Value begin = c.select(c.less(last, zero), zero, last);
  done[1] = c.loop(begin, n, done[1], [&](Value i, ValueRange v) -> Values {
    Value after = c.next(i), there = c.less(after, n);
    Value element = c.at(done[0], i, c.select(there, after, i));
    return {c.put(c.select(there, element, c.real(0)), v[0], i)};
  })[0];
  return done;
}

Values SymmetricEigen::formRows(Value rows, Value reflections, Value taus, Value space) {
  Value identity = c.fill(rows, n, n, [&](Value i, Value j) { return c.select(c.equal(i, j), c.real(1), c.real(0)); });
  Value count = c.sub(n, c.index(2));
  Values product = c.loop(c.index(0), count, {identity, space}, [&](Value step, ValueRange v) -> Values {
    Value k = c.sub(count, c.next(step)), first = c.next(k);
    return c.reflect(v[0], v[1], first, n, first, n, c.at(taus, k),
                     [&](Value, Value i) { return c.at(reflections, k, i); });
  });
  Value turned = c.loop(c.index(0), n, product[0], [&](Value i, ValueRange outer) {
    return c.loop(c.index(0), i, outer, [&](Value j, ValueRange v) -> Values {
      Value x = c.at(v[0], i, j), y = c.at(v[0], j, i);
      return {c.put(x, c.put(y, v[0], i, j), j, i)};
    });
  })[0];
  return {turned, product[1]};
}

// The first place from `begin` on behind which the matrix falls apart, or its last one. The greatest element was 1, so
// that what is below the square of the resolution is nothing, whatever stands beside it.
Value SymmetricEigen::findEnd(Value diagonal, Value beside, Value begin) {
  Value last = c.sub(n, c.index(1));
  return c.repeat(
      begin,
      [&](ValueRange v) {
        Value isInside = c.less(v[0], last), at = c.select(isInside, v[0], begin);
        Value after = c.select(isInside, c.next(at), begin);
        Value sum = c.s.add(c.s.abs(c.at(diagonal, at)), c.s.abs(c.at(diagonal, after)));
        Value least = c.s.mul(c.real(c.resolution()), c.s.add(sum, c.real(c.resolution())));
        Value isJoined = c.s.less(least, c.s.abs(c.at(beside, at)));
        return c.both(isInside, isJoined);
      },
      [&](ValueRange v) -> Values { return {c.next(v[0])}; })[0];
}

// One implicit step on places begin to end, from the last to the first: the new versions.
Values SymmetricEigen::step(Value begin, Value end, Value diagonal, Value beside, Value rows) {
  MatrixCode::Scalar &s = c.s;
  Value zero = c.real(0), one = c.real(1), first = c.at(diagonal, begin), joined = c.at(beside, begin);
  // The eigenvalue of the first two rows that is nearer to the first one.
  Value ratio = s.div(s.sub(c.at(diagonal, c.next(begin)), first), s.add(joined, joined));
  Value root = s.sqrt(s.add(s.mul(ratio, ratio), one));
  Value shift = s.div(joined, s.add(ratio, math::CopySignOp::create(c.b, c.loc, root, ratio)));
  Value start = s.add(s.sub(c.at(diagonal, end), first), shift);
  Values done = c.loop(c.index(0), c.sub(end, begin), {diagonal, beside, rows, one, one, zero, start},
                       [&](Value count, ValueRange v) -> Values {
                         Value i = c.sub(end, c.next(count)), after = c.next(i), element = c.at(v[1], i);
                         Value f = s.mul(v[3], element), g = v[6], b = s.mul(v[4], element);
                         Value length = s.sqrt(s.add(s.mul(f, f), s.mul(g, g))), isNone = s.equal(length, zero);
                         Value sine = c.select(isNone, zero, s.div(f, length)),
                               cosine = c.select(isNone, one, s.div(g, length));
                         Value moved = s.sub(c.at(v[0], after), v[5]);
                         Value r = s.add(s.mul(s.sub(c.at(v[0], i), moved), sine), s.mul(s.add(cosine, cosine), b));
                         Value p = s.mul(sine, r);
                         return {c.put(s.add(moved, p), v[0], after),
                                 c.put(length, v[1], after),
                                 c.turnRows(v[2], i, after, cosine, sine, n),
                                 sine,
                                 cosine,
                                 p,
                                 s.sub(s.mul(cosine, r), b)};
                       });
  Value newDiagonal = c.put(s.sub(c.at(done[0], begin), done[5]), done[0], begin);
  Value newBeside = c.put(zero, c.put(done[6], done[1], begin), end);
  return {newDiagonal, newBeside, done[2]};
}

Values SymmetricEigen::iterate(Value diagonal, Value beside, Value rows) {
  Value no = arith::ConstantIntOp::create(c.b, c.loc, 0, 1), yes = arith::ConstantIntOp::create(c.b, c.loc, 1, 1);
  Values done = c.loop(c.index(0), n, {diagonal, beside, rows, no}, [&](Value begin, ValueRange v) -> Values {
    Values carried{v[0], v[1], v[2], c.i64(0), yes};
    Values found = c.repeat(
        carried, [&](ValueRange w) { return c.both(w[4], c.less(w[3], c.i64(kMostSteps))); },
        [&](ValueRange w) -> Values {
          Value end = findEnd(w[0], w[1], begin), goesOn = c.less(begin, end);
          Values next = c.choose(
              goesOn, [&] { return step(begin, end, w[0], w[1], w[2]); }, [&] { return Values(w.take_front(3)); });
          next.append({c.add(w[3], c.i64(1)), goesOn});
          return next;
        });
    return {found[0], found[1], found[2], c.either(v[3], found[4])};
  });
  return done;
}

Eigen mlir::heddle::numerics::findEigen(Emitter &emitter, Tensor &a, bool lower) {
  Value source = emitter.value(a), n = emitter.sizes.value(a.sizes[1]);
  auto body = [&](MatrixCode &c, ValueRange results) -> Values {
    auto element = [&](Value i, Value j) {
      Value swaps = lower ? c.less(i, j) : c.less(j, i);
      return c.at(source, c.select(swaps, j, i), c.select(swaps, i, j));
    };
    MatrixCode::Scale scale = c.scaleOf(n, n, element);
    Value work = c.fill(results[3], n, n, [&](Value i, Value j) { return c.s.div(element(i, j), scale.by); });
    SymmetricEigen eigen(c, n);
    Values form = eigen.makeTridiagonal(work, results[4], results[5], results[6]);
    Values rows = eigen.formRows(results[1], form[0], form[2], form[3]);
    Value diagonal = c.loop(c.index(0), n, results[0],
                            [&](Value i, ValueRange v) -> Values { return {c.put(c.at(form[0], i, i), v[0], i)}; })[0];
    Values found = eigen.iterate(diagonal, form[1], rows[0]);
    Value values = c.loop(c.index(0), n, found[0], [&](Value i, ValueRange v) -> Values {
      return {c.put(c.s.mul(c.at(v[0], i), scale.by), v[0], i)};
    })[0];
    Values sorted = c.sortRows(n, /*ascending=*/true, values, {{found[2], n}});
    // The other memories are only for the way.
    return {sorted[0], sorted[1], c.writeInfo(results[2], scale, found[3]), form[0], found[1], form[2], rows[1]};
  };
  Type type = a.elementType;
  Tensor matrix = describeResult(type, a.sizes), vector = describeResult(type, {a.sizes[0], a.sizes[1]});
  SmallVector<Tensor> made = forEachMatrix(
      emitter, a.sizes[0], type,
      {vector, matrix, describeResult(emitter.builder.getI32Type(), {a.sizes[0]}), matrix, vector, vector, vector},
      body);
  return {made[0], emitter.transpose(made[1], {0, 2, 1}), made[2]};
}
