// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators that draw random numbers.
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

// Classes drawn by their unnormalised logarithms of likelihoods [n, c]: the greatest sum of one and a
// Gumbel-distributed number.
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
  OpFoldResult one = emitter.sizes.constant(1);
  Tensor wide = emitter.reshape(x, {x.sizes[0], one, x.sizes[1]});
  Type real = x.elementType.isF64() ? x.elementType : Type(emitter.builder.getF32Type());
  Tensor scores =
      randomTensor(node, {x.sizes[0], emitter.sizes.constant(count), x.sizes[1]}, real, {&wide},
                   [&](Generator &g, Value counter, ValueRange v) {
                     // Between 0 and 1, without both.
                     Value chance = g.s.add(g.uniform(counter, 23), g.s.constant(real, 1.0 / (1 << 24)));
                     return g.s.sub(convert(g.s, v[0], x.elementType, real), g.s.log(g.s.neg(g.s.log(chance))));
                   });
  Tensor drawn = argumentOf(emitter, scores, 2, /*greatest=*/true, /*last=*/false);
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
