// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/trace/RankTimelines.h"

#include "tools/lib/Json.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace heddle::tools {
namespace {

using Span = std::pair<uint64_t, uint64_t>;

// Sorted, without overlaps.
std::vector<Span> joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end());
  std::vector<Span> out;
  for (auto [begin, end] : spans)
    if (!out.empty() && begin <= out.back().second)
      out.back().second = std::max(out.back().second, end);
    else
      out.emplace_back(begin, end);
  return out;
}

uint64_t overlap(const std::vector<Span> &spans, uint64_t begin, uint64_t end) {
  uint64_t sum = 0;
  auto first = std::upper_bound(spans.begin(), spans.end(), Span(begin, UINT64_MAX));
  for (auto at = first == spans.begin() ? first : first - 1; at != spans.end() && at->first < end; ++at)
    if (at->second > begin)
      sum += std::min(at->second, end) - std::max(at->first, begin);
  return sum;
}

// By rank: when its devices computed.
std::vector<std::vector<Span>> computeSpans(const Timeline &timeline) {
  std::vector<std::vector<Span>> out(timeline.ranks);
  for (const Slice &slice : timeline.slices)
    if (uint32_t rank = timeline.rankOf(slice.device); slice.kind == HEDDLE_TRACE_DISPATCH && rank < timeline.ranks)
      out[rank].emplace_back(slice.begin, slice.end);
  for (std::vector<Span> &spans : out)
    spans = joined(std::move(spans));
  return out;
}

void add(Timeline &to, Timeline from, uint32_t rank, int64_t ahead) {
  auto devices = static_cast<int32_t>(to.devices.size());
  auto aligned = [&](uint64_t time) { return time - static_cast<uint64_t>(ahead); };
  for (Timeline::Device &device : from.devices) {
    device.name = "rank " + std::to_string(rank) + ": " + device.name;
    device.rank = rank;
    to.devices.push_back(std::move(device));
  }
  for (Slice &slice : from.slices) {
    slice.begin = aligned(slice.begin);
    slice.end = aligned(slice.end);
    slice.device = slice.device < 0 ? Timeline::hostOf(rank) : slice.device + devices;
    slice.from += slice.from < 0 ? 0 : devices;
    slice.to += slice.to < 0 ? 0 : devices;
    to.slices.push_back(std::move(slice));
  }
  to.calls.resize(std::max(to.calls.size(), from.calls.size()), {UINT64_MAX, 0});
  for (size_t i = 0; i < from.calls.size(); ++i)
    to.calls[i] = {std::min(to.calls[i].begin, aligned(from.calls[i].begin)),
                   std::max(to.calls[i].end, aligned(from.calls[i].end))};
}

} // namespace

std::string encodeTimeline(const Timeline &timeline) {
  Json out = {
      {"title", timeline.title}, {"devices", Json::array()}, {"slices", Json::array()}, {"calls", Json::array()}};
  for (const Timeline::Device &device : timeline.devices)
    out["devices"].push_back({device.name, device.uri, device.cores});
  for (const Slice &s : timeline.slices)
    out["slices"].push_back({static_cast<int>(s.kind), s.name, s.source, s.device, s.stream, s.begin, s.end, s.bytes,
                             s.from, s.to, s.event, s.call, s.groupSize, s.groupFirst, s.sequence});
  for (const Call &call : timeline.calls)
    out["calls"].push_back({call.begin, call.end});
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Timeline decodeTimeline(const std::string &text) {
  Json json = Json::parse(text);
  Timeline out;
  out.title = json["title"];
  for (const Json &device : json["devices"])
    out.devices.push_back({device[0], device[1], device[2], 0});
  for (const Json &s : json["slices"]) {
    Slice slice{static_cast<heddle_trace_kind>(s[0].get<int>()),
                s[1],
                s[2],
                s[3],
                s[4],
                s[5],
                s[6],
                s[7],
                s[8],
                s[9],
                s[10],
                s[11],
                s[12],
                s[13],
                s[14]};
    out.slices.push_back(std::move(slice));
  }
  for (const Json &call : json["calls"])
    out.calls.push_back({call[0], call[1]});
  return out;
}

Timeline mergeRanks(std::vector<Timeline> ranks, const std::vector<int64_t> &clockOffsets) {
  if (ranks.size() == 1)
    return std::move(ranks.front());
  Timeline out;
  out.title = ranks.front().title;
  out.ranks = static_cast<uint32_t>(ranks.size());
  for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    add(out, std::move(ranks[rank]), rank, clockOffsets[rank]);
  return out;
}

std::vector<CollectiveTotal> summarizeCollectives(const Timeline &timeline) {
  // One collective is found on all of its ranks by these.
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>;
  auto keyOf = [](const Slice &slice) { return Key(slice.call, slice.groupFirst, slice.groupSize, slice.sequence); };
  std::map<Key, uint64_t> lastArrival;
  for (const Slice &slice : timeline.slices)
    if (slice.kind == HEDDLE_TRACE_COLLECTIVE)
      lastArrival[keyOf(slice)] = std::max(lastArrival[keyOf(slice)], slice.begin);

  std::vector<std::vector<Span>> compute = computeSpans(timeline);
  std::map<std::pair<std::string, uint32_t>, CollectiveTotal> by;
  std::map<Key, bool> counted;
  for (const Slice &slice : timeline.slices) {
    if (slice.kind != HEDDLE_TRACE_COLLECTIVE)
      continue;
    CollectiveTotal &total = by[{slice.name, slice.groupSize}];
    total.name = slice.name;
    total.groupSize = slice.groupSize;
    total.count += counted.try_emplace(keyOf(slice), true).second;
    ++total.slices;
    total.bytes += slice.bytes;
    total.ns += slice.end - slice.begin;
    total.waitNs += std::min(lastArrival[keyOf(slice)], slice.end) - slice.begin;
    if (uint32_t rank = timeline.rankOf(slice.device); rank < compute.size())
      total.hiddenNs += overlap(compute[rank], slice.begin, slice.end);
  }
  std::vector<CollectiveTotal> out;
  for (auto &[key, total] : by)
    out.push_back(std::move(total));
  std::sort(out.begin(), out.end(), [](auto &a, auto &b) { return std::pair(b.ns, a.name) < std::pair(a.ns, b.name); });
  return out;
}

} // namespace heddle::tools
