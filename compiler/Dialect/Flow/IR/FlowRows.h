// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flow.rows: dispatches of scalar code. See FlowRows.td.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWROWS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWROWS_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowRows.h.inc"

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWROWS_H
