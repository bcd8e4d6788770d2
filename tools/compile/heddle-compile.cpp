// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-compile: a model in, an artifact out. Flags: docs/cli.md.
#include "compiler/Pipelines/Compile.h"
#include "compiler/Pipelines/Messages.h"
#include "compiler/Stages/Devices/Pipeline.h"
#include "heddle/contract/Text.h"
#include "tools/cache/CompileCache.h"
#include "tools/cache/CompileFlags.h"
#include "tools/cache/Folder.h"
#include "tools/cache/Identity.h"
#include "tools/compile/Progress.h"
#include "tools/compile/TargetFlags.h"
#include "tools/lib/Build.h"
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

// Passes text on, unless it is held back, and keeps all of it.
class Recorder : public llvm::raw_ostream {
public:
  // The line of `progress` (null: there is none) gives way to the text.
  Recorder(llvm::raw_ostream &to, Progress *progress) : raw_ostream(/*unbuffered=*/true), to(to), progress(progress) {}
  const std::string &text() const { return all; }

  bool isPassing = true;

private:
  void write_impl(const char *bytes, size_t size) override {
    all.append(bytes, size);
    auto pass = [&] { to << StringRef(bytes, size); };
    if (isPassing && progress)
      progress->interrupt(pass);
    else if (isPassing)
      pass();
  }
  uint64_t current_pos() const override { return all.size(); }

  llvm::raw_ostream &to;
  Progress *progress;
  std::string all;
};

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
CompileOptions validate(const CompileFlags &flags) {
  CompileOptions options;
  if (flags.output.empty())
    throw UsageError("where to write is missing: heddle compile MODEL -o OUT.heddle");
  if (flags.optLevel.value_or(2) > 3)
    throw UsageError("-O takes 0, 1, 2 or 3, got " + std::to_string(*flags.optLevel));
  (void)isCacheable(flags);
  options.code.optLevel = flags.optLevel.value_or(2);
  options.output.producer = buildText();
  options.devices.defaultDevice = flags.defaultDevice;
  options.ranks.meshSizes = flags.meshSizes;
  options.devices.placeFile = flags.placeFile;
  options.ranks.shardFile = flags.shardFile;
  options.split.script = flags.splitFile;
  options.model.others = flags.otherModels;
  options.state.bound = flags.states;
  options.state.donated = flags.donations;
  options.model.dims = flags.dims;
  options.model.outputAll = flags.outputAll;
  options.model.expected = flags.expected;
  options.output.dumpDir = flags.dumpDir;
  options.disabledPasses = flags.disabledPasses;
  options.layout.resolver = flags.layoutResolver;
  options.output.timing = flags.timing;
  options.code.strictFloat = flags.strictFloat;
  options.code.precision = parsePrecision(flags.precision, flags.strictFloat);
  if (flags.roundActivations && flags.strictFloat)
    throw UsageError("--round-activations rounds operands of products and --strict-float rounds nothing: give one of "
                     "the two");
  options.code.roundActivations = flags.roundActivations;
  options.placement.topology = flags.topology == "measured" ? measuredTopologyPath() : flags.topology;
  options.devices.targets = parseTargetDevices(flags.targetDevices, !flags.targetCpus.empty());
  options.devices.cpus = parseTargetCpus(flags.targetCpus);
  parseStrategies(flags.dataTiling, flags.strategies, options);
  options.split.maxTransient = parseMaxTransient(flags.maxTransient);
  if (flags.reproducible && !options.split.strategy.empty())
    options.split.strategy = "reproducible";
  options.placement.byCost = parseAuto("--place", flags.place);
  options.ranks.chooseShardings = parseAuto("--shard", flags.shard);
  checkLayoutResolver(options.layout.resolver);
  std::optional<Stage> stage = parseStage(flags.compileTo);
  if (!stage)
    throw UsageError("unknown stage '" + flags.compileTo + "'; stages: " + stageNames());
  if (std::optional<std::string> unknown = findUnknownPass(options.disabledPasses))
    throw UsageError("--disable-pass: no pass '" + *unknown + "'; --timing and docs/passes.md show their names");
  options.output.compileTo = *stage;
  return options;
}

// What the flags say of devices that only the targets know, on a module without anything else: before the model is
// read.
void checkDevices(StringRef model, DevicesOptions devices, MLIRContext &context) {
  if ((model.ends_with(".mlir") || model.ends_with(".mlirbc")) && devices.targets.empty())
    return; // --default-device may name what the module declares
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      message = diagnostic.str();
    return success();
  });
  devices.placeFile.clear(); // its pins are of the model's ops
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  PassManager passes(&context);
  buildDevicesPipeline(passes, devices);
  if (failed(passes.run(*module)))
    throw UsageError(StringRef(message).starts_with("--") ? message : "--target-device: " + message);
}

// Where the artifact is written that the cache is to have: no other process writes there, as it may to the output.
class OwnOutput {
public:
  // Where there is no such place, the compiler says why of the output itself, and nothing is kept.
  OwnOutput(const std::string &output, bool isWanted) : output(output) {
    bool isFile = !llvm::sys::fs::exists(output) || llvm::sys::fs::is_regular_file(output);
    SmallString<128> name;
    if (isWanted && isFile && !llvm::sys::fs::createUniqueFile(output + ".tmp-%%%%%%%%", name))
      own = std::string(name);
  }
  ~OwnOutput() {
    if (isOwn())
      llvm::sys::fs::remove(own);
  }
  OwnOutput(const OwnOutput &) = delete;
  OwnOutput &operator=(const OwnOutput &) = delete;

  bool isOwn() const { return !own.empty(); }
  const std::string &path() const { return isOwn() ? own : output; }
  void commit() {
    if (!isOwn())
      return;
    if (std::error_code error = llvm::sys::fs::rename(own, output))
      throw Failure("cannot write '" + output + "': " + error.message());
    own.clear();
  }

private:
  std::string output, own;
};

// Puts what was made, `artifact`, into the cache by the key that the program in front of this one computed before:
// where the inputs have another one now, they changed meanwhile.
void keep(const CompileFlags &flags, const CommandLine &line, const std::string &artifact, std::string messages,
          const CompileReport &report) {
  KeyInputs inputs = keyInputs(flags, line, "/proc/self/exe");
  std::string reason = "the inputs changed while they were compiled";
  try {
    CompileCache cache(cacheFolder());
    if (!cache.reason().empty())
      reason = cache.reason();
    else if (makeKey(inputs) == flags.cacheKey)
      reason = cache.keep(
          flags.cacheKey,
          {flags.model, artifact, 0, 0, withMarks(std::move(messages), inputs.paths()), toJson(report), {}, {}},
          cacheLimit());
  } catch (const std::exception &failure) {
    reason = failure.what();
  }
  if (flags.verbose)
    llvm::errs() << "heddle compile: " << (reason.empty() ? "kept in the cache" : "not kept in the cache: " + reason)
                 << '\n';
}

// Where kernels are kept, when artifacts are: by the compiler and its libraries, which kernels do not list.
void useKernelCache(CompileOptions &options) {
  std::string folder = cacheFolder();
  if (!folder.empty() && checkFolder(folder).empty() && checkFolder(folder + "/kernels").empty()) {
    options.code.kernelCache = folder + "/kernels";
    options.code.compilerIdentity = identifyBinary("/proc/self/exe");
    for (const auto &[path, identity] : identifyLibraries())
      options.code.compilerIdentity += "\n" + identity;
  }
}

// What a compilation ends with.
void printReport(const CompileFlags &flags, const CompileReport &report, llvm::raw_ostream &os) {
  if (flags.explain && flags.explain->empty())
    os << ::heddle::contract::showText(report.explanation);
  else if (flags.explain)
    writeText(*flags.explain, report.explanation);
  if (flags.tune)
    os << toSentence(report.tuned) << '\n';
  if (flags.compileTo == "package")
    os << toSentence(report) << '\n';
}

int run(int argc, char **argv) {
  CompileFlags flags;
  CommandLine line("heddle compile", "Compiles a model to an artifact that runs on any mix of devices", kCompileFooter);
  define(line, flags);
  if (auto status = line.parse(argc, argv))
    return *status;
  registerTargets();
  CompileOptions options = validate(flags);
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  checkDevices(flags.model, options.devices, context);
  int descriptor = flags.quiet ? -1 : findTerminal();
  bool shows = descriptor >= 0;
  llvm::raw_fd_ostream terminal(shows ? descriptor : STDERR_FILENO, /*shouldClose=*/false, /*unbuffered=*/true);
  std::optional<Progress> progress;
  if (shows && !flags.timing) // which ends in a table of its own
    progress.emplace(context, terminal);
  Recorder recorder(llvm::errs(), progress ? &*progress : nullptr);
  Messages messages(context, recorder);
  ScopedDiagnosticHandler quiet(&context, [&](Diagnostic &diagnostic) { // called before the one above
    recorder.isPassing = !flags.quiet || diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure();
  });
  if (!flags.cacheKey.empty())
    useKernelCache(options);
  CompileReport report;
  TuneOptions tune;
  tune.cacheDir = getDefaultCacheDir();
  tune.optLevel = options.code.optLevel;
  tune.progress = shows ? &terminal : nullptr;
  OwnOutput output(flags.output, !flags.cacheKey.empty());
  if (failed(compileModel(flags.model, output.path(), &context, options, &report, flags.tune ? &tune : nullptr)))
    return messages.refusesFlag() ? kUsage : kFailed;
  recorder.isPassing = !flags.quiet;
  if (!flags.stats.empty())
    writeText(flags.stats, toJson(report) + "\n");
  printReport(flags, report, recorder);
  if (output.isOwn())
    keep(flags, line, output.path(), recorder.text(), report);
  output.commit();
  return kDone;
}

} // namespace

int ::heddle::tools::compileMain(int argc, char **argv) {
  return runTool("heddle compile", [&] { return run(argc, argv); });
}
