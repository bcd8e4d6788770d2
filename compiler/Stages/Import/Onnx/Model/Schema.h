// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ONNX itself says of the operators of ai.onnx (Schemas.inc, from the package onnx), for telling an invalid model
// from one that is not supported.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_SCHEMA_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_SCHEMA_H

#include "compiler/Stages/Import/Emit/Tensor.h"
#include "compiler/Stages/Import/Onnx/Model/Model.h"

namespace mlir::heddle::importer {

// "[2,?]" and "f32[2,?]": how messages spell sizes, and a tensor's type.
std::string spellSizes(ArrayRef<OpFoldResult> sizes);
std::string spellTensor(const Tensor &tensor);

// The rule of its operator that a node breaks: how many inputs and outputs it has, which attributes and of which types.
// "" if none, or if the operator is of another domain.
std::string findBrokenRule(const Node &node);

// Operands that must have the same element type and have not; "" as above. `operands`: null where one is absent.
std::string findTypeMismatch(const Node &node, ArrayRef<Tensor *> operands);

// Why there is no such operator in ai.onnx of the node's operator set; "" if there is one, or the domain is another.
std::string findUnknownOperator(const Node &node);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_SCHEMA_H
