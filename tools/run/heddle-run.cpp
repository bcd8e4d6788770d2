// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle run: load an artifact, call an entry point once, print, write or compare the results. docs/cli.md
#include "heddle/contract/Text.h"
#include "tools/lib/Arguments.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Compare.h"
#include "tools/lib/Error.h"
#include "tools/lib/Mains.h"
#include "tools/lib/Npy.h"
#include "tools/lib/Print.h"
#include "tools/session/Session.h"

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
};

std::optional<int> parse(int argc, char **argv, Options &to) {
  CommandLine line("heddle run", "Runs an artifact: results go to standard output, messages to standard error.",
                   kFooter);
  line.positional(to.artifact, "ARTIFACT", "what heddle compile wrote (.heddle)");
  line.list(to.devices, "--device", "URI",
            "a device, repeated in order; none: all of the drivers that the program names, and local");
  line.value(to.function, "--function", "NAME", "the entry point; default: main, or the only one");
  line.list(to.inputs, "--input", "[NAME=]VALUE", "an input, in the model's order or by name");
  line.list(to.outputs, "--output", "[NAME=]@FILE.npy", "write a result to a file instead of printing it");
  line.list(to.expected, "--expected-output", "[NAME=]VALUE", "compare a result instead of printing it");
  line.value(to.atol, "--atol", "X", "allowed: |got - expected| <= atol + rtol * |expected|; default by type");
  line.value(to.rtol, "--rtol", "X", "see --atol");
  line.value(to.seed, "--seed", "N",
             "of the random numbers, where the program draws any; default: another one each time");
  line.value(to.onDeviceLost, "--on-device-lost", "WHAT",
             "fail, or fallback: call again without the device, on what the program names instead");
  line.value(to.allowNative, "--allow-native", "WHEN",
             "always, or never: refuse an artifact with machine code, which runs with the rights of this process");
  line.flag(to.dryRun, "--dry-run", "print which device each of the program's devices gets, and stop");
  line.flag(to.json, "--json", "with --dry-run: the plan as JSON");
  std::optional<int> status = line.parse(argc, argv);
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

// What happens to one result. Made before the call, so that a bad path or value costs no run.
struct Sink {
  std::optional<OutputFile> file;
  std::optional<HostTensor> expected;
};

std::vector<Sink> makeSinks(const heddle_entry_point_info &entry, const Options &options) {
  auto files = assignOutputs(resultsOf(entry), options.outputs);
  auto values = assignValues(resultsOf(entry), options.expected, "--expected-output", "result");
  std::vector<Sink> sinks(entry.result_count);
  for (uint32_t i = 0; i < entry.result_count; ++i) {
    if (files[i])
      sinks[i].file.emplace(*files[i]);
    if (values[i])
      sinks[i].expected = parseValueAs(*values[i], static_cast<contract::ElementType>(entry.results[i].type));
  }
  return sinks;
}

// Prints one line about a compared result; true when it is as expected.
bool compareResult(const char *name, TensorView got, TensorView expected, const Options &options) {
  Tolerance tolerance = defaultTolerance(got.type);
  if (options.atol || options.rtol)
    tolerance = {options.atol.value_or(0), options.rtol.value_or(0)};
  if (auto difference = describeDifference(got, expected, tolerance)) {
    std::fflush(stdout);
    std::fprintf(stderr, "heddle run: result '%s' is not as expected: %s\n", name, difference->c_str());
    return false;
  }
  std::printf("result '%s': %s as expected, largest error %.3g\n", name, formatType(got.type, got.dims).c_str(),
              compare(got, expected, tolerance).worstError);
  return true;
}

// False when the result is not as expected.
bool deliver(const std::string &given, TensorView result, Sink &sink, const Options &options) {
  std::string shown = contract::showText(given, contract::Lines::One);
  const char *name = shown.c_str();
  if (sink.file) {
    writeNpy(*sink.file, result);
    sink.file->commit();
  }
  if (sink.expected)
    return compareResult(name, result, sink.expected->view(), options);
  if (!sink.file)
    std::printf("result '%s': %s\n", name, formatTensor(result).c_str());
  return true;
}

int run(int argc, char **argv) {
  Options options;
  if (std::optional<int> status = parse(argc, argv, options))
    return *status;
  heddle_allow_native allowNative =
      options.allowNative == "never" ? HEDDLE_ALLOW_NATIVE_NEVER : HEDDLE_ALLOW_NATIVE_ALWAYS;
  if (options.dryRun) {
    Artifact artifact(options.artifact);
    std::fputs(
        (options.json ? artifact.planJson(options.devices, allowNative) : artifact.plan(options.devices, allowNative))
            .c_str(),
        stdout);
    return kDone;
  }
  Module module(options.artifact, options.devices,
                options.onDeviceLost == "fallback" ? HEDDLE_ON_DEVICE_LOST_FALLBACK : HEDDLE_ON_DEVICE_LOST_FAIL,
                allowNative);
  if (options.seed)
    module.seed(*options.seed);
  uint32_t index = findEntryPoint(module, options.function);
  const heddle_entry_point_info &entry = module.entryPoint(index);
  std::vector<Sink> sinks = makeSinks(entry, options);
  std::vector<HostTensor> inputs = bindInputs(entry, options.inputs, defaultsOf(module, index));

  Invocation call(module, entry.name);
  std::vector<Tensor> results = call(borrow(inputs));
  for (std::string rest = module.warnings(); !rest.empty(); rest.erase(0, rest.find('\n') + 1))
    std::fprintf(stderr, "heddle run: warning: %s\n", rest.substr(0, rest.find('\n')).c_str());
  bool same = true;
  for (uint32_t i = 0; i < entry.result_count; ++i)
    same &= deliver(entry.results[i].name, view(results[i]), sinks[i], options);
  return same ? kDone : kFailed;
}

} // namespace
} // namespace heddle::tools

int heddle::tools::runMain(int argc, char **argv) {
  return heddle::tools::runTool("heddle run", [&] { return heddle::tools::run(argc, argv); });
}
