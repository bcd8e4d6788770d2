// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of intent in loops; see Passes.td.
#ifndef HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_PASSES_H
#define HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_PASSES_H

#include "compiler/Dialect/Intent/IR/IntentOps.h"
#include "compiler/Target/Forms/FormModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::heddle {

#define GEN_PASS_DECL
#include "compiler/Dialect/Intent/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Dialect/Intent/Transforms/Passes.h.inc"

namespace intent {

// Replaces each intent.quantized_product by the structured ops that it stands for, which have its discardable
// attributes; sums carry `intent.code`.
void decompose(ModuleOp module);

// Replaces each op on lists (IntentLists.h) by the scalar code and structured ops that compute it, in the forms that
// `forms` says. What was made has the op's discardable attributes, and scalar code `intent.of`. Whether there were any.
// Only those for which `which` holds, if it is set.
bool decomposeLists(ModuleOp module, const FormModel &forms, llvm::function_ref<bool(Operation *)> which = nullptr);

// Replaces each intent.attention by the structured ops that it stands for, in the forms that `forms` says. What was
// made has the op's discardable attributes. Whether there were any.
bool decomposeAttention(ModuleOp module, const FormModel &forms);

} // namespace intent

// intent-decompose-lists in these forms.
std::unique_ptr<Pass> createDecomposeListsFor(const FormModel &forms);
// intent-decompose-attention in these forms.
std::unique_ptr<Pass> createDecomposeAttentionFor(const FormModel &forms);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_PASSES_H
