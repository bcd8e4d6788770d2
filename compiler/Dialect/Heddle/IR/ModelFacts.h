// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a model's file says of itself, on its way to the artifact (contract/Artifact.fbs: Module.model,
// Module.metadata).
//
//   module attributes {heddle.model = {graph_name = "detector", metadata = {names = "cat, dog"}, producer_name =
//   "torch"}}
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_MODELFACTS_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_MODELFACTS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::heddle {

// On the module: a dictionary of strings by the names that ONNX gives the fields (producer_name, graph_name, …), each
// that is not empty, and of the dictionary `metadata`: strings by keys that the model's author chose. Nothing reads
// them but who asks the artifact. Of several models merged into one module, those of the first.
inline constexpr llvm::StringLiteral kModelAttr = "heddle.model";
inline constexpr llvm::StringLiteral kMetadataKey = "metadata";

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_MODELFACTS_H
