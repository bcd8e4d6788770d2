// ONNX Runtime's attention ops (domain com.microsoft): Attention, MultiHeadAttention and
// GroupQueryAttention.
#include "compiler/Stages/Import/Onnx/Ops/AttentionCore.h"
#include "compiler/Stages/Import/Onnx/Ops/Contraction.h"
#include "compiler/Stages/Import/Onnx/Ops/Gather.h"
#include "compiler/Stages/Import/Onnx/Ops/Reductions.h"
#include "compiler/Stages/Import/Onnx/Ops/RotaryEmbedding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle::importer;

// Columns [begin, begin + count) of the last dimension.
static Tensor columns(Emitter &emitter, Tensor &tensor, int64_t begin, int64_t count) {
  SizeList offsets(tensor.rank(), emitter.sizes.constant(0)), extents = tensor.sizes;
  offsets.back() = emitter.sizes.constant(begin);
  extents.back() = emitter.sizes.constant(count);
  return emitter.slice(tensor, offsets, extents, SmallVector<int64_t>(tensor.rank(), 1));
}

static LogicalResult requireAbsent(NodeContext &node, ArrayRef<std::pair<size_t, StringRef>> inputs) {
  for (auto [i, name] : inputs)
    if (node.input(i))
      return node.refuse("input '" + name + "' is not supported");
  return success();
}

static double scaleOf(NodeContext &node, int64_t depth) {
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

// Against what it is added to.
static LogicalResult checkBias(NodeContext &node, const Heads &queries, OpFoldResult keys, Tensor bias) {
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
    return node.refuse("queries and keys must have heads of one fixed depth, as many as values have");
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
    return node.refuse("packed queries, keys and values are not supported");
  if (failed(requireSameType(node, 3)))
    return failure();
  if (!node.input(6) != !node.input(7) || node.wantsOutput(3))
    return node.refuse("past_key and past_value come together, and output 'qk' is not supported");
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
    return node.refuse("attribute 'do_rotary' is not supported");
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

//===--- GroupQueryAttention -------------------------------------------------------------------------------------===//

namespace {

// Attention over a cache of which every batch has filled a part of its own; new rows come behind that part.
class GroupQuery {
public:
  explicit GroupQuery(NodeContext &node) : node(node), emitter(node.emitter), sizes(emitter.sizes) {}

  LogicalResult run() {
    if (failed(checkAttributes()) || failed(readOperands()) || failed(readLengths()))
      return failure();
    if (node.getInt("do_rotary", 0) != 0 && failed(rotate()))
      return failure();
    FailureOr<Heads> queries = readHeads(node, query, queryHeads, "the query"),
                     keys = readHeads(node, key, keyHeads, "the key"),
                     values = readHeads(node, value, keyHeads, "the value");
    if (failed(queries) || failed(keys) || failed(values))
      return failure();
    Tensor newKeys = separateHeads(emitter, *keys), newValues = separateHeads(emitter, *values);
    FailureOr<Tensor> allKeys = update(node.input(3), newKeys), allValues = update(node.input(4), newValues);
    if (failed(allKeys) || failed(allValues))
      return failure();
    AttentionRules rules;
    rules.scale = scaleOf(node, depth);
    rules.softcap = node.getFloat("softcap", 0);
    rules.causal = true;
    rules.begins = &begins;
    rules.lengths = &lengths;
    rules.window = std::max<int64_t>(node.getInt("local_window_size", -1), 0);
    if (Tensor *bias = node.input(10)) {
      if (failed(checkBias(node, *queries, allKeys->sizes[2], *bias)))
        return failure();
      rules.mask = bias;
    }
    node.setOutput(0, attend(emitter, *queries, *allKeys, *allValues, rules).output);
    node.setOutput(1, *allKeys);
    node.setOutput(2, *allValues);
    return success();
  }

private:
  LogicalResult checkAttributes() {
    for (StringRef name : {"kv_cache_bit_width", "sliding_window_cache", "qk_output", "smooth_softmax"})
      if (node.getInt(name, 0) > 0)
        return node.refuse("attribute '" + name + "' is not supported");
    if (node.getInt("causal", 1) != 1 || node.getString("k_quant_type", "NONE") != "NONE" ||
        node.getString("v_quant_type", "NONE") != "NONE")
      return node.refuse("only causal attention on caches that are not quantised is supported");
    return requireAbsent(
        node, {{11, "head_sink"}, {12, "k_scale"}, {13, "v_scale"}, {14, "q_norm_weight"}, {15, "k_norm_weight"}});
  }

  LogicalResult readOperands() {
    if (failed(requireFloat(node, 0)))
      return failure();
    queryHeads = node.getInt("num_heads", 0);
    keyHeads = node.getInt("kv_num_heads", 0);
    query = *node.input(0);
    std::optional<int64_t> width = query.rank() == 3 ? query.staticSize(2) : std::nullopt;
    bool packed = !node.input(1) && !node.input(2);
    bool areHeads =
        keyHeads >= 1 && queryHeads >= keyHeads && queryHeads % keyHeads == 0 && width && queryHeads <= *width;
    int64_t heads = !areHeads ? 0 : packed ? queryHeads + 2 * keyHeads : queryHeads;
    if (heads == 0 || *width % heads != 0)
      return node.refuse("needs num_heads, a multiple of kv_num_heads, that divides the last dimension of the query");
    if (!node.input(3) != !node.input(4) || (!packed && (!node.input(1) || !node.input(2))))
      return node.refuse("keys and values come together, also past ones");
    depth = *width / heads;
    if (packed) {
      Tensor all = query;
      query = columns(emitter, all, 0, queryHeads * depth);
      key = columns(emitter, all, queryHeads * depth, keyHeads * depth);
      value = columns(emitter, all, (queryHeads + keyHeads) * depth, keyHeads * depth);
    } else {
      key = *node.input(1);
      value = *node.input(2);
    }
    for (Tensor *operand : {&key, &value}) {
      if (operand->elementType != query.elementType || operand->rank() != 3 ||
          !operand->isStaticSize(2, keyHeads * depth) || !sizes.equal(operand->sizes[1], query.sizes[1]))
        return node.refuse(
            "keys and values must be [batch, length, kv_num_heads * depth], as long as the query and of its type");
      emitter.checkEqual(operand->sizes[0], query.sizes[0],
                         "GroupQueryAttention: all operands must have one batch size");
    }
    return success();
  }

  // `lengths`: filled rows of each batch, the new ones included; `begins`: those before them.
  LogicalResult readLengths() {
    Tensor *last = node.input(5);
    std::optional<SizeList> read = node.readContents(6);
    if (!last || !last->isInteger() || !read || read->size() != 1 || // [batch, 1] there is, too
        sizes.different(sizes.product(last->sizes), query.sizes[0]))
      return node.refuse("needs seqlens_k, integers [batch], and total_sequence_length, one integer");
    total = read->front();
    emitter.checkLessEqual(sizes.constant(1), total, "GroupQueryAttention: total_sequence_length must be positive");
    total = sizes.max(total, sizes.constant(1));
    Tensor flat = emitter.reshape(*last, {query.sizes[0]});
    Value count = sizes.value(query.sizes[1]);
    Type type = emitter.builder.getI64Type();
    lengths = emitter.elementwise({&flat}, flat.sizes, type, [&](OpBuilder &b, Location loc, ValueRange v) {
      Scalar s{b, loc};
      return s.add(convert(s, v[0], v[0].getType(), type), s.constant(type, 1));
    });
    begins = emitter.elementwise({&lengths}, flat.sizes, type, [&](OpBuilder &b, Location loc, ValueRange v) {
      Scalar s{b, loc};
      Value steps = arith::IndexCastOp::create(b, loc, type, count);
      return s.max(s.sub(v[0], steps), s.constant(type, 0));
    });
    return success();
  }

  // Queries and keys turned by their positions.
  LogicalResult rotate() {
    Tensor *cosines = node.input(7), *sines = node.input(8), *given = node.input(9);
    if (!cosines || !sines || cosines->rank() != 2 || sines->rank() != 2 || !cosines->staticSize(1) ||
        2 * *cosines->staticSize(1) > depth || sines->staticSize(1) != cosines->staticSize(1) ||
        cosines->elementType != query.elementType || sines->elementType != query.elementType)
      return node.refuse(
          "do_rotary needs cos_cache and sin_cache [positions, half of what is turned], of the query's type");
    if (given && (given->rank() != 2 || !given->isInteger()))
      return node.refuse("position_ids must be integers [batch, length]");
    for (int64_t d = 0; given && d < 2; ++d)
      emitter.checkEqual(given->sizes[d], query.sizes[d], "GroupQueryAttention: position_ids must be [batch, length]");
    Tensor positions;
    if (given) {
      positions = *given;
    } else {
      Tensor first = emitter.reshape(begins, {query.sizes[0], sizes.constant(1)});
      positions = emitter.generate({query.sizes[0], query.sizes[1]}, first.elementType, {&first},
                                   [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                     Value step = arith::IndexCastOp::create(b, loc, v[0].getType(), v[2]);
                                     return arith::AddIOp::create(b, loc, v[0], step);
                                   });
    }
    Rotary rotary{false, 2 * *cosines->staticSize(1), node.getInt("rotary_interleaved", 0) != 0};
    Tensor c = gatherRows(emitter, *cosines, positions), s = gatherRows(emitter, *sines, positions);
    for (auto [tensor, heads] : {std::pair(&query, queryHeads), std::pair(&key, keyHeads)}) {
      Tensor apart =
          emitter.reshape(*tensor, {tensor->sizes[0], tensor->sizes[1], sizes.constant(heads), sizes.constant(depth)});
      Tensor turned = turnHeads(emitter, apart, c, s, rotary);
      *tensor = emitter.reshape(turned, tensor->sizes);
    }
    return success();
  }

  // The cache with the new rows behind what each batch has filled; as long as the past one or as all rows need.
  FailureOr<Tensor> update(Tensor *past, Tensor &rows) {
    if (!past || past->isStaticSize(2, 0)) {
      emitter.checkEqual(total, rows.sizes[2],
                         "GroupQueryAttention: without a past, total_sequence_length must be the query's");
      return rows;
    }
    if (past->rank() != 4 || past->elementType != rows.elementType)
      return node.refuse("past keys and values must have rank 4 and the type of the new ones");
    for (int64_t d : {0, 1, 3})
      emitter.checkEqual(past->sizes[d], rows.sizes[d], "GroupQueryAttention: past and new rows differ in a size");
    SizeList shape = rows.sizes;
    shape[2] = sizes.max(past->sizes[2], total);
    Tensor begin = emitter.reshape(begins, {query.sizes[0], sizes.constant(1), sizes.constant(1), sizes.constant(1)});
    Value old = emitter.value(*past), fresh = emitter.value(rows), pastRows = sizes.value(past->sizes[2]),
          newRows = sizes.value(rows.sizes[2]);
    return emitter.generate(shape, rows.elementType, {&begin}, [&](OpBuilder &b, Location loc, ValueRange v) {
      Scalar s{b, loc};
      SmallVector<Value> at(v.drop_front());
      Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1),
            row = at[2];
      Value first = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]);
      Value isOld = s.less(row, first), moved = s.sub(row, first);
      // Clamped: both elements are read, and one is taken.
      at[2] = s.max(s.min(row, s.sub(pastRows, one)), zero);
      Value before = tensor::ExtractOp::create(b, loc, old, at);
      at[2] = s.max(s.min(moved, s.sub(newRows, one)), zero);
      Value after = tensor::ExtractOp::create(b, loc, fresh, at);
      Value isNew = arith::AndIOp::create(b, loc, s.lessEqual(zero, moved), s.less(moved, newRows));
      return s.select(isOld, before, s.select(isNew, after, s.constant(before.getType(), 0)));
    });
  }

  NodeContext &node;
  Emitter &emitter;
  Sizes &sizes;
  int64_t queryHeads = 0, keyHeads = 0, depth = 0;
  Tensor query, key, value; // [batch, length, heads * depth]
  Tensor lengths, begins;   // [batch], i64
  OpFoldResult total;
};

} // namespace

static LogicalResult lowerGroupQueryAttention(NodeContext &node) { return GroupQuery(node).run(); }

void mlir::heddle::importer::registerContribAttention(LoweringTable &table) {
  table.add("com.microsoft.Attention", 1, lowerAttention);
  table.add("com.microsoft.GroupQueryAttention", 1, lowerGroupQueryAttention);
  table.add("com.microsoft.MultiHeadAttention", 1, lowerMultiHeadAttention);
}
