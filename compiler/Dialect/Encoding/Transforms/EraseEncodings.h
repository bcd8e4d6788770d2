// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program as if no encoding had ever been set.
#ifndef HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_ERASEENCODINGS_H
#define HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_ERASEENCODINGS_H

#include "mlir/IR/Operation.h"

namespace mlir::heddle::encoding {

// Makes every encoded type under `root` plain; `encoding.set`, `encoding.unset` and `flow.encode` become their operand.
// All else stays as it is and where it is. Encodings say how, never what: the program computes the same. Fails with a
// diagnostic at a parameter whose value is already in its layout, and at an `encoding.slice`.
LogicalResult eraseEncodings(Operation *root);

} // namespace mlir::heddle::encoding

#endif // HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_ERASEENCODINGS_H
