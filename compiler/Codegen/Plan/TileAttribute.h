// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attribute `kernel.tile`: what a tuner sets instead of what `configureContraction` chooses.
//
//   flow.executable private @dense attributes {kernel.tile = {rows = array<i64: 12>, vectors = 2, block = array<i64:
//   96>}}
//
// On an executable it holds for all its kernels (`codegen-create-programs` hands it on), on a kernel.program for that
// one; there for every contraction of the kernel. Keys that are absent are chosen as ever:
//
//   rows     rows of a register tile, along each dimension of rows
//   vectors  vectors of a register tile
//   block    rows of a workgroup, along each dimension of rows: whole tiles, or the dimension's size
//   next     whether the next tile of columns is asked for meanwhile; ignored where columns are in no panels
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_TILEATTRIBUTE_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_TILEATTRIBUTE_H

#include "compiler/Codegen/Plan/Configure.h"

#include "mlir/IR/Operation.h"

namespace mlir::heddle::codegen {

inline constexpr llvm::StringLiteral kTileAttribute = "kernel.tile";

// What the attribute of `op` says; nothing is set where it has none. Fails with a diagnostic at `op` for an unknown key
// or a value of the wrong type.
FailureOr<ContractionOverride> readTileAttribute(Operation *op);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_TILEATTRIBUTE_H
