// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/Check.h"

#include "tools/check/Artifact.h"
#include "tools/check/Kernels.h"
#include "tools/check/RankValues.h"
#include "tools/check/ReferenceMachine.h"
#include "tools/check/Repro.h"
#include "tools/check/Specialize.h"

#include "compiler/Dialect/Encoding/Transforms/Materialize.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Stages/Package/Package.h"
#include "compiler/Stages/Schedule/Passes.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;
using reference::Reference;

namespace {

class Checker {
public:
  Checker(ModuleOp module, ArrayRef<Tensor> inputs, const CheckOptions &options,
          llvm::function_ref<void(const StageReport &)> observe)
      : module(module), inputs(inputs), options(options), observe(observe) {}

  FailureOr<bool> run();
  FailureOr<StageReport> runFile(const std::string &artifact);

private:
  LogicalResult startAt(ModuleOp imported);
  // Each returns what is wrong in the report; success means that the stage is right.
  LogicalResult visit(Stage stage, ModuleOp module);
  void checkLayouts(ModuleOp module, StageReport &report);
  void checkTensors(Stage stage, ModuleOp module, StageReport &report);
  void checkHost(ModuleOp module, StageReport &report);
  void checkKernels(ModuleOp module, StageReport &report);
  void checkArtifact(ModuleOp module, StageReport &report);
  std::string firstUse(StringRef symbol);

  std::string run(const std::string &artifact, std::vector<Tensor> &results) const;
  std::string runOracle(Reference &oracle, std::vector<Tensor> &results,
                        llvm::function_ref<void(unsigned, const Step &)> seen = {});
  std::vector<std::vector<Step>> traceAll(ModuleOp module); // by rank
  std::vector<Step> trace(ModuleOp module) { return std::move(traceAll(module)[0]); }
  HostFault runHostOfRanks(host::FuncOp program, ArrayRef<std::vector<Step>> steps, std::vector<Tensor> &results) const;
  std::optional<std::string> firstDifference(ArrayRef<Tensor> results);
  std::string acceptRounding(ModuleOp module, ArrayRef<Tensor> results);
  LogicalResult conclude(StageReport report);
  Stage nextStage();

  ModuleOp module;
  ArrayRef<Tensor> inputs;
  const CheckOptions &options;
  llvm::function_ref<void(const StageReport &)> observe;

  reference::Signature signature; // of `import`
  reference::Signature ranked;    // of the last stage that was run: what ranks have
  std::vector<Tensor> expected;   // the results of `import`
  Bound bound;                    // of a result
  OwningOpRef<ModuleOp> good;     // the module after the last stage that was right and runs on tensors
  std::vector<Step> steps;        // of `good`, once it is needed
  Stage last = Stage::Import;
  bool found = false;
};

} // namespace

// The results of all ranks, one rank's behind the other's; steps with their ranks, each on its rank's thread.
std::string Checker::runOracle(Reference &oracle, std::vector<Tensor> &results,
                               llvm::function_ref<void(unsigned, const Step &)> seen) {
  auto seenAlone = [&](const Step &step) { seen(0, step); };
  if (options.rankInputs.empty())
    return oracle.run(inputs, results,
                      seen ? llvm::function_ref<void(const Step &)>(seenAlone)
                           : llvm::function_ref<void(const Step &)>());
  RankTensors own, all;
  ranked = oracle.signature();
  std::string error = dealInputs(signature, ranked, options.rankInputs, own);
  if (error.empty())
    error = oracle.runRanks(own, all, seen);
  if (error.empty())
    error = joinResults(ranked, all);
  for (std::vector<Tensor> &own : all)
    llvm::move(own, std::back_inserter(results));
  return error;
}

std::vector<std::vector<Step>> Checker::traceAll(ModuleOp module) {
  std::vector<std::vector<Step>> found(std::max<size_t>(options.rankInputs.size(), 1));
  reference::ReferenceOptions traced;
  traced.trace = true;
  FailureOr<std::unique_ptr<Reference>> oracle = Reference::create(module, traced);
  std::vector<Tensor> results;
  if (succeeded(oracle))
    runOracle(**oracle, results, [&](unsigned rank, const Step &step) { found[rank].push_back(step); });
  return found;
}

// The results of all ranks, as those of runOracle().
HostFault Checker::runHostOfRanks(host::FuncOp program, ArrayRef<std::vector<Step>> steps,
                                  std::vector<Tensor> &results) const {
  RankTensors own, all;
  HostFault fault;
  fault.text = dealInputs(signature, ranked, options.rankInputs, own);
  if (fault.text.empty())
    fault = runHostRanks(program, steps, own, all);
  if (fault.text.empty())
    fault.text = joinResults(ranked, all);
  for (std::vector<Tensor> &tensors : all)
    llvm::move(tensors, std::back_inserter(results));
  return fault;
}

std::optional<std::string> Checker::firstDifference(ArrayRef<Tensor> results) {
  size_t count = signature.results.size();
  for (auto [i, got, wanted] : llvm::enumerate(results, expected))
    if (std::optional<Difference> difference = differenceOf(got, wanted, bound))
      return "result '" + signature.results[i % count].name + "' " +
             (options.rankInputs.empty() ? "" : "of rank " + std::to_string(i / count) + " ") +
             (difference->element < 0 ? "" : "differs ") + difference->text;
  return std::nullopt;
}

// Says how far the results of a program whose products are narrower are from those in f32. From here on they are what
// is expected.
std::string Checker::acceptRounding(ModuleOp module, ArrayRef<Tensor> results) {
  std::string text;
  size_t count = signature.results.size();
  for (auto [i, got, wanted] : llvm::enumerate(results, expected))
    if (std::string accuracy = accuracyOf(got, wanted); !accuracy.empty())
      text += (text.empty() ? "in " + options.compile.code.precision + " result '" : "; result '") +
              signature.results[i % count].name + "' is off by " + accuracy;
  expected.assign(results.begin(), results.end());
  bound = boundOf(module, largestDim(inputs));
  return text;
}

LogicalResult Checker::conclude(StageReport report) {
  observe(report);
  last = report.stage;
  found |= !report.fault.empty();
  return failure(found);
}

LogicalResult Checker::startAt(ModuleOp imported) {
  FailureOr<std::unique_ptr<Reference>> oracle = Reference::create(imported);
  if (failed(oracle))
    return failure();
  signature = (*oracle)->signature();
  if (std::string error = runOracle(**oracle, expected); !error.empty())
    return imported.emitError() << "the reference could not run the model: " << error;
  bound = boundOf(imported, largestDim(inputs));
  good = imported.clone();
  return success();
}

void Checker::checkTensors(Stage stage, ModuleOp module, StageReport &report) {
  FailureOr<std::unique_ptr<Reference>> oracle = Reference::create(module);
  if (failed(oracle)) {
    report.fault = "the reference cannot run it";
    return;
  }
  std::vector<Tensor> results;
  std::string error = runOracle(**oracle, results);
  if (error.empty() && stage == Stage::Encode && options.compile.code.precision != "f32" &&
      results.size() == expected.size())
    report.note = acceptRounding(module, results);
  if (std::optional<std::string> difference = error.empty() ? firstDifference(results) : error) {
    report.fault = *difference;
    std::vector<Step> bad = trace(module);
    steps = trace(*good);
    const Step *step = firstDifferent(bad, steps, bound);
    report.where = step ? describe(*step) : "";
    if (step && step->isDispatch)
      report.repro = reproOf(module, *step, getInfo(stage).name);
    if (!report.repro)
      report.repro = reproOf(*good, inputs, expected, getInfo(stage).name);
    return;
  }
  good = module.clone();
}

// Values with a layout as they lie in memory: what host program and kernels will see.
void Checker::checkLayouts(ModuleOp module, StageReport &report) {
  OwningOpRef<ModuleOp> physical = module.clone();
  if (failed(specialize(*physical)) || failed(encoding::materializeEncodings(*physical)))
    report.fault = "its layouts are not plain tensors";
  else
    checkTensors(Stage::Resolve, *physical, report);
}

void Checker::checkHost(ModuleOp module, StageReport &report) {
  auto program = module.lookupSymbol<host::FuncOp>(signature.name);
  if (!program) {
    report.fault = "there is no host program for @" + signature.name;
    return;
  }
  std::vector<std::vector<Step>> all = traceAll(*good);
  for (std::vector<Step> &own : all)
    llvm::erase_if(own, [](const Step &step) { return !step.isDispatch; });
  steps = all[0];
  std::vector<Tensor> results;
  HostFault fault =
      options.rankInputs.empty() ? runHost(program, steps, inputs, results) : runHostOfRanks(program, all, results);
  if (fault.text.empty())
    fault.text = firstDifference(results).value_or("");
  report.fault = fault.text;
  report.where = fault.step ? describe(*fault.step) : "";
  if (!report.fault.empty())
    report.repro = reproOf(*good, inputs, expected, getInfo(Stage::Schedule).name);
}

// All ones as an element in a byte that it does not fill; none for other types.
static std::optional<char> onesOf(reference::ElementType type) {
  using reference::ElementType;
  switch (type) {
  case ElementType::I1: return 1;
  case ElementType::U2: return 3;
  case ElementType::U4:
  case ElementType::F4E2M1FN: return 15;
  default: return std::nullopt;
  }
}

// What a flow.rows does not write is undefined. The reference gives such elements all ones, and the kernel harness such
// bytes: elements narrower than their bytes are brought to the reference's form.
static void narrowUnwritten(flow::ExecutableOp executable, std::vector<Tensor> &results) {
  bool hasRows = executable.getFunction().walk([](flow::RowsOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (!hasRows)
    return;
  for (Tensor &result : results) {
    std::optional<char> ones = onesOf(result.type);
    for (int64_t i = 0; ones && i < result.count(); ++i)
      if (result.data[i] == '\xff')
        result.data[i] = *ones;
  }
}

void Checker::checkKernels(ModuleOp module, StageReport &report) {
  llvm::StringMap<std::unique_ptr<Kernel>> kernels;
  size_t skipped = 0;
  for (const Step &step : steps) {
    auto [name, target] = splitName(step.op);
    auto executable = module.lookupSymbol<flow::ExecutableOp>(name);
    flow::VariantOp variant = findVariant(executable, target);
    if (!variant) {
      ++skipped;
      continue;
    }
    std::unique_ptr<Kernel> &kernel = kernels[step.op];
    std::string error = kernel ? "" : Kernel::load(variant, kernel);
    std::vector<Tensor> results;
    if (error.empty())
      error = kernel->run(step, results);
    if (error.empty())
      narrowUnwritten(executable, results);
    Bound own = boundOf(executable.getFunction(), std::max(largestDim(step.operands), largestDim(step.results)));
    for (size_t i = 0; error.empty() && i < results.size(); ++i)
      if (std::optional<Difference> difference = differenceOf(results[i], step.results[i], own))
        error = "result " + std::to_string(i) + " differs " + difference->text;
    if (error.empty())
      continue;
    report.fault = error;
    report.where = describe(step);
    report.repro = reproOf(*good, step, getInfo(Stage::Codegen).name);
    return;
  }
  if (skipped)
    report.note = std::to_string(skipped) + " of " + std::to_string(steps.size()) +
                  " dispatches have no code for this machine's processor";
}

// The artifact, on all ranks of the program.
std::string Checker::run(const std::string &artifact, std::vector<Tensor> &results) const {
  if (options.rankInputs.empty())
    return runArtifact(artifact, signature.name, options.devices, inputs, results);
  RankTensors own, all;
  std::string error = dealInputs(signature, ranked, options.rankInputs, own);
  if (error.empty())
    error = runArtifactRanks(artifact, signature.name, options.devices, own, all);
  if (error.empty())
    error = joinResults(ranked, all);
  for (std::vector<Tensor> &tensors : all)
    llvm::move(tensors, std::back_inserter(results));
  return error;
}

void Checker::checkArtifact(ModuleOp module, StageReport &report) {
  SmallString<128> path;
  int file;
  if (llvm::sys::fs::createTemporaryFile("heddle-check", "heddle", file, path)) {
    SmallString<128> folder;
    llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, folder);
    report.fault =
        ("cannot make a temporary file in '" + folder + "'; set TMPDIR to a folder that can be written").str();
    return;
  }
  llvm::FileRemover remover(path);
  llvm::sys::fs::closeFile(file);
  if (failed(writeArtifact(module, path))) {
    report.fault = "no artifact was written";
    return;
  }
  if (options.tamperArtifact)
    options.tamperArtifact(path.str().str());
  ArtifactFault fault = compareArtifact(module, path.str().str());
  report.fault = fault.text;
  report.where = fault.symbol.empty() ? "" : firstUse(fault.symbol);
  std::vector<Tensor> results;
  if (report.fault.empty())
    report.fault = run(path.str().str(), results);
  if (report.fault.empty())
    report.fault = firstDifference(results).value_or("");
}

// The first dispatch of an executable or with a parameter.
std::string Checker::firstUse(StringRef symbol) {
  auto parameter = good->lookupSymbol<flow::ParameterOp>(symbol);
  FailureOr<Tensor> value = parameter ? reference::tensorOf(parameter.getValue()) : FailureOr<Tensor>();
  for (const Step &step : steps)
    if (step.op == symbol || (succeeded(value) && llvm::any_of(step.operands, [&](const Tensor &operand) {
                                return StringRef(operand.data, operand.byteCount()) ==
                                       StringRef(value->data, value->byteCount());
                              })))
      return describe(step);
  return "";
}

LogicalResult Checker::visit(Stage stage, ModuleOp module) {
  if (options.tamper && failed(options.tamper(stage, module)))
    return failure();
  StageReport report{stage};
  PassManager verifier(module.getContext());
  if (stage == Stage::Schedule)
    verifier.addPass(createVerifyHost());
  bool verified = succeeded(verify(module)) && succeeded(verifier.run(module));
  if (!verified && stage != Stage::Schedule)
    report.fault = "it does not verify";
  else if (stage <= Stage::Place)
    checkTensors(stage, module, report);
  else if (stage == Stage::Resolve)
    checkLayouts(module, report);
  else if (stage == Stage::Schedule)
    checkHost(module, report);
  else if (stage == Stage::Codegen)
    checkKernels(module, report);
  else if (stage == Stage::Package)
    checkArtifact(module, report);
  if (!verified && report.fault.empty())
    report.fault = "it does not verify";
  return conclude(std::move(report));
}

Stage Checker::nextStage() {
  for (const StageInfo &info : getStages().drop_front(static_cast<size_t>(last) + 1))
    if (info.build)
      return info.stage;
  return last;
}

FailureOr<bool> Checker::run() {
  if (failed(startAt(module)) || failed(conclude(StageReport{Stage::Import})))
    return failure();
  CompileOptions compile = options.compile;
  compile.output.compileTo = Stage::Package;
  LogicalResult compiled =
      runStages(module, compile, nullptr, [&](Stage stage, ModuleOp module) { return visit(stage, module); });
  if (!found && failed(compiled))
    (void)conclude(StageReport{nextStage(), "see the messages", /*ran=*/false});
  return !found;
}

FailureOr<StageReport> Checker::runFile(const std::string &artifact) {
  if (failed(startAt(module)))
    return failure();
  StageReport report{Stage::Package};
  std::vector<Tensor> results;
  report.fault = run(artifact, results);
  if (report.fault.empty())
    report.fault = firstDifference(results).value_or("");
  return report;
}

FailureOr<bool> check::checkModule(ModuleOp module, ArrayRef<Tensor> inputs, const CheckOptions &options,
                                   llvm::function_ref<void(const StageReport &)> observe) {
  return Checker(module, inputs, options, observe).run();
}

FailureOr<StageReport> check::checkArtifactFile(ModuleOp model, const std::string &artifact, ArrayRef<Tensor> inputs,
                                                const CheckOptions &options) {
  return Checker(model, inputs, options, {}).runFile(artifact);
}
