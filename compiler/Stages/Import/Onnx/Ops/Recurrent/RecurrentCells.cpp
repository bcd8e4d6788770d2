// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step of LSTM, GRU and RNN.
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Recurrent/Recurrent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

// Builds the elementwise op of a step: operands first, then the body.
class CellBuilder {
public:
  CellBuilder(Emitter &emitter, CellInputs &inputs)
      : emitter(emitter), inputs(inputs), hasBatch(inputs.shape.size() == 2), type(inputs.states.front().elementType) {}

  // Number of the operand; its element in the body is elements[number].
  unsigned add(Tensor &tensor) { return add(emitter.value(tensor), AffineMap()); }
  // A vector of H elements for all batches.
  unsigned addVector(Tensor &tensor) {
    return add(emitter.value(tensor), AffineMap::get(rank(), 0, {dim(rank() - 1)}, context()));
  }
  // Gate `gate` of [steps, batch, gates * H] at this step.
  unsigned addProjected(int64_t gate) {
    SizeList offsets{inputs.step, index(gate)}, sizes{emitter.sizes.constant(1), inputs.hidden};
    if (hasBatch) {
      offsets.insert(offsets.begin() + 1, emitter.sizes.constant(0));
      sizes.insert(sizes.begin() + 1, inputs.shape[0]);
    }
    return addSlice(inputs.projected, offsets, sizes);
  }
  // Gate `gate` of [batch, gates * H].
  unsigned addGate(Tensor &gates, int64_t gate) {
    SizeList offsets{index(gate)}, sizes{inputs.hidden};
    if (hasBatch) {
      offsets.insert(offsets.begin(), emitter.sizes.constant(0));
      sizes.insert(sizes.begin(), inputs.shape[0]);
    }
    return addSlice(gates, offsets, sizes);
  }
  // Whether the batch's sequence has this step; element of the body.
  std::optional<unsigned> addLengths() {
    if (!inputs.lengths)
      return std::nullopt;
    Value value = emitter.value(*inputs.lengths);
    SmallVector<AffineExpr> at;
    if (hasBatch)
      at.push_back(dim(0));
    return add(value, AffineMap::get(rank(), 0, at, context()));
  }

  // `body` gives as many values as there are results; they have the shape of the states.
  SmallVector<Tensor> build(unsigned results, llvm::function_ref<SmallVector<Value>(Scalar &, ArrayRef<Value>)> body) {
    Value init = emitter.empty(type, inputs.shape).value;
    maps.append(results, AffineMap::getMultiDimIdentityMap(rank(), context()));
    SmallVector<utils::IteratorType> iterators(rank(), utils::IteratorType::parallel);
    auto op = linalg::GenericOp::create(emitter.builder, emitter.loc, SmallVector<Type>(results, init.getType()),
                                        values, SmallVector<Value>(results, init), maps, iterators,
                                        [&](OpBuilder &b, Location loc, ValueRange arguments) {
                                          Scalar s{b, loc};
                                          SmallVector<Value> elements(arguments);
                                          linalg::YieldOp::create(b, loc, body(s, elements));
                                        });
    SmallVector<Tensor> tensors;
    for (Value result : op.getResults())
      tensors.push_back(emitter.fromValue(result, inputs.shape));
    return tensors;
  }

  // In the body: keeps the old states and gives 0 where the sequence has ended.
  void mask(Scalar &s, ArrayRef<Value> elements, std::optional<unsigned> lengths, ArrayRef<unsigned> old,
            SmallVectorImpl<Value> &states) {
    if (!lengths)
      return;
    Value length = elements[*lengths];
    Value step = arith::IndexCastOp::create(s.b, s.loc, length.getType(), inputs.step);
    Value valid = arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::slt, step, length);
    Value output = s.select(valid, states.front(), s.constant(type, 0));
    for (auto [state, before] : llvm::zip_equal(states, old))
      state = s.select(valid, state, elements[before]);
    states.push_back(output);
  }

  Value clip(Scalar &s, Value x) {
    if (!inputs.options.clip)
      return x;
    Value high = s.constant(type, *inputs.options.clip), low = s.constant(type, -*inputs.options.clip);
    return s.max(s.min(x, high), low);
  }
  Value activate(Scalar &s, unsigned which, Value x) { return inputs.activations[which].apply(s, clip(s, x)); }

private:
  MLIRContext *context() { return emitter.builder.getContext(); }
  unsigned rank() const { return inputs.shape.size(); }
  AffineExpr dim(unsigned d) { return emitter.builder.getAffineDimExpr(d); }
  OpFoldResult index(int64_t gate) { return emitter.sizes.mul(inputs.hidden, emitter.sizes.constant(gate)); }

  unsigned add(Value value, AffineMap map) {
    values.push_back(value);
    maps.push_back(map ? map : AffineMap::getMultiDimIdentityMap(rank(), context()));
    return values.size() - 1;
  }
  unsigned addSlice(Tensor &source, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
    SizeList strides(offsets.size(), emitter.sizes.constant(1));
    auto result = RankedTensorType::get(shapeOf(inputs.shape), type);
    Value slice = tensor::ExtractSliceOp::create(emitter.builder, emitter.loc, result, emitter.value(source), offsets,
                                                 sizes, strides);
    return add(slice, AffineMap());
  }

  Emitter &emitter;
  CellInputs &inputs;
  bool hasBatch;
  Type type;
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
};

} // namespace

Tensor mlir::heddle::importer::multiplyState(Emitter &emitter, Tensor &state, Tensor &weights) {
  SizeList shape = state.sizes;
  shape.back() = weights.sizes.back();
  Value init = emitter.filled(state.elementType, shape, makeAttribute(state.elementType, 0)).value;
  SmallVector<Value> operands{emitter.value(state), emitter.value(weights)};
  SmallVector<Type> types{init.getType()};
  Operation *op = state.rank() == 2
                      ? linalg::MatmulOp::create(emitter.builder, emitter.loc, types, operands, init).getOperation()
                      : linalg::VecmatOp::create(emitter.builder, emitter.loc, types, operands, init).getOperation();
  return emitter.fromValue(op->getResult(0), shape);
}

//===--- LSTM ----------------------------------------------------------------------------------------------------===//

// Gates lie in the order i, o, f, c; activations f, g, h.
SmallVector<Tensor> mlir::heddle::importer::lstmStep(Emitter &emitter, CellInputs &inputs) {
  CellBuilder cell(emitter, inputs);
  Tensor gates = inputs.multiply(inputs.states[0]);
  for (int64_t gate = 0; gate < 4; ++gate) {
    cell.addProjected(gate);
    cell.addGate(gates, gate);
  }
  unsigned h = cell.add(inputs.states[0]), c = cell.add(inputs.states[1]);
  std::optional<unsigned> peepholes;
  for (Tensor &peephole : inputs.peepholes) {
    unsigned number = cell.addVector(peephole);
    peepholes = peepholes.value_or(number);
  }
  std::optional<unsigned> lengths = cell.addLengths();
  return cell.build(lengths ? 3 : 2, [&](Scalar &s, ArrayRef<Value> v) {
    auto gate = [&](unsigned number, unsigned peephole, Value state) {
      Value sum = s.add(v[2 * number], v[2 * number + 1]);
      return peepholes && state ? s.add(sum, s.mul(v[*peepholes + peephole], state)) : sum;
    };
    Value i = cell.activate(s, 0, gate(0, 0, v[c]));
    Value f = inputs.options.inputForget ? s.sub(s.constant(i.getType(), 1), i) : cell.activate(s, 0, gate(2, 2, v[c]));
    Value candidate = cell.activate(s, 1, gate(3, 0, {}));
    Value state = s.add(s.mul(f, v[c]), s.mul(i, candidate));
    Value o = cell.activate(s, 0, gate(1, 1, state));
    // Not clipped, as in ONNX Runtime.
    SmallVector<Value> states{s.mul(o, inputs.activations[2].apply(s, state)), state};
    cell.mask(s, v, lengths, {h, c}, states);
    return states;
  });
}

//===--- GRU -----------------------------------------------------------------------------------------------------===//

// Gates lie in the order z, r, h; activations f, g.
SmallVector<Tensor> mlir::heddle::importer::gruStep(Emitter &emitter, CellInputs &inputs) {
  CellBuilder cell(emitter, inputs);
  Tensor reset = inputs.multiply(inputs.states[0]), candidate;
  bool before = inputs.options.linearBeforeReset;
  if (!before) {
    // The reset state has to be known before it is multiplied.
    CellBuilder gate(emitter, inputs);
    unsigned p = gate.addProjected(1), g = gate.addGate(reset, 1), h = gate.add(inputs.states[0]);
    Tensor resetState = gate.build(1, [&](Scalar &s, ArrayRef<Value> v) -> SmallVector<Value> {
      return {s.mul(gate.activate(s, 0, s.add(v[p], v[g])), v[h])};
    })[0];
    candidate = multiplyState(emitter, resetState, inputs.candidate);
  }
  unsigned pz = cell.addProjected(0), pr = cell.addProjected(1), ph = cell.addProjected(2);
  unsigned gz = cell.addGate(reset, 0), gr = cell.addGate(reset, 1);
  unsigned gh = before ? cell.addGate(reset, 2) : cell.add(candidate);
  unsigned h = cell.add(inputs.states[0]);
  std::optional<unsigned> bias;
  if (inputs.recurrentBias)
    bias = cell.addVector(*inputs.recurrentBias);
  std::optional<unsigned> lengths = cell.addLengths();
  return cell.build(lengths ? 2 : 1, [&](Scalar &s, ArrayRef<Value> v) {
    Value z = cell.activate(s, 0, s.add(v[pz], v[gz]));
    Value linear = bias ? s.add(v[gh], v[*bias]) : v[gh];
    if (before)
      linear = s.mul(cell.activate(s, 0, s.add(v[pr], v[gr])), linear);
    Value fresh = cell.activate(s, 1, s.add(v[ph], linear));
    SmallVector<Value> states{s.add(s.mul(s.sub(s.constant(z.getType(), 1), z), fresh), s.mul(z, v[h]))};
    cell.mask(s, v, lengths, {h}, states);
    return states;
  });
}

//===--- RNN -----------------------------------------------------------------------------------------------------===//

SmallVector<Tensor> mlir::heddle::importer::rnnStep(Emitter &emitter, CellInputs &inputs) {
  CellBuilder cell(emitter, inputs);
  Tensor gates = inputs.multiply(inputs.states[0]);
  unsigned p = cell.addProjected(0), g = cell.addGate(gates, 0), h = cell.add(inputs.states[0]);
  std::optional<unsigned> lengths = cell.addLengths();
  return cell.build(lengths ? 2 : 1, [&](Scalar &s, ArrayRef<Value> v) {
    SmallVector<Value> states{cell.activate(s, 0, s.add(v[p], v[g]))};
    cell.mask(s, v, lengths, {h}, states);
    return states;
  });
}

//===--- Activations ---------------------------------------------------------------------------------------------===//

Value Activation::apply(Scalar &s, Value x) const {
  Type type = x.getType();
  Value zero = s.constant(type, 0), one = s.constant(type, 1);
  auto a = [&] { return s.constant(type, alpha); };
  auto b = [&] { return s.constant(type, beta); };
  if (name == "sigmoid")
    return s.sigmoid(x);
  if (name == "tanh")
    return s.tanh(x);
  if (name == "relu")
    return s.max(x, zero);
  if (name == "affine")
    return s.add(s.mul(a(), x), b());
  if (name == "leakyrelu")
    return s.select(s.less(x, zero), s.mul(a(), x), x);
  if (name == "thresholdedrelu")
    return s.select(s.less(x, a()), zero, x);
  if (name == "scaledtanh")
    return s.mul(a(), s.tanh(s.mul(b(), x)));
  if (name == "hardsigmoid")
    return s.max(zero, s.min(one, s.add(s.mul(a(), x), b())));
  if (name == "elu")
    return s.select(s.less(x, zero), s.mul(a(), s.sub(s.exp(x), one)), x);
  if (name == "softsign")
    return s.div(x, s.add(one, s.abs(x)));
  if (name == "softplus") // log(1 + e^x) without overflow
    return s.add(s.max(x, zero), s.log(s.add(one, s.exp(s.neg(s.abs(x))))));
  return {};
}

namespace {
struct ActivationKind {
  StringLiteral name;
  bool hasAlpha, hasBeta;
  double alpha, beta;
};
} // namespace

static constexpr ActivationKind kActivations[] = {
    {"sigmoid", false, false, 0, 0},  {"tanh", false, false, 0, 0},          {"relu", false, false, 0, 0},
    {"affine", true, true, 1, 0},     {"leakyrelu", true, false, 0.01, 0},   {"thresholdedrelu", true, false, 1, 0},
    {"scaledtanh", true, true, 1, 1}, {"hardsigmoid", true, true, 0.2, 0.5}, {"elu", true, false, 1, 0},
    {"softsign", false, false, 0, 0}, {"softplus", false, false, 0, 0},
};

// Alphas and betas are given in the order of the activations that have one; the rest have their defaults.
LogicalResult mlir::heddle::importer::readCellOptions(NodeContext &node, int64_t directions,
                                                      ArrayRef<StringRef> defaults, CellOptions &options) {
  SmallVector<std::string> names;
  if (std::optional<SmallVector<std::string>> given = node.getStrings("activations"))
    names = *given;
  else
    for (int64_t d = 0; d < directions; ++d)
      names.append(defaults.begin(), defaults.end());
  if (names.size() != directions * defaults.size())
    return node.refuse("needs " + Twine(directions * defaults.size()) + " activations, got " + Twine(names.size()));
  SmallVector<double> alphas = node.getFloats("activation_alpha").value_or(SmallVector<double>{});
  SmallVector<double> betas = node.getFloats("activation_beta").value_or(SmallVector<double>{});
  size_t nextAlpha = 0, nextBeta = 0;
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i % defaults.size() == 0)
      options.activations.emplace_back();
    std::string lower = StringRef(name).lower();
    const ActivationKind *kind = llvm::find_if(kActivations, [&](auto &k) { return k.name == lower; });
    if (kind == std::end(kActivations))
      return node.unsupported("activation '" + name + "' is not supported");
    Activation activation{lower, kind->alpha, kind->beta};
    if (kind->hasAlpha && nextAlpha < alphas.size())
      activation.alpha = alphas[nextAlpha++];
    if (kind->hasBeta && nextBeta < betas.size())
      activation.beta = betas[nextBeta++];
    options.activations.back().push_back(activation);
  }
  if (node.hasAttribute("clip") && node.getFloat("clip", 0) > 0)
    options.clip = node.getFloat("clip", 0);
  options.inputForget = node.getInt("input_forget", 0) != 0;
  options.linearBeforeReset = node.getInt("linear_before_reset", 0) != 0;
  return success();
}
