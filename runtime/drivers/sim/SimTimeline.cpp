// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/sim/SimTimeline.h"

#include <algorithm>
#include <cstdio>

namespace heddle::sim {
namespace {

std::string spellUs(uint64_t ns) {
  char out[40];
  std::snprintf(out, sizeof(out), "%.1f us", static_cast<double>(ns) / 1000);
  return out;
}

} // namespace

std::string SimReport::text() const {
  std::string out = "makespan " + spellUs(makespanNs);
  for (size_t i = 0; i < criticalPath.size(); ++i) {
    const SimOperation &operation = operations[criticalPath[i]];
    out += (i ? ", " : "; critical path: ") + operation.device + " " + operation.name + " " +
           spellUs(operation.endNs - operation.beginNs);
  }
  return out;
}

SimTimeline &SimTimeline::process() {
  static SimTimeline timeline;
  return timeline;
}

// Of two that are equal the first stays: so the cause of a time is the one that was known first.
void SimTimeline::raise(Point &point, const Point &other) {
  if (other.ns > point.ns)
    point = other;
}

void SimTimeline::reset() {
  std::lock_guard lock(mutex_);
  for (StreamState &stream : streams_)
    stream.at = {};
  resources_.clear();
  signals_.clear();
  host_ = {};
  operations_.clear();
  firstNs_ = UINT64_MAX;
  lastNs_ = 0;
  complete_ = true;
}

SimReport SimTimeline::report() const {
  std::lock_guard lock(mutex_);
  SimReport out;
  out.operations = operations_;
  out.complete = complete_;
  out.makespanNs = lastNs_ > firstNs_ ? lastNs_ - firstNs_ : 0;
  int64_t last = SimOperation::kNone;
  for (size_t i = 0; i < operations_.size(); ++i)
    if (last == SimOperation::kNone || operations_[i].endNs > operations_[last].endNs)
      last = static_cast<int64_t>(i);
  for (; last != SimOperation::kNone; last = operations_[last].cause)
    out.criticalPath.push_back(static_cast<size_t>(last));
  std::reverse(out.criticalPath.begin(), out.criticalPath.end());
  return out;
}

uint32_t SimTimeline::addStream(const std::string &device) {
  std::lock_guard lock(mutex_);
  streams_.push_back({device, {}});
  return static_cast<uint32_t>(streams_.size() - 1);
}

void SimTimeline::operation(uint32_t stream, SimKind kind, std::string name, const std::string &resource, uint64_t ns,
                            bool inlined) {
  if (!ns)
    return;
  std::lock_guard lock(mutex_);
  StreamState &state = streams_[stream];
  Point &busy = resources_[resource];
  Point begin = state.at;
  raise(begin, busy);
  raise(begin, host_);
  Point end{begin.ns + ns, SimOperation::kNone};
  if (operations_.size() < kMostOperations) {
    end.operation = static_cast<int64_t>(operations_.size());
    operations_.push_back({kind, std::move(name), state.device, stream, begin.ns, end.ns, begin.operation});
  } else {
    complete_ = false;
  }
  firstNs_ = std::min(firstNs_, begin.ns);
  lastNs_ = std::max(lastNs_, end.ns);
  state.at = busy = end;
  if (inlined)
    raise(host_, end);
}

uint64_t SimTimeline::now(uint32_t stream) const {
  std::lock_guard lock(mutex_);
  return std::max(streams_[stream].at.ns, host_.ns);
}

void SimTimeline::signal(uint32_t stream, const hal::Point &point) {
  std::lock_guard lock(mutex_);
  if (signals_.size() >= mostSignals_) { // what the host has waited for holds nobody back any more
    std::erase_if(signals_, [&](const auto &entry) {
      return entry.second.at.ns <= host_.ns || entry.second.semaphore.expired();
    });
    mostSignals_ = std::max(kLeastSignals, 2 * signals_.size());
  }
  Point at = streams_[stream].at;
  raise(at, host_);
  signals_[{point.semaphore.get(), point.value}] = {point.semaphore, at};
}

void SimTimeline::wait(uint32_t stream, const hal::Point &point) {
  std::lock_guard lock(mutex_);
  auto signal = signals_.find({point.semaphore.get(), point.value});
  if (signal != signals_.end() && signal->second.semaphore.lock() == point.semaphore)
    raise(streams_[stream].at, signal->second.at);
}

void SimTimeline::synchronize(uint32_t stream) {
  std::lock_guard lock(mutex_);
  raise(host_, streams_[stream].at);
}

} // namespace heddle::sim
