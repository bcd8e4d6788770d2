// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products that the program means as a whole. See FlowProducts.td.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWPRODUCTS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWPRODUCTS_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowProducts.h.inc"

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWPRODUCTS_H
