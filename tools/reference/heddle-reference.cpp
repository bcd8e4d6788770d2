// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-reference: runs a model, or MLIR of any stage up to `resolve`, through the reference (compiler/Reference), for
// developers.
#include "compiler/Pipelines/Messages.h"
#include "compiler/Pipelines/Stages.h"
#include "compiler/Stages/Import/Import.h"
#include "compiler/Stages/Ranks/Pipeline.h"
#include "tools/check/Inputs.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Mains.h"
#include "tools/lib/Print.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdio>

using namespace heddle::tools;
namespace reference = mlir::heddle::reference;

static std::string spell(mlir::Location location) {
  std::string text;
  llvm::raw_string_ostream(text) << location;
  return text;
}

static void printStep(const reference::Step &step) {
  std::fprintf(stderr, "%s %s\n", step.op.c_str(), spell(step.location).c_str());
  for (const ReferenceTensor &result : step.results)
    std::fprintf(stderr, "  %s\n", formatTensor(viewOf(result), 16).c_str());
}

static int run(int argc, char **argv) {
  std::string path, entry;
  InputFlags flags;
  std::vector<std::string> outputs, mesh;
  std::optional<uint64_t> seed;
  bool trace = false, small = false, materialize = false;
  CommandLine line("heddle-reference", "Runs MLIR of any stage up to resolve as plain loops",
                   "Example:\n  heddle-reference model.mlir --input=@x.npy --output=@y.npy");
  line.positional(path, "FILE", "a model, or MLIR of any stage up to resolve");
  line.value(entry, "--function", "NAME", "the entry point (main, or the only one)");
  line.list(flags.inputs, "--input", "[NAME=]VALUE", "an input; without it random values");
  line.list(mesh, "--mesh", "AXIS=SIZE,…", "set sizes of a mesh's free axes");
  line.list(flags.dims, "--dim", "NAME=SIZE", "the size of a named dimension of random inputs");
  line.value(seed, "--seed", "N", "seed random inputs (1)");
  line.list(outputs, "--output", "[NAME=]@FILE.npy", "write an output here instead of printing it");
  line.flag(trace, "--trace", "print the results of every op or dispatch");
  line.flag(materialize, "--materialize-layouts", "keep values in their layouts between dispatches");
  line.flag(small, "--small", "the work is small: do not optimise its code");
  if (auto status = line.parse(argc, argv))
    return *status;
  flags.seed = seed.value_or(1);

  mlir::DialectRegistry registry;
  mlir::heddle::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  mlir::heddle::Messages messages(context);
  // MLIR is taken as it stands: it may be a dump of any stage.
  bool isOnnx = llvm::StringRef(path).ends_with(".onnx");
  mlir::OwningOpRef<mlir::ModuleOp> module =
      isOnnx ? mlir::heddle::importModel(path, &context, {}) : mlir::heddle::readModule(path, &context);
  if (!module || failed(mlir::heddle::applyMeshSizes(*module, mesh)))
    return messages.refusesFlag() ? kUsage : kFailed;
  reference::ReferenceOptions options;
  options.entry = entry, options.trace = trace;
  options.optimize = !small, options.materialize = materialize;
  auto oracle = reference::Reference::create(*module, options);
  if (failed(oracle))
    return kFailed;
  bool random;
  if (const reference::Signature &signature = (*oracle)->signature(); signature.hasMesh) {
    auto inputs = makeRankInputs(signature, flags, signature.ranks, random);
    std::vector<std::vector<ReferenceTensor>> results;
    auto printOfFirst = [](unsigned rank, const reference::Step &step) {
      if (rank == 0)
        printStep(step);
    };
    if (std::string error = (*oracle)->runRanks(inputs, results, printOfFirst); !error.empty())
      throw Failure(error);
    writeRankOutputs(signature, results, outputs);
    return kDone;
  }
  std::vector<ReferenceTensor> inputs = makeInputs((*oracle)->signature(), flags, random);
  std::vector<ReferenceTensor> results;
  if (std::string error = (*oracle)->run(inputs, results, printStep); !error.empty())
    throw Failure(error);
  writeOutputs((*oracle)->signature(), results, outputs);
  return kDone;
}

int heddle::tools::referenceMain(int argc, char **argv) {
  return runTool("heddle-reference", [&] { return run(argc, argv); });
}
