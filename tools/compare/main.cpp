// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle compare: two programs on the same inputs, value by value. docs/cli.md
#include "tools/compare/Differences.h"
#include "tools/lib/Arguments.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/session/MadeInputs.h"
#include "tools/session/ModelFile.h"
#include "tools/session/Session.h"
#include "tools/session/Team.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace heddle::tools {
namespace {

constexpr const char *kFooter =
    R"(For ONNX models the values of all nodes are compared (heddle compile --output-all), for other programs the results.
Values of the same name are compared in the order of the first program, so the first difference shows where an edit takes
effect. Inputs that are not given are made up as by heddle bench, the same for both.
Examples:
  heddle compare model.onnx edited.onnx
  heddle compare model.onnx quantised.onnx --dim=batch=1 --rtol=0.1
Exit status: 0 all agree, 1 failed or values differ, 2 wrong usage.)";

struct Options {
  std::string one, other, function;
  std::vector<std::string> devices, inputs;
  std::optional<double> atol, rtol;
  std::optional<uint64_t> seed, limit;
  RankFlags ranks;
  ModelFlags model;
};

std::optional<int> parse(int argc, char **argv, Options &to) {
  CommandLine line("heddle compare", "Runs two programs on the same inputs and says where their values first differ.",
                   kFooter);
  line.positional(to.one, "MODEL", "a model (.onnx, .mlir, .mlirbc), or what heddle compile wrote (.heddle)");
  line.positional(to.other, "OTHER", "another, whose inputs of the same names get the same values");
  line.group("Programs and devices");
  line.list(
      to.devices, "--device", "URI",
      "run on this device; repeat in order. Default: all devices of the drivers that the program names, and local");
  line.value(to.function, "--function", "NAME", "the entry point; default: main, or the only one");
  line.value(to.ranks.threads, "--threads", "N", "let N threads work on a call, on any core");
  line.group("Values");
  line.list(to.inputs, "--input", "[NAME=]VALUE", "an input of MODEL, by name or in its order");
  line.value(to.seed, "--seed", "N", "seed the inputs that are made up, and random numbers; default 1");
  line.value(to.atol, "--atol", "X", "allowed: |got - expected| <= atol + rtol * |expected|; default by type");
  line.value(to.rtol, "--rtol", "X", "see --atol");
  line.value(to.limit, "--limit", "N", "print at most N differences; default 10");
  to.model.addTo(
      line, "fix a size that the models leave free, by its name or by input and dimension (input.0); may be repeated");
  std::optional<int> status = line.parse(argc, argv);
  for (auto [name, value] : {std::pair("--atol", to.atol), std::pair("--rtol", to.rtol)})
    if (value && !(*value >= 0 && std::isfinite(*value)))
      throw UsageError(std::string(name) + " takes a finite number that is not negative");
  return status;
}

ModelFlags flagsFor(const std::string &path, ModelFlags flags) {
  if (path.ends_with(".onnx"))
    flags.compileFlags.push_back("--output-all");
  if (isModel(path))
    return flags;
  return {}; // which an artifact refuses, and the other file may want
}

// A program, loaded, with what it was called with.
class Program {
public:
  Program(const std::string &path, const Options &options)
      : file(path, flagsFor(path, options.model)), team({file.artifact(), options.devices, options.ranks}) {
    if (team.isProgram() && team.size() > 1)
      throw UsageError("'" + path + "' is a program of many ranks; heddle run compares their results");
    index = findEntryPoint(team.module(), options.function);
  }

  const heddle_entry_point_info &entry() const { return team.module().entryPoint(index); }

  void call(std::span<const std::string> texts, std::span<const std::string> dims, uint64_t seed,
            std::vector<std::optional<HostTensor>> values = {}) {
    const Module &module = team.module();
    inputs = makeInputs(module, index, file.artifact(), texts, dims, seed, std::move(values));
    Module(module).seed(seed);
    Invocation invocation(module, entry().name);
    results = invocation(borrow(inputs));
  }

  // The inputs of the other program that have a name and a type of ours.
  std::vector<std::optional<HostTensor>> inputsFor(const heddle_entry_point_info &other) const {
    std::vector<std::optional<HostTensor>> shared(other.argument_count);
    for (size_t i = 0; i < shared.size(); ++i)
      for (size_t own = 0; own < inputs.size(); ++own)
        if (std::strcmp(other.arguments[i].name, entry().arguments[own].name) == 0) {
          shared[i].emplace(inputs[own].type(),
                            std::vector<int64_t>(inputs[own].dims().begin(), inputs[own].dims().end()));
          std::memcpy(shared[i]->data().data(), inputs[own].data().data(), inputs[own].data().size());
        }
    return shared;
  }

  std::vector<NamedTensor> values() const {
    std::vector<NamedTensor> out;
    for (size_t i = 0; i < results.size(); ++i)
      out.push_back({entry().results[i].name, view(results[i])});
    return out;
  }

private:
  ModelFile file;
  Team team;
  uint32_t index = 0;
  std::vector<HostTensor> inputs;
  std::vector<Tensor> results;
};

int run(int argc, char **argv) {
  Options options;
  if (std::optional<int> status = parse(argc, argv, options))
    return *status;
  if (!isModel(options.one) && !isModel(options.other)) // it says what is wrong with flags for models
    (void)ModelFile(options.one, options.model);
  Program one(options.one, options), other(options.other, options);
  uint64_t seed = options.seed.value_or(1);
  std::span<const std::string> dims(options.model.dims);
  auto dimsFor = [&](const std::string &path) { return isModel(path) ? dims.first(0) : dims; };
  one.call(options.inputs, dimsFor(options.one), seed);
  other.call({}, dimsFor(options.other), seed, one.inputsFor(other.entry()));
  std::optional<Tolerance> tolerance;
  if (options.atol || options.rtol)
    tolerance = Tolerance{options.atol.value_or(0), options.rtol.value_or(0)};
  Differences found = findDifferences(one.values(), other.values(), tolerance);
  std::fputs(toText(found, options.one, options.other, options.limit.value_or(10)).c_str(), stdout);
  if (found.compared == 0)
    throw Failure("no value of '" + options.one + "' has a name of one of '" + options.other + "'");
  return found.different.empty() ? kDone : kFailed;
}

} // namespace
} // namespace heddle::tools

int main(int argc, char **argv) {
  return heddle::tools::runTool("heddle compare", [&] { return heddle::tools::run(argc, argv); });
}
