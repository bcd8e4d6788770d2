// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products that several ops are made of.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_PRODUCT_CONTRACTION_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_PRODUCT_CONTRACTION_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::importer {

// [m, k] x [k, n]; the sizes k must be known to be equal.
Tensor matmul(Emitter &emitter, Tensor &lhs, Tensor &rhs);

// The product of operands of any rank as MatMul has it, of one type, or of two integer types and summed in `sum`.
// `finish` may replace the product while it is one of matrices [.., m, n], with both operands of rank 2 at least.
using FinishProduct = llvm::function_ref<FailureOr<Tensor>(Tensor &lhs, Tensor &rhs, Tensor product)>;
FailureOr<Tensor> multiplyAnyRank(NodeContext &node, Tensor lhs, Tensor rhs, Type sum = {},
                                  FinishProduct finish = nullptr);

// One step of a product summed in `sum`: operands of types lhs and rhs are widened first.
Value multiplyAdd(Scalar s, Value accumulator, Value x, Type lhs, Value y, Type rhs, Type sum);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_PRODUCT_CONTRACTION_H
