// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's GroupQueryAttention (domain com.microsoft).
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Attention/ContribAttention.h"
#include "compiler/Stages/Import/Onnx/Ops/Attention/RotaryEmbedding.h"
#include "compiler/Stages/Import/Onnx/Ops/Movement/Gather.h"
#include "compiler/Stages/Import/Onnx/Ops/Movement/TensorScatter.h"
#include "compiler/Stages/Import/Onnx/Ops/Reduction/Normalization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

// Attention over a cache of which every batch has filled a part of its own; new rows come behind that part.
class GroupQuery {
public:
  explicit GroupQuery(NodeContext &node) : node(node), emitter(node.emitter), sizes(emitter.sizes) {}

  LogicalResult run() {
    if (failed(checkAttributes()) || failed(readOperands()) || failed(readLengths()))
      return failure();
    if (failed(normalizeHeads()) || (node.getInt("do_rotary", 0) != 0 && failed(rotate())))
      return failure();
    FailureOr<Heads> queries = readHeads(node, query, queryHeads, "the query"),
                     keys = readHeads(node, key, keyHeads, "the key"),
                     values = readHeads(node, value, keyHeads, "the value");
    if (failed(queries) || failed(keys) || failed(values))
      return failure();
    Tensor newKeys = separateHeads(emitter, *keys), newValues = separateHeads(emitter, *values);
    FailureOr<Cache> allKeys = update(3, 1, newKeys), allValues = update(4, 2, newValues);
    if (failed(allKeys) || failed(allValues))
      return failure();
    AttentionRules rules;
    rules.scale = scaleOf(node, depth);
    rules.softcap = node.getFloat("softcap", 0);
    rules.causal = node.getInt("causal", 1) != 0;
    rules.begins = &begins;
    rules.lengths = &lengths;
    rules.window = std::max<int64_t>(node.getInt("local_window_size", -1), 0);
    Tensor bias, sink;
    if (node.input(10)) {
      if (failed(readBias(*queries, allKeys->read.sizes[2], bias)))
        return failure();
      rules.mask = &bias;
    }
    if (failed(readSink(sink, rules)))
      return failure();
    node.setOutput(0, attend(emitter, *queries, allKeys->read, allValues->read, rules).output);
    node.setOutput(1, allKeys->given);
    node.setOutput(2, allValues->given);
    return success();
  }

private:
  LogicalResult checkAttributes() {
    for (StringRef name : {"kv_cache_bit_width", "sliding_window_cache", "qk_output"})
      if (node.getInt(name, 0) > 0)
        return node.unsupported("attribute '" + name + "' is not supported");
    if (int64_t causal = node.getInt("causal", 1);
        (causal != 0 && causal != 1) || (causal == 0 && node.getInt("local_window_size", -1) != -1))
      return node.refuse("attribute 'causal' must be 0 or 1, and local_window_size needs it");
    if (node.getString("k_quant_type", "NONE") != "NONE" || node.getString("v_quant_type", "NONE") != "NONE")
      return node.unsupported("quantised caches are not supported");
    return requireAbsent(node, {{12, "k_scale"}, {13, "v_scale"}});
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

  // Heads of queries and keys by their root mean squares, before they are turned.
  LogicalResult normalizeHeads() {
    Tensor *weights[] = {node.input(14), node.input(15)};
    if (!weights[0] && !weights[1])
      return success();
    for (Tensor *weight : weights)
      if (!weight || weight->rank() != 1 || !weight->isStaticSize(0, depth) || weight->elementType != query.elementType)
        return node.refuse("q_norm_weight and k_norm_weight come together, with an element of the query's type for "
                           "each of a head");
    double epsilon = node.getFloat("qk_norm_epsilon", 1e-6);
    for (auto [tensor, heads, weight] :
         {std::tuple(&query, queryHeads, weights[0]), std::tuple(&key, keyHeads, weights[1])}) {
      Tensor apart = separate(*tensor, heads);
      Tensor normal = rmsNormalize(emitter, apart, 3, epsilon, weight).result;
      *tensor = emitter.reshape(normal, tensor->sizes);
    }
    return success();
  }

  // [batch, length, heads * depth] as [batch, length, heads, depth].
  Tensor separate(Tensor &tensor, int64_t heads) {
    return emitter.reshape(tensor, {tensor.sizes[0], tensor.sizes[1], sizes.constant(heads), sizes.constant(depth)});
  }

  // Queries and keys turned by their positions.
  LogicalResult rotate() {
    Tensor *cosines = node.input(7), *sines = node.input(8), *given = node.input(9);
    if (!cosines || !sines || cosines->rank() != 2 || sines->rank() != 2 || !cosines->staticSize(1) ||
        2 * *cosines->staticSize(1) > depth || sines->staticSize(1) != cosines->staticSize(1) ||
        cosines->elementType != query.elementType || sines->elementType != query.elementType)
      return node.refuse(
          "do_rotary needs cos_cache and sin_cache [positions, half of the rotated elements], of the query's type");
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
      Tensor apart = separate(*tensor, heads);
      Tensor turned = turnHeads(emitter, apart, c, s, rotary);
      *tensor = emitter.reshape(turned, tensor->sizes);
    }
    return success();
  }

  // The attention bias [batch or 1, heads or 1, queries, total], with a column for each key of the cache: those behind
  // the total are not seen.
  LogicalResult readBias(const Heads &queries, OpFoldResult keys, Tensor &bias) {
    bias = *node.input(10);
    if (bias.rank() != 4 || bias.elementType != query.elementType || sizes.different(bias.sizes[3], total))
      return node.refuse("the attention bias must be [batch or 1, heads or 1, queries, total_sequence_length], of the "
                         "query's type");
    emitter.checkEqual(bias.sizes[3], total,
                       "GroupQueryAttention: the attention bias must have total_sequence_length columns");
    if (node.input(3) && !sizes.equal(bias.sizes[3], keys)) {
      SizeList low(4, sizes.constant(0)), high = low, shape = bias.sizes;
      high.back() = sizes.sub(keys, bias.sizes[3]);
      shape.back() = keys;
      Value zero = arith::ConstantOp::create(emitter.builder, emitter.loc, makeAttribute(bias.elementType, 0));
      auto type = RankedTensorType::get(shapeOf(shape), storageType(bias.elementType));
      Value padded = tensor::PadOp::create(emitter.builder, emitter.loc, type, emitter.value(bias), low, high, zero);
      bias = emitter.fromValue(padded, shape, bias.elementType);
    }
    return readMask(node, queries, keys, bias);
  }

  // head_sink [heads], or zeros for smooth_softmax.
  LogicalResult readSink(Tensor &sink, AttentionRules &rules) {
    if (node.input(11)) {
      sink = *node.input(11);
      if (sink.rank() != 1 || !sink.isStaticSize(0, queryHeads) || sink.elementType != query.elementType)
        return node.refuse("head_sink must have an element of the query's type for each of its " + Twine(queryHeads) +
                           " heads");
      rules.sink = &sink;
    } else if (node.getInt("smooth_softmax", 0) > 0) {
      sink = makeScalar(emitter, query.elementType, 0);
      rules.sink = &sink;
    }
    return success();
  }

  // A cache after the call: as the op gives it, and as attention reads it.
  struct Cache {
    Tensor given, read;
  };

  // The cache with the new rows behind what each batch has filled; as long as the past one or as all rows need.
  FailureOr<Cache> update(size_t input, size_t output, Tensor &rows) {
    Tensor *past = node.input(input);
    if (!past || past->isStaticSize(2, 0)) {
      emitter.checkEqual(total, rows.sizes[2],
                         "GroupQueryAttention: without a past, total_sequence_length must be the query's");
      return Cache{rows, rows};
    }
    if (past->rank() != 4 || past->elementType != rows.elementType)
      return node.refuse("past keys and values must have rank 4 and the type of the new ones");
    for (int64_t d : {0, 1, 3})
      emitter.checkEqual(past->sizes[d], rows.sizes[d], "GroupQueryAttention: past and new rows differ in a size");
    if (isKept(input, output))
      return updateKept(*node.input(input, /*asGiven=*/true), rows);
    SizeList shape = rows.sizes;
    shape[2] = sizes.max(past->sizes[2], total);
    Tensor all = chooseRows(*past, rows, shape, /*kept=*/false);
    return Cache{all, all};
  }

  // Whether the new cache lies in the memory of the past one, which the caller gives, or the module keeps and nothing
  // makes longer. So it is as long, and what it has behind the new rows stays.
  bool isKept(size_t input, size_t output) {
    KeptMemory::Kind kind = findKept(node, input, output);
    return kind == KeptMemory::Kind::Donated ||
           (kind == KeptMemory::Kind::State && node.input(input)->staticSize(2).has_value());
  }

  Cache updateKept(Tensor &past, Tensor &rows) {
    emitter.checkLessEqual(
        total, past.sizes[2],
        "GroupQueryAttention: the cache is state or donated, and shorter than total_sequence_length");
    Tensor written = inType(rows, past.elementType);
    std::optional<SizeList> begin = readBegins(past, rows);
    Tensor all =
        begin ? insertRows(emitter, past, written, 2, *begin) : chooseRows(past, written, past.sizes, /*kept=*/true);
    return {all, inType(all, rows.elementType)};
  }

  Tensor inType(Tensor &tensor, Type type) {
    Type from = tensor.elementType;
    if (from == type)
      return tensor;
    return emitter.elementwise({&tensor}, tensor.sizes, type, [&](OpBuilder &b, Location loc, ValueRange v) {
      return convert({b, loc}, v[0], from, type);
    });
  }

  // Where the new rows of each batch begin, if there are few; the host reads it.
  std::optional<SizeList> readBegins(Tensor &past, Tensor &rows) {
    Tensor last = emitter.reshape(*node.input(5), {query.sizes[0]});
    std::optional<int64_t> batch = past.staticSize(0);
    if (!batch || *batch > emitter.forms.hostSlices || !emitter.readContents(last))
      return std::nullopt;
    SizeList list;
    for (OpFoldResult position : *last.contents) {
      OpFoldResult end = sizes.add(position, sizes.constant(1)), first = sizes.sub(end, rows.sizes[2]);
      list.push_back(sizes.max(first, sizes.constant(0)));
      emitter.checkLessEqual(sizes.add(list.back(), rows.sizes[2]), past.sizes[2],
                             "GroupQueryAttention: new rows reach beyond the cache");
    }
    return list;
  }

  // Each element looks whether it is new. Those behind the new rows are 0, unless the cache is kept.
  Tensor chooseRows(Tensor &past, Tensor &rows, ArrayRef<OpFoldResult> shape, bool kept) {
    Tensor begin = emitter.reshape(begins, {query.sizes[0], sizes.constant(1), sizes.constant(1), sizes.constant(1)});
    Value old = emitter.value(past), fresh = emitter.value(rows), pastRows = sizes.value(past.sizes[2]),
          newRows = sizes.value(rows.sizes[2]);
    return emitter.generate(shape, rows.elementType, {&begin}, [&](OpBuilder &b, Location loc, ValueRange v) {
      Scalar s{b, loc};
      SmallVector<Value> at(v.drop_front());
      Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1),
            row = at[2];
      Value first = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]);
      if (kept) // places where the new rows fit
        first = flow::CheckedIndexOp::create(b, loc, first, s.add(s.sub(pastRows, newRows), one));
      Value isOld = s.less(row, first), moved = s.sub(row, first);
      // Clamped: both elements are read, and one is taken.
      at[2] = s.max(s.min(row, s.sub(pastRows, one)), zero);
      Value before = tensor::ExtractOp::create(b, loc, old, at);
      at[2] = s.max(s.min(moved, s.sub(newRows, one)), zero);
      Value after = tensor::ExtractOp::create(b, loc, fresh, at);
      Value isNew = arith::AndIOp::create(b, loc, s.lessEqual(zero, moved), s.less(moved, newRows));
      return s.select(isOld, before, s.select(isNew, after, kept ? before : s.constant(before.getType(), 0)));
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

void mlir::heddle::importer::registerGroupQueryAttention(LoweringTable &table) {
  table.add("com.microsoft.GroupQueryAttention", 1, lowerGroupQueryAttention);
}
