// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's attention ops (domain com.microsoft): Attention and MultiHeadAttention.
#include "compiler/Stages/Import/Onnx/Ops/Attention/ContribAttention.h"
#include "compiler/Stages/Import/Onnx/Forms/Products.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"

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

// Refuses an attention bias that is not [batch, heads, queries, keys] or broadcasts to it.
static LogicalResult checkBias(NodeContext &node, const Heads &queries, OpFoldResult keys, Tensor bias) {
  if (bias.rank() != 4 || bias.elementType != queries.tensor.elementType ||
      !node.emitter.sizes.equal(bias.sizes[3], keys))
    return node.refuse("the attention bias must be [batch, heads, queries, keys], of the query's type");
  return readMask(node, queries, keys, bias);
}

namespace {

// Which keys are padding: from `end` on and before `begin`, [batch, 1, 1, 1] each; or those where `seen`, [batch, 1, 1
// or queries, keys], is not positive.
struct Padding {
  std::optional<Tensor> seen, end, begin;
};

} // namespace

// Elements [first, first + batch) of a vector, beside the scores.
static Tensor perBatch(Emitter &emitter, Tensor &vector, OpFoldResult first, OpFoldResult batch) {
  OpFoldResult one = emitter.sizes.constant(1);
  Tensor part = emitter.slice(vector, {first}, {batch}, {1});
  return emitter.reshape(part, {batch, one, one, one});
}

// A vector has where the keys of each batch end ([batch]), then where they begin ([2 * batch]), or the offsets of a
// packed form, which say the same again ([3 * batch + 2]).
static FailureOr<Padding> readEnds(NodeContext &node, const Heads &queries, Tensor &mask, bool mayBegin) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  OpFoldResult batch = queries.batch, size = mask.sizes[0], zero = sizes.constant(0);
  OpFoldResult twice = sizes.add(batch, batch), packed = sizes.add(sizes.add(twice, batch), sizes.constant(2));
  Padding padding;
  if (mayBegin && sizes.equal(size, twice) && !sizes.equal(size, batch))
    padding.begin = perBatch(emitter, mask, batch, batch);
  else if (!sizes.equal(size, packed))
    emitter.checkEqual(size, batch, node.op() + ": the mask of keys must have an entry for each batch");
  padding.end = perBatch(emitter, mask, zero, batch);
  return padding;
}

// Whole matrices [batch, 1, most, most] as [batch, queries, keys]: queries are the last ones before the last key.
static FailureOr<Tensor> cutMask(NodeContext &node, const Heads &queries, OpFoldResult keys, Tensor &mask) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  OpFoldResult zero = sizes.constant(0), one = sizes.constant(1);
  if (!mask.isStaticSize(1, 1) || sizes.different(mask.sizes[2], mask.sizes[3]))
    return node.refuse("a mask of rank 4 must be [batch, 1, most, most]");
  for (int64_t d : {2, 3}) {
    if (!sizes.lessEqual(keys, mask.sizes[d]) && getConstantIntValue(keys) && mask.staticSize(d))
      return node.refuse("there are more keys than the mask has columns");
    emitter.checkLessEqual(keys, mask.sizes[d], node.op() + ": there are more keys than the mask has columns");
  }
  Tensor part = emitter.slice(mask, {zero, zero, sizes.sub(keys, queries.length), zero},
                              {mask.sizes[0], one, queries.length, keys}, {1, 1, 1, 1});
  return emitter.reshape(part, {mask.sizes[0], queries.length, keys});
}

// `mayBegin`: a vector may say where keys begin; a mask of rank 4 is known, too.
static FailureOr<Padding> readPaddingForm(NodeContext &node, const Heads &queries, OpFoldResult keys, Tensor mask,
                                          bool mayBegin) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  if (mask.isInteger() && mask.rank() == 1)
    return readEnds(node, queries, mask, mayBegin);
  if (mask.isInteger() && mask.rank() == 4 && mayBegin) {
    FailureOr<Tensor> part = cutMask(node, queries, keys, mask);
    if (failed(part))
      return failure();
    mask = *part;
  }
  int64_t rank = mask.rank();
  if (!mask.isInteger() || (rank != 2 && rank != 3) || !sizes.equal(mask.sizes.back(), keys) ||
      (rank == 3 && !sizes.equal(mask.sizes[1], queries.length)))
    return node.refuse("the mask of keys must be integers [batch], [batch, keys] or [batch, queries, keys]");
  emitter.checkEqual(mask.sizes[0], queries.batch, node.op() + ": the mask of keys must have an entry for each batch");
  OpFoldResult one = sizes.constant(1);
  Padding padding;
  padding.seen = emitter.reshape(mask, {queries.batch, one, rank == 3 ? queries.length : one, keys});
  return padding;
}

// For keys that are padding the filter value, else 0: [batch, 1, 1 or queries, keys].
static FailureOr<Tensor> readPadding(NodeContext &node, const Heads &queries, OpFoldResult keys, Tensor &mask,
                                     bool mayBegin) {
  FailureOr<Padding> padding = readPaddingForm(node, queries, keys, mask, mayBegin);
  if (failed(padding))
    return failure();
  OpFoldResult one = node.emitter.sizes.constant(1);
  SizeList shape = padding->seen ? padding->seen->sizes : SizeList{queries.batch, one, one, keys};
  SmallVector<Tensor *> operands;
  for (std::optional<Tensor> *part : {&padding->seen, &padding->end, &padding->begin})
    if (*part)
      operands.push_back(&**part);
  Type type = queries.tensor.elementType;
  double filter = node.getFloat("mask_filter_value", -10000);
  return node.emitter.generate(shape, type, operands, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Scalar s{b, loc};
    Type integer = v[0].getType();
    Value isPadding;
    if (padding->seen) {
      isPadding = s.lessEqual(v[0], s.constant(integer, 0));
    } else {
      Value at = arith::IndexCastOp::create(b, loc, integer, v.back());
      isPadding = s.lessEqual(v[0], at);
      if (padding->begin)
        isPadding = arith::OrIOp::create(b, loc, isPadding, s.less(at, v[1]));
    }
    return s.select(isPadding, s.constant(type, filter), s.constant(type, 0));
  });
}

// The attention bias (or null), and what is added for keys that are padding (or null), as one mask of floats.
static FailureOr<Tensor> readBiases(NodeContext &node, const Heads &queries, OpFoldResult keys, Tensor *padding,
                                    Tensor *bias, bool mayBegin) {
  Emitter &emitter = node.emitter;
  if (bias && failed(checkBias(node, queries, keys, *bias)))
    return failure();
  if (!padding)
    return *bias;
  FailureOr<Tensor> added = readPadding(node, queries, keys, *padding, mayBegin);
  if (failed(added) || !bias)
    return added;
  SizeList shape = added->sizes;
  for (int64_t d : {1, 2})
    if (!bias->isStaticSize(d, 1))
      shape[d] = bias->sizes[d];
  return map(emitter, {&*added, bias}, shape, [](Scalar &s, ValueRange v) { return s.add(v[0], v[1]); });
}

// Flat queries, keys and values, all of one length, against what is behind the past ones. Sets the output of the op;
// hands out all keys and values [batch, heads, length, depth]. `mayBegin`: see readPaddingForm.
static FailureOr<std::pair<Tensor, Tensor>> attendFlat(NodeContext &node, ArrayRef<Tensor> operands,
                                                       std::array<Tensor *, 2> past, Tensor *padding, Tensor *bias,
                                                       bool mayBegin) {
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
    FailureOr<Tensor> biases = readBiases(node, *queries, allKeys->sizes[2], padding, bias, mayBegin);
    if (failed(biases))
      return failure();
    mask = *biases;
    rules.mask = &mask;
  }
  node.setOutput(0, attend(emitter, *queries, *allKeys, *allValues, rules).output);
  return std::pair(*allKeys, *allValues);
}

// Part `i` of heads [batch, length, heads, parts, depth] as [batch, length, heads * depth].
static Tensor partOfHeads(Emitter &emitter, Tensor &packed, int64_t i) {
  Sizes &sizes = emitter.sizes;
  SizeList offsets(5, sizes.constant(0)), extents = packed.sizes;
  offsets[3] = sizes.constant(i);
  extents[3] = sizes.constant(1);
  Tensor part = emitter.slice(packed, offsets, extents, SmallVector<int64_t>(5, 1));
  return emitter.reshape(part, {packed.sizes[0], packed.sizes[1], sizes.mul(packed.sizes[2], packed.sizes[4])});
}

// Queries, keys and values: three operands, or keys and values in one [batch, length, heads, 2, depth], or all in one
// [batch, length, heads, 3, depth].
static FailureOr<SmallVector<Tensor>> unpackOperands(NodeContext &node) {
  Tensor &query = *node.input(0), *key = node.input(1), *value = node.input(2);
  if (key && value)
    return failed(requireSameType(node, 3)) ? FailureOr<SmallVector<Tensor>>(failure())
                                            : SmallVector<Tensor>{query, *key, *value};
  int64_t parts = key ? 2 : 3;
  Tensor &packed = key ? *key : query;
  if (value || packed.rank() != 5 || !packed.isStaticSize(3, parts) || packed.elementType != query.elementType)
    return node.refuse("needs query, key and value; or a query and a key [batch, length, heads, 2, depth]; or a query "
                       "[batch, length, heads, 3, depth]");
  if (!packed.isStaticSize(2, node.getInt("num_heads", 0)) || !packed.staticSize(4))
    return node.refuseFree("packed operands must have num_heads heads of a fixed depth");
  SmallVector<Tensor> operands;
  if (key)
    operands.push_back(query);
  for (int64_t i = 0; i < parts; ++i)
    operands.push_back(partOfHeads(node.emitter, packed, i));
  return operands;
}

static LogicalResult lowerMultiHeadAttention(NodeContext &node) {
  if (failed(requireFloat(node, 0)) ||
      failed(requireAbsent(node, {{8, "past_sequence_length"}, {9, "cache_indirection"}})))
    return failure();
  FailureOr<SmallVector<Tensor>> operands = unpackOperands(node);
  if (failed(operands))
    return failure();
  if (operands->front().rank() != 3)
    return node.refuse("the query must be [batch, length, heads * depth]");
  if (!node.input(6) != !node.input(7) || node.wantsOutput(3))
    return node.unsupported("past_key and past_value come together, and output 'qk' is not supported");
  if (failed(addBias(node, *operands)))
    return failure();
  auto all = attendFlat(node, *operands, {node.input(6), node.input(7)}, node.input(4), node.input(5),
                        /*mayBegin=*/false);
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

// What Attention and QAttention are beyond the projection.
struct Projected {
  Tensor columns; // [batch, length, columns of queries, keys and values]
  Tensor *mask, *past, *bias;
};

// Attention among the rows of a projection. Sets the outputs.
static LogicalResult attendProjected(NodeContext &node, Projected from) {
  Emitter &emitter = node.emitter;
  Type type = from.columns.elementType;
  FailureOr<SmallVector<int64_t>> widths = readWidths(node, from.columns.staticSize(2));
  if (failed(widths))
    return failure();
  SmallVector<Tensor> operands, parts;
  int64_t begin = 0;
  for (int64_t width : *widths) {
    operands.push_back(columns(emitter, from.columns, begin, width));
    begin += width;
  }
  if (Tensor *past = from.past) {
    if (past->rank() != 5 || !past->isStaticSize(0, 2) || past->elementType != type)
      return node.refuse("the past must be [2, batch, heads, length, depth], of the input's type");
    parts = {partOfPast(emitter, *past, 0), partOfPast(emitter, *past, 1)};
  }
  auto all = attendFlat(node, operands, {from.past ? &parts[0] : nullptr, from.past ? &parts[1] : nullptr}, from.mask,
                        from.bias, /*mayBegin=*/true);
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
  auto present = RankedTensorType::get(shapeOf(shape), storageType(type));
  node.setOutput(
      1, emitter.fromValue(tensor::ConcatOp::create(emitter.builder, emitter.loc, present, 0, both), shape, type));
  return success();
}

static LogicalResult refuseSharedBuffer(NodeContext &node) {
  for (StringRef name : {"do_rotary", "past_present_share_buffer"})
    if (node.getInt(name, 0) != 0)
      return node.unsupported("attribute '" + name + "' is not supported");
  return success();
}

static Tensor addColumns(Emitter &emitter, Tensor &rows, Tensor &bias) {
  return map(emitter, {&rows, &bias}, rows.sizes, [](Scalar &s, ValueRange v) { return s.add(v[0], v[1]); });
}

// Queries, keys and values are one product of the input [batch, length, n] with weights [n, columns of all three].
static LogicalResult lowerContribAttention(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 2)) ||
      failed(requireAbsent(node, {{6, "past_sequence_length"}})) || failed(refuseSharedBuffer(node)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &weights = *node.input(1), *bias = node.input(2);
  if (x.rank() != 3 || weights.rank() != 2 ||
      (bias && (bias->rank() != 1 || bias->elementType != x.elementType ||
                !emitter.sizes.equal(bias->sizes[0], weights.sizes[1]))))
    return node.refuse("needs an input [batch, length, n], weights [n, columns] and a bias [columns] of one type");
  if (failed(readWidths(node, weights.staticSize(1))))
    return failure();
  FailureOr<Tensor> projected = multiplyAnyRank(node, x, weights);
  if (failed(projected))
    return failure();
  if (bias)
    *projected = addColumns(emitter, *projected, *bias);
  return attendProjected(node, {*projected, node.input(3), node.input(4), node.input(5)});
}

// The same of an input and weights in 8 bits: the projection is summed in integers.
static LogicalResult lowerQAttention(NodeContext &node) {
  if (failed(node.requireInputs(5)) || failed(refuseSharedBuffer(node)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &weights = *node.input(1), &bias = *node.input(2);
  if (x.rank() != 3 || weights.rank() != 2 || bias.rank() != 1 || !bias.isFloat() ||
      !emitter.sizes.equal(bias.sizes[0], weights.sizes[1]) || node.input(3)->staticCount() != 1)
    return node.refuse("needs an input [batch, length, n] with one scale, weights [n, columns] and a bias [columns]");
  FailureOr<Tensor> projected =
      node.lowerAs("com.microsoft.MatMulIntegerToFloat", 1,
                   {&x, &weights, node.input(3), node.input(4), node.input(6), node.input(7)});
  if (failed(projected))
    return failure();
  if (projected->elementType != bias.elementType)
    return node.refuse("bias and scales must be of one type");
  return attendProjected(node, {addColumns(emitter, *projected, bias), node.input(5), node.input(8), nullptr});
}

void mlir::heddle::importer::registerContribAttention(LoweringTable &table) {
  table.add("com.microsoft.Attention", 1, lowerContribAttention);
  table.add("com.microsoft.MultiHeadAttention", 1, lowerMultiHeadAttention);
  table.add("com.microsoft.QAttention", 1, lowerQAttention);
}
