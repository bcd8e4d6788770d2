// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flow dialect: values and dispatches on tensors. See FlowDialect.td.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWDIALECT_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWDIALECT_H

#include "mlir/IR/Dialect.h"

#include "compiler/Dialect/Flow/IR/FlowDialect.h.inc"

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWDIALECT_H
