// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program's way through the compiler: the stages, in order, and how to run them. The page to read first.
//
// One stage = one folder = one flat pipeline = one `--compile-to=` value = one numbered dump = one verifier at its end.
// Each stage may rely on what the verifier before it promised; none reaches back. The promise of each stage stands in
// Stages.cpp.
#ifndef HEDDLE_COMPILER_PIPELINES_STAGES_H
#define HEDDLE_COMPILER_PIPELINES_STAGES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlir::heddle {

enum class Stage {
  Import,
  Devices,
  Partition,
  Simplify,
  Encode,
  Form,
  Place,
  Resolve,
  Schedule,
  Codegen,
  Package,
};

// When operands of contractions are laid out for the devices.
enum class DataTiling {
  Late,  // the graph says what is laid out for which use, `resolve` how: one program for all devices
  Early, // both at the end of `encode`, before dispatch formation; one executable target only
  Off,   // never
};

struct CompileOptions {
  std::vector<std::string> targetDevices;  // `--target-device=`, in the order given; empty: the host CPU
  std::vector<std::string> targetCpus;     // `--target-cpu=`, see compiler/Target/CPU/CpuTarget.h; empty: "host"
  std::vector<std::string> meshSizes;      // `--mesh=`, AXIS=SIZE, see ranks-resolve-meshes
  bool chooseShardings = false;            // `--shard=auto`, see ranks-choose-shardings
  std::string placeFile;                   // `--place-file=`, see compiler/Stages/Devices/PlaceFile.h; empty: none
  std::string shardFile;                   // `--shard-file=`, see Import/Annotations/ShardFile.h; empty: none
  std::string defaultDevice;               // `--default-device=`, name or position; empty: the module's, else the first
  std::vector<std::string> states;         // `--state=`, see import-bind-state in compiler/Stages/Import/Passes.td
  std::vector<std::string> donations;      // `--donate=`, likewise
  std::vector<std::string> otherModels;    // `--with=`: further models in the same artifact
  std::vector<std::string> dims;           // `--dim=`: NAME=SIZE, see Import/Onnx/Model/FixedSizes.h
  bool outputAll = false;                  // `--output-all`
  std::string kernelCache;                 // a folder, see compiler/Codegen/Link/ObjectCache.h; empty: none
  std::string compilerIdentity;            // with it: differs for each build of the compiler and its libraries
  std::string producer = "heddle";         // what the artifact says that it was made by
  Stage compileTo = Stage::Package;        // last stage to run
  std::string layoutResolver;              // in place of the devices' own, for tests: compiler/Target/LayoutResolvers.h
  std::string dumpDir;                     // one `NN-stage.mlir` after each stage; empty: none
  std::vector<std::string> disabledPasses; // `--disable-pass=`: command-line names of passes to skip
  DataTiling dataTiling = DataTiling::Late; // `--data-tiling=`, `--strategy=early-data-tiling`
  bool strictFloat = false;                 // `--strict-float`
  std::string precision = "f32";            // `--precision=`, see encode-narrow-products
  std::string splitStrategy = "default";    // `--strategy=split:NAME`; empty: only ops that say so are split
  int64_t overlapPieces = 0;                // `--strategy=overlap:…`, see ranks-overlap
  bool overlapBranches = true;              // `--strategy=streams:default`, `streams:off`
  std::optional<int64_t> maxTransient;      // `--max-transient=`: bytes; see TransientLimit.h
  unsigned optLevel = 2;                    // `-O0` to `-O3`: LLVM's level for kernels
  bool placeByCost = false;                 // `--place=auto`
  std::string topology;                     // `--topology=`: a file, see ReadTopology.h; empty: none
  std::vector<std::string> expected;        // `--expect=`: NAME=SIZE, see ExpectedSizes.h
  bool sizesOnly = false;                   // of a trial, whose program is thrown away: parameters are not packed
  bool timing = false;                      // print a table of pass times to standard error
};

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

// Runs the pass pipelines of the stages after `import` up to `options.compileTo` on an imported module, verifying and
// dumping after each. `afterStage`, if given, sees the module after each stage that ran and may fail the compilation.
// Fails with diagnostics.
using StageHook = std::function<LogicalResult(Stage, ModuleOp)>;
LogicalResult runStages(ModuleOp module, const CompileOptions &options, std::vector<StageTime> *times = nullptr,
                        const StageHook &afterStage = nullptr);

// Writes `NN-stage.mlir` to `options.dumpDir` (made if missing), large constants elided. Does nothing without a
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
