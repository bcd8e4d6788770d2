// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What flow.grouped_matmul stands for: a loop over parts whose places data says (Dialect/Flow/IR/PartLoops.h).
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_GROUPEDPRODUCTS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_GROUPEDPRODUCTS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::flow {

// Each becomes the sums of its sizes and an scf.forall over the groups and one part more, of no columns: the rows
// behind the last group, which are 0.
void decomposeGroupedProducts(ModuleOp module);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_GROUPEDPRODUCTS_H
