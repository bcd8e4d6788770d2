// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers: functions of a key, which 'seed' gives, and of the element's number, so that every element is
// computed by itself and the same on every device. See docs/design/import.md.
#include "compiler/Stages/Import/Onnx/Ops/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"

#include <numbers>

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

// The numbers of one node.
struct Generator {
  Scalar s; // of the floats it gives: f32 or f64
  uint64_t key;

  // SplitMix64's output function at the counter.
  Value bits(Value counter);
  // In [0, 1), a multiple of 2^-bits.
  Value uniform(Value counter, unsigned bits);
  // Of mean 0 and deviation 1, by Box and Muller's transform of two uniform numbers.
  Value normal(Value counter);
};

} // namespace

static Value integer(Scalar &s, uint64_t value) {
  return arith::ConstantIntOp::create(s.b, s.loc, static_cast<int64_t>(value), 64);
}

Value Generator::bits(Value counter) {
  auto mix = [&](Value z, uint64_t shift) -> Value {
    return arith::XOrIOp::create(s.b, s.loc, z, arith::ShRUIOp::create(s.b, s.loc, z, integer(s, shift)));
  };
  Value z = s.add(s.mul(counter, integer(s, 0x9E3779B97F4A7C15)), integer(s, key + 0x9E3779B97F4A7C15));
  z = s.mul(mix(z, 30), integer(s, 0xBF58476D1CE4E5B9));
  z = s.mul(mix(z, 27), integer(s, 0x94D049BB133111EB));
  return mix(z, 31);
}

Value Generator::uniform(Value counter, unsigned width) {
  Value high = arith::ShRUIOp::create(s.b, s.loc, bits(counter), integer(s, 64 - width));
  Value real = arith::SIToFPOp::create(s.b, s.loc, s.type, high);
  return s.mul(real, s.constant(s.type, 1.0 / static_cast<double>(uint64_t(1) << width)));
}

Value Generator::normal(Value counter) {
  unsigned width = cast<FloatType>(s.type).getFPMantissaWidth();
  Value first = s.mul(counter, integer(s, 2)), second = s.add(first, integer(s, 1)), one = s.constant(s.type, 1);
  Value radius = s.sqrt(s.mul(s.constant(s.type, -2), s.log(s.sub(one, uniform(first, width)))));
  Value angle = s.mul(s.constant(s.type, 2 * std::numbers::pi), uniform(second, width));
  return s.mul(radius, math::CosOp::create(s.b, s.loc, angle));
}

// Without a seed ONNX leaves the numbers open: those of the node's name.
static uint64_t keyOf(NodeContext &node) {
  mlir::emitWarning(node.emitter.loc) << node.op() << ": every call gives the same numbers, those of "
                                      << (node.hasAttribute("seed") ? "'seed'" : "the node's name");
  if (!node.hasAttribute("seed"))
    return llvm::xxh3_64bits(node.name());
  return llvm::bit_cast<uint64_t>(node.getFloat("seed", 0));
}

// Every element of a tensor of `sizes`, of floats that `element` makes, as one of `type`; narrow floats by way of f32.
// `element` gets the generator, the element's number and the elements of `operands`.
static Tensor randomTensor(NodeContext &node, ArrayRef<OpFoldResult> sizes, Type type, ArrayRef<Tensor *> operands,
                           llvm::function_ref<Value(Generator &, Value, ValueRange)> element) {
  Emitter &emitter = node.emitter;
  Type computed = type.isF64() ? type : Type(emitter.builder.getF32Type());
  uint64_t key = keyOf(node);
  SmallVector<Value> extents = llvm::map_to_vector(sizes, [&](OpFoldResult size) { return emitter.sizes.value(size); });
  return emitter.generate(sizes, type, operands, [&](OpBuilder &b, Location loc, ValueRange v) {
    Generator generator{{b, loc, computed}, key};
    Value number = arith::ConstantIndexOp::create(b, loc, 0);
    for (auto [extent, loop] : llvm::zip(extents, v.drop_front(operands.size())))
      number = generator.s.add(generator.s.mul(number, extent), loop);
    Value counter = arith::IndexCastOp::create(b, loc, b.getI64Type(), number);
    Value made = element(generator, counter, v.take_front(operands.size()));
    return convert(generator.s, made, made.getType(), type);
  });
}

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
