// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layers of transformers as ONNX Runtime's optimiser fuses them (domain com.microsoft).
#include "compiler/Stages/Import/Onnx/Forms/Products.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Ops/Movement/Gather.h"
#include "compiler/Stages/Import/Onnx/Ops/Reduction/Normalization.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

//===--- Activations ---------------------------------------------------------------------------------------------===//

// x, or x + the bias that broadcasts to it.
static LogicalResult lowerWithBias(NodeContext &node, llvm::function_ref<Value(Scalar &, Value)> body) {
  if (failed(requireFloat(node, 0)))
    return failure();
  SmallVector<Tensor *> operands{node.input(0)};
  if (node.input(1)) {
    if (failed(requireSameType(node, 2)))
      return failure();
    operands.push_back(node.input(1));
  }
  return lowerElementwise(node, operands, node.input(0)->elementType, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    return body(s, v.size() == 2 ? s.add(v[0], v[1]) : v[0]);
  });
}

static LogicalResult lowerFastGelu(NodeContext &node) {
  return lowerWithBias(node, [](Scalar &s, Value x) {
    auto c = [&](double value) { return s.constant(x.getType(), value); };
    Value inner = s.mul(x, s.add(c(0.7978845608028654), s.mul(c(0.035677408136300125), s.mul(x, x))));
    return s.mul(x, s.add(c(0.5), s.mul(c(0.5), s.tanh(inner))));
  });
}

static LogicalResult lowerBiasGelu(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  return lowerWithBias(node, [](Scalar &s, Value x) {
    auto c = [&](double value) { return s.constant(x.getType(), value); };
    return s.mul(s.mul(x, c(0.5)), s.add(c(1), s.erf(s.mul(x, c(0.7071067811865476)))));
  });
}

static LogicalResult lowerQuickGelu(NodeContext &node) {
  double alpha = node.getFloat("alpha", 1.702);
  return lowerWithBias(
      node, [&](Scalar &s, Value x) { return s.mul(x, s.sigmoid(s.mul(x, s.constant(x.getType(), alpha)))); });
}

//===--- Normalisations ------------------------------------------------------------------------------------------===//

// The sum of the operands, which broadcast to the first.
static Tensor addAll(Emitter &emitter, ArrayRef<Tensor *> operands) {
  return map(emitter, operands, operands.front()->sizes, [](Scalar &s, ValueRange v) {
    Value sum = v.front();
    for (Value x : v.drop_front())
      sum = s.add(sum, x);
    return sum;
  });
}

// See fitTo(). All are of one element type.
static FailureOr<Tensor> requireBroadcast(NodeContext &node, const Tensor &to, ArrayRef<Tensor *> operands) {
  bool isOneType =
      llvm::all_of(operands, [&](Tensor *operand) { return !operand || operand->elementType == to.elementType; });
  if (isOneType)
    if (std::optional<Tensor> fitting = fitTo(node.emitter, to, operands, node.op()))
      return *fitting;
  return node.refuse("an operand does not broadcast to the first, or has another element type");
}

// Of input + skip (+ bias), which is output 3. `rms`: by the mean square, without an offset.
static LogicalResult lowerSkipNormalization(NodeContext &node, bool rms) {
  if (failed(requireFloat(node, 0)) || failed(node.requireInputs(3)))
    return failure();
  if (node.wantsOutput(1) || node.wantsOutput(2))
    return node.unsupported("the statistics for training are not supported");
  Tensor *skip = node.input(1), *scale = node.input(2);
  if (node.input(0)->rank() < 1)
    return node.refuse("needs rows to normalise, got a scalar");
  Tensor *offset = rms ? nullptr : node.input(3), *bias = node.input(rms ? 3 : 4);
  FailureOr<Tensor> x = requireBroadcast(node, *node.input(0), {skip, scale, offset, bias});
  if (failed(x))
    return failure();
  SmallVector<Tensor *> parts{&*x, skip};
  if (bias)
    parts.push_back(bias);
  Tensor sum = addAll(node.emitter, parts);
  double epsilon = node.getFloat("epsilon", 1e-12);
  int64_t axis = x->rank() - 1;
  node.setOutput(0, rms ? rmsNormalize(node.emitter, sum, axis, epsilon, scale).result
                        : layerNormalize(node.emitter, sum, axis, epsilon, scale, offset).result);
  node.setOutput(3, sum);
  return success();
}

// Rows of three tables, added and normalised.
static LogicalResult lowerEmbedNormalization(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  for (size_t i : {2, 3, 5, 6})
    if (!node.input(i))
      return node.refuse("needs word and position embeddings, a scale and an offset");
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &ids = *node.input(0), &words = *node.input(2), &places = *node.input(3);
  if (ids.rank() != 2 || !ids.isInteger() || words.rank() != 2 || places.rank() != 2 ||
      !isa<FloatType>(words.elementType) || !sizes.equal(words.sizes[1], places.sizes[1]))
    return node.refuse("needs integers [batch, length] and tables [n, width] of floats and one width");
  if (!node.input(1) != !node.input(4) || (node.input(4) && node.input(4)->rank() != 2))
    return node.refuse("segment ids and their table must be given together");
  for (size_t i : {1, 7, 8})
    if (node.input(i) && (node.input(i)->rank() != 2 || !node.input(i)->isInteger()))
      return node.refuse("segment ids, mask and position ids must be integers [batch, length]");
  Tensor word = gatherRows(emitter, words, ids), place, segment;
  if (node.input(8)) {
    place = gatherRows(emitter, places, *node.input(8));
  } else {
    emitter.checkLessEqual(ids.sizes[1], places.sizes[0], "EmbedLayerNormalization: more tokens than positions");
    OpFoldResult zero = sizes.constant(0);
    place = emitter.slice(places, {zero, zero}, {ids.sizes[1], places.sizes[1]}, {1, 1});
  }
  SmallVector<Tensor *> parts{&word, &place};
  if (node.input(1)) {
    segment = gatherRows(emitter, *node.input(4), *node.input(1));
    parts.push_back(&segment);
  }
  SmallVector<Tensor *> others(ArrayRef(parts).drop_front());
  others.append({node.input(5), node.input(6)});
  FailureOr<Tensor> fitting = requireBroadcast(node, word, others);
  if (failed(fitting))
    return failure();
  word = *fitting;
  Tensor sum = addAll(emitter, parts);
  node.setOutput(0,
                 layerNormalize(emitter, sum, 2, node.getFloat("epsilon", 1e-12), node.input(5), node.input(6)).result);
  if (node.wantsOutput(1)) {
    Type i32 = emitter.builder.getI32Type();
    node.setOutput(1, node.input(7) ? reduceSum(emitter, *node.input(7), {1})
                                    : emitter.filled(i32, {ids.sizes[0]}, makeAttribute(i32, 0)));
  }
  node.setOutput(2, sum);
  return success();
}

//===--- FusedMatMul ---------------------------------------------------------------------------------------------===//

// Operand `i` of FusedMatMul, "A" or "B": transBatch makes the first dimension the rows, then trans exchanges the last
// two.
static FailureOr<Tensor> arrangeFactor(NodeContext &node, size_t i, StringRef name) {
  Tensor &tensor = *node.input(i);
  bool moves = node.getInt(("transBatch" + name).str(), 0) != 0, swaps = node.getInt(("trans" + name).str(), 0) != 0;
  if (moves && tensor.rank() < 3)
    return node.refuse("transBatch" + name + " needs an operand of rank 3 or more, got rank " + Twine(tensor.rank()));
  if (!moves && (!swaps || tensor.rank() < 2))
    return tensor;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, tensor.rank()));
  if (moves)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (swaps)
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  return node.emitter.transpose(tensor, order);
}

// alpha A B, with the dimensions of either exchanged.
static LogicalResult lowerFusedMatMul(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 2)))
    return failure();
  FailureOr<Tensor> a = arrangeFactor(node, 0, "A"), b = arrangeFactor(node, 1, "B");
  if (failed(a) || failed(b))
    return failure();
  FailureOr<Tensor> product = multiplyAnyRank(node, *a, *b);
  if (failed(product))
    return failure();
  double alpha = node.getFloat("alpha", 1);
  if (alpha != 1)
    *product = map(node.emitter, {&*product}, product->sizes,
                   [&](Scalar &s, ValueRange v) { return s.mul(v[0], s.constant(v[0].getType(), alpha)); });
  node.setOutput(0, *product);
  return success();
}

void mlir::heddle::importer::registerTransformerLayers(LoweringTable &table) {
  table.add("com.microsoft.FastGelu", 1, lowerFastGelu);
  table.add("com.microsoft.BiasGelu", 1, lowerBiasGelu);
  table.add("com.microsoft.QuickGelu", 1, lowerQuickGelu);
  table.add("com.microsoft.SkipLayerNormalization", 1,
            [](NodeContext &node) { return lowerSkipNormalization(node, false); });
  table.add("com.microsoft.SkipSimplifiedLayerNormalization", 1,
            [](NodeContext &node) { return lowerSkipNormalization(node, true); });
  table.add("com.microsoft.EmbedLayerNormalization", 1, lowerEmbedNormalization);
  table.add("com.microsoft.FusedMatMul", 1, lowerFusedMatMul);
}
