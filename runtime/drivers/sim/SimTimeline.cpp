// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/sim/SimTimeline.h"

#include "heddle/contract/CollectiveTime.h"
#include "runtime/hal/OverlapQueue.h"

#include <algorithm>
#include <cstdio>
#include <pthread.h>

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

void SimTimeline::reset() {
  std::lock_guard lock(mutex_);
  for (Stream &stream : streams_) {
    stream.at = stream.ready = SimNode::kStart;
    stream.flights.clear();
  }
  stamps_.clear();
  graph_.clear();
  kinds_.clear();
  hosts_.clear();
  ++age_;
  ++nodesAge_;
  signals_.clear();
  awaited_.clear();
  met_.clear();
  meetings_.clear();
  settled_.clear();
  firstNs_ = UINT64_MAX;
  lastNs_ = 0;
  complete_ = true;
}

// Known until the next reset().
SimTimeline::Host &SimTimeline::host() {
  thread_local uint64_t age = 0;
  thread_local size_t number = 0;
  if (age != age_) {
    char name[16] = "";
    (void)pthread_getname_np(pthread_self(), name, sizeof(name));
    age = age_;
    number = hosts_.size();
    hosts_.push_back({graph_.text(name)});
  }
  return hosts_[number];
}

uint32_t SimTimeline::join(uint32_t a, uint32_t b) {
  if (a == b || b == SimNode::kStart)
    return a;
  return a == SimNode::kStart ? b : graph_.add({.after = {a, b}});
}

uint32_t SimTimeline::addStream(const std::string &device, bool meets) {
  std::lock_guard lock(mutex_);
  uint32_t name = graph_.text(device);
  streams_.push_back({name, streamsOf_[name]++, SimNode::kStart, meets});
  return static_cast<uint32_t>(streams_.size() - 1);
}

void SimTimeline::operation(uint32_t stream, SimKind kind, const std::string &name, const std::string &resource,
                            uint64_t ns, bool inlined) {
  if (!ns)
    return;
  std::lock_guard lock(mutex_);
  makeRoom();
  Stream &state = streams_[stream];
  Host &issuer = host();
  uint32_t busy = graph_.text(resource);
  uint32_t &last = issuer.last[busy];
  SimNode node{.after = {state.at, last, issuer.at}, .ns = ns, .resource = busy, .kind = SimNode::Operation};
  node.host = issuer.name;
  node.device = state.device;
  node.stream = state.number;
  node.name = graph_.text(name);
  node.sequence = issuer.operations++;
  state.at = last = graph_.add(node);
  kinds_.push_back(kind);
  if (inlined)
    issuer.at = state.at;
}

// The bytes, as ranges of addresses: buffers may be gone when a later meeting is compared. Memory that the host does
// not see counts from where its buffer is kept.
static std::vector<hal::BoundView> rangesOf(std::span<const hal::BoundView> views) {
  std::vector<hal::BoundView> ranges;
  for (const hal::BoundView &bound : views) {
    const std::byte *address = bound.view.address();
    uintptr_t begin = address ? reinterpret_cast<uintptr_t>(address)
                              : reinterpret_cast<uintptr_t>(bound.view.buffer) + bound.view.offset;
    ranges.push_back({hal::View{nullptr, begin, bound.view.bytes}, bound.writes});
  }
  return ranges;
}

// Behind what it waits for, the flights that have its bytes, and the one so many places before.
uint32_t SimTimeline::beginMeeting(Stream &stream, std::span<const hal::BoundView> views) {
  uint32_t begin = stream.ready;
  if (stream.flights.size() == contract::kCollectivesInFlight) {
    begin = join(begin, stream.flights.front().allBefore);
    stream.flights.pop_front();
  }
  for (const Stream::Flight &flight : stream.flights)
    if (hal::conflict(flight.views, views))
      begin = join(begin, flight.end);
  return begin;
}

void SimTimeline::meet(uint32_t stream, const hal::Meeting &meeting, const std::string &name,
                       std::pair<uint64_t, uint64_t> ns, std::span<const hal::BoundView> views) {
  std::lock_guard lock(mutex_);
  makeRoom();
  Stream &state = streams_[stream];
  Host &issuer = host();
  std::pair key(meeting.group, met_[{meeting.group, meeting.rank}]++);
  Meeting &all = meetings_[key];
  if (all.begin == SimNode::kStart)
    all.begin = graph_.add({});
  std::vector<hal::BoundView> ranges = rangesOf(views);
  uint32_t arrives = join(beginMeeting(state, ranges), issuer.at);
  all.latest = join(all.latest, arrives);
  SimNode node{.after = {all.begin}, .ns = ns.first, .lagNs = ns.second, .kind = SimNode::Operation};
  if (++all.came == meeting.members) {
    graph_.link(all.begin, all.latest);
    meetings_.erase(key);
  }
  node.resource = graph_.text("collectives of rank " + std::to_string(meeting.rank));
  node.host = issuer.name;
  node.device = state.device;
  node.stream = state.number;
  node.name = graph_.text(name);
  node.sequence = issuer.operations++;
  uint32_t end = graph_.add(node);
  state.at = join(state.at, end);
  state.flights.push_back({end, state.at, std::move(ranges)});
  kinds_.push_back(SimKind::Collective);
  if (meeting.beginNs)
    stamps_.push_back({meeting.beginNs, arrives, stream});
  if (meeting.endNs)
    stamps_.push_back({meeting.endNs, end, stream});
}

void SimTimeline::stamp(uint32_t stream, uint64_t *ns) {
  std::lock_guard lock(mutex_);
  makeRoom();
  uint32_t node = join(streams_[stream].at, host().at);
  *ns = graph_.soon(node);
  stamps_.push_back({ns, node, stream});
}

void SimTimeline::writeStamps(const std::vector<SimPlace> &places, std::optional<uint32_t> stream) {
  std::erase_if(stamps_, [&](const Stamp &stamp) {
    if (stream && stamp.stream != *stream)
      return false;
    if (places[stamp.node].isPlaced) // else what was known when it was issued
      *stamp.ns = places[stamp.node].end.ns;
    return true;
  });
}

void SimTimeline::settleStamps(uint32_t stream) {
  std::lock_guard lock(mutex_);
  if (std::any_of(stamps_.begin(), stamps_.end(), [&](const Stamp &stamp) { return stamp.stream == stream; }))
    writeStamps(graph_.place(), stream);
}

void SimTimeline::forgetStamps(uint32_t stream) {
  std::lock_guard lock(mutex_);
  std::erase_if(stamps_, [&](const Stamp &stamp) { return stamp.stream == stream; });
}

uint64_t SimTimeline::now(uint32_t stream) {
  std::lock_guard lock(mutex_);
  return std::max(graph_.soon(streams_[stream].at), graph_.soon(host().at));
}

void SimTimeline::synchronize(uint32_t stream) {
  std::lock_guard lock(mutex_);
  makeRoom();
  Host &waiting = host();
  waiting.at = join(waiting.at, streams_[stream].at);
}

// The first that was signalled of the values from this one on; a node that ends when that is known, until it is.
uint32_t SimTimeline::nodeOf(const Value &value) {
  auto signal = signals_.lower_bound(value);
  if (signal != signals_.end() && signal->first.first == value.first)
    return signal->second;
  auto [at, isNew] = awaited_.try_emplace(value, SimNode::kStart);
  if (isNew)
    at->second = graph_.add({});
  return at->second;
}

// A value is signalled once; a device's thread does it after the device's stream.
void SimTimeline::signalAt(const Value &value, uint32_t node) {
  if (!signals_.try_emplace(value, node).second)
    return;
  auto first = awaited_.lower_bound({value.first, 0}), behind = awaited_.upper_bound(value);
  for (auto at = first; at != behind; ++at)
    graph_.link(at->second, node);
  awaited_.erase(first, behind);
}

void SimTimeline::signal(uint32_t stream, const hal::Point &point) {
  std::lock_guard lock(mutex_);
  makeRoom();
  signalAt({point.semaphore->number(), point.value}, join(streams_[stream].at, host().at));
}

void SimTimeline::wait(uint32_t stream, const hal::Point &point) {
  if (!point.semaphore)
    return;
  std::lock_guard lock(mutex_);
  makeRoom();
  Value value(point.semaphore->number(), point.value);
  auto signal = signals_.lower_bound(value);
  bool isKnown = signal != signals_.end() && signal->first.first == value.first;
  if (!isKnown && !point.isPending())
    return; // reached before time began
  uint32_t node = nodeOf(value);
  Stream &waiting = streams_[stream];
  waiting.at = join(waiting.at, node);
  if (waiting.meets)
    waiting.ready = join(waiting.ready, node);
}

uint64_t SimTimeline::mark() {
  std::lock_guard lock(mutex_);
  return nodesAge_ << 32 | host().at;
}

void SimTimeline::follow(uint64_t mark) {
  std::lock_guard lock(mutex_);
  makeRoom();
  if (mark >> 32 != (nodesAge_ & UINT32_MAX))
    return;
  Host &following = host();
  following.at = join(following.at, static_cast<uint32_t>(mark));
}

void SimTimeline::signals(const hal::Semaphore &semaphore, uint64_t value) {
  std::lock_guard lock(mutex_);
  makeRoom();
  signalAt({semaphore.number(), value}, host().at);
}

void SimTimeline::waited(const hal::Semaphore &semaphore, uint64_t value) {
  std::lock_guard lock(mutex_);
  makeRoom();
  auto signal = signals_.lower_bound({semaphore.number(), value});
  if (signal == signals_.end() || signal->first.first != semaphore.number())
    return;
  Host &waiting = host();
  waiting.at = join(waiting.at, signal->second);
}

SimOperation SimTimeline::describe(size_t operation, const SimNode &node, const SimPlace &place) const {
  return {kinds_[operation], graph_.textOf(node.name), graph_.textOf(node.device), node.stream, place.begin.ns,
          place.end.ns,      place.begin.operation};
}

// Also what a thread may still issue behind, which is then only known in time.
void SimTimeline::makeRoom() {
  if (graph_.size() < kMostNodes && kinds_.size() < kMostOperations && signals_.size() < kMostNodes)
    return;
  std::map<uint32_t, SimPoint> freeAt;
  std::vector<SimPlace> places = graph_.place(static_cast<int64_t>(settled_.size()), &freeAt);
  for (size_t i = 0, operation = 0; i < places.size(); ++i) {
    const SimNode &node = graph_[static_cast<uint32_t>(i)];
    if (node.kind != SimNode::Operation)
      continue;
    if (settled_.size() < kMostOperations)
      settled_.push_back(describe(operation, node, places[i]));
    else
      complete_ = false;
    firstNs_ = std::min(firstNs_, places[i].begin.ns);
    lastNs_ = std::max(lastNs_, places[i].end.ns);
    ++operation;
  }
  uint64_t waitedNs = 0; // what some thread has waited for
  for (const Host &host : hosts_)
    waitedNs = std::max(waitedNs, places[host.at].end.ns);
  writeStamps(places, std::nullopt);
  std::erase_if(signals_, [&](const auto &signal) { return places[signal.second].end.ns <= waitedNs; });
  graph_.clear();
  kinds_.clear();
  awaited_.clear();
  meetings_.clear();
  ++nodesAge_;
  for (const auto &[resource, until] : freeAt)
    graph_.occupy(resource, known(until));
  auto keep = [&](uint32_t &node) {
    if (node != SimNode::kStart)
      node = graph_.add({.known = known(places[node].end), .kind = SimNode::Known});
  };
  for (Stream &stream : streams_) {
    keep(stream.at);
    keep(stream.ready);
    for (Stream::Flight &flight : stream.flights)
      keep(flight.end), keep(flight.allBefore);
  }
  for (Host &host : hosts_) {
    keep(host.at);
    host.last.clear();
  }
  for (auto &[value, node] : signals_)
    keep(node);
}

SimPoint SimTimeline::known(SimPoint point) const {
  if (point.operation >= static_cast<int64_t>(settled_.size()))
    point.operation = SimPoint::kNone;
  return point;
}

SimReport SimTimeline::report() const {
  std::lock_guard lock(mutex_);
  SimReport out;
  out.operations = settled_;
  out.complete = complete_;
  std::vector<SimPlace> places = graph_.place(static_cast<int64_t>(settled_.size()));
  std::vector<std::pair<uint32_t, size_t>> order; // nodes, with the number of their operation
  for (uint32_t i = 0; i < places.size(); ++i)
    if (graph_[i].kind == SimNode::Operation)
      order.push_back({i, order.size()});
  std::vector<size_t> position(order.size());
  if (hosts_.size() > 1)
    std::stable_sort(order.begin(), order.end(), [&](const auto &a, const auto &b) {
      const SimNode &x = graph_[a.first], &y = graph_[b.first];
      int names = graph_.textOf(x.host).compare(graph_.textOf(y.host));
      return names ? names < 0 : x.host == y.host && x.sequence < y.sequence;
    });
  for (size_t i = 0; i < order.size(); ++i)
    position[order[i].second] = settled_.size() + i;
  uint64_t first = firstNs_, last = lastNs_;
  for (const auto &[node, number] : order) {
    SimOperation operation = describe(number, graph_[node], places[node]);
    if (int64_t cause = operation.cause; cause >= static_cast<int64_t>(settled_.size()))
      operation.cause = static_cast<int64_t>(position[static_cast<size_t>(cause) - settled_.size()]);
    first = std::min(first, operation.beginNs);
    last = std::max(last, operation.endNs);
    out.operations.push_back(std::move(operation));
  }
  out.makespanNs = last > first ? last - first : 0;
  int64_t end = SimPoint::kNone;
  for (size_t i = 0; i < out.operations.size(); ++i)
    if (end == SimPoint::kNone || out.operations[i].endNs > out.operations[end].endNs)
      end = static_cast<int64_t>(i);
  for (; end != SimPoint::kNone; end = out.operations[end].cause)
    out.criticalPath.push_back(static_cast<size_t>(end));
  std::reverse(out.criticalPath.begin(), out.criticalPath.end());
  return out;
}

} // namespace heddle::sim
