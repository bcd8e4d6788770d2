// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/bench/Report.h"

#include "tools/lib/Error.h"
#include "tools/lib/Files.h"
#include "tools/lib/Json.h"
#include "tools/lib/Quantities.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace heddle::tools {
namespace {

double nearestRank(const std::vector<uint64_t> &sorted, double percent) {
  size_t rank = static_cast<size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size())));
  return static_cast<double>(sorted[std::max<size_t>(rank, 1) - 1]) / 1e3;
}

Json latencyJson(const Latency &latency) {
  return {{"min", latency.min}, {"median", latency.median}, {"p90", latency.p90}, {"p99", latency.p99}};
}

// Enough digits for small and large numbers alike.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), value < 10 ? "%.3f" : value < 1000 ? "%.1f" : "%.0f", value);
  return text;
}

struct Row {
  const char *name;
  double value;
  double before;
};

} // namespace

Latency summarize(std::vector<uint64_t> samples) {
  std::sort(samples.begin(), samples.end());
  size_t n = samples.size();
  double median = static_cast<double>(samples[(n - 1) / 2] + samples[n / 2]) / 2e3;
  return {static_cast<double>(samples[0]) / 1e3, median, nearestRank(samples, 90), nearestRank(samples, 99)};
}

std::string toJson(const BenchReport &report, const std::optional<BenchReport> &baseline,
                   const std::string &baselineFile) {
  Json out = {
      {"latency_us", latencyJson(report.latency)},
      {"iterations", report.iterations},
      {"in_flight", report.inFlight},
      {"calls_per_second", report.callsPerSecond},
      {"load_ms", report.loadMs},
      {"first_call_ms", report.firstCallMs},
      {"dispatches", report.dispatches},
      {"host_us_per_dispatch", nullptr},
      {"peak_rss_mib", report.peakRssMib},
      {"cpu_ms", {{"load", report.load.cpuMs}, {"first_call", report.firstCall.cpuMs}, {"call", report.call.cpuMs}}},
      {"page_faults",
       {{"load", report.load.faults}, {"first_call", report.firstCall.faults}, {"call", report.call.faults}}},
      {"devices", Json::array()}};
  if (report.hostUsPerDispatch)
    out["host_us_per_dispatch"] = *report.hostUsPerDispatch;
  for (const BenchDevice &device : report.devices)
    out["devices"].push_back({{"name", device.name}, {"uri", device.uri}, {"cores", device.cores}});
  if (report.ranks > 1) {
    out["ranks"] = report.ranks;
    out["collectives"] = report.collectives;
    out["collective_bytes"] = report.collectiveBytes;
  }
  if (baseline)
    out["baseline"] = {{"file", baselineFile},
                       {"latency_us", latencyJson(baseline->latency)},
                       {"speedup", baseline->latency.median / report.latency.median}};
  return toText(out);
}

std::string toTable(const BenchReport &report, const std::optional<BenchReport> &baseline) {
  std::string out;
  for (const BenchDevice &device : report.devices)
    out += device.name + " = " + device.uri + " (" + std::to_string(device.cores) +
           (device.cores == 1 ? " core)\n" : " cores)\n");
  char line[160];
  Latency before = baseline ? baseline->latency : Latency();
  const Row rows[] = {{"min", report.latency.min, before.min},
                      {"median", report.latency.median, before.median},
                      {"p90", report.latency.p90, before.p90},
                      {"p99", report.latency.p99, before.p99}};
  out += baseline ? "latency, µs          now      before  now/before\n" : "latency, µs\n";
  for (const Row &row : rows) {
    std::snprintf(line, sizeof(line), "  %-10s %12s", row.name, number(row.value).c_str());
    out += line;
    if (baseline) {
      std::snprintf(line, sizeof(line), "%12s%12.3f", number(row.before).c_str(), row.value / row.before);
      out += line;
    }
    out += '\n';
  }
  std::snprintf(line, sizeof(line), "%llu calls after load (%s ms) and a first call (%s ms); peak memory %s MiB\n",
                static_cast<unsigned long long>(report.iterations), number(report.loadMs).c_str(),
                number(report.firstCallMs).c_str(), number(report.peakRssMib).c_str());
  out += line;
  out += report.inFlight > 1 ? std::to_string(report.inFlight) + " calls in flight: " : "one call at a time: ";
  out += number(report.callsPerSecond) + " calls a second\n";
  out += std::to_string(report.dispatches) + " dispatches per call";
  if (report.hostUsPerDispatch)
    out += ", host time " + number(*report.hostUsPerDispatch) + " µs each";
  out += "\n";
  if (report.ranks > 1)
    out += std::to_string(report.ranks) + " ranks, times are those of the slowest; " +
           formatCount(report.collectives, "collective") + " per call, " + formatBytes(report.collectiveBytes) +
           " given and got by rank 0\n";
  return out;
}

BenchReport readBaseline(const std::string &path) {
  Json json = Json::parse(readText(path), nullptr, /*allow_exceptions=*/false);
  BenchReport out;
  for (auto [key, to] : {std::pair("min", &out.latency.min), std::pair("median", &out.latency.median),
                         std::pair("p90", &out.latency.p90), std::pair("p99", &out.latency.p99)}) {
    Json::json_pointer at("/latency_us/" + std::string(key));
    if (json.is_discarded() || !json.is_object() || !json.contains(at) || !json[at].is_number() ||
        json[at].get<double>() <= 0)
      throw Failure("'" + path + "': not a report of heddle bench --json: it has no positive number latency_us." + key);
    *to = json[at].get<double>();
  }
  return out;
}

} // namespace heddle::tools
