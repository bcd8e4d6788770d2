// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations that several ops are made of.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_REDUCTION_NORMALIZATION_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_REDUCTION_NORMALIZATION_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::importer {

struct Normalized {
  Tensor result;
  Tensor mean;    // axes are 1; of layerNormalize only
  Tensor inverse; // of the deviation; axes are 1
};

// (x - mean) / deviation * scale + bias over the dimensions from `axis` on; scale and bias may be null, else they
// broadcast to x.
Normalized layerNormalize(Emitter &emitter, Tensor &x, int64_t axis, double epsilon, Tensor *scale, Tensor *bias);
// x / root of the mean square * scale.
Normalized rmsNormalize(Emitter &emitter, Tensor &x, int64_t axis, double epsilon, Tensor *scale);
// `x` with what `operands` (null: none) tell of its sizes: aligned to the right, they have x's or 1. Where a free size
// of x meets a fixed one, the call checks that it is that. Nothing if an operand does not broadcast to x.
std::optional<Tensor> fitTo(Emitter &emitter, Tensor x, ArrayRef<Tensor *> operands, StringRef op);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_REDUCTION_NORMALIZATION_H
