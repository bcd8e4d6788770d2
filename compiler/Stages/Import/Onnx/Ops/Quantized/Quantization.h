// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised tensors in other ops: what of their arithmetic is done in integers. docs/design/quantisation.md.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_QUANTIZED_QUANTIZATION_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_QUANTIZED_QUANTIZATION_H

#include "compiler/Stages/Import/Emit/Convolve.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// An operand of an integer product: 8-bit steps and where their zero is (null: 0).
struct Steps {
  Tensor *tensor;
  Tensor *zeroPoint;
};

// Sums of (a - a's zero) * (b - b's zero) in 32 bits. Zero points are scalars, [m] or [.., m, 1] of a, [n] or [.., 1,
// n] of b.
FailureOr<Tensor> multiplySteps(NodeContext &node, Steps a, Steps b);
// The same of a convolution; x has one zero point, the weights one or [f].
FailureOr<Tensor> convolveSteps(NodeContext &node, Steps x, Steps weights);

// Both are quantised to 8 bits, in such a way that scales are factors of the result's elements.
bool canMultiplyQuantized(const Tensor &lhs, const Tensor &rhs);
bool canConvolveQuantized(const Tensor &x, const Tensor &weights);
// The product of quantised operands in floats: sums in integers, times both scales.
FailureOr<Tensor> multiplyQuantized(NodeContext &node, Tensor &lhs, Tensor &rhs);
FailureOr<Tensor> convolveQuantized(NodeContext &node, Tensor &x, Tensor &weights);

// x in 8 bits, unsigned: (steps - zeroPoint) * scale is near x.
struct DynamicSteps {
  Tensor steps, scale, zeroPoint;
};
// By the range of x, f32, at the call. The range includes 0; where all elements are 0 the scale is 1, as in ONNX
// Runtime.
DynamicSteps quantizeByRange(Emitter &emitter, Tensor &x);

// A quantised tensor's scale is known and positive.
bool hasPositiveScale(const Tensor &tensor);

// The step `real` is rounded to: half to even, plus the zero point (i32, or null), to the nearest one of type `to`, an
// integer.
Value roundToStep(Scalar s, Value real, Value zeroPoint, Type to);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_QUANTIZED_QUANTIZATION_H
