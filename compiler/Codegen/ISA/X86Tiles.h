// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile registers (kernel.tile_*) in the LLVM dialect: the intrinsics of AMX that name registers by number.
#ifndef HEDDLE_COMPILER_CODEGEN_ISA_X86TILES_H
#define HEDDLE_COMPILER_CODEGEN_ISA_X86TILES_H

#include "compiler/Codegen/ISA/InstructionSet.h"

namespace mlir::heddle::codegen {

void populateX86TilePatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_ISA_X86TILES_H
