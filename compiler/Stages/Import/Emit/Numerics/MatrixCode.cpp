// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Numerics/MatrixCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::numerics;
using importer::Emitter;
using importer::Tensor;

double MatrixCode::resolution() const {
  return s.type.isF64() ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

Value MatrixCode::integer(Value index) { return arith::IndexCastOp::create(b, loc, b.getI32Type(), index); }

Value MatrixCode::fill(Value matrix, Value rows, Value columns, Place element) {
  return loop(index(0), rows, matrix, [&](Value i, ValueRange outer) {
    return loop(index(0), columns, outer,
                [&](Value j, ValueRange inner) -> Values { return {put(element(i, j), inner[0], i, j)}; });
  })[0];
}

Value MatrixCode::fold(Value begin, Value end, Value init, llvm::function_ref<Value(Value, Value)> step) {
  return loop(begin, end, init, [&](Value i, ValueRange so_far) -> Values { return {step(i, so_far[0])}; })[0];
}

Value MatrixCode::subtractRow(Value matrix, Value i, Value k, Value factor, Value begin, Value end) {
  return loop(begin, end, matrix, [&](Value j, ValueRange v) -> Values {
    return {put(s.sub(at(v[0], i, j), s.mul(factor, at(v[0], k, j))), v[0], i, j)};
  })[0];
}

Value MatrixCode::swapRows(Value matrix, Value i, Value k, Value columns) {
  return loop(index(0), columns, matrix, [&](Value j, ValueRange v) -> Values {
    Value x = at(v[0], i, j), y = at(v[0], k, j);
    return {put(x, put(y, v[0], i, j), k, j)};
  })[0];
}

Value MatrixCode::turnRows(Value matrix, Value p, Value q, Value cosine, Value sine, Value columns) {
  return loop(index(0), columns, matrix, [&](Value j, ValueRange v) -> Values {
    Value x = at(v[0], p, j), y = at(v[0], q, j);
    Value first = s.sub(s.mul(cosine, x), s.mul(sine, y)), second = s.add(s.mul(sine, x), s.mul(cosine, y));
    return {put(second, put(first, v[0], p, j), q, j)};
  })[0];
}

MatrixCode::Scale MatrixCode::scaleOf(Value rows, Value columns, Place element) {
  Value greatest = fold(index(0), rows, real(0), [&](Value i, Value most) {
    return fold(index(0), columns, most, [&](Value j, Value so_far) { return s.max(so_far, s.abs(element(i, j))); });
  });
  Value infinity = arith::ConstantOp::create(b, loc, importer::highest(s.type));
  Value isFinite = s.less(greatest, infinity), isUsable = both(isFinite, s.less(real(0), greatest));
  return {select(isUsable, greatest, real(1)), isFinite};
}

Value MatrixCode::writeInfo(Value info, const Scale &scale, Value failed) {
  Type i32 = b.getI32Type();
  Value fits = failed ? both(scale.isFinite, isNot(failed)) : scale.isFinite;
  return write(select(fits, s.constant(i32, 0), s.constant(i32, 1)), info, batch);
}

// Selection sort.
MatrixCode::Values MatrixCode::sortRows(Value n, bool ascending, Value values,
                                        ArrayRef<std::pair<Value, Value>> matrices) {
  Values start{values};
  for (auto [matrix, columns] : matrices)
    start.push_back(matrix);
  return loop(index(0), n, start, [&](Value i, ValueRange v) -> Values {
    Value first = at(v[0], i);
    Values best = loop(next(i), n, {first, i}, [&](Value k, ValueRange so_far) -> Values {
      Value element = at(v[0], k);
      Value isBefore = ascending ? s.less(element, so_far[0]) : s.less(so_far[0], element);
      return {select(isBefore, element, so_far[0]), select(isBefore, k, so_far[1])};
    });
    Values swapped{put(best[0], put(first, v[0], best[1]), i)};
    for (auto [matrix, entry] : llvm::zip_equal(v.drop_front(), matrices))
      swapped.push_back(swapRows(matrix, i, best[1], entry.second));
    return swapped;
  });
}

// Squares are of parts of the greatest magnitude.
MatrixCode::Values MatrixCode::makeReflection(Value matrix, Value line, Value first, Value end, bool alongRow) {
  auto get = [&](Value from, Value i) { return alongRow ? at(from, line, i) : at(from, i, line); };
  auto set = [&](Value element, Value to, Value i) {
    return alongRow ? put(element, to, line, i) : put(element, to, i, line);
  };
  Value zero = real(0), one = real(1), alpha = get(matrix, first), under = next(first);
  Value tail = fold(under, end, zero, [&](Value i, Value most) { return s.max(most, s.abs(get(matrix, i))); });
  Value scale = s.max(tail, s.abs(alpha)), isNone = s.equal(tail, zero);
  Value part = s.div(alpha, select(isNone, one, scale));
  Value squares = fold(under, end, s.mul(part, part), [&](Value i, Value sum) {
    Value element = s.div(get(matrix, i), scale);
    return s.add(sum, s.mul(element, element));
  });
  Value length = s.mul(scale, s.sqrt(squares));
  Value beta = select(isNone, alpha, s.neg(math::CopySignOp::create(b, loc, length, alpha)));
  Value tau = select(isNone, zero, s.div(s.sub(beta, alpha), beta)), divisor = s.sub(alpha, beta);
  Value divided = loop(under, end, matrix, [&](Value i, ValueRange v) -> Values {
    Value element = get(v[0], i);
    return {set(select(isNone, element, s.div(element, divisor)), v[0], i)};
  })[0];
  return {set(beta, divided, first), beta, tau};
}

MatrixCode::Values MatrixCode::reflect(Value matrix, Value space, Value first, Value rows, Value begin, Value end,
                                       Value tau, llvm::function_ref<Value(Value, Value)> below) {
  Value under = next(first);
  Value sums =
      loop(begin, end, space, [&](Value j, ValueRange v) -> Values { return {put(at(matrix, first, j), v[0], j)}; })[0];
  sums = loop(under, rows, sums, [&](Value i, ValueRange outer) {
    Value factor = below(matrix, i);
    return loop(begin, end, outer, [&](Value j, ValueRange v) -> Values {
      return {put(s.add(at(v[0], j), s.mul(factor, at(matrix, i, j))), v[0], j)};
    });
  })[0];
  auto subtract = [&](Value from, Value i, Value factor) {
    return loop(begin, end, from, [&](Value j, ValueRange v) -> Values {
      return {put(s.sub(at(v[0], i, j), s.mul(factor, at(sums, j))), v[0], i, j)};
    })[0];
  };
  Value result = subtract(matrix, first, tau);
  result = loop(under, rows, result,
                [&](Value i, ValueRange v) -> Values { return {subtract(v[0], i, s.mul(tau, below(v[0], i)))}; })[0];
  return {result, sums};
}

SmallVector<Tensor>
mlir::heddle::numerics::forEachMatrix(Emitter &emitter, OpFoldResult count, Type type, ArrayRef<Tensor> results,
                                      llvm::function_ref<SmallVector<Value>(MatrixCode &, ValueRange)> body) {
  return importer::emitRows(emitter, count, results, [&](OpBuilder &b, Location loc, Value row, ValueRange given) {
    MatrixCode code(b, loc, row, type);
    return body(code, given);
  });
}
