// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes that a program's free dimensions are expected to have (`heddle compile --expect=batch=1,seq=128`):
// `heddle.expect` on the module, a dictionary of integers by the names in heddle.dims. For estimates only; a call may
// have any other size.
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_EXPECT_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_EXPECT_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

inline constexpr llvm::StringLiteral kExpectAttr = "heddle.expect";

// On an executable: operations and bytes of a dispatch with the expected sizes, see place-note-work.
inline constexpr llvm::StringLiteral kWorkAttr = "heddle.work";

// Null where nothing is expected.
inline DictionaryAttr getExpected(ModuleOp module) { return module->getAttrOfType<DictionaryAttr>(kExpectAttr); }

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_EXPECT_H
