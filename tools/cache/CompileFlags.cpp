// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cache/CompileFlags.h"

#include "tools/cache/FlagHelp.h"
#include "tools/lib/Error.h"
#include "tools/lib/MachineFiles.h"

#include <algorithm>

namespace heddle::tools {
namespace {

// Flags that change neither artifact nor messages.
constexpr const char *kNotOfKey[] = {"--output",    "--stats",         "--cache", "--cache-share", "--cache-only",
                                     "--cache-key", "--cache-content", "--quiet", "--verbose"};

void defineTargets(CommandLine &line, CompileFlags &flags) {
  line.group("Devices");
  line.list(flags.targetDevices, "--target-device", "SPEC", kTargetDeviceHelp);
  line.list(flags.targetCpus, "--target-cpu", "CPU,…", kTargetCpuHelp);
  line.value(flags.defaultDevice, "--default-device", "NAME|N",
             "the device of everything that nothing else places (the first)");
  line.value(flags.place, "--place", "auto", kPlaceHelp);
  line.value(flags.placeFile, "--place-file", "FILE",
             "a file of lines 'pattern = device' that say where nodes of the model run, by their names");
  line.value(
      flags.topology, "--topology", "FILE|measured",
      "a file that says how fast devices and their links are; measured: the one that heddle devices --measure wrote");
  line.group("Ranks");
  line.list(flags.meshSizes, "--mesh", "AXIS=SIZE,…",
            "set sizes of a mesh's axes that the program leaves free; others are set when the artifact is loaded");
  line.value(flags.shard, "--shard", "auto", kShardHelp);
  line.value(
      flags.shardFile, "--shard-file", "FILE",
      "a file of lines 'pattern = sharding' that say how ranks share inputs, parameters and values, by their names");
}

void defineProgram(CommandLine &line, CompileFlags &flags) {
  line.group("Program");
  line.list(flags.dims, "--dim", "NAME=SIZE", kDimHelp);
  line.list(flags.expected, "--expect", "NAME=SIZE,…",
            "expect these sizes of free dimensions, for --place=auto, memory and estimates; calls may have others");
  line.list(flags.otherModels, "--with", "MODEL",
            "put another model into the artifact; weights of the same name and bytes are there once, and the main "
            "function of each model becomes an entry point named like its file");
  line.flag(flags.outputAll, "--output-all",
            "make the values of all nodes of an ONNX model outputs, for heddle compare");
  line.list(flags.states, "--state", "INPUT=OUTPUT", kStateHelp);
  line.list(flags.donations, "--donate", "INPUT[=OUTPUT]", kDonateHelp);
}

void defineCode(CommandLine &line, CompileFlags &flags) {
  line.group("Code");
  line.value(flags.optLevel, "-O", "0|1|2|3", "how much LLVM optimises kernels (2)");
  line.flag(flags.tune, "--tune",
            "measure tiles of the costly kernels on this machine and keep the best in $HEDDLE_CACHE_DIR");
  line.value(flags.maxTransient, "--max-transient", "SIZE", kMaxTransientHelp);
  line.flag(flags.reproducible, "--reproducible", kReproducibleHelp);
  line.value(flags.precision, "--precision", "f32|bf16|f16", kPrecisionHelp);
  line.flag(flags.roundActivations, "--round-activations", kRoundActivationsHelp);
  line.flag(flags.strictFloat, "--strict-float", kStrictFloatHelp);
  line.value(flags.dataTiling, "--data-tiling", "on|off", kDataTilingHelp);
  line.list(flags.strategies, "--strategy", "NAME", kStrategyHelp);
  line.value(flags.splitFile, "--split-file", "FILE", kSplitFileHelp);
}

void defineOutput(CommandLine &line, CompileFlags &flags) {
  line.group("Output");
  line.value(flags.output, "-o,--output", "FILE", "write the artifact here; with --compile-to the IR");
  line.optionalValue(flags.explain, "--explain", "FILE",
                     "say which ops share a dispatch and which nodes they come from");
  line.value(flags.stats, "--stats", "FILE", "write figures of the compilation as JSON");
  line.flag(flags.quiet, "-q,--quiet", "print errors only");
  line.flag(flags.verbose, "-v,--verbose", "also say whether the artifact came from the cache, and if not, why");
  line.value(flags.cache, "--cache", "on|off",
             "take the artifact from the cache if the same was compiled before (on; off with --stats, --explain, "
             "--tune and the flags for developers)");
}

void defineDevelopment(CommandLine &line, CompileFlags &flags) {
  line.group("For developers");
  line.value(flags.compileTo, "--compile-to", "STAGE", "stop after this stage and write its IR");
  line.value(flags.dumpDir, "--dump-dir", "DIR", "write the IR after each stage to DIR/NN-stage.mlir");
  line.list(flags.disabledPasses, "--disable-pass", "PASS", "skip a pass, by its flag; may be repeated");
  line.value(flags.layoutResolver, "--layout-resolver", "NAME",
             "replace the devices' own layouts, for tests: identity, unsupported, blocked");
  line.flag(flags.timing, "--timing", "print how long each pass took");
  line.group(""); // of programs that start this one
  line.flag(flags.cacheShare, "--cache-share", "the output may be a link to the cache's file");
  line.flag(flags.cacheOnly, "--cache-only", "exit status 3 where the cache has nothing");
  line.value(flags.cacheContent, "--cache-content", "TEXT", "stands for the content of MODEL");
  line.value(flags.cacheKey, "--cache-key", "KEY", "keep the artifact in the cache by this key");
}

// The first flag of those whose work is not repeated from the cache.
const char *findUncached(const CompileFlags &flags) {
  return flags.compileTo != "package" ? "--compile-to"
         : !flags.dumpDir.empty()     ? "--dump-dir"
         : flags.timing               ? "--timing"
         : flags.tune                 ? "--tune"
         : flags.explain              ? "--explain"
                                      : nullptr;
}

} // namespace

void define(CommandLine &line, CompileFlags &flags) {
  line.positional(flags.model, "MODEL", "the model: .onnx (with external data beside it), .mlir or .mlirbc");
  defineOutput(line, flags);
  defineProgram(line, flags);
  defineTargets(line, flags);
  defineCode(line, flags);
  defineDevelopment(line, flags);
}

bool isCacheable(const CompileFlags &flags) {
  if (flags.cache && *flags.cache != "on" && *flags.cache != "off")
    throw UsageError("--cache takes on or off, got '" + *flags.cache + "'");
  const char *uncached = findUncached(flags);
  if (flags.cache == "on" && uncached)
    throw UsageError(std::string("--cache=on: what ") + uncached + " asks for is in no cache; leave one of them out");
  if (flags.cache)
    return *flags.cache == "on";
  return !uncached && flags.stats.empty();
}

using Values = std::vector<std::string>;

static bool isOneOf(const std::string &name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

KeyInputs keyInputs(const CompileFlags &flags, const CommandLine &line, const std::string &compiler) {
  KeyInputs inputs{compiler, {flags.model}, flags.cacheContent, {}, {}};
  inputs.models.insert(inputs.models.end(), flags.otherModels.begin(), flags.otherModels.end());
  std::string topology = flags.topology == "measured" ? measuredTopologyPath() : flags.topology;
  for (const std::string &file : {flags.placeFile, flags.shardFile, flags.splitFile, topology})
    if (!file.empty())
      inputs.files.push_back(file);
  for (auto &[name, values] : line.given()) {
    bool isOfKey = std::find(std::begin(kNotOfKey), std::end(kNotOfKey), name) == std::end(kNotOfKey);
    if (isOfKey && name != "--with") // whose models count by content, as the files of these do
      inputs.flags.emplace_back(
          name, isOneOf(name, {"--place-file", "--shard-file", "--split-file", "--topology"}) ? Values() : values);
  }
  return inputs;
}

} // namespace heddle::tools
