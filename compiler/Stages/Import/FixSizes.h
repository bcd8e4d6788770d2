// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--dim=NAME=SIZE` for programs in MLIR; ONNX models have their sizes fixed before their graph is read.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_FIXSIZES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_FIXSIZES_H

#include "compiler/Stages/Import/Onnx/Model/FixedSizes.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

// Gives arguments of entry points the sizes. A free dimension is called as `heddle.dims` says, else "arg0_d1" as
// import-name-dimensions calls it, or by ARGUMENT.DIMENSION. The body has the argument behind a cast, which folding
// moves towards the results. Fails with a diagnostic at `location` where a size contradicts the program or another
// flag.
//
//   func.func @main(%x: tensor<?x8xf32>)            // --dim=arg0_d0=4
//   func.func @main(%x: tensor<4x8xf32>) { %0 = tensor.cast %x : tensor<4x8xf32> to tensor<?x8xf32> …
LogicalResult fixSizes(ModuleOp module, importer::FixedSizes &sizes, Location location);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_FIXSIZES_H
