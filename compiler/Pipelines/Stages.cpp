// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/Stages.h"

#include "compiler/Dialect/Encoding/Transforms/Passes.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Dialect/Intent/Transforms/Passes.h"
#include "compiler/Dialect/SilentFailures.h"
#include "compiler/Dialect/Verification.h"
#include "compiler/Pipelines/FormModelOf.h"
#include "compiler/Pipelines/TransientLimit.h"
#include "compiler/Pipelines/WholePrograms.h"
#include "compiler/Stages/Codegen/Pipeline.h"
#include "compiler/Stages/Devices/Pipeline.h"
#include "compiler/Stages/Encode/Passes.h"
#include "compiler/Stages/Encode/Pipeline.h"
#include "compiler/Stages/Form/Passes.h"
#include "compiler/Stages/Form/Pipeline.h"
#include "compiler/Stages/Package/Package.h"
#include "compiler/Stages/Place/Pipeline.h"
#include "compiler/Stages/Ranks/Pipeline.h"
#include "compiler/Stages/Resolve/Pipeline.h"
#include "compiler/Stages/Schedule/Pipeline.h"
#include "compiler/Stages/Simplify/Passes.h"
#include "compiler/Stages/Simplify/Pipeline.h"
#include "compiler/Stages/Split/Passes.h"
#include "compiler/Stages/Streams/Passes.h"
#include "compiler/Stages/Streams/Pipeline.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

#include <chrono>

using namespace mlir;
using namespace mlir::heddle;

// The top-level list. Why here: docs/design/structure.md.
static const StageInfo kStages[] = {
    {Stage::Import, "import", "only func, linalg, tensor, arith, math, scf, our ops; every dynamic dimension named",
     nullptr},
    {Stage::Devices, "devices", "every device symbol has a registered driver and executable targets",
     [](OpPassManager &pm, const CompileOptions &options) {
       // Before pins, marks for streams and shardings, which follow loops.
       pm.addPass(createDecomposeAttentionFor(formModelOf(options)));
       pm.addPass(createDecomposeListsFor(formModelOf(options)));
       buildDevicesPipeline(pm, options.devices);
     }},
    {Stage::Partition, "partition",
     "all members meet each collective, which moves whole pieces; what is marked for streams is a loop",
     [](OpPassManager &pm, const CompileOptions &options) {
       pm.addPass(createPrepareWholePrograms(options.ranks.chooseShardings));
       buildRanksPipeline(pm, {options.ranks.meshSizes, options.ranks.chooseShardings, options.ranks.overlapPieces});
       buildStreamsPipeline(pm, {options.code.strictFloat});
     }},
    {Stage::Simplify, "simplify", "still well formed",
     [](OpPassManager &pm, const CompileOptions &options) { buildSimplifyPipeline(pm, {options.placement.byCost}); }},
    {Stage::Encode, "encode",
     "convolutions have their channels last; no transpose of a transpose; encodings at contractions",
     [](OpPassManager &pm, const CompileOptions &options) {
       EncodeOptions encode;
       encode.precision = options.code.precision;
       encode.winograd = options.code.strictFloat ? "off" : options.code.winograd;
       encode.setEncodings = options.layout.dataTiling != DataTiling::Off;
       encode.chooseReductions = [&](OpPassManager &reductions) {
         if (!options.split.script.empty())
           reductions.addPass(createApplyScript({options.split.script}));
         reductions.addPass(createChooseReductions({options.split.strategy, options.code.strictFloat}));
       };
       if (options.layout.dataTiling == DataTiling::Early)
         encode.finish = [&](OpPassManager &encodings) {
           encodings.addPass(createVerifyEarly());
           buildEarlyResolvePipeline(encodings, {options.layout.resolver, options.layout.sizesOnly});
         };
       buildEncodePipeline(pm, encode);
     }},
    {Stage::Form, "form", "tensors are computed in executables and nowhere else; long reductions in parts",
     [](OpPassManager &pm, const CompileOptions &options) {
       buildFormPipeline(pm, {options.placement.byCost, [&](OpPassManager &regions) {
                                regions.addPass(createSplitReductions({options.code.strictFloat}));
                              }});
       pm.addPass(createHoistInvariants());
       pm.addPass(createVerifyStreams());
     }},
    {Stage::Place, "place", "one device per op, every crossing a transfer",
     [](OpPassManager &pm, const CompileOptions &options) {
       buildPlacePipeline(pm, {options.placement.byCost, options.split.overlapBranches});
     }},
    {Stage::Resolve, "resolve", "no abstract encoding; parameters in their layouts",
     [](OpPassManager &pm, const CompileOptions &options) {
       buildResolvePipeline(pm, {options.layout.resolver, options.layout.sizesOnly});
     }},
    {Stage::Schedule, "schedule", "race-free, freed once, acyclic",
     [](OpPassManager &pm, const CompileOptions &) {
       // What this stage makes of a loop depends on its attribute.
       pm.addPass(createVerifyStreams());
       buildSchedulePipeline(pm);
     }},
    {Stage::Codegen, "codegen", "every executable has a variant for every target",
     [](OpPassManager &pm, const CompileOptions &options) { buildCodegenPipeline(pm, {options.code.optLevel}); }},
    {Stage::Package, "package", "the artifact verifier accepts it",
     [](OpPassManager &pm, const CompileOptions &) { buildPackagePipeline(pm); }},
};

ArrayRef<StageInfo> mlir::heddle::getStages() { return kStages; }

const StageInfo &mlir::heddle::getInfo(Stage stage) { return kStages[static_cast<size_t>(stage)]; }

std::optional<Stage> mlir::heddle::parseStage(StringRef name) {
  for (const StageInfo &info : kStages)
    if (name == info.name)
      return info.stage;
  return std::nullopt;
}

LogicalResult mlir::heddle::dumpStage(ModuleOp module, Stage stage, const CompileOptions &options) {
  if (options.output.dumpDir.empty())
    return success();
  if (std::error_code error = llvm::sys::fs::create_directories(options.output.dumpDir))
    return module.emitError() << "cannot make the dump folder '" << options.output.dumpDir << "': " << error.message();
  SmallString<128> path(options.output.dumpDir);
  std::string name;
  llvm::raw_string_ostream(name) << llvm::format("%02d-", static_cast<int>(stage) + 1) << getInfo(stage).name
                                 << ".mlir";
  llvm::sys::path::append(path, name);
  std::string message;
  auto file = openOutputFile(path, &message);
  if (!file)
    return module.emitError() << message;
  module.print(file->os(), OpPrintingFlags().elideLargeElementsAttrs(32).elideLargeResourceString(64));
  file->os() << '\n';
  file->keep();
  return success();
}

namespace {

// Skips passes by their command-line name for the time of its life.
class PassFilter {
public:
  PassFilter(MLIRContext *context, const std::vector<std::string> &names) : context(context) {
    for (const std::string &name : names)
      disabled.insert(name);
    if (disabled.empty())
      return;
    context->registerActionHandler([this](function_ref<void()> run, const tracing::Action &action) {
      auto *execution = dyn_cast<PassExecutionAction>(&action);
      if (!execution || !disabled.contains(execution->getPass().getArgument()))
        run();
    });
  }
  ~PassFilter() {
    if (!disabled.empty())
      context->registerActionHandler({});
  }

private:
  MLIRContext *context;
  llvm::StringSet<> disabled;
};

} // namespace

static LogicalResult runStage(ModuleOp module, const StageInfo &info, const CompileOptions &options,
                              TimingScope &timing) {
  auto pm = PassManager::on<ModuleOp>(module.getContext());
  nameSilentFailures(pm);
  info.build(pm, options);
  pm.addPass(createVerifyEncoding());
  TimingScope scope = timing.nest(info.name);
  pm.enableTiming(scope);
  return runVerified(pm, module);
}

// Before `partition`, which makes loops of marks: marks what keeps to `--max-transient`.
static void keepToLimit(ModuleOp module, const CompileOptions &options, TimingScope &timing) {
  TimingScope scope = timing.nest("--max-transient");
  intent::decompose(module); // parts are along loops
  CompileOptions trial = options;
  trial.layout.sizesOnly = true;
  limitTransients(module, *options.split.maxTransient, [&](ModuleOp copy) {
    for (const StageInfo &info : kStages)
      if (info.build && info.stage >= Stage::Partition && info.stage <= Stage::Schedule &&
          failed(runStage(copy, info, trial, scope)))
        return failure();
    return success();
  });
}

LogicalResult mlir::heddle::runStages(ModuleOp module, const CompileOptions &options, std::vector<StageTime> *times,
                                      const StageHook &afterStage) {
  DefaultTimingManager timing;
  timing.setEnabled(options.output.timing);
  TimingScope root = timing.getRootScope();
  PassFilter filter(module.getContext(), options.disabledPasses);
  for (const StageInfo &info : kStages) {
    if (info.stage > options.output.compileTo)
      break;
    if (!info.build)
      continue;
    auto start = std::chrono::steady_clock::now();
    if (info.stage == Stage::Partition && options.split.maxTransient)
      keepToLimit(module, options, root);
    if (failed(runStage(module, info, options, root)))
      return failure();
    if (info.stage == Stage::Schedule && options.split.maxTransient)
      warnOfTransients(module, *options.split.maxTransient);
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    if (times)
      times->push_back({info.stage, elapsed.count()});
    if (failed(dumpStage(module, info.stage, options)) || (afterStage && failed(afterStage(info.stage, module))))
      return failure();
  }
  return success();
}
