// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LinearAttention.
#include "compiler/Stages/Import/Emit/Contraction.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

// A state S [batch, heads, depth, width] that every step decays, writes to and reads; q, k, v of one step are vectors
// of each head. `heads` are those of the state, each read by `group` queries.
//
//   S = exp(decay) S;  v = beta (v - S^T k) where the rule corrects;  S = S + k v^T;  output = scale S^T q
class LinearAttention {
public:
  explicit LinearAttention(NodeContext &node) : node(node), emitter(node.emitter), sizes(emitter.sizes) {}

  LogicalResult run() {
    if (failed(readAttributes()) || failed(readOperands()))
      return failure();
    Tensor state = initialState(), output;
    if (getConstantIntValue(steps) == 1) {
      output = step(sizes.constant(0), state);
    } else {
      output = loop(state);
      if (getConstantIntValue(batch) != 1)
        output = emitter.transpose(output, {1, 0, 2});
    }
    node.setOutput(0, emitter.reshape(output, {batch, steps, sizes.mul(sizes.mul(heads, group), width)}));
    node.setOutput(1, state);
    return success();
  }

private:
  LogicalResult readAttributes() {
    std::string rule = node.getString("update_rule", "gated_delta");
    if (rule != "linear" && rule != "gated" && rule != "delta" && rule != "gated_delta")
      return node.refuse("update_rule '" + rule + "' is unknown; known: linear, gated, delta, gated_delta");
    decays = rule == "gated" || rule == "gated_delta";
    corrects = rule == "delta" || rule == "gated_delta";
    if (decays != (node.input(4) != nullptr) || corrects != (node.input(5) != nullptr))
      return node.refuse("update_rule '" + rule + "' needs " + (decays ? "a decay" : "no decay") + " and " +
                         (corrects ? "a beta" : "no beta"));
    queryHeads = node.getInt("q_num_heads", 0);
    stateHeads = node.getInt("kv_num_heads", 0);
    if (stateHeads < 1 || queryHeads < 1 || queryHeads % stateHeads != 0)
      return node.refuse("q_num_heads must be a positive multiple of kv_num_heads, got " + Twine(queryHeads) + " and " +
                         Twine(stateHeads));
    return success();
  }

  // [batch, steps, count * n] as [batch, steps, count, n].
  LogicalResult split(Tensor &tensor, int64_t count, StringRef name) {
    if (tensor.rank() != 3 || !tensor.staticSize(2) || *tensor.staticSize(2) % count != 0)
      return node.refuseFree(name + " must have rank 3 and a fixed last dimension that is a multiple of " +
                             Twine(count));
    if (tensor.elementType != query.elementType)
      return node.refuse(name + " must have the query's element type");
    for (auto [have, want] : llvm::zip(tensor.sizes, SizeList{batch, steps})) {
      if (sizes.different(have, want))
        return node.refuse(name + " must have the batch and length of the query");
      emitter.checkEqual(have, want, "LinearAttention: all operands must have one batch and length");
    }
    tensor =
        emitter.reshape(tensor, {batch, steps, sizes.constant(count), sizes.constant(*tensor.staticSize(2) / count)});
    emitter.value(tensor); // read in a loop, made before it
    return success();
  }

  LogicalResult readOperands() {
    if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 3)))
      return failure();
    query = *node.input(0);
    key = *node.input(1);
    value = *node.input(2);
    if (query.rank() != 3)
      return node.refuse("the query must have rank 3, got " + Twine(query.rank()));
    batch = query.sizes[0];
    steps = query.sizes[1];
    if (failed(split(query, queryHeads, "the query")) || failed(split(key, stateHeads, "the key")) ||
        failed(split(value, stateHeads, "the value")))
      return failure();
    heads = key.sizes[2];
    group = sizes.constant(queryHeads / stateHeads);
    depth = key.sizes[3];
    width = value.sizes[3];
    if (!sizes.equal(query.sizes[3], depth))
      return node.refuse("queries and keys must be of one depth");
    if (decays) {
      decay = *node.input(4);
      if (failed(split(decay, stateHeads, "the decay")))
        return failure();
      if (!decay.isStaticSize(3, 1) && !sizes.equal(decay.sizes[3], depth))
        return node.refuse("the decay must have an element for each head, or for each of a key's");
    }
    if (corrects) {
      beta = *node.input(5);
      if (failed(split(beta, beta.isStaticSize(2, 1) ? 1 : stateHeads, "beta")))
        return failure();
      if (!beta.isStaticSize(3, 1))
        return node.refuse("beta must have one element for each head, or one");
    }
    if (failed(checkState()))
      return failure();
    double given = node.getFloat("scale", 0);
    scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(*key.staticSize(3)));
    return success();
  }

  SizeList stateSizes() const { return {batch, heads, depth, width}; }

  LogicalResult checkState() {
    Tensor *past = node.input(3);
    if (!past)
      return success();
    if (past->rank() != 4 || past->elementType != query.elementType)
      return node.refuse("the state must be of the query's type and have rank 4, got rank " + Twine(past->rank()));
    for (auto [have, want] : llvm::zip_equal(past->sizes, stateSizes())) {
      if (sizes.different(have, want))
        return node.refuse("the state must be [batch, heads, depth of keys, of values]");
      emitter.checkEqual(have, want, "LinearAttention: the state must be [batch, heads, depth of keys, of values]");
    }
    return success();
  }

  Tensor initialState() {
    if (Tensor *past = node.input(3))
      return *past;
    return emitter.filled(query.elementType, stateSizes(), makeAttribute(query.elementType, 0));
  }

  // One step's part of [batch, steps, heads, n], with these sizes.
  Tensor at(OpFoldResult index, Tensor &tensor, ArrayRef<OpFoldResult> shape) {
    SizeList offsets(4, sizes.constant(0)), extents = tensor.sizes;
    offsets[1] = index;
    extents[1] = sizes.constant(1);
    Tensor part = emitter.slice(tensor, offsets, extents, SmallVector<int64_t>(4, 1));
    return emitter.reshape(part, shape);
  }

  // The state's columns times a vector of each head: vectors [batch, heads, (group), depth] give […, width].
  Tensor readState(Tensor &state, Tensor &vectors) {
    int64_t rows = vectors.rank() - 1;
    MLIRContext *context = emitter.builder.getContext();
    SmallVector<AffineExpr> d;
    for (int64_t i = 0; i < rows + 2; ++i)
      d.push_back(getAffineDimExpr(i, context));
    AffineExpr column = d[rows], inner = d[rows + 1];
    SmallVector<AffineExpr> left(ArrayRef(d).take_front(rows)), out = left;
    left.push_back(inner);
    out.push_back(column);
    auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(rows + 2, 0, exprs, context); };
    SizeList shape(ArrayRef<OpFoldResult>(vectors.sizes).drop_back());
    shape.push_back(width);
    SmallVector<utils::IteratorType> iterators(rows + 1, utils::IteratorType::parallel);
    iterators.push_back(utils::IteratorType::reduction);
    Type type = state.elementType;
    Value zero = emitter.filled(type, shape, makeAttribute(type, 0)).value;
    return emitter.generic({emitter.value(vectors), emitter.value(state)},
                           {map(left), map({d[0], d[1], inner, column}), map(out)}, iterators, shape, type, zero,
                           [&](OpBuilder &builder, Location loc, ValueRange v) {
                             return multiplyAdd({builder, loc}, v[2], v[0], type, v[1], type, type);
                           });
  }

  // Replaces the state; gives the output [1, batch, heads * width of values].
  Tensor step(OpFoldResult index, Tensor &state) {
    OpFoldResult one = sizes.constant(1);
    Tensor k = at(index, key, {batch, heads, depth}), v = at(index, value, {batch, heads, width});
    if (decays) {
      Tensor rate = at(index, decay, {batch, heads, decay.sizes[3], one});
      state =
          map(emitter, {&state, &rate}, state.sizes, [](Scalar &s, ValueRange x) { return s.mul(x[0], s.exp(x[1])); });
    }
    if (corrects) {
      Tensor seen = readState(state, k), rate = at(index, beta, {batch, beta.sizes[2], one});
      v = map(emitter, {&v, &seen, &rate}, v.sizes,
              [](Scalar &s, ValueRange x) { return s.mul(x[2], s.sub(x[0], x[1])); });
    }
    Tensor column = emitter.reshape(k, {batch, heads, depth, one}),
           row = emitter.reshape(v, {batch, heads, one, width});
    state = map(emitter, {&state, &column, &row}, state.sizes,
                [](Scalar &s, ValueRange x) { return s.add(x[0], s.mul(x[1], x[2])); });
    SizeList rows{batch, heads};
    if (queryHeads != stateHeads)
      rows.push_back(group);
    rows.push_back(depth);
    Tensor q = at(index, query, rows), read = readState(state, q);
    Tensor output = map(emitter, {&read}, read.sizes,
                        [&](Scalar &s, ValueRange x) { return s.mul(x[0], s.constant(x[0].getType(), scale)); });
    return emitter.reshape(output, {one, batch, sizes.mul(sizes.mul(heads, group), width)});
  }

  // Outputs of all steps, written into one tensor in place.
  Tensor loop(Tensor &state) {
    OpBuilder &b = emitter.builder;
    OpFoldResult zero = sizes.constant(0), one = sizes.constant(1);
    SizeList shape{steps, batch, sizes.mul(sizes.mul(heads, group), width)};
    SmallVector<Value> inits{emitter.value(state), emitter.empty(query.elementType, shape).value};
    auto op = scf::ForOp::create(b, emitter.loc, sizes.value(zero), sizes.value(steps), sizes.value(one), inits);
    op->setAttr(kKeepsShapesAttr, b.getUnitAttr());
    Emitter::State outside = emitter.save();
    b.setInsertionPointToStart(op.getBody());
    Tensor carried = emitter.fromValue(op.getRegionIterArg(0), state.sizes, state.elementType);
    OpFoldResult index = sizes.atom(op.getInductionVar());
    Tensor output = step(index, carried);
    SizeList offsets{index, zero, zero};
    Value written = tensor::InsertSliceOp::create(b, emitter.loc, emitter.value(output), op.getRegionIterArg(1),
                                                  offsets, output.sizes, SizeList(3, one));
    scf::YieldOp::create(b, emitter.loc, ValueRange{emitter.value(carried), written});
    emitter.restore(std::move(outside));
    state = emitter.fromValue(op.getResult(0), state.sizes, state.elementType);
    return emitter.fromValue(op.getResult(1), shape, query.elementType);
  }

  NodeContext &node;
  Emitter &emitter;
  Sizes &sizes;
  bool decays = false, corrects = false;
  int64_t queryHeads = 0, stateHeads = 0;
  double scale = 1;
  OpFoldResult batch, steps, heads, group, depth, width;
  Tensor query, key, value, decay, beta; // [batch, steps, heads, n]
};

} // namespace

static LogicalResult lowerLinearAttention(NodeContext &node) { return LinearAttention(node).run(); }

void mlir::heddle::importer::registerLinearAttention(LoweringTable &table) {
  table.add("LinearAttention", 27, lowerLinearAttention);
}
