// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An axis that is data of the call.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_AXISOFCALL_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_AXISOFCALL_H

#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// The product of the sizes before the one that is marked with 1 (Emitter::marked), that size, and the product of those
// behind it.
SizeList splitAtMark(Emitter &emitter, ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> marks);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_AXISOFCALL_H
