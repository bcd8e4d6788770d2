// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention.
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Attention/AttentionCore.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle::importer;

// Columns beyond the mask's last one are not seen (from operator set 24 on).
static FailureOr<Tensor> extendMask(NodeContext &node, Tensor &mask, OpFoldResult keys) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  OpFoldResult width = mask.sizes.back();
  if (getConstantIntValue(width) == 1 || sizes.equal(width, keys))
    return mask;
  if (node.version() < 24) {
    emitter.checkEqual(width, keys, node.op() + ": the mask's last dimension must be the number of keys");
    mask.sizes.back() = keys;
    return emitter.fromValue(emitter.value(mask), mask.sizes, mask.elementType);
  }
  emitter.checkLessEqual(width, keys, "Attention: the mask's last dimension is greater than the number of keys");
  Type type = storageType(mask.elementType);
  TypedAttr unseen = mask.isFloat() ? lowest(type) : emitter.builder.getBoolAttr(false);
  SizeList low(mask.rank(), sizes.constant(0)), high = low, shape = mask.sizes;
  high.back() = sizes.sub(keys, width);
  shape.back() = keys;
  Value fill = arith::ConstantOp::create(emitter.builder, emitter.loc, unseen);
  Value padded = tensor::PadOp::create(emitter.builder, emitter.loc, RankedTensorType::get(shapeOf(shape), type),
                                       emitter.value(mask), low, high, fill);
  return emitter.fromValue(padded, shape, mask.elementType);
}

LogicalResult mlir::heddle::importer::readMask(NodeContext &node, const Heads &queries, OpFoldResult keys,
                                               Tensor &mask) {
  if (mask.rank() < 2 || mask.rank() > 4)
    return node.refuse("the mask must have rank 2 to 4, got " + Twine(mask.rank()));
  if (!mask.elementType.isInteger(1) && mask.elementType != queries.tensor.elementType)
    return node.refuse("the mask must be of booleans or of the queries' type");
  SizeList want{queries.batch, queries.count, queries.length};
  for (int64_t d = 0; d + 1 < mask.rank(); ++d) {
    OpFoldResult size = want[4 - mask.rank() + d];
    if (mask.isStaticSize(d, 1))
      continue;
    if (node.emitter.sizes.different(mask.sizes[d], size))
      return node.refuse("the mask does not broadcast to batch, heads, queries and keys");
    node.emitter.checkEqual(mask.sizes[d], size,
                            node.op() + ": the mask must have the size of queries or a fixed size of 1");
  }
  FailureOr<Tensor> extended = extendMask(node, mask, keys);
  if (failed(extended))
    return failure();
  mask = *extended;
  return success();
}

static LogicalResult readSoftmaxType(NodeContext &node, AttentionRules &rules) {
  constexpr int64_t kFloat = 1, kHalf = 10, kDouble = 11, kBrain = 16;
  int64_t precision = node.getInt("softmax_precision", 0);
  // Types of 16 bits are computed in f32 anyway.
  if (precision == kDouble)
    rules.softmaxType = node.emitter.builder.getF64Type();
  else if (precision != 0 && precision != kFloat && precision != kHalf && precision != kBrain)
    return node.refuse("attribute 'softmax_precision' must be a type of floats, got " + Twine(precision));
  return success();
}

static FailureOr<ScoresWanted> readWanted(NodeContext &node) {
  if (!node.wantsOutput(3))
    return ScoresWanted::No;
  int64_t mode = node.getInt("qk_matmul_output_mode", 0);
  constexpr ScoresWanted kModes[] = {ScoresWanted::Scaled, ScoresWanted::Capped, ScoresWanted::Masked,
                                     ScoresWanted::Weights};
  if (mode < 0 || mode > 3)
    return node.refuse("attribute 'qk_matmul_output_mode' must be 0 to 3, got " + Twine(mode));
  return kModes[mode];
}

static LogicalResult checkSizes(NodeContext &node, const Heads &queries, const Heads &keys, const Heads &values) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  auto require = [&](OpFoldResult a, OpFoldResult b, const Twine &what) -> LogicalResult {
    if (sizes.different(a, b))
      return node.refuse(what);
    emitter.checkEqual(a, b, "Attention: " + what);
    return success();
  };
  if (failed(require(queries.batch, keys.batch, "queries and keys must have one batch size")) ||
      failed(require(queries.batch, values.batch, "queries and values must have one batch size")) ||
      failed(require(keys.length, values.length, "there must be as many keys as values")) ||
      failed(require(keys.count, values.count, "keys and values must have as many heads")) ||
      failed(require(queries.depth, keys.depth, "queries and keys must be of one depth")))
    return failure();
  std::optional<int64_t> many = getConstantIntValue(queries.count), few = getConstantIntValue(keys.count);
  if (many && few ? *few < 1 || *many % *few != 0 : !sizes.equal(queries.count, keys.count))
    return node.refuseFree("the heads of queries must be a multiple of those of keys, both fixed numbers");
  return success();
}

// nonpad_kv_seqlen: how many keys of each batch there are.
static LogicalResult readLengths(NodeContext &node, const Heads &queries, AttentionRules &rules) {
  Tensor *lengths = node.input(6);
  if (!lengths)
    return success();
  if (lengths->rank() != 1 || !lengths->isInteger())
    return node.refuse("nonpad_kv_seqlen must be a vector of integers");
  if (node.input(4))
    return node.refuse("nonpad_kv_seqlen and past keys exclude each other");
  node.emitter.checkEqual(lengths->sizes[0], queries.batch, "Attention: nonpad_kv_seqlen must have one entry a batch");
  rules.lengths = lengths;
  return success();
}

static LogicalResult lowerAttention(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(node.requireInputs(3)))
    return failure();
  Emitter &emitter = node.emitter;
  int64_t queryHeads = node.getInt("q_num_heads", 0), keyHeads = node.getInt("kv_num_heads", 0);
  FailureOr<Heads> queries = readHeads(node, *node.input(0), queryHeads, "Q");
  FailureOr<Heads> keys = readHeads(node, *node.input(1), keyHeads, "K");
  FailureOr<Heads> values = readHeads(node, *node.input(2), keyHeads, "V");
  if (failed(queries) || failed(keys) || failed(values) || failed(checkSizes(node, *queries, *keys, *values)))
    return failure();
  if (!node.input(4) != !node.input(5))
    return node.refuse("past_key and past_value must be given together");
  Tensor newKeys = separateHeads(emitter, *keys), newValues = separateHeads(emitter, *values);
  FailureOr<Tensor> allKeys = appendToPast(node, node.input(4), newKeys),
                    allValues = appendToPast(node, node.input(5), newValues);
  FailureOr<ScoresWanted> wanted = readWanted(node);
  if (failed(allKeys) || failed(allValues) || failed(wanted))
    return failure();
  AttentionRules rules;
  rules.wanted = *wanted;
  std::optional<int64_t> depth = getConstantIntValue(queries->depth);
  if (!depth && !node.hasAttribute("scale"))
    return node.refuseFree("without attribute 'scale' the depth of a head must be of fixed size");
  rules.scale = node.getFloat("scale", depth ? 1 / std::sqrt(static_cast<double>(*depth)) : 1);
  rules.softcap = node.getFloat("softcap", 0);
  rules.causal = node.getInt("is_causal", 0) != 0;
  Tensor mask;
  if (node.input(3)) {
    mask = *node.input(3);
    if (failed(readMask(node, *queries, allKeys->sizes[2], mask)))
      return failure();
    rules.mask = &mask;
  }
  if (failed(readLengths(node, *queries, rules)) || failed(readSoftmaxType(node, rules)))
    return failure();
  if (!rules.lengths)
    rules.offset = node.input(4) ? node.input(4)->sizes[2] : emitter.sizes.constant(0);
  AttentionResult result = attend(emitter, *queries, *allKeys, *allValues, rules);
  node.setOutput(0, result.output);
  node.setOutput(1, *allKeys);
  node.setOutput(2, *allValues);
  if (result.scores)
    node.setOutput(3, *result.scores);
  return success();
}

void mlir::heddle::importer::registerAttention(LoweringTable &table) { table.add("Attention", 23, lowerAttention); }
