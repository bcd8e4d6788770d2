// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops with a syntax of their own: constant, reduce, while, chlo.scan; those of the dialect sdy (ShardyOps.cpp).
//
//   stablehlo.constant dense<1.0> : tensor<4xf32>
//   stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (…) -> tensor<4xf32>
//   stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf32> cond {…} do {…}
//   sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"}
//     (%y: tensor<2xf32>) {…} : (tensor<4xf32>) -> tensor<4xf32>
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_STRUCTUREDOPS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_STRUCTUREDOPS_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::heddle::hlo {

ParseResult parseManualComputation(OpAsmParser &parser, OperationState &result);
ParseResult parseMesh(OpAsmParser &parser, OperationState &result);
ParseResult parseNamedComputation(OpAsmParser &parser, OperationState &result);
ParseResult parsePropagationBarrier(OpAsmParser &parser, OperationState &result);
ParseResult parseShardingConstraint(OpAsmParser &parser, OperationState &result);
ParseResult parseShardingGroup(OpAsmParser &parser, OperationState &result);
ParseResult parseShardyCollective(OpAsmParser &parser, OperationState &result);

// Whether the op moves parts of a whole value so that it lies as `out_sharding` says: sdy.all_gather and the like.
bool isShardyCollective(StringRef name);

struct StructuredOp {
  ParseResult (*parse)(OpAsmParser &parser, OperationState &result);
  bool (*canPrint)(Operation *op);
  void (*print)(Operation *op, OpAsmPrinter &printer);
};

// Null if the op has no syntax of its own.
const StructuredOp *findStructuredOp(StringRef name);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_STRUCTUREDOPS_H
