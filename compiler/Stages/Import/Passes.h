// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of stage `import`; see Passes.td.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_PASSES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_PASSES_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Intent/IR/IntentOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "mlir/Pass/Pass.h"

#include <string>
#include <vector>

namespace mlir::heddle {

#define GEN_PASS_DECL
#include "compiler/Stages/Import/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Stages/Import/Passes.h.inc"

// What a program in MLIR calls its arguments: as `heddle.name` says, else the name in the argument's location (where
// JAX writes what its user calls it: "params['w']"), else "arg0". Names in locations that are another's already do not
// count.
std::vector<std::string> argumentNames(func::FuncOp func);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_PASSES_H
