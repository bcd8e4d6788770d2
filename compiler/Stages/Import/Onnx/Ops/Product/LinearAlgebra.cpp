// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorizations of matrices in the domain `heddle` (docs/design/torch-translation.md), in LAPACK's conventions; what
// each computes is said in Factorizations.h. Dimensions before the last two are a batch.
//
//   factor, info          = heddle.Cholesky <lower> (a)
//   factors, pivots, info = heddle.Lu (a)                    pivots from 1, i32
//   rows                  = heddle.Permutation <size> (pivots)     rows[i], i64: the row of a that became row i
//   factors, taus         = heddle.Qr (a)
//   q                     = heddle.FormQ (factors, taus)
//   x                     = heddle.TriangularSolve <right, lower, transposed, unit> (a, b)
//   values, vectors, info = heddle.SymmetricEigen <lower> (a)
//   values, u, vt, info   = heddle.Svd <full> (a)
#include "compiler/Stages/Import/Emit/Numerics/Factorizations.h"
#include "compiler/Stages/Import/Emit/Numerics/MatrixCode.h"
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// The operand as [batch, …] with its last `rank` dimensions; refuses others than f32 and f64, and empty ones.
static FailureOr<Tensor> batchOf(NodeContext &node, size_t i, int64_t rank) {
  if (failed(node.requireInputs(i + 1)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(i);
  if (!x.elementType.isF32() && !x.elementType.isF64())
    return node.refuse("needs matrices of f32 or f64");
  if (x.elementType != node.input(0)->elementType)
    return node.refuse("needs matrices of one type");
  if (x.rank() < rank)
    return node.refuse("needs matrices, got a tensor of rank " + Twine(x.rank()));
  if (x.staticCount() == 0)
    return node.unsupported("matrices without elements are not supported");
  ArrayRef<OpFoldResult> sizes(x.sizes);
  SizeList flat{emitter.sizes.product(sizes.drop_back(rank))};
  llvm::append_range(flat, sizes.take_back(rank));
  return emitter.reshape(x, flat);
}

static FailureOr<Tensor> squareOf(NodeContext &node) {
  FailureOr<Tensor> a = batchOf(node, 0, 2);
  if (succeeded(a) && !node.emitter.sizes.equal(a->sizes[1], a->sizes[2]))
    return node.refuseFree("needs square matrices");
  return a;
}

// The batch's dimensions of operand 0, whose last `rank` are no batch, in place of the first of `tensor`.
static void setBatch(NodeContext &node, size_t output, Tensor tensor, int64_t rank = 2) {
  SizeList sizes(ArrayRef<OpFoldResult>(node.input(0)->sizes).drop_back(rank));
  llvm::append_range(sizes, ArrayRef<OpFoldResult>(tensor.sizes).drop_front());
  node.setOutput(output, node.emitter.reshape(tensor, sizes));
}

static LogicalResult lowerCholesky(NodeContext &node) {
  FailureOr<Tensor> a = squareOf(node);
  if (failed(a))
    return failure();
  numerics::Cholesky made = numerics::factorCholesky(node.emitter, *a, node.getInt("lower", 1) != 0);
  setBatch(node, 0, made.factor);
  setBatch(node, 1, made.info);
  return success();
}

static LogicalResult lowerLu(NodeContext &node) {
  FailureOr<Tensor> a = batchOf(node, 0, 2);
  if (failed(a))
    return failure();
  numerics::Lu made = numerics::factorLu(node.emitter, *a);
  setBatch(node, 0, made.factors);
  setBatch(node, 1, made.pivots);
  setBatch(node, 2, made.info);
  return success();
}

// Rows change places one after the other, as the pivots say. One beyond the rows counts as the nearest of them.
static LogicalResult lowerPermutation(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &given = *node.input(0);
  int64_t size = node.getInt("size", 0);
  if (!given.elementType.isInteger(32) || given.isUnsigned() || given.rank() < 1 || size < 1)
    return node.refuse("needs lists of i32 and at least one row");
  if (given.staticCount() == 0)
    return node.unsupported("lists without elements are not supported");
  ArrayRef<OpFoldResult> sizes(given.sizes);
  Tensor pivots = emitter.reshape(given, {emitter.sizes.product(sizes.drop_back()), sizes.back()});
  Value source = emitter.value(pivots), count = emitter.sizes.value(pivots.sizes[1]);
  Type integer = emitter.builder.getI64Type();
  auto body = [&](numerics::MatrixCode &c, ValueRange results) -> SmallVector<Value> {
    Value last = c.index(size - 1);
    Value rows = c.loop(c.index(0), c.index(size), results[0],
                        [&](Value i, ValueRange v) -> SmallVector<Value> { return {c.put(c.toI64(i), v[0], i)}; })[0];
    return c.loop(c.index(0), c.min(count, c.index(size)), rows, [&](Value k, ValueRange v) -> SmallVector<Value> {
      Value pivot = c.sub(c.toIndex(c.at(source, k)), c.index(1));
      Value other = c.min(c.select(c.less(pivot, c.index(0)), c.index(0), pivot), last);
      Value mine = c.at(v[0], k), theirs = c.at(v[0], other);
      return {c.put(mine, c.put(theirs, v[0], k), other)};
    });
  };
  SmallVector<Tensor> made =
      numerics::forEachMatrix(emitter, pivots.sizes[0], integer,
                              {describeResult(integer, {pivots.sizes[0], emitter.sizes.constant(size)})}, body);
  setBatch(node, 0, made.front(), 1);
  return success();
}

static LogicalResult lowerQr(NodeContext &node) {
  FailureOr<Tensor> a = batchOf(node, 0, 2);
  if (failed(a))
    return failure();
  numerics::Qr made = numerics::factorQr(node.emitter, *a);
  setBatch(node, 0, made.factors);
  setBatch(node, 1, made.taus);
  return success();
}

static LogicalResult lowerFormQ(NodeContext &node) {
  FailureOr<Tensor> factors = batchOf(node, 0, 2), taus = batchOf(node, 1, 1);
  if (failed(factors) || failed(taus))
    return failure();
  Sizes &sizes = node.emitter.sizes;
  if (!sizes.lessEqual(factors->sizes[2], factors->sizes[1]) || !sizes.lessEqual(taus->sizes[1], factors->sizes[2]) ||
      !sizes.equal(factors->sizes[0], taus->sizes[0]))
    return node.refuseFree("needs matrices with at most as many columns as rows, and at most a reflection for each");
  setBatch(node, 0, numerics::formQ(node.emitter, *factors, *taus));
  return success();
}

static LogicalResult lowerTriangularSolve(NodeContext &node) {
  FailureOr<Tensor> a = squareOf(node), b = batchOf(node, 1, 2);
  if (failed(a) || failed(b))
    return failure();
  numerics::TriangularSolve how{node.getInt("right", 0) != 0, node.getInt("lower", 1) != 0,
                                node.getInt("transposed", 0) != 0, node.getInt("unit", 0) != 0};
  Sizes &sizes = node.emitter.sizes;
  if (!sizes.equal(a->sizes[0], b->sizes[0]) || !sizes.equal(a->sizes[1], b->sizes[how.right ? 2 : 1]))
    return node.refuseFree("the sizes of the matrix and of the right side differ");
  setBatch(node, 0, numerics::solveTriangular(node.emitter, *a, *b, how));
  return success();
}

static LogicalResult lowerSymmetricEigen(NodeContext &node) {
  FailureOr<Tensor> a = squareOf(node);
  if (failed(a))
    return failure();
  numerics::Eigen made = numerics::findEigen(node.emitter, *a, node.getInt("lower", 1) != 0);
  setBatch(node, 0, made.values);
  setBatch(node, 1, made.vectors);
  setBatch(node, 2, made.info);
  return success();
}

static LogicalResult lowerSvd(NodeContext &node) {
  FailureOr<Tensor> a = batchOf(node, 0, 2);
  if (failed(a))
    return failure();
  numerics::Singular made = numerics::findSingular(node.emitter, *a, node.getInt("full", 0) != 0);
  setBatch(node, 0, made.values);
  setBatch(node, 1, made.u);
  setBatch(node, 2, made.vt);
  setBatch(node, 3, made.info);
  return success();
}

void mlir::heddle::importer::registerLinearAlgebra(LoweringTable &table) {
  table.add("heddle.Cholesky", 1, lowerCholesky);
  table.add("heddle.FormQ", 1, lowerFormQ);
  table.add("heddle.Lu", 1, lowerLu);
  table.add("heddle.Permutation", 1, lowerPermutation);
  table.add("heddle.Qr", 1, lowerQr);
  table.add("heddle.Svd", 1, lowerSvd);
  table.add("heddle.SymmetricEigen", 1, lowerSymmetricEigen);
  table.add("heddle.TriangularSolve", 1, lowerTriangularSolve);
}
