// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// intent.attention; see IntentAttention.td and docs/design/attention.md.
//
// All front ends emit it through `attend` (Stages/Import/Emit/Attention.h); `intent::decomposeAttention`
// (Transforms/Passes.h) is its meaning.
#ifndef HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTATTENTION_H
#define HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTATTENTION_H

#include "compiler/Dialect/Intent/IR/IntentOps.h"

#define GET_OP_CLASSES
#include "compiler/Dialect/Intent/IR/IntentAttention.h.inc"

#endif // HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTATTENTION_H
