// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// chlo.scan: a computation that goes along one dimension of its inputs and carries values, as a loop.
//
//   %y, %last = chlo.scan(%x) inits(%zero) dimension=0 {
//   ^bb0(%element: tensor<i32>, %sum: tensor<i32>):
//     %next = stablehlo.add %element, %sum : tensor<i32>
//     stablehlo.return %next, %next : tensor<i32>, tensor<i32>
//   } : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
//
// Operands are inputs and initial values, results outputs and carried values; the attributes operandSegmentSizes and
// resultSegmentSizes say how many there are.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_SCAN_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_SCAN_H

#include "mlir/IR/Operation.h"

namespace mlir::heddle::hlo {

// Replaces the op by a stablehlo.while. One that does not have the form stays as it is, and is refused by its name.
LogicalResult rewriteScan(Operation *op);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_SCAN_H
