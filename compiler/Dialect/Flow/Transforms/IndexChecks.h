// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index checks (flow.checked_index) where the table's elements are all equal. An upstream fold takes the element
// without looking at the index, and what nobody reads is not checked. See flow-keep-index-checks.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_INDEXCHECKS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_INDEXCHECKS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle::flow {

// Where a checked index has a say: replaces the extract by what `makeElement` gives, chosen by a condition on the
// indices that always holds and that no fold sees through. Else leaves the extract alone.
void keepIndexCheck(tensor::ExtractOp extract, llvm::function_ref<Value(OpBuilder &)> makeElement);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_INDEXCHECKS_H
