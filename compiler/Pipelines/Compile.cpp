// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/Compile.h"

#include "compiler/Codegen/Link/ObjectCache.h"
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/IndexBounds.h"
#include "compiler/Dialect/Host/IR/HostOps.h"
#include "compiler/Dialect/Quantities.h"
#include "compiler/Dialect/SilentFailures.h"
#include "compiler/Pipelines/ExpectedSizes.h"
#include "compiler/Pipelines/Explain.h"
#include "compiler/Pipelines/FormModelOf.h"
#include "compiler/Pipelines/GraphReport.h"
#include "compiler/Pipelines/ReadTopology.h"
#include "compiler/Pipelines/TransientLimit.h"
#include "compiler/Stages/Devices/DeviceFlags.h"
#include "compiler/Stages/Import/Import.h"
#include "compiler/Stages/Package/Package.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

using namespace mlir;
using namespace mlir::heddle;

namespace {

class Stopwatch {
public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

// Not by getrusage(): that counts what the process was before exec(), too.
double peakRssMib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (StringRef rest = line; rest.consume_front("VmHWM:"))
      return std::strtod(rest.data(), nullptr) / 1024;
  return 0;
}

// Counts while the graph is still made of dispatches; `schedule` turns them into host ops.
void countGraph(ModuleOp module, CompileReport &report) {
  report.placed.clear();
  report.dispatches = report.transfers = 0;
  report.transferBytes = 0;
  report.transfersDynamic = false;
  llvm::StringMap<unsigned> placed;
  module.walk([&](flow::DispatchOp dispatch) {
    ++report.dispatches;
    if (auto affinity = dispatch->getAttrOfType<device::AffinityAttr>("heddle.affinity"))
      ++placed[affinity.getDevice().getValue()];
  });
  for (auto device : module.getOps<device::GlobalOp>())
    if (auto found = placed.find(device.getSymName()); found != placed.end())
      report.placed.emplace_back(device.getSymName().str(), found->second);
  auto placement = module->getAttrOfType<DictionaryAttr>(kPlacementAttr);
  auto number = [&](StringRef key) {
    auto value = placement ? placement.getAs<FloatAttr>(key) : FloatAttr();
    return value ? value.getValueAsDouble() : 0;
  };
  report.estimateUs = number("estimate_us");
  report.singleDeviceUs = number("single_us");
  flow::SizeEstimates sizes(module);
  module.walk([&](flow::TransferOp transfer) {
    ++report.transfers;
    if (sizes.any() || transfer.getResult().getType().hasStaticShape())
      report.transferBytes += sizes.bytes(transfer.getResult());
    else
      report.transfersDynamic = true;
  });
}

void countCode(ModuleOp module, CompileReport &report) {
  report.executables = report.kernels = report.compiled = 0;
  module.walk([&](flow::ExecutableOp) { ++report.executables; });
  module.walk([&](flow::VariantOp variant) {
    ++report.kernels;
    report.compiled += !variant->hasAttr("kernel.code_of"); // codegen-share-code
  });
}

// The IR as text, or as bytecode when the name asks for it. The file appears only when it is complete.
LogicalResult writeModule(ModuleOp module, StringRef path) {
  std::string message;
  auto file = openOutputFile(path, &message);
  if (!file)
    return module.emitError() << "cannot write '" << path << "': " << message;
  if (path.ends_with(".mlirbc")) {
    if (failed(writeBytecodeToFile(module, file->os())))
      return failure();
  } else {
    module.print(file->os(), OpPrintingFlags().enableDebugInfo(true));
    file->os() << '\n';
  }
  file->keep();
  return success();
}

} // namespace

static ImportOptions importOptionsOf(const CompileOptions &options) {
  return {.states = options.state.bound,
          .donations = options.state.donated,
          .others = options.model.others,
          .meshSizes = options.ranks.meshSizes,
          .shardFile = options.ranks.shardFile,
          .dims = options.model.dims,
          .outputAll = options.model.outputAll,
          .forms = formModelOf(options)};
}

// {entry point: {argument: bound}} of arguments that are indices, for who makes up inputs. Nothing after this needs it.
static llvm::json::Object takeIndexBounds(ModuleOp module) {
  llvm::json::Object all;
  for (auto func : module.getOps<func::FuncOp>()) {
    llvm::json::Object bounds;
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (auto bound = func.getArgAttrOfType<IntegerAttr>(i, kIndexBoundAttr)) {
        func.removeArgAttr(i, kIndexBoundAttr);
        if (auto name = func.getArgAttrOfType<StringAttr>(i, kNameAttr))
          bounds[llvm::json::fixUTF8(name.getValue())] = bound.getInt();
      }
    if (!bounds.empty())
      all[llvm::json::fixUTF8(func.getName())] = std::move(bounds);
  }
  return all;
}

static LogicalResult compile(StringRef model, StringRef output, MLIRContext *context, const CompileOptions &options,
                             CompileReport *report, const TuneOptions *tune) {
  Stopwatch whole;
  CompileReport local;
  CompileReport &result = report ? *report : local;
  OwningOpRef<ModuleOp> module = importModel(model, context, importOptionsOf(options));
  if (!module)
    return failure();
  llvm::json::Object bounds = takeIndexBounds(*module);
  if (failed(applyExpected(*module, options.model.expected)))
    return failure();
  result.stages.push_back({Stage::Import, whole.ms()});
  if (failed(dumpStage(*module, Stage::Import, options)))
    return failure();
  auto count = [&](Stage stage, ModuleOp current) {
    if (stage == Stage::Devices && !options.placement.topology.empty() &&
        failed(applyTopology(current, options.placement.topology)))
      return failure();
    // `resolve` may add dispatches that change layouts.
    if (stage == std::min(Stage::Resolve, std::max(Stage::Place, options.output.compileTo))) {
      countGraph(current, result);
      result.explanation = explainDispatches(current);
      result.graph = reportGraph(current);
    }
    if (stage == Stage::Codegen)
      if (llvm::json::Object rows = reportRowClasses(current); !rows.empty())
        result.graph["rows"] = std::move(rows);
    if (stage == Stage::Schedule)
      result.transientBytes = countTransients(current);
    if (stage == Stage::Schedule && tune && options.output.compileTo > Stage::Schedule)
      result.tuned = tuneExecutables(current, *tune);
    if (stage == Stage::Schedule)
      codegen::ObjectCache::attach(current, options.code.kernelCache, options.code.compilerIdentity);
    if (stage == Stage::Codegen)
      codegen::ObjectCache::detach(current);
    if (stage >= Stage::Form)
      countCode(current, result);
    return success();
  };
  if (failed(runStages(*module, options, &result.stages, count)))
    return failure();
  if (options.output.compileTo == Stage::Package) {
    Stopwatch package;
    PackageOptions contents{options.output.producer, ""};
    llvm::raw_string_ostream(contents.report) << llvm::json::Value(
        llvm::json::Object{{"graph", std::move(result.graph)}, {"index_bounds", std::move(bounds)}});
    if (failed(writeArtifact(*module, output, contents)))
      return failure();
    result.stages.push_back({Stage::Package, package.ms()});
  } else if (failed(writeModule(*module, output))) {
    return failure();
  }
  llvm::sys::fs::file_size(output, result.artifactBytes);
  result.compileMs = whole.ms();
  result.peakRssMib = peakRssMib();
  return success();
}

LogicalResult mlir::heddle::compileModel(StringRef model, StringRef output, MLIRContext *context,
                                         const CompileOptions &options, CompileReport *report,
                                         const TuneOptions *tune) {
  ErrorCounter errors(context);
  if (succeeded(compile(model, output, context, options, report, tune)))
    return success();
  if (!errors.any())
    emitError(FileLineColLoc::get(context, model, 0, 0))
        << "compilation failed without a reason: a bug of Heddle; please report it with the model";
  return failure();
}

std::string mlir::heddle::toJson(const CompileReport &report) {
  llvm::json::Object stages;
  for (const StageTime &time : report.stages)
    stages[getInfo(time.stage).name] = llvm::json::Object{{"ms", time.ms}};
  llvm::json::Object root{
      {"compile_ms", report.compileMs},  {"peak_rss_mib", report.peakRssMib}, {"artifact_bytes", report.artifactBytes},
      {"dispatches", report.dispatches}, {"executables", report.executables}, {"kernels", report.kernels},
      {"compiled", report.compiled},     {"transfers", report.transfers},     {"transfer_bytes", report.transferBytes},
      {"stages", std::move(stages)}};
  if (report.transientBytes)
    root["transient_bytes"] = *report.transientBytes;
  if (report.estimateUs > 0)
    root["estimate_us"] = report.estimateUs;
  if (report.singleDeviceUs > 0)
    root["single_device_us"] = report.singleDeviceUs;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", llvm::json::Value(std::move(root)));
  return text;
}

std::string mlir::heddle::toSentence(const CompileReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  constexpr size_t kMostNamed = 16;
  size_t named = 0;
  os << "placed " << formatCount(report.dispatches, "op") << ":";
  for (auto &[device, ops] : report.placed) {
    if (named == kMostNamed) {
      os << ", … (" << report.placed.size() - kMostNamed << " more devices)";
      break;
    }
    os << (named++ ? ", " : " ") << device << ' ' << ops;
  }
  os << " (" << formatCount(report.transfers, "transfer") << ", " << formatBytes(report.transferBytes)
     << (report.transfersDynamic ? " and dynamic sizes)" : ")");
  return text;
}
