// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Order/StreamFacts.h"

#include "compiler/Dialect/Host/Analysis/Accesses.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::collectRoots(Value buffer, SmallVectorImpl<Value> &roots) {
  if (auto view = buffer.getDefiningOp<host::ViewOp>())
    return collectRoots(view.getSource(), roots);
  if (auto select = buffer.getDefiningOp<arith::SelectOp>()) {
    collectRoots(select.getTrueValue(), roots);
    return collectRoots(select.getFalseValue(), roots);
  }
  if (!llvm::is_contained(roots, buffer))
    roots.push_back(buffer);
}

bool mlir::heddle::isCarriedRoot(Value root) {
  Operation *op = root.getDefiningOp();
  return op ? isa<scf::SCFDialect>(op->getDialect()) : !isa<host::FuncOp>(root.getParentBlock()->getParentOp());
}

static bool mayBeSame(Value a, Value b) { return a == b || host::mayAlias(a, b, host::Assumptions()); }

static bool isInside(Block *block, Operation *op) { return op->isAncestor(block->getParentOp()); }
static bool isInside(Value value, Operation *op) { return isInside(value.getParentBlock(), op); }

StreamFacts::Key StreamFacts::keyOf(Operation *op, unsigned access, void *root) const {
  RootKind kind = !root                                              ? RootKind::None
                  : isCarriedRoot(Value::getFromOpaquePointer(root)) ? RootKind::Carried
                                                                     : RootKind::Plain;
  return {kind, root ? numbers->of(root) : 0, numbers->of(op), access, op, root};
}

StreamFacts::Range StreamFacts::factsOf(RootKind kind) const {
  auto next = static_cast<RootKind>(static_cast<int>(kind) + 1);
  return {facts.lower_bound({kind, 0, 0, 0, nullptr, nullptr}), facts.lower_bound({next, 0, 0, 0, nullptr, nullptr})};
}

StreamFacts::Range StreamFacts::factsOf(Value root) const {
  RootKind kind = isCarriedRoot(root) ? RootKind::Carried : RootKind::Plain;
  unsigned number = numbers->of(root.getAsOpaquePointer());
  return {facts.lower_bound({kind, number, 0, 0, nullptr, nullptr}),
          facts.lower_bound({kind, number + 1, 0, 0, nullptr, nullptr})};
}

// Whether an access touches other bytes than `part`. What loops and branches hand on may be other buffers, and in a
// loop the same formula may be of another iteration: nothing is said of these.
static bool isApart(const StreamFacts::Key &key, const host::BufferRegion *part) {
  if (!part || !part->size || part->root != Value::getFromOpaquePointer(key.root) || isa<host::StreamForOp>(key.op) ||
      key.op->getParentOfType<LoopLikeOpInterface>())
    return false;
  SmallVector<host::Access> all = host::accessesOf(key.op);
  return key.access < all.size() && all[key.access].region.root == part->root && all[key.access].region.size &&
         !host::mayOverlap(*part, all[key.access].region, nullptr);
}

void StreamFacts::add(Operation *op, unsigned access, Value root, bool writes, unsigned stream, Time now,
                      const host::BufferRegion *part) {
  // Who comes after a write comes after what the write had to come after.
  if (writes)
    for (auto [entry, end] = factsOf(root); entry != end;)
      entry = entry->first.op != op && !isApart(entry->first, part) ? facts.erase(entry) : std::next(entry);
  StreamFact fact{writes, stream, {op->getBlock(), op, now}, SmallVector<Time, 4>(streams, kNever)};
  fact.since[stream] = now;
  facts.insert_or_assign(keyOf(op, access, root.getAsOpaquePointer()), std::move(fact));
}

void StreamFacts::addFree(Operation *free, Value root, unsigned stream, Operation *last, Time time) {
  for (auto &[key, fact] : facts)
    if (fact.stream == stream && fact.point.after == last)
      fact.point.after = free;
  add(free, 0, root, /*writes=*/true, stream, time);
}

void StreamFacts::endRoot(Operation *free, Value root) {
  auto entry = facts.find(keyOf(free, 0, root.getAsOpaquePointer()));
  if (entry == facts.end())
    return;
  StreamFact last = std::move(entry->second);
  facts.erase(entry);
  // Nobody touches the buffer again: only the call's end asks, and of each stream the last free is enough.
  for (auto [other, end] = factsOf(RootKind::None); other != end;) {
    const StreamFact &fact = other->second;
    bool isOlder = fact.stream == last.stream && fact.point.time <= last.point.time;
    other = isOlder ? facts.erase(other) : std::next(other);
  }
  facts.insert_or_assign(keyOf(free, 0, nullptr), std::move(last));
}

const StreamFact *StreamFacts::find(const Key &key) const {
  auto found = facts.find(key);
  return found == facts.end() ? nullptr : &found->second;
}

void StreamFacts::sortByNeed(SmallVectorImpl<Key> &keys) const {
  llvm::sort(keys, [](const Key &a, const Key &b) {
    return std::tie(a.opNumber, a.access, a.rootNumber) < std::tie(b.opNumber, b.access, b.rootNumber);
  });
  SmallVector<std::pair<const StreamFact *, Key>> all;
  for (const Key &key : keys)
    if (const StreamFact *fact = find(key); all.empty() || all.back().first != fact)
      all.push_back({fact, key});
  llvm::stable_sort(all, [](auto &a, auto &b) { return a.first->point.time > b.first->point.time; });
  SmallVector<SmallVector<size_t>> ofStream(streams);
  for (auto [i, entry] : llvm::enumerate(all))
    ofStream[entry.first->stream].push_back(i);
  auto implies = [](const StreamFact &strong, const StreamFact &weak) {
    return weak.since[strong.stream] <= strong.point.time;
  };
  // Of two that imply each other, the later counts. On each stream the latest come first.
  auto isImpliedOn = [&](size_t i, ArrayRef<size_t> others) {
    const StreamFact &fact = *all[i].first;
    for (size_t other : others) {
      if (!implies(*all[other].first, fact))
        return false;
      if (other != i && (other < i || !implies(fact, *all[other].first)))
        return true;
    }
    return false;
  };
  SmallVector<Key> implied;
  keys.clear();
  for (auto [i, entry] : llvm::enumerate(all)) {
    bool isImplied =
        llvm::any_of(ofStream, [&, i = i](const SmallVector<size_t> &others) { return isImpliedOn(i, others); });
    (isImplied ? implied : keys).push_back(entry.second);
  }
  keys.append(implied);
}

SmallVector<StreamFacts::Key> StreamFacts::missing(Value root, bool writes, unsigned stream,
                                                   const host::BufferRegion *part) const {
  SmallVector<Key> keys;
  auto collect = [&](Range range) {
    for (auto &[key, fact] : llvm::make_range(range.first, range.second))
      if (fact.since[stream] == kNever && (writes || fact.writes) &&
          mayBeSame(root, Value::getFromOpaquePointer(key.root)) && !isApart(key, part))
        keys.push_back(key);
  };
  // Roots that nothing carries are what they are; the same result or parameter is never named twice.
  collect(factsOf(RootKind::Carried));
  collect(isCarriedRoot(root) ? factsOf(RootKind::Plain) : factsOf(root));
  return keys;
}

SmallVector<StreamFacts::Key> StreamFacts::missing(unsigned stream) const {
  SmallVector<Key> keys;
  for (auto &[key, fact] : facts)
    if (fact.since[stream] == kNever)
      keys.push_back(key);
  return keys;
}

void StreamFacts::wait(unsigned stream, const StreamFact &fact, Time now) {
  unsigned source = fact.stream;
  Time recorded = fact.point.time;
  for (auto entry = facts.begin(); entry != facts.end();) {
    SmallVector<Time, 4> &since = entry->second.since;
    if (since[source] <= recorded)
      since[stream] = std::min(since[stream], now);
    // What every stream comes after orders nothing any more.
    bool isPast = llvm::none_of(since, [](Time time) { return time == kNever; });
    entry = isPast ? facts.erase(entry) : std::next(entry);
  }
}

void StreamFacts::forgetKnownTo(unsigned stream) {
  std::erase_if(facts, [&](const auto &entry) { return entry.second.since[stream] != kNever; });
}

void StreamFacts::join(const StreamFacts &other) {
  for (auto &[key, fact] : other.facts) {
    auto [entry, isNew] = facts.try_emplace(key, fact);
    if (isNew)
      continue;
    for (auto [mine, its] : llvm::zip_equal(entry->second.since, fact.since))
      mine = std::max(mine, its);
  }
}

void StreamFacts::leave(Operation *left, ValueRange from, ValueRange to, RecordPoint point) {
  Map outside;
  for (auto &[key, fact] : facts) {
    StreamFact moved = fact;
    if (isInside(fact.point.block, left))
      moved.point = point;
    Value root = Value::getFromOpaquePointer(key.root);
    if (!root || !isInside(root, left)) {
      outside.insert_or_assign(key, std::move(moved));
      continue;
    }
    bool isHandedOn = false;
    for (auto [source, target] : llvm::zip_equal(from, to)) {
      SmallVector<Value> roots;
      if (isa<host::BufferType>(source.getType()))
        collectRoots(source, roots);
      if (!llvm::is_contained(roots, root))
        continue;
      isHandedOn = true;
      outside.insert_or_assign(keyOf(key.op, key.access, target.getAsOpaquePointer()), moved);
    }
    if (isHandedOn)
      continue;
    // It is what a carried value was at first, or nobody can touch it any more: but the call ends after the work.
    SmallVector<Value> roots;
    for (Value source : host::outerSources(root, left, host::Assumptions()))
      collectRoots(source, roots);
    for (Value outer : roots)
      outside.insert_or_assign(keyOf(key.op, key.access, outer.getAsOpaquePointer()), moved);
    if (roots.empty())
      outside.insert_or_assign(keyOf(key.op, key.access, nullptr), std::move(moved));
  }
  facts = std::move(outside);
}

bool StreamFacts::addIteration(const StreamFacts &tail, Operation *loop, RecordPoint point) {
  bool isNews = false;
  for (auto &[key, fact] : tail.facts) {
    // What ran before the loop is known from there.
    if (!loop->isProperAncestor(key.op))
      continue;
    auto [entry, isNew] = facts.try_emplace(key, fact);
    entry->second.point = point;
    isNews |= isNew;
    for (auto [mine, its] : llvm::zip_equal(entry->second.since, fact.since)) {
      isNews |= !isNew && its == kNever && mine != kNever;
      mine = its == kNever || (!isNew && mine == kNever) ? kNever : point.time;
    }
  }
  return isNews;
}

void StreamFacts::restart(Operation *op, RecordPoint point) {
  for (auto &[key, fact] : facts) {
    if (!op->isProperAncestor(key.op))
      continue;
    fact.point = point;
    for (Time &since : fact.since)
      if (since != kNever)
        since = point.time;
  }
}
