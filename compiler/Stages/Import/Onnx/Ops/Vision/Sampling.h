// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading tensors between their elements.
//
//   Sampler sampler{{builder, loc, f32}, source};
//   Value pixel = sampler.sum({n, c}, {sampler.linearTaps(y), sampler.linearTaps(x)}, {height, width}); // 0 outside
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_SAMPLING_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_SAMPLING_H

#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// One element read by a dimension: where (a whole number, as a float) and how much it weighs (null: 1).
struct Tap {
  Value at, weight;
};

struct Sampler {
  Scalar s; // of the coordinates' and the elements' type, a float
  Value source;

  Value number(double value) { return s.constant(s.type, value); }
  // The index nearest to a whole number, within [0, size).
  Value toIndex(Value real, Value size);
  Value floor(Value x);

  // The two elements around `x`.
  SmallVector<Tap> linearTaps(Value x);
  // The four around it, weighed by Keys' cubic function with a = -0.75.
  SmallVector<Tap> cubicTaps(Value x);
  // The sum over all combinations of one tap for each of the sampled dimensions; those outside the source are 0.
  // `front`: the indices of the dimensions before; `back`: of those behind, the channels of a source with channels
  // last.
  Value sum(ArrayRef<Value> front, ArrayRef<SmallVector<Tap>> taps, ArrayRef<Value> sizes, ArrayRef<Value> back = {});
};

// Refuses an image without elements, of which there is nothing to sample; where only the call knows, the call fails.
LogicalResult requireElements(NodeContext &node, ArrayRef<OpFoldResult> image);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_SAMPLING_H
