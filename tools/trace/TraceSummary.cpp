// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Quantities.h"
#include "tools/trace/RankTimelines.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

namespace heddle::tools {
namespace {

struct Total {
  uint64_t count = 0, bytes = 0, ns = 0;
  void add(const Slice &slice) {
    ++count;
    bytes += slice.bytes;
    ns += slice.end - slice.begin;
  }
};

std::string percent(uint64_t part, uint64_t whole) {
  char text[16];
  std::snprintf(text, sizeof(text), "%.1f %%",
                whole ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0.0);
  return text;
}

// In characters.
size_t lengthOf(const std::string &text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}
std::string blanks(const std::string &text, size_t width) {
  return std::string(width - std::min(width, lengthOf(text)), ' ');
}
std::string pad(const std::string &text, size_t width) { return text + blanks(text, width); }
std::string padLeft(const std::string &text, size_t width) { return blanks(text, width) + text; }

std::string devices(const Timeline &timeline) {
  std::string out;
  size_t width = 0;
  for (const Timeline::Device &device : timeline.devices)
    width = std::max(width, device.name.size() + 3 + device.uri.size());
  for (size_t d = 0; d < timeline.devices.size(); ++d) {
    const Timeline::Device &device = timeline.devices[d];
    uint64_t busy = timeline.busy(static_cast<int32_t>(d)), dispatches = 0;
    for (const Slice &slice : timeline.slices)
      dispatches += slice.kind == HEDDLE_TRACE_DISPATCH && slice.device == static_cast<int32_t>(d);
    out += "  " + pad(device.name + " = " + device.uri, width) + "  busy " +
           pad(formatDuration(static_cast<double>(busy)), 8) + " " + pad(percent(busy, timeline.makespan()), 7) + "  " +
           formatCount(dispatches, "dispatch") + "\n";
  }
  return out;
}

std::string transfers(const Timeline &timeline) {
  std::map<std::pair<int32_t, int32_t>, Total> by;
  Total all;
  for (const Slice &slice : timeline.slices)
    if (slice.isTransfer()) {
      by[{slice.from, slice.to}].add(slice);
      all.add(slice);
    }
  if (!all.count)
    return "no transfers between devices\n";
  std::string out = formatCount(all.count, "transfer") + ", " + formatBytes(all.bytes) + "\n";
  for (auto &[ends, total] : by) {
    char rate[32] = "";
    if (total.ns)
      std::snprintf(rate, sizeof(rate), ", %.2f GB/s",
                    static_cast<double>(total.bytes) / static_cast<double>(total.ns));
    out += "  " + timeline.deviceName(ends.first) + " -> " + timeline.deviceName(ends.second) + "  " +
           std::to_string(total.count) + ", " + formatBytes(total.bytes) + " in " +
           formatDuration(static_cast<double>(total.ns)) + rate + "\n";
  }
  return out;
}

// Of the ranks' slices the mean: from arrival to the end, the part of it until the last rank was there, and the part
// beside which the same rank computed.
std::string collectives(const Timeline &timeline) {
  std::string out;
  for (const CollectiveTotal &total : summarizeCollectives(timeline)) {
    auto each = [&](uint64_t ns) {
      return formatDuration(static_cast<double>(ns) / static_cast<double>(total.slices));
    };
    std::string ranks = total.groupSize ? formatCount(total.groupSize, "rank") : "all ranks";
    std::string bytes = total.bytes ? formatBytes(total.bytes / total.slices) + " of each, " : "";
    out += "  " + pad(total.name, 16) + "  " + std::to_string(total.count) + " among " + ranks + ", " + bytes +
           each(total.ns) + " (" + each(total.waitNs) + " until all are there), " + percent(total.hiddenNs, total.ns) +
           " behind compute\n";
  }
  return out.empty() ? "" : "collectives\n" + out;
}

// Work of one name for one node of the model on one device.
struct Row {
  std::string kernel, node;
  int32_t device = -1;
  Total total;
};

// The longest first.
std::vector<Row> rowsOf(const Timeline &timeline) {
  std::map<std::tuple<std::string, std::string, int32_t>, Total> by;
  for (const Slice &slice : timeline.slices)
    if (slice.isWork())
      by[{slice.name, slice.source, slice.device}].add(slice);
  std::vector<Row> rows;
  for (const auto &[key, total] : by)
    rows.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), total});
  std::stable_sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) { return a.total.ns > b.total.ns; });
  return rows;
}

// Means over the calls.
std::string table(const Timeline &timeline, size_t limit) {
  std::vector<Row> rows = rowsOf(timeline);
  if (rows.empty())
    return "";
  uint64_t work = 0, rest = 0;
  size_t shown = std::min(limit, rows.size()), deviceWidth = 6, kernelWidth = 6;
  for (size_t i = 0; i < rows.size(); ++i) {
    work += rows[i].total.ns;
    if (i >= shown) {
      rest += rows[i].total.ns;
      continue;
    }
    deviceWidth = std::max(deviceWidth, lengthOf(timeline.deviceName(rows[i].device)));
    kernelWidth = std::max(kernelWidth, lengthOf(rows[i].kernel));
  }
  double calls = static_cast<double>(std::max<size_t>(1, timeline.calls.size()));
  std::string out = "where the time goes, of " + formatDuration(static_cast<double>(work) / calls) +
                    " of work a call\n       %      time   runs  " + pad("device", deviceWidth) + "  " +
                    pad("kernel", kernelWidth) + "  node\n";
  for (size_t i = 0; i < shown; ++i) {
    const Row &row = rows[i];
    char runs[32];
    std::snprintf(runs, sizeof(runs), "%.4g", static_cast<double>(row.total.count) / calls);
    std::string line = padLeft(percent(row.total.ns, work), 8) + "  " +
                       padLeft(formatDuration(static_cast<double>(row.total.ns) / calls), 8) + "  " + padLeft(runs, 5) +
                       "  " + pad(timeline.deviceName(row.device), deviceWidth) + "  " + pad(row.kernel, kernelWidth) +
                       "  " + row.node;
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (shown < rows.size())
    out += padLeft(percent(rest, work), 8) + "  in " + std::to_string(rows.size() - shown) +
           " more (--rows=" + std::to_string(rows.size()) + " shows all)\n";
  return out;
}

} // namespace

std::string toSummary(const Timeline &timeline, size_t rows) {
  std::string out = timeline.title + ": " + formatCount(timeline.calls.size(), "call") + " in " +
                    formatDuration(static_cast<double>(timeline.makespan())) + "\n";
  return out + devices(timeline) + transfers(timeline) + collectives(timeline) + table(timeline, rows);
}

} // namespace heddle::tools
