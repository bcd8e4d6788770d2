// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of an op: for each operand and result the order in which its dimensions lie in memory (Layouts.h).
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_OPLAYOUTS_H
#define HEDDLE_COMPILER_STAGES_ENCODE_OPLAYOUTS_H

#include "compiler/Stages/Encode/Permutation.h"

namespace mlir::heddle::encode {

struct Layouts {
  SmallVector<Permutation> operands, results; // empty for what is no tensor
  SmallVector<Permutation> captured;          // of the values that capturedTensors gives
  SmallVector<unsigned> loops;                // of a linalg.generic: the old loop at each new place
};

// Whether `layouts` change nothing.
inline bool areIdentity(const Layouts &layouts) {
  return llvm::all_of(layouts.operands, [](const Permutation &p) { return isIdentity(p); }) &&
         llvm::all_of(llvm::enumerate(layouts.loops), [](auto it) { return it.index() == it.value(); });
}

} // namespace mlir::heddle::encode

#endif // HEDDLE_COMPILER_STAGES_ENCODE_OPLAYOUTS_H
