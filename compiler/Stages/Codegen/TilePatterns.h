// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile registers (kernel.tile_*) in the LLVM dialect: the intrinsics of AMX that name registers by number.
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_TILEPATTERNS_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_TILEPATTERNS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace mlir::heddle::codegen {

bool isTileOp(Operation *op);
void populateTilePatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_TILEPATTERNS_H
