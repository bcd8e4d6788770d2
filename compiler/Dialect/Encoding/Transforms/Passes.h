// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on encodings that several stages use; see Passes.td.
#ifndef HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_PASSES_H
#define HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_PASSES_H

#include "compiler/Dialect/Encoding/IR/EncodingOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::heddle {

#define GEN_PASS_DECL
#include "compiler/Dialect/Encoding/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Dialect/Encoding/Transforms/Passes.h.inc"

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_PASSES_H
