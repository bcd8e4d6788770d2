// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle check: every stage of a compilation against the reference; first divergence; smallest repro.
#include "compiler/Dialect/Heddle/IR/State.h"
#include "compiler/Pipelines/Compile.h"
#include "compiler/Pipelines/FormModelOf.h"
#include "compiler/Pipelines/Messages.h"
#include "compiler/Stages/Import/Import.h"
#include "compiler/Stages/Ranks/Pipeline.h"
#include "heddle/contract/Text.h"
#include "tools/check/Check.h"
#include "tools/check/Inputs.h"
#include "tools/compile/Progress.h"
#include "tools/compile/TargetFlags.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"
#include "tools/lib/MachineFiles.h"
#include "tools/lib/Mains.h"
#include "tools/lib/Npy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <unistd.h>

using namespace heddle::tools;
namespace check = mlir::heddle::check;
namespace reference = mlir::heddle::reference;

namespace {

struct Flags {
  std::string program, model, reproDir, layoutResolver, targetCpu, placeFile, shardFile, splitFile, defaultDevice,
      topology;
  InputFlags inputs;
  std::vector<std::string> meshSizes, disabledPasses, devices, targetDevices;
  std::optional<std::string> dataTiling, place, precision, shard;
  std::vector<std::string> strategies;
  mlir::heddle::CompileOptions compile; // what parseCompileOptions() makes of the others
};

void writeTensor(const std::filesystem::path &path, const ReferenceTensor &tensor) {
  OutputFile file(path);
  writeNpy(file, viewOf(tensor));
  file.commit();
}

// NAME.mlir with NAME-input-0.npy … and NAME-expected-0.npy …, ready for heddle-reference and heddle check.
void writeRepro(const std::string &folder, const check::Repro &repro) {
  std::filesystem::path directory(folder), program = directory / repro.name;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw Failure("cannot make '" + folder + "': " + error.message());
  OutputFile file(program);
  file.write(repro.source);
  file.commit();
  std::string stem = (directory / program.stem()).string(), arguments;
  for (size_t i = 0; i < repro.inputs.size(); ++i) {
    std::string path = stem + "-input-" + std::to_string(i) + ".npy";
    writeTensor(path, repro.inputs[i]);
    arguments += " --input=@" + path;
  }
  for (size_t i = 0; i < repro.expected.size(); ++i)
    writeTensor(stem + "-expected-" + std::to_string(i) + ".npy", repro.expected[i]);
  std::printf("repro: heddle check %s%s\n", program.c_str(), arguments.c_str());
}

// "form ok", " · codegen DIVERGES: …"
std::string spellReport(const check::StageReport &report, bool first) {
  auto shown = [](const std::string &text) { return ::heddle::contract::showText(text); };
  std::string text = (first ? "" : " · ") + std::string(mlir::heddle::getInfo(report.stage).name);
  if (report.fault.empty())
    return text + " ok" + (report.note.empty() ? "" : shown(" (" + report.note + ")"));
  if (!report.ran)
    return text + " FAILS: " + shown(report.fault);
  text += " DIVERGES: " + shown(report.fault);
  if (report.where.empty())
    return text;
  return text + "; first " + (report.where[0] == '@' ? "dispatch" : "op") + ": " + shown(report.where);
}

// The line of progress, and what is printed beside it: diagnostics take its place, and reports of stages, which make up
// one line of standard output, come after its end where that line would be on the same terminal.
class Terminal : public llvm::raw_ostream {
public:
  explicit Terminal(mlir::MLIRContext &context)
      : raw_ostream(/*unbuffered=*/true), descriptor(findTerminal()),
        line(descriptor < 0 ? STDERR_FILENO : descriptor, /*shouldClose=*/false, /*unbuffered=*/true) {
    if (descriptor >= 0)
      progress.emplace(context, line, "checking");
  }
  ~Terminal() override { end(); }

  void print(const std::string &report) {
    if (progress && isatty(STDOUT_FILENO))
      held += report;
    else
      write(report);
  }
  // Writes on an empty line.
  void interrupt(llvm::function_ref<void()> print) { progress ? progress->interrupt(print) : print(); }
  // No line from here on.
  void end() {
    progress.reset();
    write(std::exchange(held, {}));
  }

private:
  static void write(const std::string &text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
  void write_impl(const char *bytes, size_t size) override {
    position += size;
    interrupt([&] { llvm::errs() << llvm::StringRef(bytes, size); });
  }
  uint64_t current_pos() const override { return position; }

  int descriptor;
  llvm::raw_fd_ostream line;
  std::optional<Progress> progress;
  std::string held;
  uint64_t position = 0;
};

using Inputs = std::vector<std::vector<ReferenceTensor>>; // by rank

int checkStages(const Flags &flags, mlir::ModuleOp model, const Inputs &inputs, Terminal &terminal) {
  check::CheckOptions options;
  if (inputs.size() > 1)
    options.rankInputs = inputs;
  options.compile = flags.compile;
  options.devices = flags.devices;
  std::optional<check::Repro> repro;
  bool first = true;
  auto right = check::checkModule(model, inputs[0], options, [&](const check::StageReport &report) {
    terminal.print(spellReport(report, std::exchange(first, false)));
    if (report.repro)
      repro = report.repro;
  });
  terminal.end();
  if (!first)
    std::printf("\n");
  if (repro && !flags.reproDir.empty())
    writeRepro(flags.reproDir, *repro);
  return succeeded(right) && *right ? kDone : kFailed;
}

int checkFile(const Flags &flags, mlir::ModuleOp model, const Inputs &inputs, Terminal &terminal) {
  check::CheckOptions options;
  if (inputs.size() > 1)
    options.rankInputs = inputs;
  options.devices = flags.devices;
  auto report = check::checkArtifactFile(model, flags.program, inputs[0], options);
  terminal.end();
  if (failed(report))
    return kFailed;
  if (report->fault.empty()) {
    std::printf("artifact ok\n");
    return kDone;
  }
  // Either the compiler is wrong, which shows here too, or the artifact is of something else.
  std::printf("artifact DIVERGES: %s\n%s compiled here: ", report->fault.c_str(), flags.model.c_str());
  if (checkStages(flags, model, inputs, terminal) == kDone)
    std::printf(
        "every stage of %s is right, so %s was not compiled from it as it is now: from another model or before a "
        "change of it, or by another version of heddle; compile it again\n",
        flags.model.c_str(), flags.program.c_str());
  return kFailed;
}

// A check needs the values: what the module would keep, or take from the caller, is an argument and a result like
// others.
void openState(mlir::ModuleOp module) {
  for (auto func : module.getOps<mlir::func::FuncOp>()) {
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      func.removeArgAttr(i, mlir::heddle::kStateAttr);
      func.removeArgAttr(i, mlir::heddle::kDonatedAttr);
    }
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      func.removeResultAttr(i, mlir::StringAttr::get(module.getContext(), mlir::heddle::kStateAttr));
  }
}

int runCheck(const Flags &flags) {
  mlir::DialectRegistry registry;
  mlir::heddle::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  Terminal terminal(context);
  mlir::heddle::Messages messages(context, terminal);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::heddle::importModel(
      flags.model, &context, {.shardFile = flags.shardFile, .forms = mlir::heddle::formModelOf(flags.compile)});
  if (!module || failed(mlir::heddle::applyMeshSizes(*module, flags.meshSizes)))
    return messages.refusesFlag() ? kUsage : kFailed;
  openState(*module);
  auto signature = reference::signatureOf(*module);
  if (failed(signature))
    return kFailed;
  bool random;
  Inputs inputs = makeRankInputs(*signature, flags.inputs, signature->ranks, random);
  terminal.interrupt([&] {
    if (random)
      std::printf("random inputs, --seed=%llu:\n", static_cast<unsigned long long>(flags.inputs.seed));
    for (size_t i = 0; i < inputs[0].size(); ++i)
      std::printf("  %s: %s\n", ::heddle::contract::showText(signature->arguments[i].name).c_str(),
                  spell(inputs[0][i]).c_str());
    std::fflush(stdout);
  });
  return flags.program == flags.model ? checkStages(flags, *module, inputs, terminal)
                                      : checkFile(flags, *module, inputs, terminal);
}

void define(CommandLine &line, Flags &flags) {
  line.positional(flags.program, "MODEL|FILE.heddle", "the model, or with --model an artifact of it");
  line.value(flags.model, "--model", "MODEL", "the model an artifact was compiled from");
  line.list(flags.inputs.inputs, "--input", "[NAME=]VALUE", "an input, as in heddle run; without it random values");
  line.list(flags.inputs.dims, "--dim", "NAME=SIZE", "the size of a named dimension of random inputs");
  line.value(flags.reproDir, "--repro-dir", "DIR", "write the smallest program that shows the divergence to DIR");
  line.list(flags.devices, "--device", "URI", "run the artifact on this device, as in heddle run; repeat in order");
  line.list(flags.targetDevices, "--target-device", "SPEC", "as in heddle compile (local)");
  line.value(flags.defaultDevice, "--default-device", "NAME|N", "as in heddle compile");
  line.value(flags.placeFile, "--place-file", "FILE", "as in heddle compile");
  line.value(flags.shardFile, "--shard-file", "FILE", "as in heddle compile");
  line.value(flags.place, "--place", "auto", "as in heddle compile");
  line.value(flags.shard, "--shard", "auto", "as in heddle compile");
  line.value(flags.topology, "--topology", "FILE|measured", "as in heddle compile");
  line.value(flags.targetCpu, "--target-cpu", "CPU", "as in heddle compile (host)");
  line.list(flags.meshSizes, "--mesh", "AXIS=SIZE,…", "as in heddle compile");
  line.list(flags.disabledPasses, "--disable-pass", "PASS", "as in heddle compile");
  line.value(flags.dataTiling, "--data-tiling", "on|off", "as in heddle compile");
  line.list(flags.strategies, "--strategy", "NAME", "as in heddle compile");
  line.value(flags.splitFile, "--split-file", "FILE", "as in heddle compile");
  line.value(flags.precision, "--precision", "f32|bf16|f16",
             "as in heddle compile; prints how far each result is from that in f32");
  line.flag(flags.compile.code.roundActivations, "--round-activations", "as in heddle compile");
  line.value(flags.layoutResolver, "--layout-resolver", "NAME", "as in heddle compile");
}

// What the flags say of the compilation.
void parseCompileOptions(Flags &flags) {
  mlir::heddle::CompileOptions &compile = flags.compile;
  mlir::heddle::registerTargets();
  parseStrategies(flags.dataTiling, flags.strategies, compile);
  checkLayoutResolver(flags.layoutResolver);
  compile.layout.resolver = flags.layoutResolver;
  compile.placement.byCost = parseAuto("--place", flags.place);
  compile.placement.topology = flags.topology == "measured" ? measuredTopologyPath() : flags.topology;
  compile.ranks.chooseShardings = parseAuto("--shard", flags.shard);
  compile.ranks.meshSizes = flags.meshSizes;
  compile.devices.targets = parseTargetDevices(flags.targetDevices, !flags.targetCpu.empty());
  if (!flags.targetCpu.empty())
    compile.devices.cpus = parseTargetCpus({flags.targetCpu});
  if (compile.devices.cpus.size() > 1)
    throw UsageError("--target-cpu: heddle check runs the code of one processor, got '" + flags.targetCpu + "'");
  compile.devices.defaultDevice = flags.defaultDevice;
  compile.devices.placeFile = flags.placeFile;
  compile.split.script = flags.splitFile;
  compile.disabledPasses = flags.disabledPasses;
  compile.code.precision = parsePrecision(flags.precision, /*strictFloat=*/false);
}

// What is said by flags that CommandLine does not check.
void validate(Flags &flags) {
  parseCompileOptions(flags);
  bool isArtifact = llvm::StringRef(flags.program).ends_with(".heddle");
  if (isArtifact == flags.model.empty())
    throw UsageError(isArtifact ? "an artifact is checked against its model; give it with --model=MODEL"
                                : "--model goes with an artifact (.heddle), got '" + flags.program + "'");
  bool places = !flags.targetDevices.empty() || !flags.placeFile.empty() || flags.place || !flags.topology.empty() ||
                !flags.defaultDevice.empty();
  if (isArtifact && places)
    throw UsageError("an artifact is placed already; --target-device, --default-device, --place-file, --place and "
                     "--topology go with a model");
  if (isArtifact && !flags.splitFile.empty())
    throw UsageError("the reductions of an artifact are split already; --split-file goes with a model");
  if (isArtifact && flags.precision)
    throw UsageError("an artifact has its precision already; --precision goes with a model");
  if (!isArtifact)
    flags.model = flags.program;
}

int run(int argc, char **argv) {
  Flags flags;
  std::optional<uint64_t> seed;
  CommandLine line("heddle check",
                   "Compares every stage of a compilation with a naive reference, and names the first stage and "
                   "dispatch that differ",
                   "Example:\n  heddle check model.onnx --dim=batch=2 --repro-dir=/tmp/repro");
  define(line, flags);
  line.value(seed, "--seed", "N", "seed random inputs (1)");
  if (auto status = line.parse(argc, argv))
    return *status;
  flags.inputs.seed = seed.value_or(1);
  validate(flags);
  return runCheck(flags);
}

} // namespace

int heddle::tools::checkMain(int argc, char **argv) {
  return runTool("heddle check", [&] { return run(argc, argv); });
}
