// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops with a syntax of their own: constant, reduce, while, chlo.scan; mesh and sharding_constraint of the dialect sdy.
//
//   stablehlo.constant dense<1.0> : tensor<4xf32>
//   stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (…) -> tensor<4xf32>
//   stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf32> cond {…} do {…}
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_STRUCTUREDOPS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_STRUCTUREDOPS_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::heddle::hlo {

struct StructuredOp {
  ParseResult (*parse)(OpAsmParser &parser, OperationState &result);
  bool (*canPrint)(Operation *op);
  void (*print)(Operation *op, OpAsmPrinter &printer);
};

// Null if the op has no syntax of its own.
const StructuredOp *findStructuredOp(StringRef name);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_STRUCTUREDOPS_H
