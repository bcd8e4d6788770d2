// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/trace/Timeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace heddle::tools {

uint64_t Timeline::makespan() const {
  uint64_t sum = 0;
  for (const Call &call : calls)
    sum += call.end - call.begin;
  return sum;
}

uint32_t Timeline::rankOf(int32_t device) const {
  if (device < 0)
    return static_cast<uint32_t>(-1 - device);
  return static_cast<size_t>(device) < devices.size() ? devices[static_cast<size_t>(device)].rank : 0;
}

std::string Timeline::deviceName(int32_t device) const {
  if (device >= 0 && static_cast<size_t>(device) < devices.size())
    return devices[static_cast<size_t>(device)].name;
  return ranks > 1 ? "rank " + std::to_string(rankOf(device)) + ": host" : "host";
}

std::vector<std::pair<int32_t, uint32_t>> Timeline::lanes() const {
  std::set<std::pair<int32_t, uint32_t>> seen;
  for (const Slice &slice : slices)
    seen.emplace(slice.device, slice.stream);
  std::vector<std::pair<int32_t, uint32_t>> out(seen.begin(), seen.end());
  std::stable_sort(out.begin(), out.end(), [&](auto a, auto b) { // hosts stand in front already
    return rankOf(a.first) < rankOf(b.first);
  });
  return out;
}

uint64_t Timeline::busy(int32_t device) const {
  std::vector<std::pair<uint64_t, uint64_t>> spans;
  for (const Slice &slice : slices)
    if (slice.device == device && slice.isWork())
      spans.emplace_back(slice.begin, slice.end);
  std::sort(spans.begin(), spans.end());
  uint64_t sum = 0, reached = 0;
  for (auto [begin, end] : spans) {
    sum += std::max(end, reached) - std::max(begin, reached);
    reached = std::max(end, reached);
  }
  return sum;
}

namespace {

// Follows the streams in order of issue.
class FlowFinder {
public:
  explicit FlowFinder(const Timeline &timeline) : timeline_(timeline) {}

  std::vector<Flow> find() {
    for (size_t i = 0; i < timeline_.slices.size(); ++i)
      visit(i);
    return std::move(flows_);
  }

private:
  using Lane = std::pair<int32_t, uint32_t>;

  void visit(size_t i) {
    const Slice &slice = timeline_.slices[i];
    Lane lane{slice.device, slice.stream};
    if (slice.kind == HEDDLE_TRACE_RECORD) {
      if (auto last = last_.find(lane); last != last_.end())
        before_[keyOf(slice)] = last->second;
    } else if (slice.kind == HEDDLE_TRACE_WAIT) {
      if (auto found = before_.find(keyOf(slice)); found != before_.end())
        if (laneOf(found->second) != lane)
          waiting_[lane].push_back(found->second);
    } else if (slice.isWork()) {
      connect(i, lane);
      last_[lane] = i;
    }
  }

  void connect(size_t i, Lane lane) {
    const Slice &slice = timeline_.slices[i];
    std::vector<size_t> sources = std::move(waiting_[lane]);
    waiting_[lane].clear();
    bool found = false;
    for (size_t from : sources) {
      bool transfer = slice.isTransfer() && timeline_.slices[from].device == slice.from;
      found |= transfer;
      flows_.push_back({from, i, transfer});
    }
    if (slice.isTransfer() && slice.from >= 0 && !found)
      if (std::optional<size_t> from = lastBefore(slice))
        flows_.push_back({*from, i, true});
  }

  std::optional<size_t> lastBefore(const Slice &slice) const {
    std::optional<size_t> best;
    for (auto [lane, i] : last_)
      if (lane.first == slice.from && timeline_.slices[i].end <= slice.begin &&
          (!best || timeline_.slices[i].end > timeline_.slices[*best].end))
        best = i;
    return best;
  }

  // Each rank numbers the events of a call for itself.
  std::tuple<uint32_t, uint32_t, uint64_t> keyOf(const Slice &slice) const {
    return {timeline_.rankOf(slice.device), slice.call, slice.event};
  }
  Lane laneOf(size_t i) const { return {timeline_.slices[i].device, timeline_.slices[i].stream}; }

  const Timeline &timeline_;
  std::map<Lane, size_t> last_;                                       // the last work of a lane
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, size_t> before_; // what an event of a call stands behind
  std::map<Lane, std::vector<size_t>> waiting_;                       // what the next work of a lane follows
  std::vector<Flow> flows_;
};

} // namespace

std::vector<Flow> Timeline::flows() const { return FlowFinder(*this).find(); }

void useDeviceTime(Timeline &timeline) {
  std::erase_if(timeline.slices, [](const Slice &slice) { return slice.device < 0 && slice.stream == 0; });
  for (size_t i = 0; i < timeline.calls.size(); ++i) {
    Call span{UINT64_MAX, 0};
    for (const Slice &slice : timeline.slices)
      if (slice.call == i)
        span = {std::min(span.begin, slice.begin), std::max(span.end, slice.end)};
    timeline.calls[i] = span.begin == UINT64_MAX ? Call{} : span;
  }
}

void normalize(Timeline &timeline) {
  uint64_t first = UINT64_MAX;
  for (const Call &call : timeline.calls)
    first = std::min(first, call.begin);
  for (const Slice &slice : timeline.slices)
    first = std::min(first, slice.begin);
  for (Call &call : timeline.calls) {
    call.begin -= first;
    call.end -= first;
  }
  for (Slice &slice : timeline.slices) {
    slice.begin -= first;
    slice.end -= first;
  }
}

} // namespace heddle::tools
