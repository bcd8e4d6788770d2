// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators that draw random numbers.
#include "compiler/Stages/Import/Emit/Rows/ListOps.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Model/ReadTensor.h"
#include "compiler/Stages/Import/Onnx/Ops/Elementwise/RandomNumbers.h"

using namespace mlir;
using namespace mlir::heddle::importer;

// The type that attribute dtype names, or `otherwise`. Null after a refusal.
static Type resultType(NodeContext &node, Type otherwise, bool isFloat) {
  Type type = otherwise;
  if (node.hasAttribute("dtype"))
    type = getElementType(node.emitter.builder.getContext(), node.getInt("dtype", 1));
  if (type && (!isFloat || isa<FloatType>(type)))
    return type;
  (void)node.unsupported(isFloat ? "gives floats: dtype must be one of their types" : "dtype is not supported");
  return {};
}

static LogicalResult setUniform(NodeContext &node, ArrayRef<OpFoldResult> sizes, Type type) {
  double low = node.getFloat("low", 0), high = node.getFloat("high", 1);
  if (!(low <= high))
    return node.refuse("low must not be greater than high");
  // No more bits than the type has, or the greatest would round to `high`.
  unsigned width = std::min<unsigned>(cast<FloatType>(type).getFPMantissaWidth(), 53);
  node.setOutput(0, randomTensor(node, sizes, type, {}, [&](Generator &g, Value counter, ValueRange) {
                   Type real = g.s.type;
                   Value scaled = g.s.mul(g.uniform(counter, width), g.s.constant(real, high - low));
                   return g.s.add(scaled, g.s.constant(real, low));
                 }));
  return success();
}

static LogicalResult setNormal(NodeContext &node, ArrayRef<OpFoldResult> sizes, Type type) {
  double mean = node.getFloat("mean", 0), scale = node.getFloat("scale", 1);
  node.setOutput(0, randomTensor(node, sizes, type, {}, [&](Generator &g, Value counter, ValueRange) {
                   Type real = g.s.type;
                   return g.s.add(g.s.mul(g.normal(counter), g.s.constant(real, scale)), g.s.constant(real, mean));
                 }));
  return success();
}

using SetNumbers = LogicalResult (*)(NodeContext &, ArrayRef<OpFoldResult>, Type);

template <SetNumbers set> static LogicalResult lowerShaped(NodeContext &node) {
  std::optional<SmallVector<int64_t>> shape = node.getInts("shape");
  if (!shape || llvm::any_of(*shape, [](int64_t size) { return size < 0; }))
    return node.refuse("needs an attribute 'shape' without negative sizes");
  Type type = resultType(node, node.emitter.builder.getF32Type(), /*isFloat=*/true);
  SizeList sizes = llvm::map_to_vector(*shape, [&](int64_t size) { return node.emitter.sizes.constant(size); });
  return type ? set(node, sizes, type) : failure();
}

template <SetNumbers set> static LogicalResult lowerLike(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Type type = resultType(node, node.input(0)->elementType, /*isFloat=*/true);
  return type ? set(node, node.input(0)->sizes, type) : failure();
}

// 1 with the probability that the operand's element says.
static LogicalResult lowerBernoulli(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  Tensor &x = *node.input(0);
  Type type = resultType(node, x.elementType, /*isFloat=*/false);
  if (!type)
    return failure();
  node.setOutput(0, randomTensor(node, x.sizes, type, {&x}, [&](Generator &g, Value counter, ValueRange v) {
                   Value chance = g.uniform(counter, 24), given = convert(g.s, v[0], x.elementType, g.s.type);
                   return g.s.select(g.s.less(chance, given), g.s.constant(g.s.type, 1), g.s.constant(g.s.type, 0));
                 }));
  return success();
}

// The sums of exp(x - max) of [n, c] along the classes, up to and with each, in f64.
static Tensor sumLikelihoods(Emitter &emitter, Tensor &x) {
  Type f64 = emitter.builder.getF64Type(), given = x.elementType;
  Type real = given.isF64() ? given : Type(emitter.builder.getF32Type());
  Tensor most = reduceMax(emitter, x, {1}), column = emitter.keepDims(most, {1});
  Tensor likelihoods = emitter.elementwise({&x, &column}, x.sizes, f64, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, real};
    return convert(s, s.exp(s.sub(convert(s, v[0], given, real), convert(s, v[1], given, real))), real, f64);
  });
  auto add = [&](OpBuilder &b, Location loc, ValueRange v) {
    return SmallVector<Value>{Scalar{b, loc, f64}.add(v[1], v[2])};
  };
  ScanForm form{/*dim=*/1, /*exclusive=*/false, /*reverse=*/false, /*associative=*/true};
  return scanAlong(emitter, {&likelihoods}, form, {f64}, {makeAttribute(f64, 0)}, add).front();
}

// For each of `places` [n, k] how many of the sums [n, c] are not above it: [n, k] of i64.
static Tensor countUpTo(Emitter &emitter, Tensor &sums, Tensor &places) {
  OpBuilder &b = emitter.builder;
  Type i64 = b.getI64Type();
  AffineExpr n = b.getAffineDimExpr(0), k = b.getAffineDimExpr(1), c = b.getAffineDimExpr(2);
  auto map = [&](ArrayRef<AffineExpr> read) { return AffineMap::get(3, 0, read, b.getContext()); };
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  Value none = emitter.filled(i64, places.sizes, makeAttribute(i64, 0)).value;
  return emitter.generic({emitter.value(sums), emitter.value(places)}, {map({n, c}), map({n, k}), map({n, k})},
                         iterators, places.sizes, i64, none, [](OpBuilder &b, Location loc, ValueRange v) {
                           Scalar s{b, loc, v[2].getType()};
                           Value isUpTo = s.lessEqual(v[0], v[1]);
                           return s.add(v[2], s.select(isUpTo, s.constant(s.type, 1), s.constant(s.type, 0)));
                         });
}

// Classes drawn by their unnormalised logarithms of likelihoods [n, c]: the first whose sum of likelihoods is above a
// uniform number's share of them all.
static LogicalResult lowerMultinomial(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  int64_t count = node.getInt("sample_size", 1);
  Type type = resultType(node, emitter.builder.getI32Type(), /*isFloat=*/false);
  if (!type)
    return failure();
  if (x.rank() != 2 || count < 1 || !isa<IntegerType>(type))
    return node.refuse("needs a matrix, a positive sample_size and integers as dtype");
  // The greatest sum is that of all: of fewer bits than it has, a share of it is always less.
  Tensor sums = sumLikelihoods(emitter, x), total = reduceMax(emitter, sums, {1}),
         column = emitter.keepDims(total, {1});
  Tensor places =
      randomTensor(node, {x.sizes[0], emitter.sizes.constant(count)}, emitter.builder.getF64Type(), {&column},
                   [&](Generator &g, Value counter, ValueRange v) { return g.s.mul(g.uniform(counter, 52), v[0]); });
  Tensor drawn = countUpTo(emitter, sums, places);
  node.setOutput(0, emitter.elementwise({&drawn}, drawn.sizes, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    return convert({b, loc}, v[0], b.getI64Type(), type);
  }));
  return success();
}

void mlir::heddle::importer::registerRandom(LoweringTable &table) {
  table.add("RandomUniform", 1, lowerShaped<setUniform>);
  table.add("RandomNormal", 1, lowerShaped<setNormal>);
  table.add("RandomUniformLike", 1, lowerLike<setUniform>);
  table.add("RandomNormalLike", 1, lowerLike<setNormal>);
  table.add("Bernoulli", 15, lowerBernoulli);
  table.add("Multinomial", 7, lowerMultinomial);
}
