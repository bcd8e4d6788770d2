// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ops/MatrixCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;
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
mlir::heddle::hlo::forEachMatrix(Emitter &emitter, OpFoldResult count, Type type, ArrayRef<Tensor> results,
                                 llvm::function_ref<SmallVector<Value>(MatrixCode &, ValueRange)> body) {
  return importer::emitRows(emitter, count, results, [&](OpBuilder &b, Location loc, Value row, ValueRange given) {
    MatrixCode code(b, loc, row, type);
    return body(code, given);
  });
}
