// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Order/StreamOrder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle;

static bool isBranch(Operation *op) { return isa<scf::IfOp, scf::IndexSwitchOp>(op); }

static bool isLoop(Operation *op) { return isa<LoopLikeOpInterface, host::StreamForOp>(op); }

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
  issued.assign(count, 0);
  history.resize(count);
}

std::optional<unsigned> StreamOrder::numberOf(Value stream) const {
  auto found = streams.find(stream);
  return found == streams.end() ? std::nullopt : std::optional(found->second);
}

void StreamOrder::setClock(unsigned stream, Clock clock, uint32_t position) {
  if (!saved.empty())
    saved.back().insert({stream, now[stream]});
  now[stream] = std::move(clock);
  history[stream].emplace_back(position, now[stream]);
}

void StreamOrder::raise(unsigned stream, const Clock &to, uint32_t position) {
  Clock clock = now[stream];
  for (auto [mine, theirs] : llvm::zip_equal(clock, to))
    mine = std::max(mine, theirs);
  setClock(stream, std::move(clock), position);
}

// Up to where streams are issued work.
void StreamOrder::noteWork(Operation &op) {
  op.walk([&](host::HostOpInterface row) {
    bool isWork = !isa<host::FreeOp>(row) && !row.getAccesses().empty();
    Value queue = isWork ? queueOf(row) : Value();
    if (std::optional<unsigned> stream = queue ? numberOf(queue) : std::nullopt)
      issued[*stream] = std::max(issued[*stream], lastIssue(row) + 1);
  });
}

void StreamOrder::visit(Operation &op) {
  if (isBranch(&op))
    return visitBranch(op);
  noteWork(op);
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

// Leaves the streams as they were in front of the branch, from `end` on.
StreamOrder::SideEnd StreamOrder::visitSide(Region &side, uint32_t end) {
  saved.emplace_back();
  Clock before = issued;
  for (Block &block : side)
    for (Operation &op : block)
      visit(op);
  SideEnd left;
  left.issued = std::exchange(issued, std::move(before));
  for (auto &[stream, clock] : saved.pop_back_val()) {
    left.clocks.insert({stream, std::exchange(now[stream], std::move(clock))});
    history[stream].emplace_back(end, now[stream]);
  }
  return left;
}

// Where a side's work on a stream is over, so is that of the whole branch: of the other sides nothing ran.
void StreamOrder::visitBranch(Operation &branch) {
  uint32_t behind = lastInside(&branch) + 1, end = positionOf(&branch) + 1;
  SmallVector<SideEnd> sides;
  llvm::SetVector<unsigned> changed;
  for (Region &side : branch.getRegions()) {
    if (!side.empty())
      end = positionOf(side.back().getTerminator()) + 1;
    sides.push_back(visitSide(side, end));
    for (const auto &entry : sides.back().clocks)
      changed.insert(entry.first);
  }
  for (unsigned stream : changed) {
    Clock joined(now.size(), behind);
    for (const SideEnd &side : sides) {
      auto own = side.clocks.find(stream);
      const Clock &clock = own == side.clocks.end() ? now[stream] : own->second;
      for (auto [mine, theirs, last] : llvm::zip_equal(joined, clock, side.issued))
        mine = std::min(mine, theirs >= last ? behind : theirs);
    }
    setClock(stream, std::move(joined), behind);
  }
  for (const SideEnd &side : sides)
    for (auto [mine, theirs] : llvm::zip_equal(issued, side.issued))
      mine = std::max(mine, theirs);
}

uint32_t StreamOrder::lastInside(Operation *op) const {
  Operation *next = op->getNextNode();
  return next ? positionOf(next) - 1 : end();
}

uint32_t StreamOrder::lastIssue(Operation *op) const {
  Operation *outermost = nullptr;
  for (Operation *around = op->getParentOp(); around && !isa<host::FuncOp>(around); around = around->getParentOp())
    if (isLoop(around))
      outermost = around;
  return outermost ? lastInside(outermost) : positionOf(op);
}

Value StreamOrder::queueOf(Operation *op) {
  host::StreamForOp outermost;
  for (auto loop = op->getParentOfType<host::StreamForOp>(); loop; loop = loop->getParentOfType<host::StreamForOp>())
    outermost = loop;
  return outermost ? outermost.getIssue() : cast<host::HostOpInterface>(op).getQueue();
}

bool StreamOrder::isAfter(Operation *op, unsigned stream, uint32_t position) const {
  std::optional<unsigned> runsOn = numberOf(queueOf(op));
  uint32_t last = lastIssue(op);
  if (!runsOn || position <= last)
    return false;
  if (*runsOn == stream)
    return true;
  auto later = llvm::partition_point(history[stream], [&](const auto &step) { return step.first <= position; });
  return later != history[stream].begin() && std::prev(later)->second[*runsOn] > last;
}

bool StreamOrder::areExclusive(Operation *a, Operation *b) {
  for (Operation *around = a->getParentOp(), *inner = a; around; inner = around, around = around->getParentOp()) {
    if (!around->isProperAncestor(b))
      continue;
    if (!isBranch(around) || around->getParentOfType<LoopLikeOpInterface>() ||
        around->getParentOfType<host::StreamForOp>())
      return false;
    return !inner->getParentRegion()->isAncestor(b->getParentRegion());
  }
  return false;
}
