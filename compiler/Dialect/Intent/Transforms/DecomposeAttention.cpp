// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// intent.attention as a chain that dispatch formation finds (compiler/Stages/Form/Chains.h): contraction, rows,
// contraction, on [batch, shared head, its heads, queries, …]; dimensions of one are left out.
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Intent/IR/IntentAttention.h"
#include "compiler/Dialect/Intent/Transforms/ListPlace.h"
#include "compiler/Dialect/Intent/Transforms/Passes.h"
#include "compiler/Stages/Import/Emit/Attention.h"
#include "compiler/Stages/Import/Emit/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::intent;
using namespace mlir::heddle::importer;

namespace mlir::heddle {
#define GEN_PASS_DEF_DECOMPOSEATTENTION
#include "compiler/Dialect/Intent/Transforms/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// Loops of all steps: batch, shared head, its heads, queries; then keys. Those of one (heads of a shared one, queries)
// are left out, so that what is left are the rows of a product.
class Attention {
public:
  Attention(Emitter &emitter, Heads &queries, Tensor &keys, Tensor &values, const AttentionRules &rules)
      : emitter(emitter), sizes(emitter.sizes), queries(queries), keys(keys), values(values), rules(rules),
        shared(keys.sizes[1]), group(sizes.floorDiv(queries.count, shared)),
        all{queries.batch, shared, group, queries.length},
        kept{true, true, getConstantIntValue(group) != 1, getConstantIntValue(queries.length) != 1} {}

  AttentionResult run() {
    Tensor rows = arrangeQueries(), scores = multiplyKeys(rows);
    AttentionResult result;
    auto handOut = [&](ScoresWanted when, Tensor &tensor) {
      if (rules.wanted == when)
        result.scores = emitter.reshape(tensor, {queries.batch, queries.count, queries.length, keys.sizes[2]});
    };
    scores = scale(scores);
    handOut(ScoresWanted::Scaled, scores);
    scores = cap(scores);
    handOut(ScoresWanted::Capped, scores);
    scores = restrict(scores);
    handOut(ScoresWanted::Masked, scores);
    Tensor weights = softmax(scores);
    handOut(ScoresWanted::Weights, weights);
    Tensor output = multiply(weights, values, 3);
    result.output = arrangeOutput(output);
    return result;
  }

private:
  // Of a value of all loops' dimensions and `last`: those that are kept.
  SizeList keep(ArrayRef<OpFoldResult> dims, ArrayRef<OpFoldResult> last) const {
    SizeList list;
    for (auto [size, isKept] : llvm::zip(dims, kept))
      if (isKept)
        list.push_back(size);
    list.append(last.begin(), last.end());
    return list;
  }

  Tensor arrangeQueries() {
    if (queries.flat && kept[3]) {
      Tensor apart = emitter.reshape(queries.tensor, {all[0], all[3], all[1], all[2], queries.depth});
      Tensor moved = emitter.transpose(apart, {0, 2, 3, 1, 4});
      return emitter.reshape(moved, keep(all, queries.depth));
    }
    return emitter.reshape(queries.tensor, keep(all, queries.depth));
  }

  Tensor arrangeOutput(Tensor &output) {
    OpFoldResult depth = values.sizes[3], width = sizes.mul(queries.count, depth);
    if (!queries.flat)
      return emitter.reshape(output, {queries.batch, queries.count, queries.length, depth});
    if (kept[3]) {
      Tensor apart = emitter.reshape(output, {queries.batch, queries.count, queries.length, depth});
      Tensor moved = emitter.transpose(apart, {0, 2, 1, 3});
      return emitter.reshape(moved, {queries.batch, queries.length, width});
    }
    return emitter.reshape(output, {queries.batch, queries.length, width});
  }

  // Keys lie as rows of what is reduced. For many queries they are turned once, before the product; for few, or a
  // number that only the call knows, each block of rows turns them where it is computed, and a cache is read once.
  Tensor multiplyKeys(Tensor &rows) {
    std::optional<int64_t> count = getConstantIntValue(rows.sizes[rows.rank() - 2]);
    if (count && *count > emitter.forms.productRows) {
      Tensor turned = emitter.transpose(keys, {0, 1, 3, 2});
      return multiply(rows, turned, 3);
    }
    return multiply(rows, keys, 2);
  }

  // [batch, shared, (group), (queries), k] x [batch, shared, k, n], or x [batch, shared, n, k]: `column` says which is
  // n.
  Tensor multiply(Tensor &lhs, Tensor &rhs, int64_t column) {
    int64_t rows = lhs.rank() - 1;
    MLIRContext *context = emitter.builder.getContext();
    AffineExpr n = getAffineDimExpr(rows, context), k = getAffineDimExpr(rows + 1, context);
    SmallVector<AffineExpr> left, right, out;
    for (int64_t d = 0; d < rows; ++d)
      out.push_back(getAffineDimExpr(d, context));
    left = out;
    left.push_back(k);
    right = {out[0], out[1], k, k};
    right[column] = n;
    out.push_back(n);
    SizeList shape(ArrayRef<OpFoldResult>(lhs.sizes).drop_back());
    shape.push_back(rhs.sizes[column]);
    SmallVector<utils::IteratorType> iterators(rows + 1, utils::IteratorType::parallel);
    iterators.push_back(utils::IteratorType::reduction);
    auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(rows + 2, 0, exprs, context); };
    Type type = lhs.elementType, other = rhs.elementType;
    Value init = emitter.filled(type, shape, makeAttribute(type, 0)).value;
    return emitter.generic({emitter.value(lhs), emitter.value(rhs)}, {map(left), map(right), map(out)}, iterators,
                           shape, type, init, [&](OpBuilder &builder, Location loc, ValueRange v) {
                             return multiplyAdd({builder, loc}, v[2], v[0], type, v[1], other, type);
                           });
  }

  Tensor scale(Tensor &scores) {
    if (rules.scale == 1)
      return scores;
    return map(emitter, {&scores}, scores.sizes,
               [&](Scalar &s, ValueRange v) { return s.mul(v[0], s.constant(v[0].getType(), rules.scale)); });
  }

  Tensor cap(Tensor &scores) {
    if (rules.softcap == 0)
      return scores;
    return map(emitter, {&scores}, scores.sizes, [&](Scalar &s, ValueRange v) {
      Value most = s.constant(v[0].getType(), rules.softcap);
      return s.mul(s.tanh(s.div(v[0], most)), most);
    });
  }

  // The mask with a dimension for each kept loop; sizes of 1 stay.
  Tensor arrangeMask() {
    Tensor &mask = *rules.mask;
    OpFoldResult one = sizes.constant(1);
    SizeList aligned(4 - mask.rank(), one);
    llvm::append_range(aligned, mask.sizes);
    bool perHead = getConstantIntValue(aligned[1]) != 1;
    SizeList dims{aligned[0], perHead ? shared : one, perHead ? group : one, aligned[2]};
    return emitter.reshape(mask, keep(dims, aligned[3]));
  }

  // [batch] beside the scores.
  Tensor perBatch(Tensor &vector, int64_t rank) {
    SizeList dims(rank, sizes.constant(1));
    dims[0] = queries.batch;
    return emitter.reshape(vector, dims);
  }

  // What a query may not see becomes -inf; a mask of floats is added.
  Tensor restrict(Tensor &scores) {
    if (!rules.mask && !rules.causal && !rules.lengths)
      return scores;
    SmallVector<Tensor> read{scores}; // scores, then mask, lengths, begins as far as they are there
    if (rules.mask)
      read.push_back(arrangeMask());
    for (Tensor *vector : {rules.lengths, rules.causal ? rules.begins : nullptr})
      if (vector)
        read.push_back(perBatch(*vector, scores.rank()));
    SmallVector<Tensor *> operands;
    for (Tensor &tensor : read)
      operands.push_back(&tensor);
    // One query that is the last key sees all.
    bool isLast = rules.offset ? sizes.equal(sizes.add(rules.offset, sizes.constant(1)), keys.sizes[2]) : !rules.begins;
    bool causal = rules.causal && (kept[3] || !isLast);
    Value offset = rules.causal && rules.offset ? sizes.value(rules.offset) : Value();
    Value count = rules.causal && !rules.offset ? sizes.value(queries.length) : Value();
    return emitter.generate(scores.sizes, scores.elementType, operands, [&](OpBuilder &b, Location loc, ValueRange v) {
      Scalar s{b, loc};
      auto next = v.begin();
      Value score = *next++, mask = rules.mask ? *next++ : Value(), seen; // seen: a boolean; null: always
      auto require = [&](Value condition) {
        seen = seen ? Value(arith::AndIOp::create(b, loc, seen, condition)) : condition;
      };
      auto index = [&](Value element) -> Value {
        return arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
      };
      Value end = rules.lengths ? index(*next++) : Value(),
            begin = rules.causal && rules.begins ? index(*next++) : offset;
      ValueRange at(llvm::make_range(next, v.end()));
      if (mask && mask.getType().isInteger(1))
        require(mask);
      else if (mask)
        score = s.add(score, mask);
      if (end)
        require(s.less(at.back(), end));
      if (causal || rules.window) {
        Value query = kept[3] ? at[at.size() - 2] : Value(arith::ConstantIndexOp::create(b, loc, 0));
        Value last = s.add(query, begin ? begin : s.sub(end, count));
        if (causal)
          require(s.lessEqual(at.back(), last));
        if (rules.window)
          require(s.less(s.sub(last, arith::ConstantIndexOp::create(b, loc, rules.window)), at.back()));
      }
      Value least = s.constant(score.getType(), -std::numeric_limits<double>::infinity());
      return seen ? s.select(seen, score, least) : score;
    });
  }

  // Sums of rows with what the sinks take, from the rows' peaks. A sink far above the peak gives infinity, which leaves
  // nothing to the keys, and is what a row without keys has.
  Tensor addSinks(Tensor &totals, Tensor &peaks) {
    Type from = rules.sink->elementType, type = totals.elementType;
    OpFoldResult one = sizes.constant(1);
    Tensor sinks = rules.sink->staticCount() == 1 ? emitter.reshape(*rules.sink, {})
                                                  : emitter.reshape(*rules.sink, keep({one, shared, group, one}, one));
    return map(emitter, {&totals, &peaks, &sinks}, totals.sizes,
               [&](Scalar &s, ValueRange v) { return s.add(v[0], s.exp(s.sub(convert(s, v[2], from, type), v[1]))); });
  }

  // The least finite number as a row's peak and the least normal one in its sum: rows without a key divide 0 by that.
  Tensor softmax(Tensor &scores) {
    Type from = scores.elementType, type = rules.softmaxType ? rules.softmaxType : from;
    const llvm::fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
    Builder &b = emitter.builder;
    Tensor rows = scores;
    if (type != from)
      rows = emitter.elementwise({&scores}, scores.sizes, type, [&](OpBuilder &builder, Location loc, ValueRange v) {
        return convert({builder, loc}, v[0], from, type);
      });
    int64_t axis = rows.rank() - 1;
    Tensor peak = emitter.reduce({&rows}, {axis}, type, b.getFloatAttr(type, APFloat::getLargest(semantics, true)),
                                 [](OpBuilder &builder, Location loc, ValueRange v, Value most) {
                                   return Scalar{builder, loc}.max(most, v[0]);
                                 });
    Tensor wide = emitter.keepDims(peak, {axis});
    Tensor power =
        map(emitter, {&rows, &wide}, rows.sizes, [](Scalar &s, ValueRange v) { return s.exp(s.sub(v[0], v[1])); });
    Tensor sum = emitter.reduce(
        {&power}, {axis}, type, b.getFloatAttr(type, APFloat::getSmallestNormalized(semantics)),
        [](OpBuilder &builder, Location loc, ValueRange v, Value sum) { return Scalar{builder, loc}.add(sum, v[0]); });
    Tensor total = emitter.keepDims(sum, {axis});
    if (rules.sink)
      total = addSinks(total, wide);
    return emitter.elementwise({&power, &total}, power.sizes, from,
                               [&](OpBuilder &builder, Location loc, ValueRange v) {
                                 Scalar s{builder, loc};
                                 return convert(s, s.divByReciprocal(v[0], v[1]), type, from);
                               });
  }

  Emitter &emitter;
  Sizes &sizes;
  Heads &queries;
  Tensor &keys, &values;
  const AttentionRules &rules;
  OpFoldResult shared, group;
  SizeList all;
  SmallVector<bool> kept;
};

} // namespace

//===--- The op --------------------------------------------------------------------------------------------------===//

static ScoresWanted wantedBy(AttentionOp op) {
  return llvm::StringSwitch<ScoresWanted>(op.getGives().value_or(""))
      .Case("scaled", ScoresWanted::Scaled)
      .Case("capped", ScoresWanted::Capped)
      .Case("masked", ScoresWanted::Masked)
      .Case("weights", ScoresWanted::Weights)
      .Default(ScoresWanted::No);
}

// A tensor of no free sizes that is one constant everywhere is a constant of the bodies that read it.
static Tensor vectorOf(ListPlace &place, Value value, ArrayRef<OpFoldResult> sizes) {
  DenseElementsAttr constant;
  Type element = getElementTypeOrSelf(value);
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat() && isa<FloatType>(element))
    return makeScalar(place.emitter, element, constant.getSplatValue<APFloat>().convertToDouble());
  return place.emitter.fromValue(value, sizes, element);
}

static SmallVector<Tensor> emitAttention(ListPlace &place, AttentionOp op) {
  Emitter &emitter = place.emitter;
  Sizes &sizes = emitter.sizes;
  auto operand = [&](Value value, unsigned i) {
    return place.tensorOf(value, op.getSizesOf(i), false, /*views=*/true);
  };
  Tensor rows = operand(op.getQueries(), 0), keys = operand(op.getKeys(), 1), values = operand(op.getValues(), 2), mask,
         begins, lengths, sinks;
  ArrayRef<OpFoldResult> q = rows.sizes;
  Heads queries{rows, false, q[0], q[1], q[2], q.back()};
  if (op.isFlat()) {
    OpFoldResult count = sizes.constant(*op.getHeads());
    queries = Heads{rows, true, q[0], count, q[1], sizes.floorDiv(q[2], count)};
  }
  AttentionRules rules;
  rules.scale = op.getScale().convertToDouble();
  rules.softcap = op.getSoftcap() ? op.getSoftcap()->convertToDouble() : 0;
  rules.causal = op.getCausal();
  rules.window = op.getWindow().value_or(0);
  rules.softmaxType = op.getSoftmax().value_or(Type());
  rules.wanted = wantedBy(op);
  if (op.getOffset())
    rules.offset = place.sizeOf(op.getOffset());
  if (op.getMask())
    rules.mask = &(mask = operand(op.getMask(), 3));
  if (op.getBegins())
    rules.begins = &(begins = emitter.fromValue(op.getBegins(), {queries.batch}));
  if (op.getLengths())
    rules.lengths = &(lengths = emitter.fromValue(op.getLengths(), {queries.batch}));
  if (Value given = op.getSinks())
    rules.sink = &(sinks = vectorOf(place, given, mixedSizes(emitter.builder, emitter.loc, given, {})));
  AttentionResult result = Attention(emitter, queries, keys, values, rules).run();
  SmallVector<Tensor> results{result.output};
  if (result.scores)
    results.push_back(*result.scores);
  return results;
}

bool intent::decomposeAttention(ModuleOp module, const FormModel &forms) {
  SmallVector<AttentionOp> found;
  module.walk([&](AttentionOp op) { found.push_back(op); });
  for (AttentionOp op : found) {
    ListPlace place(op, forms);
    SmallVector<Tensor> results = emitAttention(place, op);
    place.replace(results);
  }
  return !found.empty();
}

namespace {

struct DecomposeAttention : mlir::heddle::impl::DecomposeAttentionBase<DecomposeAttention> {
  using DecomposeAttentionBase::DecomposeAttentionBase;
  explicit DecomposeAttention(const FormModel &forms) : forms(forms) {}

  void runOnOperation() override { intent::decomposeAttention(getOperation(), forms); }

  FormModel forms;
};

} // namespace

std::unique_ptr<Pass> mlir::heddle::createDecomposeAttentionFor(const FormModel &forms) {
  return std::make_unique<DecomposeAttention>(forms);
}
