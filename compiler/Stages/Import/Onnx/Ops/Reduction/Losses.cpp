// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

// What the scores [n, c, d…] are measured against: classes [n, d…], each of a weight in [c] (null: 1).
struct Targets {
  Tensor *classes;
  Tensor *weights;
  std::optional<int64_t> ignored;
};

} // namespace

// For each class of the targets an element made of its place in the list of classes; 0 where the class is ignored.
// Classes outside the list fail the call.
static Tensor perTarget(Emitter &emitter, const Targets &targets, OpFoldResult classCount, Type type,
                        llvm::function_ref<Value(Scalar &, Value, ValueRange)> element) {
  Tensor &classes = *targets.classes;
  Value size = emitter.sizes.value(classCount);
  return emitter.generate(classes.sizes, type, {&classes}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]), isIgnored;
    if (targets.ignored) {
      isIgnored = s.equal(index, arith::ConstantIndexOp::create(b, loc, *targets.ignored));
      index = s.select(isIgnored, arith::ConstantIndexOp::create(b, loc, 0), index);
    }
    Value made = element(s, flow::CheckedIndexOp::create(b, loc, index, size), v.drop_front());
    return isIgnored ? s.select(isIgnored, s.constant(type, 0), made) : made;
  });
}

// -x[n, class, d…], times the weight of the class.
static Tensor lossOf(Emitter &emitter, Tensor &x, const Targets &targets) {
  Value scores = emitter.value(x), weights = targets.weights ? emitter.value(*targets.weights) : Value();
  return perTarget(emitter, targets, x.sizes[1], x.elementType, [&](Scalar &s, Value index, ValueRange at) {
    SmallVector<Value> where(at);
    where.insert(where.begin() + 1, index);
    Value loss = s.neg(tensor::ExtractOp::create(s.b, s.loc, scores, where));
    return weights ? s.mul(loss, tensor::ExtractOp::create(s.b, s.loc, weights, index)) : loss;
  });
}

// The sum of the losses, over the sum of the weights of what is not ignored.
static Tensor meanLoss(Emitter &emitter, Tensor &x, Tensor &loss, const Targets &targets) {
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, loss.rank()));
  Tensor sum = reduceSum(emitter, loss, all);
  if (!targets.weights && !targets.ignored)
    return divideByCount(emitter, sum, loss, all);
  Value weights = targets.weights ? emitter.value(*targets.weights) : Value();
  Tensor counted = perTarget(emitter, targets, x.sizes[1], x.elementType, [&](Scalar &s, Value index, ValueRange) {
    return weights ? Value(tensor::ExtractOp::create(s.b, s.loc, weights, index)) : s.constant(x.elementType, 1);
  });
  Tensor count = reduceSum(emitter, counted, all);
  return map(emitter, {&sum, &count}, {}, [](Scalar &s, ValueRange v) { return s.div(v[0], v[1]); });
}

static LogicalResult checkTargets(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(node.requireInputs(2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &classes = *node.input(1), *weights = node.input(2);
  if (!classes.isInteger() || x.rank() < 2 || classes.rank() != x.rank() - 1)
    return node.refuse("needs scores [n, c, d…] and integers [n, d…], got " + Twine(x.rank()) + " and " +
                       Twine(classes.rank()) + " dimensions");
  for (int64_t d = 0; d < classes.rank(); ++d) {
    OpFoldResult size = x.sizes[d ? d + 1 : 0];
    if (emitter.sizes.different(size, classes.sizes[d]))
      return node.refuse("dimension " + Twine(d) + " of the targets is not that of the scores");
    emitter.checkEqual(size, classes.sizes[d], node.op() + ": scores and targets must have the same sizes");
  }
  if (!weights)
    return success();
  if (weights->rank() != 1 || weights->elementType != x.elementType ||
      emitter.sizes.different(weights->sizes[0], x.sizes[1]))
    return node.refuse("the weights must be a list with one element of the scores' type for each class");
  emitter.checkEqual(weights->sizes[0], x.sizes[1], node.op() + ": there must be one weight for each class");
  return success();
}

// The loss of the logarithms `x` of likelihoods.
static LogicalResult setLoss(NodeContext &node, Tensor &x) {
  Emitter &emitter = node.emitter;
  std::string reduction = node.getString("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return node.refuse("reduction '" + reduction + "' is unknown; known: none, sum, mean");
  Targets targets{node.input(1), node.input(2), std::nullopt};
  if (node.hasAttribute("ignore_index"))
    targets.ignored = node.getInt("ignore_index", 0);
  Tensor loss = lossOf(emitter, x, targets);
  if (reduction == "mean")
    loss = meanLoss(emitter, x, loss, targets);
  else if (reduction == "sum")
    loss = reduceSum(emitter, loss, llvm::to_vector(llvm::seq<int64_t>(0, loss.rank())));
  node.setOutput(0, loss);
  return success();
}

static LogicalResult lowerNegativeLogLikelihood(NodeContext &node) {
  return failed(checkTargets(node)) ? failure() : setLoss(node, *node.input(0));
}

static LogicalResult lowerSoftmaxCrossEntropy(NodeContext &node) {
  if (failed(checkTargets(node)))
    return failure();
  Tensor likelihoods = softmax(node.emitter, *node.input(0), 1, /*logarithm=*/true);
  if (node.wantsOutput(1))
    node.setOutput(1, likelihoods);
  return setLoss(node, likelihoods);
}

void mlir::heddle::importer::registerLosses(LoweringTable &table) {
  table.add("NegativeLogLikelihoodLoss", 12, lowerNegativeLogLikelihood);
  table.add("SoftmaxCrossEntropyLoss", 12, lowerSoftmaxCrossEntropy);
}
