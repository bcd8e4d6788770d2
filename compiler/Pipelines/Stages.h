// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program's way through the compiler: the stages, in order, and how to run them. The page to read first.
//
// One stage = one folder = one flat pipeline = one `--compile-to=` value = one numbered dump = one verifier at its end.
// Each stage may rely on what the verifier before it promised; none reaches back. The promise of each stage stands in
// Stages.cpp.
#ifndef HEDDLE_COMPILER_PIPELINES_STAGES_H
#define HEDDLE_COMPILER_PIPELINES_STAGES_H

#include "compiler/Pipelines/CompileOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <optional>
#include <vector>

namespace mlir::heddle {

// What one stage cost.
struct StageTime {
  Stage stage;
  double ms;
};

// One stage: its name for flags and dumps, what its verifier promises, and its passes.
struct StageInfo {
  Stage stage;
  const char *name;
  const char *promise;
  // Null for `import`, which is no pass pipeline: it reads the model. The
  // artifact is written by writeArtifact() from what `package` leaves.
  void (*build)(OpPassManager &, const CompileOptions &);
};

// All stages in order.
ArrayRef<StageInfo> getStages();
const StageInfo &getInfo(Stage stage);

// The stage of that name; none if there is no such stage.
std::optional<Stage> parseStage(StringRef name);

// Runs the pass pipelines of the stages after `import` up to `options.output.compileTo` on an imported module,
// verifying and dumping after each. `afterStage`, if given, sees the module after each stage that ran and may fail the
// compilation. Fails with diagnostics.
using StageHook = std::function<LogicalResult(Stage, ModuleOp)>;
LogicalResult runStages(ModuleOp module, const CompileOptions &options, std::vector<StageTime> *times = nullptr,
                        const StageHook &afterStage = nullptr);

// Writes `NN-stage.mlir` to `options.output.dumpDir` (made if missing), large constants elided. Does nothing without a
// dumpDir.
LogicalResult dumpStage(ModuleOp module, Stage stage, const CompileOptions &options);

// Registers every target (compiler/Target/TargetRegistry.h); the two below do so, too.
void registerTargets();

// Registers every dialect and interface the stages need.
void registerDialects(DialectRegistry &registry);

// Registers our passes, for heddle-opt.
void registerPasses();

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_STAGES_H
