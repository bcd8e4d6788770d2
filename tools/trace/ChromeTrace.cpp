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
  default: return "host";
  }
}

double microseconds(uint64_t ns) { return static_cast<double>(ns) / 1000; }

// The host is process 0: its thread 0 has the calls, thread 1 the instructions. A device d is process d + 1.
int64_t processOf(int32_t device) { return device + 1; }
int64_t threadOf(const Slice &slice) { return slice.device < 0 ? 1 : static_cast<int64_t>(slice.stream); }

Json metadata(const char *what, int64_t process, int64_t thread, const char *key, Json value) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{key, std::move(value)}}}};
}

void nameLanes(const Timeline &timeline, Json &events) {
  auto process = [&](int32_t device, const std::string &name) {
    events.push_back(metadata("process_name", processOf(device), 0, "name", name));
    events.push_back(metadata("process_sort_index", processOf(device), 0, "sort_index", processOf(device)));
  };
  process(-1, "host");
  events.push_back(metadata("thread_name", 0, 0, "name", "calls"));
  for (size_t d = 0; d < timeline.devices.size(); ++d)
    process(static_cast<int32_t>(d), timeline.devices[d].name + " = " + timeline.devices[d].uri);
  for (auto [device, stream] : timeline.lanes())
    events.push_back(
        device < 0 ? metadata("thread_name", 0, 1, "name", "instructions")
                   : metadata("thread_name", processOf(device), stream, "name", "stream " + std::to_string(stream)));
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
  if (timeline.calls.size() > 1)
    args["call"] = slice.call;
  return complete(slice.name, categoryOf(slice), processOf(slice.device), threadOf(slice), slice.begin, slice.end,
                  std::move(args));
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
                    {"pid", processOf(from.device)},
                    {"tid", threadOf(from)},
                    {"ts", microseconds(leaves)}});
  events.push_back({{"name", name},
                    {"cat", "flow"},
                    {"ph", "f"},
                    {"bp", "e"},
                    {"id", id},
                    {"pid", processOf(to.device)},
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
