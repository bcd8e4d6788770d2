// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/StreamOrder.h"

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
  func.walk([&](host::StreamOp stream) {
    auto [entry, isNew] = known.try_emplace({stream.getDevice(), stream.getIndex()}, count);
    count += isNew;
    streams[stream.getResult()] = entry->second;
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
  // All that is issued on a stream so far, and what that came after.
  auto clockOf = [&](Value stream) -> std::optional<Clock> {
    std::optional<unsigned> number = numberOf(stream);
    if (!number)
      return std::nullopt;
    Clock clock = now[*number];
    clock[*number] = position;
    return clock;
  };
  auto raiseAll = [&](const Clock &to) {
    for (unsigned stream = 0; stream < now.size(); ++stream)
      raise(stream, to, position);
  };
  if (auto record = dyn_cast<host::RecordOp>(op)) {
    if (std::optional<Clock> clock = clockOf(record.getStream()))
      events[record.getResult()] = *clock;
  } else if (auto wait = dyn_cast<host::WaitOp>(op)) {
    std::optional<unsigned> stream = numberOf(wait.getStream());
    if (auto event = events.find(wait.getEvent()); stream && event != events.end())
      raise(*stream, event->second, position);
  } else if (auto await = dyn_cast<host::AwaitOp>(op)) {
    if (auto event = events.find(await.getEvent()); event != events.end())
      raiseAll(event->second);
  } else if (auto read = dyn_cast<host::ReadOp>(op)) {
    if (std::optional<Clock> clock = clockOf(read.getStream()))
      raiseAll(*clock);
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

bool StreamOrder::isAfter(Operation *op, unsigned stream, uint32_t position) const {
  std::optional<unsigned> runsOn = numberOf(op->getOperand(0));
  uint32_t issued = lastIssue(op);
  if (!runsOn || position <= issued)
    return false;
  if (*runsOn == stream)
    return true;
  auto later = llvm::partition_point(history[stream], [&](const auto &step) { return step.first <= position; });
  return later != history[stream].begin() && std::prev(later)->second[*runsOn] > issued;
}
