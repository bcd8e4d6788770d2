// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a model file to an artifact: what `heddle compile` does, as a library.
#ifndef HEDDLE_COMPILER_PIPELINES_COMPILE_H
#define HEDDLE_COMPILER_PIPELINES_COMPILE_H

#include "compiler/Pipelines/Stages.h"
#include "compiler/Pipelines/Tune.h"
#include "compiler/Target/Forms/FormModel.h"

#include "llvm/Support/JSON.h"

#include <map>

namespace mlir::heddle {

// What a compilation cost and made. The keys of `compile --stats`.
struct CompileReport {
  std::vector<StageTime> stages;
  std::string explanation;  // explainDispatches() after `place`
  llvm::json::Object graph; // reportGraph() after `resolve`; goes into the artifact
  double compileMs = 0;
  double peakRssMib = 0;
  uint64_t artifactBytes = 0;
  std::vector<std::pair<std::string, unsigned>> placed; // dispatches of devices that have some, in declaration order
  unsigned dispatches = 0, executables = 0, kernels = 0, transfers = 0;
  unsigned compiled = 0;                     // of the kernels: those that differ in numbers only are compiled once
  uint64_t transferBytes = 0;                // of static sizes, each transfer once
  bool transfersDynamic = false;             // some have other sizes
  double estimateUs = 0, singleDeviceUs = 0; // with --place=auto: expected, and on the best single device if it fits
  std::optional<uint64_t> transientBytes;    // countTransients() after `schedule`
  TuneReport tuned;                          // with `tune`
};

// Compiles `model` (.onnx, .mlir, .mlirbc) and writes `output`: the artifact, or the IR after
// `options.output.compileTo` if that is not `package` (bytecode when the name ends in .mlirbc). Nothing is left at
// `output` when it fails; errors are diagnostics of the context. `report` may be null. With `tune` tiles of costly
// kernels are measured before stage `codegen`.
LogicalResult compileModel(StringRef model, StringRef output, MLIRContext *context, const CompileOptions &options,
                           CompileReport *report = nullptr, const TuneOptions *tune = nullptr);

// The forms of ops for the devices of `--target-device=` (Target::getFormModel): a program is imported once for all of
// them, so rows of scalar code are short if one wants that, and the rest is as the first has it. What is rounded say
// `--strict-float` and `--round-activations`, too.
FormModel formModelOf(const CompileOptions &options);

// The report as the JSON object of `--stats`.
std::string toJson(const CompileReport &report);

// The line `heddle compile` ends with: "placed 412 ops: gpu 380, cpu 32 (3 transfers, 1.2 MiB)".
std::string toSentence(const CompileReport &report);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_COMPILE_H
