// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Trace Event format: times in microseconds, metadata events name processes and threads.
#include "tools/lib/Json.h"
#include "tools/trace/Timeline.h"

#include <algorithm>

namespace heddle::tools {
namespace {

const char *categoryOf(const Slice &slice) {
  switch (slice.kind) {
  case HEDDLE_TRACE_DISPATCH: return "dispatch";
  case HEDDLE_TRACE_COPY: return slice.isTransfer() ? "transfer" : "copy";
  case HEDDLE_TRACE_FILL: return "fill";
  case HEDDLE_TRACE_WAIT: return "wait";
  case HEDDLE_TRACE_COLLECTIVE: return "collective";
  default: return "host";
  }
}

double microseconds(uint64_t ns) { return static_cast<double>(ns) / 1000; }

// The hosts of the ranks are the first processes: thread 0 has the calls (of rank 0), thread 1 the instructions, thread
// 2 the collectives. Device d is the d-th process behind them.
int64_t processOf(int32_t device, const Timeline &timeline) {
  return device < 0 ? timeline.rankOf(device) : timeline.ranks + device;
}
int64_t threadOf(const Slice &slice) {
  return slice.device < 0 ? 1 + static_cast<int64_t>(slice.stream) : static_cast<int64_t>(slice.stream);
}

Json metadata(const char *what, int64_t process, int64_t thread, const char *key, Json value) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{key, std::move(value)}}}};
}

std::string laneName(int32_t device, uint32_t stream) {
  if (device >= 0)
    return "stream " + std::to_string(stream);
  return stream == 0 ? "instructions" : "collectives";
}

void nameLanes(const Timeline &timeline, Json &events) {
  std::vector<int32_t> order; // by rank, the host in front of its devices
  for (uint32_t rank = 0; rank < timeline.ranks; ++rank) {
    order.push_back(Timeline::hostOf(rank));
    for (size_t d = 0; d < timeline.devices.size(); ++d)
      if (timeline.devices[d].rank == rank)
        order.push_back(static_cast<int32_t>(d));
  }
  for (size_t place = 0; place < order.size(); ++place) {
    int64_t process = processOf(order[place], timeline);
    std::string name = timeline.deviceName(order[place]);
    if (order[place] >= 0)
      name += " = " + timeline.devices[static_cast<size_t>(order[place])].uri;
    events.push_back(metadata("process_name", process, 0, "name", name));
    events.push_back(metadata("process_sort_index", process, 0, "sort_index", place));
  }
  events.push_back(metadata("thread_name", 0, 0, "name", "calls"));
  for (auto [device, stream] : timeline.lanes()) {
    Slice lane;
    lane.device = device;
    lane.stream = stream;
    events.push_back(
        metadata("thread_name", processOf(device, timeline), threadOf(lane), "name", laneName(device, stream)));
  }
}

Json complete(const std::string &name, const char *category, int64_t process, int64_t thread, uint64_t begin,
              uint64_t end, Json args) {
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"pid", process},
          {"tid", thread},
          {"ts", microseconds(begin)},
          {"dur", microseconds(end - begin)},
          {"args", std::move(args)}};
}

Json toEvent(const Slice &slice, const Timeline &timeline) {
  Json args = Json::object();
  if (!slice.source.empty())
    args["source"] = slice.source;
  if (slice.bytes)
    args["bytes"] = slice.bytes;
  if (slice.kind == HEDDLE_TRACE_COPY) {
    args["from"] = timeline.deviceName(slice.from);
    args["to"] = timeline.deviceName(slice.to);
  }
  if (slice.kind == HEDDLE_TRACE_COLLECTIVE) {
    args["ranks"] = slice.groupSize;
    args["first_rank"] = slice.groupFirst;
    args["sequence"] = slice.sequence;
  }
  if (timeline.calls.size() > 1)
    args["call"] = slice.call;
  return complete(slice.name, categoryOf(slice), processOf(slice.device, timeline), threadOf(slice), slice.begin,
                  slice.end, std::move(args));
}

// An arrow leaves in the last nanosecond of its source and arrives at the beginning of its target.
void addFlow(const Flow &flow, size_t id, const Timeline &timeline, Json &events) {
  const Slice &from = timeline.slices[flow.from], &to = timeline.slices[flow.to];
  const char *name = flow.transfer ? "transfer" : "dependency";
  uint64_t leaves = from.end > from.begin ? from.end - 1 : from.begin;
  events.push_back({{"name", name},
                    {"cat", "flow"},
                    {"ph", "s"},
                    {"id", id},
                    {"pid", processOf(from.device, timeline)},
                    {"tid", threadOf(from)},
                    {"ts", microseconds(leaves)}});
  events.push_back({{"name", name},
                    {"cat", "flow"},
                    {"ph", "f"},
                    {"bp", "e"},
                    {"id", id},
                    {"pid", processOf(to.device, timeline)},
                    {"tid", threadOf(to)},
                    {"ts", microseconds(std::max(to.begin, leaves))}});
}

} // namespace

std::string toChromeTrace(const Timeline &timeline) {
  Json names = Json::array(), events = Json::array();
  nameLanes(timeline, names);
  for (size_t i = 0; i < timeline.calls.size(); ++i)
    events.push_back(
        complete(timeline.title, "call", 0, 0, timeline.calls[i].begin, timeline.calls[i].end, {{"call", i}}));
  for (const Slice &slice : timeline.slices)
    if (slice.kind != HEDDLE_TRACE_RECORD)
      events.push_back(toEvent(slice, timeline));
  size_t id = 0;
  for (const Flow &flow : timeline.flows())
    addFlow(flow, ++id, timeline, events);
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < events.size(); ++i)
    order.emplace_back(events[i]["ts"].get<double>(), i);
  std::sort(order.begin(), order.end());
  for (auto [time, i] : order)
    names.push_back(std::move(events[i]));
  Json out = {{"displayTimeUnit", "ns"}, {"otherData", {{"program", timeline.title}}}, {"traceEvents", names}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace heddle::tools
