// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropout: the identity, or in training mode elements left out by chance.
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Elementwise/RandomNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"

#include <random>

using namespace mlir;
using namespace mlir::heddle::importer;

// Uniform numbers in [0, 1), of 53 bits, from the Mersenne twister: what NumPy's generator of that seed gives, and so
// the onnx package's own definition of the op. They are made here, so every call drops the same elements.
static Tensor uniformNumbers(Emitter &emitter, ArrayRef<OpFoldResult> sizes, int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  auto numbers = std::make_shared<std::vector<double>>(count);
  for (double &number : *numbers) {
    uint32_t high = generator() >> 5, low = generator() >> 6;
    number = (high * 67108864.0 + low) / 9007199254740992.0;
  }
  ArrayRef<char> bytes(reinterpret_cast<const char *>(numbers->data()), numbers->size() * sizeof(double));
  Tensor tensor =
      emitter.fromData({RankedTensorType::get(shapeOf(sizes), emitter.builder.getF64Type()), bytes, numbers});
  tensor.name = "dropout";
  return tensor;
}

// A number in [0, 1) of f64 for each element: with 'seed' those above, else what the call draws.
static FailureOr<Tensor> chancesOf(NodeContext &node, Tensor &x) {
  Type f64 = node.emitter.builder.getF64Type();
  if (!node.hasAttribute("seed"))
    return randomTensor(node, x.sizes, f64, {},
                        [](Generator &g, Value counter, ValueRange) { return g.uniform(counter, 53); });
  std::optional<int64_t> count = x.staticCount();
  if (!count || *count > 1 << 24)
    return node.unsupported(
        "training mode with 'seed' needs an operand of fixed sizes, of at most 16 million elements");
  mlir::emitWarning(node.emitter.loc)
      << "Dropout in training mode: every call leaves out the same elements, those of 'seed'";
  return uniformNumbers(node.emitter, x.sizes, *count, static_cast<uint32_t>(node.getInt("seed", 0)));
}

static LogicalResult dropAtRandom(NodeContext &node) {
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &training = *node.input(2);
  if (!training.elementType.isInteger(1) || training.staticCount() != 1 ||
      (node.input(1) && (!node.input(1)->isFloat() || node.input(1)->staticCount() != 1)))
    return node.refuse("training_mode must be one boolean, and the ratio one float");
  Type f64 = emitter.builder.getF64Type(), ratioType = node.input(1) ? node.input(1)->elementType : f64;
  Tensor ratio = node.input(1) ? emitter.reshape(*node.input(1), {}) : makeScalar(emitter, f64, 0.5);
  Tensor mode = emitter.reshape(training, {});
  FailureOr<Tensor> chance = chancesOf(node, x);
  if (failed(chance))
    return failure();
  Tensor mask = emitter.elementwise({&*chance, &ratio, &mode}, x.sizes, emitter.builder.getI1Type(),
                                    [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                      Scalar s{b, loc};
                                      Value kept = s.lessEqual(convert(s, v[1], ratioType, f64), v[0]);
                                      return s.select(v[2], kept, arith::ConstantIntOp::create(b, loc, 1, 1));
                                    });
  Type type = x.elementType;
  node.setOutput(
      0, emitter.elementwise({&x, &mask, &ratio, &mode}, x.sizes, type, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar s{b, loc};
        Value one = s.constant(type, 1), rate = convert(s, v[2], ratioType, type);
        Value factor = s.select(v[3], s.div(one, s.sub(one, rate)), one);
        return s.select(v[1], s.mul(v[0], factor), s.constant(type, 0));
      }));
  if (node.wantsOutput(1))
    node.setOutput(1, mask);
  return success();
}

static LogicalResult lowerDropout(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  if (node.input(2) && node.constantScalar(2) != 0)
    return dropAtRandom(node);
  node.setOutput(0, *node.input(0));
  if (node.wantsOutput(1)) {
    Type boolean = node.emitter.builder.getI1Type();
    node.setOutput(1, node.emitter.filled(boolean, node.input(0)->sizes, makeAttribute(boolean, 1)));
  }
  return success();
}

void mlir::heddle::importer::registerDropout(LoweringTable &table) { table.add("Dropout", 7, lowerDropout); }
