// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of the flow dialect: loops over streams, shardings. See FlowAttrs.td.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWATTRS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWATTRS_H

#include "compiler/Dialect/Flow/IR/FlowDialect.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"

#include "compiler/Dialect/Flow/IR/FlowReductions.h.inc"

namespace mlir::heddle::flow {

// What the number of a stream axis counts: loops of the op, dimensions of its result, or its reduced loops.
enum class AxisKind { Loop, Result, Reduced };

class StreamsAttr;

} // namespace mlir::heddle::flow

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Flow/IR/FlowAttrs.h.inc"

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWATTRS_H
