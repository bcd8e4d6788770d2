// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle bench: the latency of an entry point. docs/cli.md
#include "tools/bench/Ranks.h"
#include "tools/bench/Report.h"
#include "tools/lib/Arguments.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/session/MadeInputs.h"
#include "tools/session/ModelFile.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace heddle::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kMostIterations = 1000000; // a sample each is kept
constexpr uint64_t kMostInFlight = 1024;
constexpr const char *kFooter =
    R"(One call after another, inputs and result memory reused; the artifact is loaded once. A model is compiled first, or
comes from the cache. Inputs that are not given are made up: random floats, integers that the model's tables have rows for
(else 0 and 1), ones for masks.
With --in-flight=N, N calls run at a time, each in memory of its own; parts of the program on several devices overlap
like a pipeline. The latency is then from the start of a call to its end, and calls per second tell more.
Values of --input are those of heddle run. Other work on the machine slows the calls down.
Examples:
  heddle bench model.onnx --dim=batch=1
  heddle bench model.heddle --device=local://0 --input=1x16xi64=7 --json > old.json
  heddle bench model.heddle --device=local://0 --input=1x16xi64=7 --baseline=old.json
Exit status: 0 done, 1 failed, 2 wrong usage.)";

struct Options {
  std::string artifact, function, baseline;
  std::vector<std::string> devices, inputs;
  std::optional<uint64_t> iterations, warmup, inFlight, seed;
  std::optional<double> minTime;
  bool json = false;
  RankFlags ranks;
  ModelFlags model;
};

std::optional<int> parse(int argc, char **argv, Options &to) {
  CommandLine line("heddle bench", "Measures the latency and throughput of a model or an artifact.", kFooter);
  line.positional(to.artifact, "MODEL", "a model (.onnx, .mlir, .mlirbc), or what heddle compile wrote (.heddle)");
  line.group("Program and devices");
  line.list(
      to.devices, "--device", "URI",
      "run on this device; repeat in order. Default: all devices of the drivers that the program names, and local");
  line.value(to.function, "--function", "NAME", "the entry point; default: main, or the only one");
  line.list(to.inputs, "--input", "[NAME=]VALUE", "an input, by name or in the model's order");
  line.value(to.seed, "--seed", "N", "seed the inputs that are made up; default 1");
  line.group("Measuring");
  line.value(to.iterations, "--iterations", "N", "measure N calls; default: as many as --min-time says");
  line.value(to.warmup, "--warmup", "N", "make N calls before those, not measured; default 10");
  line.value(to.minTime, "--min-time", "SECONDS",
             "measure for at least this long (at most a million calls); default 1");
  line.value(to.inFlight, "--in-flight", "N", "make N calls at a time, each on a thread of its own; default 1");
  line.flag(to.json, "--json", "print the report as JSON");
  line.value(to.baseline, "--baseline", "OLD.json", "compare with an earlier report");
  line.group("Ranks and threads");
  to.ranks.addTo(line);
  to.model.addTo(line,
                 "fix a size that the model leaves free, by its name, or by input and dimension (input.0); repeated; "
                 "of an artifact the size of what is made up");
  std::optional<int> status = line.parse(argc, argv);
  if (to.iterations && to.minTime)
    throw UsageError("--iterations and --min-time exclude each other");
  if (to.iterations && (*to.iterations == 0 || *to.iterations > kMostIterations))
    throw UsageError("--iterations takes 1 to " + std::to_string(kMostIterations) + ", got " +
                     std::to_string(*to.iterations));
  if (to.inFlight && (*to.inFlight == 0 || *to.inFlight > kMostInFlight))
    throw UsageError("--in-flight takes 1 to " + std::to_string(kMostInFlight) + ", got " +
                     std::to_string(*to.inFlight));
  if (to.minTime && !(*to.minTime > 0 && *to.minTime <= 3600))
    throw UsageError("--min-time takes seconds, more than 0 and at most 3600");
  return status;
}

uint64_t nanoseconds(Clock::time_point from, Clock::time_point to) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count());
}

// What the process has cost so far, and what it cost since then.
Effort effortNow() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  timespec cpu{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  return {static_cast<double>(cpu.tv_sec) * 1e3 + static_cast<double>(cpu.tv_nsec) / 1e6,
          static_cast<uint64_t>(usage.ru_minflt)};
}
Effort effortSince(const Effort &start) {
  Effort now = effortNow();
  return {now.cpuMs - start.cpuMs, now.faults - start.faults};
}

double milliseconds(Clock::time_point from) { return static_cast<double>(nanoseconds(from, Clock::now())) / 1e6; }

// Not by getrusage(): that counts what the process was before exec(), too.
double peakRssMib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return std::strtod(line.c_str() + sizeof("VmHWM:"), nullptr) / 1024;
  return 0;
}

// The loop that is measured: results stay in the memory of the first call.
std::vector<uint64_t> measure(Invocation &call, const std::vector<Tensor> &arguments, std::vector<Tensor> &results,
                              const Options &options) {
  std::vector<uint64_t> samples;
  uint64_t most = options.iterations.value_or(kMostIterations), spent = 0;
  uint64_t enough = options.iterations ? UINT64_MAX : static_cast<uint64_t>(options.minTime.value_or(1) * 1e9);
  samples.reserve(options.iterations.value_or(1024));
  while (samples.size() < most && spent < enough) {
    Clock::time_point start = Clock::now();
    call.call(arguments, results);
    uint64_t took = nanoseconds(start, Clock::now());
    samples.push_back(took);
    spent += took;
  }
  return samples;
}

// An invocation with a thread that runs its calls.
struct Flight {
  Flight(const Module &module, const char *function, const std::vector<Tensor> &arguments, uint64_t warmup)
      : call(module, function), stream(module) {
    results = call(arguments);
    for (uint64_t i = 0; i < warmup; ++i)
      call.call(arguments, results);
  }
  void start(const std::vector<Tensor> &arguments) {
    begun = Clock::now();
    done = call.start(arguments, results, {}, &stream);
  }
  Invocation call;
  Stream stream;
  std::vector<Tensor> results;
  std::optional<Event> done; // of the call that runs
  Clock::time_point begun;
};

// As measure(), with several calls at a time, which are waited for in turn. `seconds`: from the first to the last.
std::vector<uint64_t> measureInFlight(std::vector<std::unique_ptr<Flight>> &flights,
                                      const std::vector<Tensor> &arguments, const Options &options, double &seconds) {
  std::vector<uint64_t> samples;
  uint64_t most = options.iterations.value_or(kMostIterations), started = 0;
  uint64_t enough = options.iterations ? UINT64_MAX : static_cast<uint64_t>(options.minTime.value_or(1) * 1e9);
  samples.reserve(options.iterations.value_or(1024));
  Clock::time_point start = Clock::now();
  auto finish = [&](Flight &flight) {
    if (!flight.done)
      return;
    flight.done->wait();
    flight.done.reset();
    samples.push_back(nanoseconds(flight.begun, Clock::now()));
  };
  for (; started < most && nanoseconds(start, Clock::now()) < enough; ++started) {
    Flight &flight = *flights[started % flights.size()];
    finish(flight);
    flight.start(arguments);
  }
  for (size_t i = 0; i < flights.size(); ++i)
    finish(*flights[(started + i) % flights.size()]);
  seconds = static_cast<double>(nanoseconds(start, Clock::now())) / 1e9;
  return samples;
}

// The median over calls of (total - kernel) / dispatches, with the runtime's own clock around every dispatch.
std::optional<double> hostTime(Invocation &call, const std::vector<Tensor> &arguments, std::vector<Tensor> &results) {
  constexpr int kCalls = 11;
  std::vector<double> perDispatch;
  call.setProfiling(true);
  for (int i = 0; i < kCalls; ++i) {
    call.call(arguments, results);
    heddle_statistics statistics = call.statistics();
    if (statistics.dispatches == 0 || !statistics.profiled)
      return std::nullopt;
    perDispatch.push_back(
        static_cast<double>(statistics.total_ns - std::min(statistics.kernel_ns, statistics.total_ns)) / 1e3 /
        static_cast<double>(statistics.dispatches));
  }
  std::nth_element(perDispatch.begin(), perDispatch.begin() + kCalls / 2, perDispatch.end());
  return perDispatch[kCalls / 2];
}

int print(const BenchReport &report, const std::optional<BenchReport> &baseline, const Options &options) {
  std::fputs((options.json ? toJson(report, baseline, options.baseline) : toTable(report, baseline)).c_str(), stdout);
  return kDone;
}

void addDevices(const Module &module, const std::string &prefix, BenchReport &report) {
  for (uint32_t i = 0; i < module.devices(); ++i)
    report.devices.push_back({prefix + module.device(i).name, module.device(i).uri, module.device(i).cores});
}

// A program of many ranks. The report is printed by the process of rank 0.
int runRanks(const Team &team, uint32_t index, BenchReport &report, const std::optional<BenchReport> &baseline,
             const Options &options) {
  if (options.inFlight.value_or(1) > 1)
    throw UsageError("--in-flight is for programs of one rank, got one of " + std::to_string(team.size()));
  for (uint32_t member = 0; member < team.members(); ++member)
    addDevices(team.module(member), "rank " + std::to_string(team.rank(member)) + ": ", report);
  RankInputs inputs(team, index, options.inputs);
  Effort effort = effortNow();
  RankBench bench =
      benchRanks(team, index, inputs,
                 {options.iterations, options.minTime.value_or(1), options.warmup.value_or(10), kMostIterations});
  report.call = effortSince(effort); // with the warm-up: ranks have no time of their own
  report.call.cpuMs /= static_cast<double>(bench.samples.size());
  report.call.faults /= bench.samples.size();
  report.firstCallMs = bench.firstCallMs;
  report.dispatches = bench.statistics.dispatches;
  report.ranks = team.size();
  report.collectives = bench.statistics.collectives;
  report.collectiveBytes = bench.statistics.collective_bytes;
  report.peakRssMib = peakRssMib();
  report.iterations = bench.samples.size();
  double ns = 0;
  for (uint64_t sample : bench.samples)
    ns += static_cast<double>(sample);
  report.callsPerSecond = static_cast<double>(bench.samples.size()) / (ns / 1e9);
  report.latency = summarize(std::move(bench.samples));
  return team.isLeader() ? print(report, baseline, options) : kDone;
}

int run(int argc, char **argv) {
  Options options;
  if (std::optional<int> status = parse(argc, argv, options))
    return *status;
  std::optional<BenchReport> baseline;
  if (!options.baseline.empty())
    baseline = readBaseline(options.baseline);

  ModelFile file(options.artifact, options.model);
  BenchReport report;
  Effort effort = effortNow();
  Clock::time_point start = Clock::now();
  Team team({file.artifact(), options.devices, options.ranks});
  const Module &module = team.module();
  report.loadMs = milliseconds(start);
  report.load = effortSince(effort);
  uint32_t index = findEntryPoint(module, options.function);
  if (team.isProgram() && team.size() > 1)
    return runRanks(team, index, report, baseline, options);
  addDevices(module, "", report);
  const heddle_entry_point_info &entry = module.entryPoint(index);
  std::span<const std::string> dims(options.model.dims); // of a model it has them already
  std::vector<HostTensor> inputs =
      makeInputs(module, index, file.artifact(), options.inputs, isModel(options.artifact) ? dims.first(0) : dims,
                 options.seed.value_or(1));
  std::vector<Tensor> arguments = borrow(inputs);

  effort = effortNow();
  start = Clock::now();
  Invocation call(module, entry.name);
  std::vector<Tensor> results = call(arguments);
  report.firstCallMs = milliseconds(start);
  report.firstCall = effortSince(effort);
  report.dispatches = call.statistics().dispatches;
  for (uint64_t i = 0; i < options.warmup.value_or(10); ++i)
    call.call(arguments, results);
  std::vector<std::unique_ptr<Flight>> flights;
  report.inFlight = options.inFlight.value_or(1);
  for (uint64_t i = 0; i < report.inFlight && report.inFlight > 1; ++i)
    flights.push_back(std::make_unique<Flight>(module, entry.name, arguments, options.warmup.value_or(10)));
  report.peakRssMib = peakRssMib();
  effort = effortNow();
  double seconds = 0;
  std::vector<uint64_t> samples = flights.empty() ? measure(call, arguments, results, options)
                                                  : measureInFlight(flights, arguments, options, seconds);
  for (uint64_t ns : samples)
    seconds += flights.empty() ? static_cast<double>(ns) / 1e9 : 0;
  report.callsPerSecond = static_cast<double>(samples.size()) / seconds;
  report.iterations = samples.size();
  report.call = effortSince(effort);
  report.call.cpuMs /= static_cast<double>(samples.size());
  report.call.faults /= samples.size();
  report.latency = summarize(std::move(samples));
  report.hostUsPerDispatch = hostTime(call, arguments, results);
  return print(report, baseline, options);
}

} // namespace
} // namespace heddle::tools

int main(int argc, char **argv) {
  return heddle::tools::runTool("heddle bench", [&] { return heddle::tools::run(argc, argv); });
}
