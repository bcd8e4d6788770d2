// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits kernels of scalar code: functions whose results one flow.rows gives, on CPUs and GPUs alike.
//
// A workgroup of a CPU's kernel, an invocation of a GPU's, runs one row. Results are written where they lie; tensors
// that the body threads through its control flow are names of that memory and vanish.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_SCALARROWS_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_SCALARROWS_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"

namespace mlir::heddle::codegen {

// The op that gives all results of the function; null if it is a function of other ops.
flow::RowsOp getRows(func::FuncOp source);

// Emits `@workgroups`, for `rowsPerGroup` rows each, and `@scratch` beside `source`.
LogicalResult emitRowsHostFunctions(func::FuncOp source, int64_t rowsPerGroup);

// Emits row number `row`, which exists, at the end of what `builder` has emitted. `scalars`: of the kernel.
LogicalResult emitRow(flow::RowsOp op, OpBuilder &builder, FunctionScalars &scalars, Value row);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_SCALARROWS_H
