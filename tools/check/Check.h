// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares every stage of a compilation with the reference and names the first that computes something else.
//
//   import … place   the stage's IR through compiler/Reference, against the results of `import`
//   resolve          the same, values with a layout as they lie in memory
//   schedule         the host program, op by op, against the values of `resolve` (ReferenceMachine.h)
//   codegen          each dispatch's machine code on the values of `resolve` (Kernels.h)
//   package          the artifact's bytes against the module, then its run against the results of `import`
//
// Of a program for many ranks the tensor stages and the artifact are run on all of them, kernels on the values of rank
// 0; the host program is not run.
#ifndef HEDDLE_TOOLS_CHECK_CHECK_H
#define HEDDLE_TOOLS_CHECK_CHECK_H

#include "tools/check/Locate.h"
#include "tools/check/Repro.h"

#include "compiler/Pipelines/Stages.h"

namespace mlir::heddle::check {

struct StageReport {
  Stage stage;
  std::string fault; // "" if the stage is right
  bool ran = true;   // false: the stage itself failed, with diagnostics
  std::string where; // the first dispatch or op, as describe() spells it; "" if none is known
  std::string note;  // what could not be looked at
  std::optional<Repro> repro;
};

struct CheckOptions {
  CompileOptions compile;
  std::vector<std::vector<Tensor>> rankInputs; // of a program for many ranks: the inputs of each; else empty
  std::vector<std::string> devices;            // URIs that the artifact runs on; none: all that the machine has
  // Changes the module after a stage and before it is looked at: how the tests seed bugs.
  StageHook tamper;
  // Likewise for the artifact's file, between writing and looking.
  std::function<void(const std::string &path)> tamperArtifact;
};

// Checks an imported module; compiles it on the way. `observe` sees each stage's report as it is known; the last report
// has the fault, if there is one. Returns whether all stages are right; fails with diagnostics when `import` itself
// cannot be run.
FailureOr<bool> checkModule(ModuleOp module, ArrayRef<Tensor> inputs, const CheckOptions &options,
                            llvm::function_ref<void(const StageReport &)> observe);

// Runs an artifact and compares its results with what the reference makes of the model it was compiled from. The report
// is one of stage `package`.
FailureOr<StageReport> checkArtifactFile(ModuleOp model, const std::string &artifact, ArrayRef<Tensor> inputs,
                                         const CheckOptions &options = {});

} // namespace mlir::heddle::check

#endif // HEDDLE_TOOLS_CHECK_CHECK_H
