// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Attention/AttentionCore.h"

#include "compiler/Stages/Import/Emit/Contraction.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

FailureOr<Heads> mlir::heddle::importer::readHeads(NodeContext &node, const Tensor &tensor, int64_t heads,
                                                   StringRef name) {
  Sizes &sizes = node.emitter.sizes;
  if (tensor.rank() == 4)
    return Heads{tensor, false, tensor.sizes[0], tensor.sizes[1], tensor.sizes[2], tensor.sizes[3]};
  if (tensor.rank() != 3)
    return node.refuse(name + " must have rank 3 or 4, got " + Twine(tensor.rank()));
  if (heads < 1)
    return node.refuse(name + " has rank 3: the number of its heads must be given");
  std::optional<int64_t> width = tensor.staticSize(2);
  if (!width || heads > *width || *width % heads != 0)
    return node.refuseFree("the last dimension of " + name + " must be of fixed size and a multiple of its " +
                           Twine(heads) + " heads");
  return Heads{tensor, true, tensor.sizes[0], sizes.constant(heads), tensor.sizes[1], sizes.constant(*width / heads)};
}

Tensor mlir::heddle::importer::separateHeads(Emitter &emitter, Heads &heads) {
  if (!heads.flat)
    return heads.tensor;
  Tensor apart = emitter.reshape(heads.tensor, {heads.batch, heads.length, heads.count, heads.depth});
  return emitter.transpose(apart, {0, 2, 1, 3});
}

FailureOr<Tensor> mlir::heddle::importer::appendToPast(NodeContext &node, Tensor *past, Tensor &rows) {
  if (!past)
    return rows;
  Emitter &emitter = node.emitter;
  if (past->rank() != 4 || past->elementType != rows.elementType)
    return node.refuse("past keys and values must have rank 4 and the type of the new ones");
  for (int64_t d : {0, 1, 3}) {
    if (emitter.sizes.different(past->sizes[d], rows.sizes[d]))
      return node.refuse("past keys or values differ from the new ones in dimension " + Twine(d));
    emitter.checkEqual(past->sizes[d], rows.sizes[d], "past and new keys or values differ in a size");
  }
  if (past->isStaticSize(2, 0))
    return rows;
  SizeList shape = rows.sizes;
  shape[2] = emitter.sizes.add(past->sizes[2], rows.sizes[2]);
  auto type = RankedTensorType::get(shapeOf(shape), storageType(rows.elementType));
  Value joined = tensor::ConcatOp::create(emitter.builder, emitter.loc, type, 2,
                                          ValueRange{emitter.value(*past), emitter.value(rows)});
  return emitter.fromValue(joined, shape, rows.elementType);
}

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

AttentionResult mlir::heddle::importer::attend(Emitter &emitter, Heads &queries, Tensor &keys, Tensor &values,
                                               const AttentionRules &rules) {
  return Attention(emitter, queries, keys, values, rules).run();
}
