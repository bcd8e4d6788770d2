// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LSTM, GRU and RNN have in common.
//
// The inputs of all steps are projected by one matrix product; what is left of a step is a matrix product with the
// hidden state and one elementwise op, the cell. One step stands alone; more are an scf.for that carries the states.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_RECURRENT_RECURRENT_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_RECURRENT_RECURRENT_H

#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include <functional>

namespace mlir::heddle::importer {

// An activation function with its parameters.
struct Activation {
  std::string name; // lower case
  double alpha = 0, beta = 0;

  Value apply(Scalar &s, Value x) const;
};

// Attributes of a node, for all its directions.
struct CellOptions {
  SmallVector<SmallVector<Activation>> activations; // for each direction: f, g, h as far as the cell has them
  std::optional<double> clip;                       // bounds what activations see
  bool inputForget = false;                         // LSTM: f = 1 - i
  bool linearBeforeReset = false;                   // GRU
};

// One direction at one step. [batch, …] tensors lack the batch if it is 1.
struct CellInputs {
  CellInputs(ArrayRef<Activation> activations, const CellOptions &options)
      : activations(activations), options(options) {}

  ArrayRef<Activation> activations; // of this direction
  const CellOptions &options;
  OpFoldResult hidden;                      // size H
  SizeList shape;                           // {batch, H} or {H}
  Tensor projected;                         // [steps, batch, gates * H]: of the inputs, with biases
  Value step;                               // index
  std::function<Tensor(Tensor &)> multiply; // a state of `shape` times [H, gates * H], without a `candidate`
  Tensor candidate;                         // GRU: [H, H], of the last gate
  std::optional<Tensor> recurrentBias;      // [gates * H]: GRU, what is not in `projected`
  SmallVector<Tensor> states;               // h, and c of an LSTM: `shape`
  SmallVector<Tensor> peepholes;            // LSTM: i, o, f: [H]; or empty
  std::optional<Tensor> lengths;            // [batch] i32: from there on the states stay and outputs are 0
};

// The new states, then the output of the step if `lengths` make it differ from the state h.
using CellStep = SmallVector<Tensor> (*)(Emitter &, CellInputs &);
SmallVector<Tensor> lstmStep(Emitter &emitter, CellInputs &inputs);
SmallVector<Tensor> gruStep(Emitter &emitter, CellInputs &inputs);
SmallVector<Tensor> rnnStep(Emitter &emitter, CellInputs &inputs);

// [batch, H] or [H] times [H, n].
Tensor multiplyState(Emitter &emitter, Tensor &state, Tensor &weights);

// Reads activations, clip and the cell's own attributes. `defaults`: the activations of one direction.
LogicalResult readCellOptions(NodeContext &node, int64_t directions, ArrayRef<StringRef> defaults,
                              CellOptions &options);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_RECURRENT_RECURRENT_H
