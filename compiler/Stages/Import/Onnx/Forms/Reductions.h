// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that several ops are made of.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_REDUCTIONS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_REDUCTIONS_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::importer {

// Each removes `axes`.
Tensor reduceSum(Emitter &emitter, Tensor &operand, ArrayRef<int64_t> axes);
Tensor reduceMax(Emitter &emitter, Tensor &operand, ArrayRef<int64_t> axes);
// The sum of (x - shift)^2; `shift` has the rank of the result, or is null.
Tensor reduceSquares(Emitter &emitter, Tensor &operand, Tensor *shift, ArrayRef<int64_t> axes);
// `tensor` times 1/count of the elements along `axes` of `of`; where there are none, as it is: ONNX leaves a mean of
// nothing open, and ONNX Runtime (and an EmbeddingBag, which is exported with it) has 0.
Tensor divideByCount(Emitter &emitter, Tensor &tensor, Tensor &of, ArrayRef<int64_t> axes);
// The index along `axis` (removed) of the first greatest or least element, or of the last. NaN wins over all.
Tensor argumentOf(Emitter &emitter, Tensor &operand, int64_t axis, bool greatest, bool last);
// exp(x - max) / sum along `axis`, or its logarithm.
Tensor softmax(Emitter &emitter, Tensor &operand, int64_t axis, bool logarithm);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_REDUCTIONS_H
