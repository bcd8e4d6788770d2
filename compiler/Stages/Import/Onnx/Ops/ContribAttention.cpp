// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's attention ops (domain com.microsoft): Attention and MultiHeadAttention.
#include "compiler/Stages/Import/Onnx/Ops/ContribAttention.h"
#include "compiler/Stages/Import/Onnx/Ops/Contraction.h"
#include "compiler/Stages/Import/Onnx/Ops/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle::importer;

Tensor mlir::heddle::importer::columns(Emitter &emitter, Tensor &tensor, int64_t begin, int64_t count) {
  SizeList offsets(tensor.rank(), emitter.sizes.constant(0)), extents = tensor.sizes;
  offsets.back() = emitter.sizes.constant(begin);
  extents.back() = emitter.sizes.constant(count);
  return emitter.slice(tensor, offsets, extents, SmallVector<int64_t>(tensor.rank(), 1));
}

LogicalResult mlir::heddle::importer::requireAbsent(NodeContext &node, ArrayRef<std::pair<size_t, StringRef>> inputs) {
  for (auto [i, name] : inputs)
    if (node.input(i))
      return node.unsupported("input '" + name + "' is not supported");
  return success();
}

double mlir::heddle::importer::scaleOf(NodeContext &node, int64_t depth) {
  double given = node.getFloat("scale", 0);
  return given != 0 ? given : 1 / std::sqrt(static_cast<double>(depth));
}

//===--- MultiHeadAttention --------------------------------------------------------------------------------------===//

// Queries, keys and values [batch, length, heads * depth] with the parts of the bias [3 * heads * depth] added.
static LogicalResult addBias(NodeContext &node, MutableArrayRef<Tensor> operands) {
  Tensor *bias = node.input(3);
  if (!bias)
    return success();
  int64_t begin = 0;
  for (Tensor &operand : operands) {
    std::optional<int64_t> width = operand.rank() == 3 ? operand.staticSize(2) : std::nullopt;
    if (!width || bias->elementType != operand.elementType || bias->rank() != 1 || !bias->staticSize(0) ||
        begin + *width > *bias->staticSize(0))
      return node.refuse(
          "the bias must have an element of their type for each column of query, key and value, all of rank 3");
    Tensor part = columns(node.emitter, *bias, begin, *width);
    begin += *width;
    operand =
        map(node.emitter, {&operand, &part}, operand.sizes, [](Scalar &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  return success();
}

LogicalResult mlir::heddle::importer::checkBias(NodeContext &node, const Heads &queries, OpFoldResult keys,
                                                Tensor bias) {
  if (bias.rank() != 4 || bias.elementType != queries.tensor.elementType ||
      !node.emitter.sizes.equal(bias.sizes[3], keys))
    return node.refuse("the attention bias must be [batch, heads, queries, keys], of the query's type");
  return readMask(node, queries, keys, bias);
}

// For keys that are padding the filter value, else 0: [batch, 1, 1 or queries, keys]. The mask has how many keys of
// each batch are none ([batch]), or 0 for those that are ([batch, keys] or [batch, queries, keys]).
static FailureOr<Tensor> readPadding(NodeContext &node, const Heads &queries, OpFoldResult keys, Tensor &mask) {
  Emitter &emitter = node.emitter;
  OpFoldResult one = emitter.sizes.constant(1);
  int64_t rank = mask.rank();
  if (!mask.isInteger() || rank < 1 || rank > 3 || (rank > 1 && !emitter.sizes.equal(mask.sizes.back(), keys)) ||
      (rank == 3 && !emitter.sizes.equal(mask.sizes[1], queries.length)))
    return node.refuse("the mask of keys must be integers [batch], [batch, keys] or [batch, queries, keys]");
  emitter.checkEqual(mask.sizes[0], queries.batch, node.op() + ": the mask of keys must have an entry for each batch");
  SizeList shape{queries.batch, one, rank == 3 ? queries.length : one, keys}, apart = shape;
  if (rank == 1)
    apart.back() = one;
  Tensor wide = emitter.reshape(mask, apart);
  Type type = queries.tensor.elementType;
  double filter = node.getFloat("mask_filter_value", -10000);
  return emitter.generate(shape, type, {&wide}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Scalar s{b, loc};
    Type integer = v[0].getType();
    Value isPadding = rank == 1 ? s.lessEqual(v[0], arith::IndexCastOp::create(b, loc, integer, v.back()))
                                : s.equal(v[0], s.constant(integer, 0));
    return s.select(isPadding, s.constant(type, filter), s.constant(type, 0));
  });
}

// The attention bias (or null), and what is added for keys that are padding (or null), as one mask of floats.
static FailureOr<Tensor> readBiases(NodeContext &node, const Heads &queries, OpFoldResult keys, Tensor *padding,
                                    Tensor *bias) {
  Emitter &emitter = node.emitter;
  if (bias && failed(checkBias(node, queries, keys, *bias)))
    return failure();
  if (!padding)
    return *bias;
  FailureOr<Tensor> added = readPadding(node, queries, keys, *padding);
  if (failed(added) || !bias)
    return added;
  SizeList shape = added->sizes;
  for (int64_t d : {1, 2})
    if (!bias->isStaticSize(d, 1))
      shape[d] = bias->sizes[d];
  return map(emitter, {&*added, bias}, shape, [](Scalar &s, ValueRange v) { return s.add(v[0], v[1]); });
}

// Flat queries, keys and values, all of one length, against what is behind the past ones. Sets the output of the op;
// hands out all keys and values [batch, heads, length, depth].
static FailureOr<std::pair<Tensor, Tensor>> attendFlat(NodeContext &node, ArrayRef<Tensor> operands,
                                                       std::array<Tensor *, 2> past, Tensor *padding, Tensor *bias) {
  Emitter &emitter = node.emitter;
  int64_t heads = node.getInt("num_heads", 0);
  FailureOr<Heads> queries = readHeads(node, operands[0], heads, "the query"),
                   keys = readHeads(node, operands[1], heads, "the key"),
                   values = readHeads(node, operands[2], heads, "the value");
  if (failed(queries) || failed(keys) || failed(values))
    return failure();
  emitter.checkEqual(queries->batch, keys->batch, node.op() + ": queries and keys must have one batch size");
  emitter.checkEqual(keys->length, values->length, node.op() + ": there must be as many keys as values");
  std::optional<int64_t> depth = getConstantIntValue(queries->depth);
  if (!depth || !emitter.sizes.equal(queries->depth, keys->depth) ||
      !emitter.sizes.equal(queries->count, keys->count) || !emitter.sizes.equal(values->count, keys->count))
    return node.refuseFree("queries and keys must have heads of one fixed depth, as many as values have");
  Tensor newKeys = separateHeads(emitter, *keys), newValues = separateHeads(emitter, *values);
  FailureOr<Tensor> allKeys = appendToPast(node, past[0], newKeys), allValues = appendToPast(node, past[1], newValues);
  if (failed(allKeys) || failed(allValues))
    return failure();
  AttentionRules rules;
  rules.scale = scaleOf(node, *depth);
  rules.causal = node.getInt("unidirectional", 0) != 0;
  rules.offset = past[0] ? past[0]->sizes[2] : emitter.sizes.constant(0);
  Tensor mask;
  if (padding || bias) {
    FailureOr<Tensor> biases = readBiases(node, *queries, allKeys->sizes[2], padding, bias);
    if (failed(biases))
      return failure();
    mask = *biases;
    rules.mask = &mask;
  }
  node.setOutput(0, attend(emitter, *queries, *allKeys, *allValues, rules).output);
  return std::pair(*allKeys, *allValues);
}

static LogicalResult lowerMultiHeadAttention(NodeContext &node) {
  if (failed(requireFloat(node, 0)) ||
      failed(requireAbsent(node, {{8, "past_sequence_length"}, {9, "cache_indirection"}})))
    return failure();
  if (!node.input(1) || !node.input(2) || node.input(0)->rank() != 3)
    return node.unsupported("packed queries, keys and values are not supported");
  if (failed(requireSameType(node, 3)))
    return failure();
  if (!node.input(6) != !node.input(7) || node.wantsOutput(3))
    return node.unsupported("past_key and past_value come together, and output 'qk' is not supported");
  SmallVector<Tensor> operands{*node.input(0), *node.input(1), *node.input(2)};
  if (failed(addBias(node, operands)))
    return failure();
  auto all = attendFlat(node, operands, {node.input(6), node.input(7)}, node.input(4), node.input(5));
  if (failed(all))
    return failure();
  node.setOutput(1, all->first);
  node.setOutput(2, all->second);
  return success();
}

//===--- Attention -----------------------------------------------------------------------------------------------===//

// How many columns queries, keys and values have of the projection's `width`.
static FailureOr<SmallVector<int64_t>> readWidths(NodeContext &node, std::optional<int64_t> width) {
  SmallVector<int64_t> widths =
      node.getInts("qkv_hidden_sizes").value_or(SmallVector<int64_t>(3, width.value_or(0) / 3));
  constexpr int64_t kMost = 1 << 24;
  if (!width || widths.size() != 3 || llvm::any_of(widths, [](int64_t w) { return w < 1 || w > kMost; }) ||
      widths[0] + widths[1] + widths[2] != *width)
    return node.refuse("the weights must have columns for queries, keys and values: as many of each, or "
                       "qkv_hidden_sizes");
  return widths;
}

// Part `i` of the past [2, batch, heads, length, depth].
static Tensor partOfPast(Emitter &emitter, Tensor &past, int64_t i) {
  Sizes &sizes = emitter.sizes;
  SizeList offsets(5, sizes.constant(0)), extents = past.sizes;
  offsets[0] = sizes.constant(i);
  extents[0] = sizes.constant(1);
  Tensor part = emitter.slice(past, offsets, extents, SmallVector<int64_t>(5, 1));
  return emitter.reshape(part, ArrayRef<OpFoldResult>(extents).drop_front());
}

// Queries, keys and values are one product of the input [batch, length, n] with weights [n, columns of all three].
static LogicalResult lowerAttention(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 2)) ||
      failed(requireAbsent(node, {{6, "past_sequence_length"}})))
    return failure();
  if (node.getInt("do_rotary", 0) != 0)
    return node.unsupported("attribute 'do_rotary' is not supported");
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &weights = *node.input(1), *bias = node.input(2), *past = node.input(4);
  if (x.rank() != 3 || weights.rank() != 2 ||
      (bias && (bias->rank() != 1 || bias->elementType != x.elementType ||
                !emitter.sizes.equal(bias->sizes[0], weights.sizes[1]))))
    return node.refuse("needs an input [batch, length, n], weights [n, columns] and a bias [columns] of one type");
  FailureOr<SmallVector<int64_t>> widths = readWidths(node, weights.staticSize(1));
  if (failed(widths))
    return failure();
  FailureOr<Tensor> projected = multiplyAnyRank(node, x, weights);
  if (failed(projected))
    return failure();
  if (bias)
    *projected =
        map(emitter, {&*projected, bias}, projected->sizes, [](Scalar &s, ValueRange v) { return s.add(v[0], v[1]); });
  SmallVector<Tensor> operands, parts;
  int64_t begin = 0;
  for (int64_t width : *widths) {
    operands.push_back(columns(emitter, *projected, begin, width));
    begin += width;
  }
  if (past) {
    if (past->rank() != 5 || !past->isStaticSize(0, 2) || past->elementType != x.elementType)
      return node.refuse("the past must be [2, batch, heads, length, depth], of the input's type");
    parts = {partOfPast(emitter, *past, 0), partOfPast(emitter, *past, 1)};
  }
  auto all = attendFlat(node, operands, {past ? &parts[0] : nullptr, past ? &parts[1] : nullptr}, node.input(3),
                        node.input(5));
  if (failed(all) || !node.wantsOutput(1))
    return failed(all) ? failure() : success();
  auto [keys, values] = *all;
  if (!emitter.sizes.equal(keys.sizes[3], values.sizes[3]))
    return node.refuse("keys and values of one depth are needed for the output 'present'");
  SizeList shape{emitter.sizes.constant(1)};
  llvm::append_range(shape, keys.sizes);
  Value both[] = {emitter.value(keys = emitter.reshape(keys, shape)),
                  emitter.value(values = emitter.reshape(values, shape))};
  shape[0] = emitter.sizes.constant(2);
  auto type = RankedTensorType::get(shapeOf(shape), storageType(x.elementType));
  node.setOutput(1, emitter.fromValue(tensor::ConcatOp::create(emitter.builder, emitter.loc, type, 0, both), shape,
                                      x.elementType));
  return success();
}

void mlir::heddle::importer::registerContribAttention(LoweringTable &table) {
  table.add("com.microsoft.Attention", 1, lowerAttention);
  table.add("com.microsoft.MultiHeadAttention", 1, lowerMultiHeadAttention);
}
