// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two forms of one computation, of which the call's sizes take one.
//
//   Tensor y = byCall(emitter, {isSmall}, sizes, f32, [&] { return few(emitter.refine(x)); }, [&] { return many(x); });
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_BYCALL_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_BYCALL_H

#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// What `first` makes where each of `conditions` (sizes, 0 or 1) is 1, else what `second` makes: a tensor of `sizes` and
// `elementType`. Only the form that the call takes runs; where that is known, only that one is made. A form may use
// that it is taken (Emitter::refine). Tensors from outside have their values before (Emitter::value), and what a form
// changes of them it changes in a copy.
Tensor byCall(Emitter &emitter, ArrayRef<OpFoldResult> conditions, ArrayRef<OpFoldResult> sizes, Type elementType,
              llvm::function_ref<Tensor()> first, llvm::function_ref<Tensor()> second);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_BYCALL_H
