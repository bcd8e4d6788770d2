// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LSTM, GRU and RNN: operands, directions, loops.
#include "compiler/Stages/Import/Onnx/Ops/Recurrent/Recurrent.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/Emit/Contraction.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Quantized/Quantization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

class Recurrence {
public:
  Recurrence(NodeContext &node, int64_t gates, int64_t states, CellStep step)
      : node(node), emitter(node.emitter), gates(gates), stateCount(states), step(step),
        quantized(node.op() == "DynamicQuantizeLSTM") {}

  LogicalResult run(ArrayRef<StringRef> defaultActivations);

private:
  LogicalResult readOperands();
  LogicalResult check(size_t input, StringRef name, ArrayRef<OpFoldResult> sizes);
  Tensor direction(Tensor &tensor, int64_t d);
  std::optional<Tensor> recurrentBias(int64_t d);
  Tensor inputBias(int64_t d);
  Tensor project(int64_t d);
  void multiplyStates(int64_t d, CellInputs &cell);
  LogicalResult readQuantization();
  Tensor multiplyQuantized(Tensor &x, size_t weights, int64_t d);
  Tensor initialState(size_t input, int64_t d);
  CellInputs prepare(int64_t d);
  void runDirection(int64_t d, bool reverse);
  void loop(CellInputs &cell, bool reverse, Tensor &outputs, SmallVector<Tensor> &states);
  Tensor join(ArrayRef<Tensor> parts, int64_t axis);
  void setOutputs();

  NodeContext &node;
  Emitter &emitter;
  int64_t gates, stateCount;
  CellStep step;
  bool quantized; // W and R are 8-bit integers [directions, inputs, gates * H] and [directions, H, gates * H]
  CellOptions options;
  int64_t directions = 1;
  bool batchFirst = false, dropBatch = false;
  OpFoldResult steps, batch, inputs, hidden;
  Tensor x;                                // [steps, batch, inputs]
  SmallVector<Tensor> outputs;             // of each direction [steps, 1, batch, hidden]
  std::vector<std::vector<Tensor>> states; // of each state and direction [1, batch, hidden]
};

} // namespace

LogicalResult Recurrence::check(size_t input, StringRef name, ArrayRef<OpFoldResult> sizes) {
  Tensor *tensor = node.input(input);
  if (!tensor)
    return success();
  if (tensor->rank() != static_cast<int64_t>(sizes.size()))
    return node.refuse(name + " must have rank " + Twine(sizes.size()) + ", got " + Twine(tensor->rank()));
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (emitter.sizes.different(tensor->sizes[d], size))
      return node.refuse("dimension " + Twine(d) + " of " + name + " does not fit the other operands");
    emitter.checkEqual(tensor->sizes[d], size,
                       Twine(node.op()) + ": dimension " + Twine(d) + " of " + name +
                           " does not fit the other operands");
  }
  return success();
}

LogicalResult Recurrence::readOperands() {
  if (failed(requireFloat(node, 0)) || failed(quantized ? readQuantization() : requireSameType(node, 3)))
    return failure();
  for (size_t i : {3, 5, 6, 7})
    if (node.input(i) && node.input(i)->elementType != node.input(0)->elementType)
      return node.refuse("all operands but the lengths must have one element type");
  std::string direction = StringRef(node.getString("direction", "forward")).lower();
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return node.refuse("direction must be forward, reverse or bidirectional, got '" + direction + "'");
  directions = direction == "bidirectional" ? 2 : 1;
  batchFirst = node.getInt("layout", 0) != 0;
  for (size_t i : {0, 1, 2})
    if (node.input(i)->rank() != 3)
      return node.refuse("X, W and R must have rank 3, got " + Twine(node.input(i)->rank()));
  x = *node.input(0);
  if (batchFirst)
    x = emitter.transpose(x, {1, 0, 2});
  steps = x.sizes[0];
  batch = x.sizes[1];
  inputs = x.sizes[2];
  hidden = node.input(2)->sizes[quantized ? 1 : 2];
  dropBatch = getConstantIntValue(batch) == 1;
  Sizes &sizes = emitter.sizes;
  OpFoldResult count = sizes.constant(directions), width = sizes.mul(hidden, sizes.constant(gates));
  if (failed(check(1, "W", quantized ? SizeList{count, inputs, width} : SizeList{count, width, inputs})) ||
      failed(check(2, "R", quantized ? SizeList{count, hidden, width} : SizeList{count, width, hidden})) ||
      failed(check(3, "B", {count, sizes.mul(width, sizes.constant(2))})) ||
      failed(check(4, "sequence_lens", {batch})) ||
      failed(check(7, "P", {count, sizes.mul(hidden, sizes.constant(3))})))
    return failure();
  constexpr StringLiteral kParameters[] = {"W_scale", "W_zero_point", "R_scale", "R_zero_point"};
  for (auto [i, name] : llvm::enumerate(kParameters))
    if (Tensor *parameter = node.input(8 + i);
        parameter && failed(check(8 + i, name, parameter->rank() == 1 ? SizeList{count} : SizeList{count, width})))
      return failure();
  SizeList state = batchFirst ? SizeList{batch, count, hidden} : SizeList{count, batch, hidden};
  if (failed(check(5, "initial_h", state)) || failed(check(6, "initial_c", state)))
    return failure();
  if (Tensor *lengths = node.input(4); lengths && !lengths->elementType.isSignlessInteger(32))
    return node.refuse("sequence_lens must be int32");
  return success();
}

// Entry `d` of the first dimension, which goes.
Tensor Recurrence::direction(Tensor &tensor, int64_t d) {
  SizeList offsets(tensor.rank(), emitter.sizes.constant(0)), extents = tensor.sizes;
  offsets[0] = emitter.sizes.constant(d);
  extents[0] = emitter.sizes.constant(1);
  Tensor part = emitter.slice(tensor, offsets, extents, SmallVector<int64_t>(tensor.rank(), 1));
  return emitter.reshape(part, ArrayRef<OpFoldResult>(extents).drop_front());
}

static Tensor part(Emitter &emitter, Tensor &vector, OpFoldResult offset, OpFoldResult size) {
  return emitter.slice(vector, {offset}, {size}, {1});
}

static Tensor sum(Emitter &emitter, Tensor &a, Tensor &b) {
  return emitter.elementwise(
      {&a, &b}, a.rank() >= b.rank() ? a.sizes : b.sizes, a.elementType,
      [](OpBuilder &builder, Location loc, ValueRange v) { return Scalar{builder, loc}.add(v[0], v[1]); });
}

// The bias of a GRU's candidate that is added before the reset gate multiplies.
std::optional<Tensor> Recurrence::recurrentBias(int64_t d) {
  if (!node.input(3) || node.op() != "GRU")
    return std::nullopt;
  Tensor all = direction(*node.input(3), d);
  return part(emitter, all, emitter.sizes.mul(hidden, emitter.sizes.constant(5)), hidden);
}

// [gates * H]; of a GRU's candidate only what comes from the input.
Tensor Recurrence::inputBias(int64_t d) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult width = sizes.mul(hidden, sizes.constant(gates)), zero = sizes.constant(0);
  Tensor all = direction(*node.input(3), d);
  Tensor ofInputs = part(emitter, all, zero, width), ofStates = part(emitter, all, width, width);
  if (node.op() != "GRU")
    return sum(emitter, ofInputs, ofStates);
  OpFoldResult both = sizes.mul(hidden, sizes.constant(2));
  Tensor a = part(emitter, ofInputs, zero, both), b = part(emitter, ofStates, zero, both);
  Tensor summed = sum(emitter, a, b), rest = part(emitter, ofInputs, both, hidden);
  SmallVector<Tensor> parts{summed, rest};
  return join(parts, 0);
}

// The input's share of all gates at all steps: [steps, batch, gates * H], without the batch if it is 1.
Tensor Recurrence::project(int64_t d) {
  Sizes &sizes = emitter.sizes;
  Tensor rows = emitter.reshape(x, {sizes.mul(steps, batch), inputs}), result;
  if (quantized) {
    result = multiplyQuantized(rows, 1, d);
  } else {
    Tensor weights = direction(*node.input(1), d);
    Tensor columns = emitter.transpose(weights, {1, 0});
    result = matmul(emitter, rows, columns);
  }
  if (node.input(3)) {
    Tensor bias = inputBias(d);
    result = sum(emitter, result, bias);
  }
  OpFoldResult width = sizes.mul(hidden, sizes.constant(gates));
  return emitter.reshape(result, dropBatch ? SizeList{steps, width} : SizeList{steps, batch, width});
}

// Checks operands 8 to 11, scales and zero points of W and R: one for each direction, or one for each column.
LogicalResult Recurrence::readQuantization() {
  if (!node.input(0)->elementType.isF32())
    return node.refuse("X must be f32");
  for (size_t i : {1, 2}) {
    Tensor *weights = node.input(i), *scale = node.input(6 + 2 * i), *zeroPoint = node.input(7 + 2 * i);
    if (!weights || !scale || !scale->elementType.isF32())
      return node.refuse("W and R need scales of f32");
    if (!weights->isInteger() || weights->elementType.getIntOrFloatBitWidth() != 8)
      return node.refuse("W and R must be 8-bit integers");
    if (zeroPoint && zeroPoint->elementType != weights->elementType)
      return node.refuse("a zero point must have its operand's type");
    for (Tensor *parameter : {scale, zeroPoint})
      if (parameter && (parameter->rank() < 1 || parameter->rank() > 2 || parameter->rank() != scale->rank()))
        return node.refuse("scales and zero points must be [directions] or [directions, 4 * hidden]");
  }
  return success();
}

// x [.., k] in 8 bits by its range, times the integer weights of one direction; in floats again.
Tensor Recurrence::multiplyQuantized(Tensor &x, size_t weights, int64_t d) {
  Tensor matrix = direction(*node.input(weights), d), scale = direction(*node.input(6 + 2 * weights), d), zeroPoint;
  if (node.input(7 + 2 * weights))
    zeroPoint = direction(*node.input(7 + 2 * weights), d);
  DynamicSteps dynamic = quantizeByRange(emitter, x);
  SizeList rows = x.rank() == 1 ? SizeList{emitter.sizes.constant(1), x.sizes[0]} : x.sizes, result = x.sizes;
  Tensor steps = emitter.reshape(dynamic.steps, rows);
  FailureOr<Tensor> sums =
      multiplySteps(node, {&steps, &dynamic.zeroPoint}, {&matrix, node.input(7 + 2 * weights) ? &zeroPoint : nullptr});
  result.back() = matrix.sizes.back();
  if (failed(sums)) // `node` says why
    return emitter.empty(x.elementType, result);
  Tensor flat = emitter.reshape(*sums, result);
  return emitter.elementwise({&flat, &dynamic.scale, &scale}, result, x.elementType,
                             [&](OpBuilder &b, Location loc, ValueRange v) {
                               Scalar s{b, loc};
                               Value real = convert(s, v[0], b.getI32Type(), x.elementType);
                               return s.mul(real, s.mul(v[1], v[2]));
                             });
}

Tensor Recurrence::initialState(size_t input, int64_t d) {
  SizeList shape = dropBatch ? SizeList{hidden} : SizeList{batch, hidden};
  Tensor *given = node.input(input);
  if (!given)
    return emitter.filled(x.elementType, shape, makeAttribute(x.elementType, 0));
  Tensor ordered = batchFirst ? emitter.transpose(*given, {1, 0, 2}) : *given;
  Tensor state = direction(ordered, d);
  return emitter.reshape(state, shape);
}

// How a step multiplies its states with the recurrent weights, which are made here.
void Recurrence::multiplyStates(int64_t d, CellInputs &cell) {
  if (quantized) {
    for (size_t i : {2, 10, 11})
      if (node.input(i))
        emitter.value(*node.input(i));
    cell.multiply = [this, d](Tensor &state) { return multiplyQuantized(state, 2, d); };
    return;
  }
  Sizes &sizes = emitter.sizes;
  Tensor weights = direction(*node.input(2), d), columns = emitter.transpose(weights, {1, 0});
  if (node.op() == "GRU" && !options.linearBeforeReset) {
    // The candidate's columns are multiplied with another state.
    OpFoldResult zero = sizes.constant(0), first = sizes.mul(hidden, sizes.constant(2));
    cell.candidate = emitter.slice(columns, {zero, first}, {hidden, hidden}, {1, 1});
    columns = emitter.slice(columns, {zero, zero}, {hidden, first}, {1, 1});
    emitter.value(cell.candidate);
  }
  emitter.value(columns);
  cell.multiply = [this, columns](Tensor &state) {
    Tensor matrix = columns;
    return multiplyState(emitter, state, matrix);
  };
}

// Everything a loop reads is made before it.
CellInputs Recurrence::prepare(int64_t d) {
  CellInputs cell(options.activations[d], options);
  cell.hidden = hidden;
  cell.shape = dropBatch ? SizeList{hidden} : SizeList{batch, hidden};
  cell.projected = project(d);
  multiplyStates(d, cell);
  cell.recurrentBias = recurrentBias(d);
  for (int64_t s = 0; s < stateCount; ++s)
    cell.states.push_back(initialState(5 + s, d));
  if (node.input(7)) {
    Tensor all = direction(*node.input(7), d);
    for (int64_t i = 0; i < 3; ++i)
      cell.peepholes.push_back(part(emitter, all, emitter.sizes.mul(hidden, emitter.sizes.constant(i)), hidden));
  }
  if (node.input(4))
    cell.lengths = dropBatch ? emitter.reshape(*node.input(4), {}) : *node.input(4);
  emitter.value(cell.projected);
  for (std::optional<Tensor> *tensor : {&cell.recurrentBias, &cell.lengths})
    if (*tensor)
      emitter.value(**tensor);
  for (SmallVector<Tensor> *tensors : {&cell.states, &cell.peepholes})
    for (Tensor &tensor : *tensors)
      emitter.value(tensor);
  return cell;
}

// The loop over steps. Outputs of steps are written into one tensor, in place.
void Recurrence::loop(CellInputs &cell, bool reverse, Tensor &result, SmallVector<Tensor> &finals) {
  OpBuilder &b = emitter.builder;
  Sizes &sizes = emitter.sizes;
  bool wanted = node.wantsOutput(0);
  SizeList all = cell.shape;
  all.insert(all.begin(), steps);
  SmallVector<Value> inits;
  for (Tensor &state : cell.states)
    inits.push_back(emitter.value(state));
  if (wanted)
    inits.push_back(emitter.empty(x.elementType, all).value);
  Value count = sizes.value(steps), one = sizes.value(sizes.constant(1)), zero = sizes.value(sizes.constant(0));
  auto op = scf::ForOp::create(b, emitter.loc, zero, count, one, inits);
  op->setAttr(kKeepsShapesAttr, b.getUnitAttr());
  Emitter::State outside = emitter.save();
  b.setInsertionPointToStart(op.getBody());
  cell.step = op.getInductionVar();
  if (reverse) {
    Value last = arith::SubIOp::create(b, emitter.loc, count, one);
    cell.step = arith::SubIOp::create(b, emitter.loc, last, cell.step);
  }
  for (auto [state, argument] : llvm::zip(cell.states, op.getRegionIterArgs()))
    state = emitter.fromValue(argument, cell.shape);
  SmallVector<Tensor> made = step(emitter, cell);
  SmallVector<Value> yielded;
  for (int64_t s = 0; s < stateCount; ++s)
    yielded.push_back(made[s].value);
  if (wanted) {
    Value output = static_cast<int64_t>(made.size()) > stateCount ? made.back().value : made.front().value;
    SizeList offsets(all.size(), sizes.constant(0)), extents = all, strides(all.size(), sizes.constant(1));
    offsets[0] = cell.step;
    extents[0] = sizes.constant(1);
    yielded.push_back(tensor::InsertSliceOp::create(b, emitter.loc, output, op.getRegionIterArgs().back(), offsets,
                                                    extents, strides));
  }
  scf::YieldOp::create(b, emitter.loc, yielded);
  emitter.restore(std::move(outside));
  for (int64_t s = 0; s < stateCount; ++s)
    finals.push_back(emitter.fromValue(op.getResult(s), cell.shape));
  if (wanted)
    result = emitter.fromValue(op.getResults().back(), all);
}

void Recurrence::runDirection(int64_t d, bool reverse) {
  Sizes &sizes = emitter.sizes;
  CellInputs cell = prepare(d);
  Tensor result;
  SmallVector<Tensor> finals;
  if (getConstantIntValue(steps) == 1) {
    cell.step = sizes.value(sizes.constant(0));
    finals = step(emitter, cell);
    result = finals[static_cast<int64_t>(finals.size()) > stateCount ? stateCount : 0];
  } else {
    loop(cell, reverse, result, finals);
  }
  if (node.wantsOutput(0))
    outputs.push_back(emitter.reshape(result, {steps, sizes.constant(1), batch, hidden}));
  states.resize(stateCount);
  for (int64_t s = 0; s < stateCount; ++s)
    states[s].push_back(emitter.reshape(finals[s], {sizes.constant(1), batch, hidden}));
}

Tensor Recurrence::join(ArrayRef<Tensor> parts, int64_t axis) {
  if (parts.size() == 1)
    return parts.front();
  SizeList shape = parts[0].sizes;
  SmallVector<Value> values;
  shape[axis] = emitter.sizes.constant(0);
  for (Tensor tensor : parts) {
    shape[axis] = emitter.sizes.add(shape[axis], tensor.sizes[axis]);
    values.push_back(emitter.value(tensor));
  }
  auto type = RankedTensorType::get(shapeOf(shape), parts[0].elementType);
  return emitter.fromValue(tensor::ConcatOp::create(emitter.builder, emitter.loc, type, axis, values), shape);
}

void Recurrence::setOutputs() {
  if (node.wantsOutput(0)) {
    Tensor y = join(outputs, 1);
    node.setOutput(0, batchFirst ? emitter.transpose(y, {2, 0, 1, 3}) : y);
  }
  for (int64_t s = 0; s < stateCount; ++s) {
    Tensor state = join(states[s], 0);
    node.setOutput(1 + s, batchFirst ? emitter.transpose(state, {1, 0, 2}) : state);
  }
}

LogicalResult Recurrence::run(ArrayRef<StringRef> defaultActivations) {
  if (failed(readOperands()) || failed(readCellOptions(node, directions, defaultActivations, options)))
    return failure();
  bool reverse = StringRef(node.getString("direction", "forward")).lower() == "reverse";
  for (int64_t d = 0; d < directions; ++d)
    runDirection(d, reverse || d == 1);
  setOutputs();
  return success();
}

static LogicalResult lowerLstm(NodeContext &node) {
  return Recurrence(node, 4, 2, lstmStep).run({"sigmoid", "tanh", "tanh"});
}
static LogicalResult lowerGru(NodeContext &node) { return Recurrence(node, 3, 1, gruStep).run({"sigmoid", "tanh"}); }
static LogicalResult lowerRnn(NodeContext &node) { return Recurrence(node, 1, 1, rnnStep).run({"tanh"}); }

void mlir::heddle::importer::registerRecurrent(LoweringTable &table) {
  table.add("com.microsoft.DynamicQuantizeLSTM", 1, lowerLstm);
  table.add("LSTM", 7, lowerLstm);
  table.add("GRU", 7, lowerGru);
  table.add("RNN", 7, lowerRnn);
}
