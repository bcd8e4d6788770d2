// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of `heddle compile` as text, for the compiler and for the cache in front of it, which has no LLVM.
#ifndef HEDDLE_TOOLS_CACHE_COMPILEFLAGS_H
#define HEDDLE_TOOLS_CACHE_COMPILEFLAGS_H

#include "tools/cache/Key.h"
#include "tools/lib/CommandLine.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::tools {

struct CompileFlags {
  std::string model, output, compileTo = "package", stats;
  std::vector<std::string> targetDevices, targetCpus, meshSizes, otherModels, states, donations, dims, expected,
      strategies, disabledPasses;
  std::string defaultDevice, placeFile, shardFile, splitFile, topology, dumpDir, layoutResolver;
  std::optional<std::string> explain, dataTiling, place, precision, shard, maxTransient;
  std::optional<uint64_t> optLevel;
  bool reproducible = false, strictFloat = false, roundActivations = false, timing = false, tune = false, quiet = false,
       verbose = false, outputAll = false;
  // The cache's own: on or off; how its result may lie at `output`; what stands for the model; the key to keep it by.
  std::optional<std::string> cache;
  bool cacheShare = false, cacheOnly = false;
  std::string cacheContent, cacheKey;
};

inline constexpr const char *kCompileFooter = "Examples:\n  heddle compile model.onnx -o model.heddle\n"
                                              "  heddle compile model.onnx -o model.heddle --dim=batch=1\n"
                                              "  heddle compile model.onnx -o model.mlir --compile-to=form --explain";

// Declares all of them. `flags` must outlive the line.
void define(CommandLine &line, CompileFlags &flags);

// Whether the same flags give the same files and messages again, and nothing was asked for that only a compilation has:
// figures (unless --cache=on), IR, times, tuning. Throws UsageError where --cache=on is asked for with one of those.
bool isCacheable(const CompileFlags &flags);

// All that the key depends on. `line` is the one that read `flags`, `compiler` the program that compiles. Throws
// Failure.
KeyInputs keyInputs(const CompileFlags &flags, const CommandLine &line, const std::string &compiler);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_CACHE_COMPILEFLAGS_H
