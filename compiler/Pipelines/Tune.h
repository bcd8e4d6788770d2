// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `heddle compile --tune`: measures tiles of the costly contractions on this machine and keeps the fastest.
//
// Runs after stage `schedule`. A winner becomes the attribute `kernel.tile` of its flow.executable
// (compiler/Codegen/Plan/TileAttribute.h) and a file of the cache, so that the next compilation measures nothing.
#ifndef HEDDLE_COMPILER_PIPELINES_TUNE_H
#define HEDDLE_COMPILER_PIPELINES_TUNE_H

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>
#include <string>

namespace mlir::heddle {

// Seconds of one call of a candidate: a module of device globals and one executable, which has not been compiled. None
// where it cannot run here: its sizes are known only at run time, it needs another processor, or does not compile.
using MeasureKernel = std::function<std::optional<double>(ModuleOp candidate)>;

struct TuneOptions {
  std::string cacheDir;            // made if missing; one that cannot be written gives a warning
  raw_ostream *progress = nullptr; // a line that is written over, for a terminal; null: silent
  unsigned optLevel = 2;           // of LLVM: candidates are compiled as the program is
  MeasureKernel measure;           // empty: compile it and run it here
};

struct TuneReport {
  unsigned costly = 0;    // executables with a contraction that is worth it
  unsigned reused = 0;    // of those, found in the cache
  unsigned measured = 0;  // of those, measured now
  unsigned freeSizes = 0; // of the others: their sizes are known only at run time
  unsigned foreign = 0;   // likewise: the code does not run here, or does not compile
};

// "tuned 3 of 5 costly kernels (1 from the cache); 1 has sizes that only a call knows: fix them with --dim".
std::string toSentence(const TuneReport &report);

// Sets `kernel.tile` where something is faster than what is chosen without. Warnings are diagnostics.
TuneReport tuneExecutables(ModuleOp module, const TuneOptions &options);

// $HEDDLE_CACHE_DIR, else `heddle` in the user's cache folder; "" where there is neither.
std::string getDefaultCacheDir();

// Compiles the candidate and runs it on zeros: the best processor time of this thread. See MeasureKernel.
std::optional<double> measureKernel(ModuleOp candidate, unsigned optLevel = 2);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_TUNE_H
