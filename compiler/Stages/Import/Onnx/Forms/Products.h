// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a node's operands.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_PRODUCTS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_PRODUCTS_H

#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// The product of operands of any rank as MatMul has it, of one type, or of two integer types and summed in `sum`.
// `finish` may replace the product while it is one of matrices [.., m, n], with both operands of rank 2 at least.
using FinishProduct = llvm::function_ref<FailureOr<Tensor>(Tensor &lhs, Tensor &rhs, Tensor product)>;
FailureOr<Tensor> multiplyAnyRank(NodeContext &node, Tensor lhs, Tensor rhs, Type sum = {},
                                  FinishProduct finish = nullptr);
// Refuses a product of a matrix with so many columns and one with so many rows.
LogicalResult refuseInner(NodeContext &node, OpFoldResult columns, OpFoldResult rows);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_PRODUCTS_H
