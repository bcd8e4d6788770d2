#include "compiler/Stages/Schedule/StreamFacts.h"

#include "compiler/Dialect/Host/Analysis/Regions.h"

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

static bool isCarried(Value root) {
  Operation *op = root.getDefiningOp();
  return op ? isa<scf::SCFDialect>(op->getDialect()) : !isa<host::FuncOp>(root.getParentBlock()->getParentOp());
}

static bool mayBeSame(Value a, Value b) {
  if (a == b)
    return true;
  // Roots that nothing carries are what they are; the same result or parameter is never named twice.
  return (isCarried(a) || isCarried(b)) && host::mayAlias(a, b, host::Assumptions());
}

static bool isInside(Block *block, Operation *op) { return op->isAncestor(block->getParentOp()); }
static bool isInside(Value value, Operation *op) { return isInside(value.getParentBlock(), op); }

void StreamFacts::add(Operation *op, unsigned access, Value root, bool writes, unsigned stream, Time now) {
  // Who comes after a write comes after what the write had to come after.
  if (writes)
    std::erase_if(facts, [&](const auto &entry) {
      return entry.first.root == root.getAsOpaquePointer() && entry.first.op != op;
    });
  StreamFact fact{writes, stream, {op->getBlock(), op, now}, SmallVector<Time, 4>(streams, kNever)};
  fact.since[stream] = now;
  facts.insert_or_assign({op, access, root.getAsOpaquePointer()}, std::move(fact));
}

void StreamFacts::addFree(Operation *free, Value root, unsigned stream, Operation *last, Time time) {
  for (auto &[key, fact] : facts)
    if (fact.stream == stream && fact.point.after == last)
      fact.point.after = free;
  add(free, 0, root, /*writes=*/true, stream, time);
}

void StreamFacts::endRoot(Operation *free, Value root) {
  auto entry = facts.find({free, 0, root.getAsOpaquePointer()});
  if (entry == facts.end())
    return;
  StreamFact last = std::move(entry->second);
  facts.erase(entry);
  // Nobody touches the buffer again: only the call's end asks, and of each stream the last free is enough.
  std::erase_if(facts, [&](const auto &other) {
    return !other.first.root && other.second.stream == last.stream && other.second.point.time <= last.point.time;
  });
  facts.insert_or_assign({free, 0, nullptr}, std::move(last));
}

const StreamFact *StreamFacts::find(const Key &key) const {
  auto found = facts.find(key);
  return found == facts.end() ? nullptr : &found->second;
}

void StreamFacts::sortByNeed(SmallVectorImpl<Key> &keys) const {
  SmallVector<std::pair<const StreamFact *, Key>> all;
  for (const Key &key : keys)
    all.push_back({find(key), key});
  llvm::stable_sort(all, [](auto &a, auto &b) { return a.first->point.time > b.first->point.time; });
  auto implies = [](const StreamFact &strong, const StreamFact &weak) {
    return weak.since[strong.stream] <= strong.point.time;
  };
  SmallVector<Key> needed, implied;
  for (auto &[fact, key] : all) {
    // Of two that imply each other, the later counts.
    bool isImplied = false, isBefore = true;
    for (auto &[other, otherKey] : all) {
      if (other == fact)
        isBefore = false;
      else
        isImplied |= implies(*other, *fact) && (isBefore || !implies(*fact, *other));
    }
    (isImplied ? implied : needed).push_back(key);
  }
  keys.assign(needed.begin(), needed.end());
  keys.append(implied);
}

SmallVector<StreamFacts::Key> StreamFacts::missing(Value root, bool writes, unsigned stream) const {
  SmallVector<Key> keys;
  for (auto &[key, fact] : facts)
    if (fact.since[stream] == kNever && (writes || fact.writes) && key.root &&
        mayBeSame(root, Value::getFromOpaquePointer(key.root)))
      keys.push_back(key);
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

void StreamFacts::forgetRoot(Value root) {
  std::erase_if(facts, [&](const auto &entry) { return entry.first.root == root.getAsOpaquePointer(); });
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
      outside.insert_or_assign({key.op, key.access, target.getAsOpaquePointer()}, moved);
    }
    // Nobody can touch the buffer any more, but the call ends after the work.
    if (!isHandedOn)
      outside.insert_or_assign({key.op, key.access, nullptr}, std::move(moved));
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
