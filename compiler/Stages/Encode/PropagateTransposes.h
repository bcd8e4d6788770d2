// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves transposes through the ops between them until they cancel or reach the edges.
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_PROPAGATETRANSPOSES_H
#define HEDDLE_COMPILER_STAGES_ENCODE_PROPAGATETRANSPOSES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::encode {

// How much work it was.
struct PropagationCounts {
  int64_t evaluated = 0; // components that were grown and priced
  int64_t turned = 0;
};

// What the pass of this name does. After a component has been turned, only those are looked at again that had read what
// changed: a chain of transposes takes a number of evaluations that is linear in its length.
PropagationCounts propagateTransposes(ModuleOp module);

} // namespace mlir::heddle::encode

#endif // HEDDLE_COMPILER_STAGES_ENCODE_PROPAGATETRANSPOSES_H
