// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `heddle bench` measured, as JSON and as a table. Pure: no clock, no runtime.
#ifndef HEDDLE_TOOLS_BENCH_REPORT_H
#define HEDDLE_TOOLS_BENCH_REPORT_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::tools {

struct Latency { // µs
  double min = 0, median = 0, p90 = 0, p99 = 0;
};

// Of at least one sample (ns). The median of an even number is the mean of the middle two, a percentile the smallest
// sample that so many percent do not exceed.
Latency summarize(std::vector<uint64_t> samples);

struct BenchDevice {
  std::string name; // in the program
  std::string uri;  // what it got
  uint32_t cores = 0;
};

// Processor time of the whole process and the page faults the system served without reading a file. Other work on the
// machine hardly changes either.
struct Effort {
  double cpuMs = 0;
  uint64_t faults = 0;
};

struct BenchReport {
  Latency latency;
  uint64_t iterations = 0, inFlight = 1;
  double callsPerSecond = 0;
  double loadMs = 0, firstCallMs = 0;
  uint64_t dispatches = 0;                 // of one call
  std::optional<double> hostUsPerDispatch; // none without dispatches
  double peakRssMib = 0;
  Effort load, firstCall, call; // `call`: the mean of the measured calls
  std::vector<BenchDevice> devices;
  // Of a program of many ranks: of one call of rank 0, how many, and what it gives to them and gets.
  uint32_t ranks = 1;
  uint64_t collectives = 0, collectiveBytes = 0;
};

// The keys of design.md §7: latency_us {min median p90 p99}, iterations, in_flight, calls_per_second, load_ms,
// first_call_ms, dispatches, host_us_per_dispatch (null without dispatches), peak_rss_mib, cpu_ms and page_faults {load
// first_call call}, devices
// [{name, uri, cores}]; of many ranks also ranks, collectives, collective_bytes; with a baseline also `baseline` {file,
// latency_us, speedup}.
std::string toJson(const BenchReport &report, const std::optional<BenchReport> &baseline,
                   const std::string &baselineFile);

// For people; with a baseline a second column and the ratio.
std::string toTable(const BenchReport &report, const std::optional<BenchReport> &baseline);

// Reads latency_us of an earlier report. Throws Failure ("'old.json': …") for anything that is none.
BenchReport readBaseline(const std::string &path);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_BENCH_REPORT_H
