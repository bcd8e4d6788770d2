// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Quantities.h"
#include "tools/trace/RankTimelines.h"

#include <algorithm>
#include <cstdio>
#include <map>

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

std::string pad(const std::string &text, size_t width) {
  size_t shown =
      static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  return text + std::string(width > shown ? width - shown : 0, ' ');
}

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

std::string longest(const Timeline &timeline) {
  constexpr size_t kShown = 5;
  std::map<std::pair<std::string, int32_t>, std::pair<Total, std::string>> by;
  for (const Slice &slice : timeline.slices)
    if (slice.kind == HEDDLE_TRACE_DISPATCH) {
      auto &[total, source] = by[{slice.name, slice.device}];
      total.add(slice);
      if (source.empty() || source == slice.source)
        source = slice.source;
      else if (!source.ends_with(", …"))
        source += ", …";
    }
  std::vector<const decltype(by)::value_type *> sorted;
  for (const auto &entry : by)
    sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](auto *a, auto *b) {
    return std::pair(b->second.first.ns, a->first) < std::pair(a->second.first.ns, b->first);
  });
  std::string out;
  for (size_t i = 0; i < std::min(kShown, sorted.size()); ++i) {
    const auto &[key, value] = *sorted[i];
    out += "  " + pad(formatDuration(static_cast<double>(value.first.ns)), 8) + "  " + key.first + " on " +
           timeline.deviceName(key.second) + (value.first.count > 1 ? " x " + std::to_string(value.first.count) : "") +
           (value.second.empty() ? "" : "  (" + value.second + ")") + "\n";
  }
  return out.empty() ? "" : "longest dispatches\n" + out;
}

} // namespace

std::string toSummary(const Timeline &timeline) {
  std::string out = timeline.title + ": " + formatCount(timeline.calls.size(), "call") + " in " +
                    formatDuration(static_cast<double>(timeline.makespan())) + "\n";
  return out + devices(timeline) + transfers(timeline) + collectives(timeline) + longest(timeline);
}

} // namespace heddle::tools
