// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-compile: a model in, an artifact out. Flags: docs/cli.md.
#include "compiler/Pipelines/Compile.h"
#include "compiler/Pipelines/Messages.h"
#include "compiler/Stages/Devices/Pipeline.h"
#include "heddle/contract/Text.h"
#include "tools/compile/TargetFlags.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/MachineFiles.h"
#include "tools/lib/Mains.h"

#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

#include <optional>
#include <unistd.h>

using namespace mlir;
using namespace mlir::heddle;
using namespace ::heddle::tools;

namespace {

struct Flags {
  std::string model, output, compileTo = "package", stats;
  std::vector<std::string> targetCpus;
  std::optional<std::string> explain, dataTiling, place, shard, maxTransient;
  std::vector<std::string> strategies;
  bool reproducible = false;
  std::optional<uint64_t> optLevel;
  CompileOptions options;
  bool tune = false;
};

void define(CommandLine &line, Flags &flags) {
  line.positional(flags.model, "MODEL", "the model: .onnx (with external data beside it), .mlir or .mlirbc");
  line.value(flags.output, "-o,--output", "FILE", "where the artifact goes; with --compile-to the IR");
  line.list(flags.options.targetDevices, "--target-device", "SPEC", kTargetDeviceHelp);
  line.value(flags.options.defaultDevice, "--default-device", "NAME|N",
             "where goes what belongs on no other device (the first)");
  line.list(flags.options.meshSizes, "--mesh", "AXIS=SIZE,…",
            "sizes of a mesh's axes that the program leaves free, here or when the artifact is loaded");
  line.value(flags.shard, "--shard", "auto", kShardHelp);
  line.value(flags.options.placeFile, "--place-file", "FILE",
             "lines 'pattern = device': where nodes of the model run, by their names");
  line.value(flags.options.shardFile, "--shard-file", "FILE",
             "lines 'pattern = sharding': how ranks share inputs, parameters and values, by their names");
  line.list(
      flags.options.otherModels, "--with", "MODEL",
      "another model in the same artifact: weights of the same name and bytes are there once, and each model's main "
      "becomes an entry point named like its file");
  line.list(flags.options.states, "--state", "INPUT=OUTPUT", kStateHelp);
  line.list(flags.options.donations, "--donate", "INPUT[=OUTPUT]", kDonateHelp);
  line.list(flags.targetCpus, "--target-cpu", "CPU,…", kTargetCpuHelp);
  line.value(flags.optLevel, "-O", "0|1|2|3", "how much LLVM optimises kernels (2)");
  line.value(flags.compileTo, "--compile-to", "STAGE", "stop after this stage and write its IR");
  line.value(flags.dataTiling, "--data-tiling", "on|off", kDataTilingHelp);
  line.list(flags.strategies, "--strategy", "NAME", kStrategyHelp);
  line.value(flags.maxTransient, "--max-transient", "SIZE", kMaxTransientHelp);
  line.flag(flags.reproducible, "--reproducible", kReproducibleHelp);
  line.flag(flags.options.strictFloat, "--strict-float", kStrictFloatHelp);
  line.value(flags.place, "--place", "auto", kPlaceHelp);
  line.list(
      flags.options.expected, "--expect", "NAME=SIZE,…",
      "sizes that free dimensions are expected to have: for --place=auto, memory and estimates; calls may differ");
  line.value(flags.options.topology, "--topology", "FILE|measured",
             "how fast devices and the links between them are; measured: what heddle devices --measure kept");
  line.value(flags.options.dumpDir, "--dump-dir", "DIR", "write the IR after each stage to DIR/NN-stage.mlir");
  line.list(flags.options.disabledPasses, "--disable-pass", "PASS", "skip a pass, by its flag; may be repeated");
  line.value(flags.options.layoutResolver, "--layout-resolver", "NAME",
             "in place of the devices' own layouts, for tests: identity, unsupported, blocked");
  line.flag(flags.options.timing, "--timing", "print how long each pass took");
  line.optionalValue(flags.explain, "--explain", "FILE",
                     "say which ops share a dispatch and what nodes they come from");
  line.flag(flags.tune, "--tune",
            "measure tiles of the costly kernels on this machine and keep winners in $HEDDLE_CACHE_DIR");
  line.value(flags.stats, "--stats", "FILE", "write figures of the compilation as JSON");
}

std::string stageNames() {
  std::string names;
  for (const StageInfo &info : getStages())
    names += (names.empty() ? "" : " ") + std::string(info.name);
  return names;
}

// The first name that is no pass; none when all are.
std::optional<std::string> findUnknownPass(const std::vector<std::string> &names) {
  if (names.empty())
    return std::nullopt;
  registerPasses();
  registerTransformsPasses();
  registerLinalgPasses();
  for (const std::string &name : names)
    if (!PassInfo::lookup(name))
      return name;
  return std::nullopt;
}

void writeText(const std::string &path, StringRef text) {
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_Text);
  if (error)
    throw Failure("cannot write '" + path + "': " + error.message());
  file.os() << text;
  file.keep();
}

// What the flags say that CommandLine does not check.
void validate(Flags &flags) {
  if (flags.output.empty())
    throw UsageError("where to write is missing: heddle compile MODEL -o OUT.heddle");
  if (flags.optLevel.value_or(2) > 3)
    throw UsageError("-O takes 0, 1, 2 or 3, got " + std::to_string(*flags.optLevel));
  flags.options.optLevel = flags.optLevel.value_or(2);
  if (flags.options.topology == "measured")
    flags.options.topology = measuredTopologyPath();
  checkTargetDevices(flags.options.targetDevices, !flags.targetCpus.empty());
  flags.options.targetCpus = parseTargetCpus(flags.targetCpus);
  parseStrategies(flags.dataTiling, flags.strategies, flags.options);
  flags.options.maxTransient = parseMaxTransient(flags.maxTransient);
  if (flags.reproducible && !flags.options.splitStrategy.empty())
    flags.options.splitStrategy = "reproducible";
  flags.options.placeByCost = parseAuto("--place", flags.place);
  flags.options.chooseShardings = parseAuto("--shard", flags.shard);
  checkLayoutResolver(flags.options.layoutResolver);
  std::optional<Stage> stage = parseStage(flags.compileTo);
  if (!stage)
    throw UsageError("unknown stage '" + flags.compileTo + "'; stages: " + stageNames());
  if (std::optional<std::string> unknown = findUnknownPass(flags.options.disabledPasses))
    throw UsageError("--disable-pass: no pass '" + *unknown + "'; --timing and docs/passes.md show their names");
  flags.options.compileTo = *stage;
}

// What the flags say of devices that only the targets know, on a module without anything else.
void checkDevices(const Flags &flags, MLIRContext &context) {
  bool mayDeclare = StringRef(flags.model).ends_with(".mlir") || StringRef(flags.model).ends_with(".mlirbc");
  if (mayDeclare && flags.options.targetDevices.empty())
    return; // --default-device may name what the module declares
  auto check = [&](const std::string &flag, const std::string &defaultDevice) {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (message.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        message = diagnostic.str();
      return success();
    });
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    PassManager passes(&context);
    buildDevicesPipeline(passes, {flags.options.targetDevices, flags.options.targetCpus, defaultDevice, ""});
    if (failed(passes.run(*module)))
      throw UsageError(StringRef(message).starts_with("--") ? message : flag + ": " + message);
  };
  check("--target-device", "");
  if (!flags.options.defaultDevice.empty())
    check("--default-device", flags.options.defaultDevice);
}

int run(int argc, char **argv) {
  Flags flags;
  CommandLine line("heddle compile", "Compiles a model to an artifact that runs on any mix of devices",
                   "Examples:\n  heddle compile model.onnx -o model.heddle\n"
                   "  heddle compile model.onnx -o model.mlir --compile-to=form --explain");
  define(line, flags);
  if (auto status = line.parse(argc, argv))
    return *status;
  registerTargets();
  validate(flags);
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  checkDevices(flags, context);
  Messages messages(context);
  CompileReport report;
  TuneOptions tune;
  tune.cacheDir = getDefaultCacheDir();
  tune.optLevel = flags.options.optLevel;
  tune.progress = isatty(STDERR_FILENO) ? &llvm::errs() : nullptr;
  if (failed(compileModel(flags.model, flags.output, &context, flags.options, &report, flags.tune ? &tune : nullptr)))
    return messages.refusesFlag() ? kUsage : kFailed;
  if (!flags.stats.empty())
    writeText(flags.stats, toJson(report) + "\n");
  if (flags.explain && flags.explain->empty())
    llvm::errs() << ::heddle::contract::showText(report.explanation);
  else if (flags.explain)
    writeText(*flags.explain, report.explanation);
  if (flags.tune)
    llvm::errs() << "tuned " << report.tuned.measured << " of " << report.tuned.costly << " costly kernels ("
                 << report.tuned.reused << " from the cache)\n";
  if (flags.options.compileTo == Stage::Package)
    llvm::errs() << toSentence(report) << '\n';
  return kDone;
}

} // namespace

int ::heddle::tools::compileMain(int argc, char **argv) {
  return runTool("heddle compile", [&] { return run(argc, argv); });
}
