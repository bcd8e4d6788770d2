// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle run: load an artifact, call an entry point once, print, write or compare the results. docs/cli.md
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Mains.h"
#include "tools/run/Results.h"
#include "tools/session/ModelFile.h"
#include "tools/session/RankValues.h"

#include <cmath>
#include <cstdio>

namespace heddle::tools {
namespace {

constexpr const char *kFooter = R"(Values: 2x3xf32=1,2,3,4,5,6   4xi32=7 (all the same)   f32=1 (scalar)   @file.npy
        2x3xf32=@raw.bin   and with the name of the input in front: ids=@ids.npy
Example:
  heddle run model.heddle --device=local://0 --input=2x2xf32=1,2,3,4 --expected-output=@want.npy
Exit status: 0 done, 1 failed or values differ, 2 wrong usage.)";

struct Options {
  std::string artifact, function, onDeviceLost = "fail", allowNative = "always";
  std::vector<std::string> devices, inputs, outputs, expected;
  std::optional<double> atol, rtol;
  std::optional<uint64_t> seed;
  bool dryRun = false, json = false;
  RankFlags ranks;
  ModelFlags model;
};

std::optional<int> parse(int argc, char **argv, Options &to) {
  CommandLine line("heddle run",
                   "Runs a model or an artifact: results go to standard output, messages to standard error.", kFooter);
  line.positional(to.artifact, "MODEL", "a model (.onnx, .mlir, .mlirbc), or what heddle compile wrote (.heddle)");
  line.group("Program and devices");
  line.list(
      to.devices, "--device", "URI",
      "run on this device; repeat in order. Default: all devices of the drivers that the program names, and local");
  line.value(to.function, "--function", "NAME", "the entry point; default: main, or the only one");
  line.group("Values");
  line.list(to.inputs, "--input", "[NAME=]VALUE",
            "an input, by name or in the model's order; for many ranks the whole tensor, or each rank's own with "
            "{rank} in the file's name");
  line.list(to.outputs, "--output", "[NAME=]@FILE.npy", "write a result to a file instead of printing it");
  line.list(to.expected, "--expected-output", "[NAME=]VALUE", "compare a result instead of printing it");
  line.value(to.atol, "--atol", "X", "allowed: |got - expected| <= atol + rtol * |expected|; default by type");
  line.value(to.rtol, "--rtol", "X", "see --atol");
  line.value(to.seed, "--seed", "N", "seed the random numbers that the program draws; default: a new seed each time");
  line.group("Loading");
  line.value(to.onDeviceLost, "--on-device-lost", "WHAT",
             "fail, or fallback: call again without the device, on the devices that the program names instead");
  line.value(to.allowNative, "--allow-native", "WHEN",
             "always, or never: refuse an artifact with machine code, which runs with the rights of this process");
  line.group("Ranks and threads");
  to.ranks.addTo(line);
  line.group("Loading");
  line.flag(to.dryRun, "--dry-run", "print which device each of the program's devices gets, and stop");
  line.flag(to.json, "--json", "with --dry-run: print the plan as JSON");
  to.model.addTo(
      line, "fix a size that the model leaves free, by its name or by input and dimension (input.0); may be repeated");
  std::optional<int> status = line.parse(argc, argv);
  if (!to.model.dims.empty() && !to.artifact.empty() && !isModel(to.artifact))
    throw UsageError("--dim is for models, and '" + to.artifact +
                     "' is compiled: its free sizes are those of the inputs");
  for (auto [name, value] : {std::pair("--atol", to.atol), std::pair("--rtol", to.rtol)})
    if (value && !(*value >= 0 && std::isfinite(*value)))
      throw UsageError(std::string(name) + " takes a finite number that is not negative");
  if (to.onDeviceLost != "fail" && to.onDeviceLost != "fallback")
    throw UsageError("--on-device-lost takes fail or fallback, got '" + to.onDeviceLost + "'");
  if (to.allowNative != "always" && to.allowNative != "never")
    throw UsageError("--allow-native takes always or never, got '" + to.allowNative + "'");
  if (to.json && !to.dryRun)
    throw UsageError("--json goes with --dry-run");
  return status;
}

ResultOptions resultOptions(const Options &options) {
  ResultOptions out{options.outputs, options.expected, std::nullopt};
  if (options.atol || options.rtol)
    out.tolerance = Tolerance{options.atol.value_or(0), options.rtol.value_or(0)};
  return out;
}

void printWarnings(const Team &team) {
  for (uint32_t member = 0; member < team.members(); ++member)
    for (std::string rest = team.module(member).warnings(); !rest.empty(); rest.erase(0, rest.find('\n') + 1))
      std::fprintf(stderr, "heddle run: warning: %s\n", rest.substr(0, rest.find('\n')).c_str());
}

int run(int argc, char **argv) {
  Options options;
  if (std::optional<int> status = parse(argc, argv, options))
    return *status;
  heddle_allow_native allowNative =
      options.allowNative == "never" ? HEDDLE_ALLOW_NATIVE_NEVER : HEDDLE_ALLOW_NATIVE_ALWAYS;
  ModelFile file(options.artifact, options.model);
  if (options.dryRun) {
    Artifact artifact(file.artifact());
    options.ranks.check();
    uint32_t threads = options.ranks.threadCount();
    std::string plan = options.json ? artifact.planJson(options.devices, allowNative, threads)
                                    : artifact.plan(options.devices, allowNative, threads);
    std::fputs(plan.c_str(), stdout);
    return kDone;
  }
  Team team({file.artifact(), options.devices, options.ranks,
             options.onDeviceLost == "fallback" ? HEDDLE_ON_DEVICE_LOST_FALLBACK : HEDDLE_ON_DEVICE_LOST_FAIL,
             allowNative});
  uint32_t index = findEntryPoint(team.module(), options.function);
  Results results(team, index, resultOptions(options));
  RankInputs inputs(team, index, options.inputs);

  std::vector<std::vector<Tensor>> got(team.members());
  team.onEach([&](uint32_t member) {
    Module module = team.module(member);
    if (options.seed)
      module.seed(*options.seed);
    Invocation call(module, module.entryPoint(index).name);
    got[member] = call(inputs.of(member));
  });
  printWarnings(team);
  return results.deliver(got) ? kDone : kFailed;
}

} // namespace
} // namespace heddle::tools

int heddle::tools::runMain(int argc, char **argv) {
  return heddle::tools::runTool("heddle run", [&] { return heddle::tools::run(argc, argv); });
}
