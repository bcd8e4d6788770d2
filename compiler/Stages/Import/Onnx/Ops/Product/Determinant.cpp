// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Det, by elimination with the greatest pivot of each column: a loop of two dispatches a column, for all matrices.
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

// matrix [n, m, m], determinant of what is eliminated [n].
struct Elimination {
  Emitter &emitter;
  Tensor matrix, determinant;

  void step(Value k);
};

} // namespace

// Eliminates column k below row k, after the row of the greatest element has changed places with it.
void Elimination::step(Value k) {
  OpFoldResult count = matrix.sizes[0], size = matrix.sizes[1];
  Type type = matrix.elementType;
  Value source = emitter.value(matrix);
  Tensor magnitudes = emitter.generate({count, size}, type, {}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    Value element = tensor::ExtractOp::create(b, loc, source, ValueRange{v[0], v[1], k});
    return s.select(s.less(v[1], k), s.constant(type, -1), s.abs(element));
  });
  Tensor rows = argumentOf(emitter, magnitudes, 1, /*greatest=*/true, /*last=*/false);
  auto rowOf = [](OpBuilder &b, Location loc, Value row) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), row);
  };
  Tensor product =
      emitter.generate({count}, type, {&determinant, &rows}, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar s{b, loc, type};
        Value row = rowOf(b, loc, v[1]), pivot = tensor::ExtractOp::create(b, loc, source, ValueRange{v[2], row, k});
        return s.mul(v[0], s.select(s.equal(row, k), pivot, s.neg(pivot)));
      });
  Tensor wide = emitter.reshape(rows, {count, emitter.sizes.constant(1), emitter.sizes.constant(1)});
  matrix = emitter.generate(matrix.sizes, type, {&wide}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    Value row = rowOf(b, loc, v[0]), batch = v[1], i = v[2], j = v[3];
    auto read = [&](Value at, Value column) -> Value {
      return tensor::ExtractOp::create(b, loc, source, ValueRange{batch, at, column});
    };
    Value from = s.select(s.equal(i, k), row, s.select(s.equal(i, row), k, i));
    Value pivot = read(row, k), isZero = s.equal(pivot, s.constant(type, 0));
    Value factor = s.select(isZero, s.constant(type, 0), s.div(read(from, k), pivot));
    Value element = read(from, j);
    return s.select(s.less(k, i), s.sub(element, s.mul(factor, read(row, j))), element);
  });
  determinant = product;
}

static LogicalResult lowerDet(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &x = *node.input(0);
  if (x.rank() < 2 || sizes.different(x.sizes[x.rank() - 2], x.sizes.back()))
    return node.refuse("needs square matrices");
  OpFoldResult size = x.sizes.back();
  emitter.checkEqual(x.sizes[x.rank() - 2], size, "Det: the matrices must be square");
  SizeList batch(ArrayRef<OpFoldResult>(x.sizes).drop_back(2));
  OpFoldResult count = sizes.product(batch);
  Type type = x.elementType;
  Elimination elimination{emitter, emitter.reshape(x, {count, size, size}),
                          emitter.filled(type, {count}, makeAttribute(type, 1))};
  OpBuilder &b = emitter.builder;
  auto loop = scf::ForOp::create(b, emitter.loc, sizes.value(sizes.constant(0)), sizes.value(size),
                                 sizes.value(sizes.constant(1)),
                                 ValueRange{emitter.value(elimination.matrix), elimination.determinant.value});
  loop->setAttr(kKeepsShapesAttr, b.getUnitAttr());
  Emitter::State outside = emitter.save();
  b.setInsertionPointToStart(loop.getBody());
  elimination.matrix = emitter.fromValue(loop.getRegionIterArg(0), elimination.matrix.sizes, type);
  elimination.determinant = emitter.fromValue(loop.getRegionIterArg(1), {count}, type);
  elimination.step(loop.getInductionVar());
  scf::YieldOp::create(b, emitter.loc, ValueRange{elimination.matrix.value, elimination.determinant.value});
  emitter.restore(std::move(outside));
  Tensor result = emitter.fromValue(loop.getResult(1), {count}, type);
  node.setOutput(0, emitter.reshape(result, batch));
  return success();
}

void mlir::heddle::importer::registerDeterminant(LoweringTable &table) { table.add("Det", 11, lowerDet); }
