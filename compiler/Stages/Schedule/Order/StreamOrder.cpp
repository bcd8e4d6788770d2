// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Order/StreamOrder.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle;

StreamOrder::StreamOrder(host::FuncOp func) : func(func) {
  uint32_t next = 0;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) { positions[op] = next++; });
  findStreams();
  for (Operation &op : func.getBody().front())
    visit(op);
}

void StreamOrder::findStreams() {
  std::map<std::pair<StringRef, uint32_t>, unsigned> known;
  unsigned count = 0;
  streams[func.getStream()] = count++;
  func.walk([&](Operation *op) {
    auto name = host::getStreamName(op);
    if (!name)
      return;
    auto [entry, isNew] = known.try_emplace(*name, count);
    count += isNew;
    streams[op->getResult(0)] = entry->second;
  });
  now.assign(count, Clock(count, 0));
  history.resize(count);
}

std::optional<unsigned> StreamOrder::numberOf(Value stream) const {
  auto found = streams.find(stream);
  return found == streams.end() ? std::nullopt : std::optional(found->second);
}

void StreamOrder::raise(unsigned stream, const Clock &to, uint32_t position) {
  for (auto [mine, theirs] : llvm::zip_equal(now[stream], to))
    mine = std::max(mine, theirs);
  history[stream].emplace_back(position, now[stream]);
}

void StreamOrder::visit(Operation &op) {
  uint32_t position = positionOf(&op);
  auto row = dyn_cast<host::HostOpInterface>(op);
  // All that is issued on a stream so far, and what that came after; what an event came after.
  auto clockOf = [&](Value point) -> std::optional<Clock> {
    if (auto event = events.find(point); event != events.end())
      return event->second;
    std::optional<unsigned> number = numberOf(point);
    if (!number)
      return std::nullopt;
    Clock clock = now[*number];
    clock[*number] = position;
    return clock;
  };
  for (const host::HostOrder &order : row ? row.getOrders() : SmallVector<host::HostOrder>()) {
    // What is not known says nothing.
    Clock joined(now.size(), 0);
    for (Value before : order.before)
      if (std::optional<Clock> clock = clockOf(before))
        for (auto [mine, theirs] : llvm::zip_equal(joined, *clock))
          mine = std::max(mine, theirs);
    std::optional<unsigned> stream = order.point ? numberOf(order.point) : std::nullopt;
    if (order.point && isa<host::EventType>(order.point.getType()))
      events[order.point] = joined;
    else if (stream)
      raise(*stream, joined, position);
    else if (!order.point)
      for (unsigned each = 0; each < now.size(); ++each)
        raise(each, joined, position);
  }
}

uint32_t StreamOrder::lastIssue(Operation *op) const {
  host::FuncOp program = func;
  Operation *outermost = program.getBody().front().findAncestorOpInBlock(*op);
  if (outermost == op)
    return positionOf(op);
  Operation *next = outermost->getNextNode();
  return next ? positionOf(next) - 1 : end();
}

Value StreamOrder::queueOf(Operation *op) {
  host::StreamForOp outermost;
  for (auto loop = op->getParentOfType<host::StreamForOp>(); loop; loop = loop->getParentOfType<host::StreamForOp>())
    outermost = loop;
  return outermost ? outermost.getIssue() : cast<host::HostOpInterface>(op).getQueue();
}

bool StreamOrder::isAfter(Operation *op, unsigned stream, uint32_t position) const {
  std::optional<unsigned> runsOn = numberOf(queueOf(op));
  uint32_t issued = lastIssue(op);
  if (!runsOn || position <= issued)
    return false;
  if (*runsOn == stream)
    return true;
  auto later = llvm::partition_point(history[stream], [&](const auto &step) { return step.first <= position; });
  return later != history[stream].begin() && std::prev(later)->second[*runsOn] > issued;
}
