// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tensors are stored with the program: passes of this stage lay them out once, at compile time or at load.
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_STORED_H
#define HEDDLE_COMPILER_STAGES_ENCODE_STORED_H

#include "compiler/Dialect/Flow/IR/FlowShardings.h"

#include "mlir/IR/Matchers.h"

namespace mlir::heddle::encode {

// Whether the value is a parameter, a rank's block of one, or a constant: stored with the program, not computed by it.
inline bool isStored(Value value) {
  return isa_and_nonnull<flow::ParameterLoadOp, flow::BlockOp>(value.getDefiningOp()) ||
         matchPattern(value, m_Constant());
}

} // namespace mlir::heddle::encode

#endif // HEDDLE_COMPILER_STAGES_ENCODE_STORED_H
