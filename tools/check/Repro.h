// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small programs that show a finding.
#ifndef HEDDLE_TOOLS_CHECK_REPRO_H
#define HEDDLE_TOOLS_CHECK_REPRO_H

#include "tools/check/Locate.h"

namespace mlir::heddle::check {

// The smallest program that shows a finding. With a dispatch: its executable as an entry point @main; else the module
// the stage was given.
struct Repro {
  std::string name; // file name: "codegen-matmul_2.mlir"
  std::string source;
  std::vector<Tensor> inputs, expected;
};

// The executable of a dispatch as a module with an entry point @main on the dispatch's tensors; its index arguments are
// constants. None if `module` has no such executable any more.
std::optional<Repro> reproOf(ModuleOp module, const Step &dispatch, StringRef stage);

// The whole module as bytecode, parameters included.
Repro reproOf(ModuleOp module, ArrayRef<Tensor> inputs, ArrayRef<Tensor> expected, StringRef stage);

} // namespace mlir::heddle::check

#endif // HEDDLE_TOOLS_CHECK_REPRO_H
