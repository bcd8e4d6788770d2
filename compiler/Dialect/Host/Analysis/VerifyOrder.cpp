// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Dialect/Host/Analysis/PointSet.h"
#include "compiler/Dialect/Host/Analysis/Verifier.h"
#include "compiler/Dialect/Host/Analysis/Walker.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle::host;

namespace {

// One access that ran, in any number of iterations, and all points, streams and events, known to come after it. An
// access may have several facts, one for each history; every instance of it is described by one of them.
struct Fact {
  Operation *op;
  unsigned access;    // index in accessesOf(op); the caller's own use for ops that are no access
  Value root;         // the buffer under its name at this point of the program
  Value outside;      // what a loop carried in, where the access was to what it carried; else null
  Operation *crossed; // see mayOverlap()
  bool isOfSlot;      // in an earlier iteration of `crossed`, a loop over streams, that had the slot of this one
  bool isSomewhere;   // in `root`, whose offsets count from elsewhere than the access's
  PointSet after;
  const Access *what; // that of `op` and `access`; null for the caller's

  bool operator<(const Fact &other) const { return key() < other.key(); }

private:
  std::tuple<Operation *, unsigned, Operation *, bool, bool, const PointSet &, void *, void *> key() const {
    return {op, access, crossed, isOfSlot, isSomewhere, after, root.getAsOpaquePointer(), outside.getAsOpaquePointer()};
  }
};

// In the order of the program; what is in it twice says nothing more.
using Facts = std::vector<Fact>;

class OrderVerifier : public WalkDefaults {
public:
  OrderVerifier(FuncOp func, const Assumptions &assumptions) : func(func), assumptions(assumptions) {}

  LogicalResult verify() {
    // With one stream everything is in order.
    func.walk([&](Operation *op) { hasStreams |= namesStream(op); });
    findStreams();
    findLastWaits();
    Facts facts;
    for (auto [i, attribute] : llvm::enumerate(func.getArgumentsAttr())) {
      noteCallersUse(func.getBufferArgument(i), facts);
      written.insert(func.getBufferArgument(i));
    }
    func.walk([&](HostOpInterface row) {
      if (row.getStorageKind() == StorageKind::Shared)
        noteCallersUse(row->getResult(0), facts);
    });
    return Walker(*this).walk(func.getBody().front(), facts);
  }

  // For the walker.
  using State = Facts;
  LogicalResult step(Operation *op, Facts &facts);
  FailureOr<bool> takes(mlir::Region &region, Facts &facts);
  LogicalResult leaveBranch(Operation *op, MutableArrayRef<BranchEnd<Facts>> ends, Facts &facts);
  LogicalResult handOn(const Crossing &crossing, Facts &facts);
  FailureOr<bool> again(Operation *loop, Facts &head, Facts &next);

private:
  LogicalResult visitRow(HostOpInterface row, Facts &facts);
  LogicalResult visitAccesses(HostOpInterface op, Facts &facts);
  LogicalResult checkContent(Operation *op, const Access &access);
  LogicalResult checkOrder(HostOpInterface op, const Access &access, const Facts &facts);
  void forgetOverwritten(ArrayRef<Access> all, unsigned stream, Facts &facts);
  LogicalResult visitReturn(ReturnOp op, const Facts &facts);

  void findStreams();
  void findLastWaits();
  void forgetEvents(Operation *lastWait, Facts &facts);
  void noteCallersUse(Value buffer, Facts &facts);
  bool mayBeWritten(Value root);
  Value pointOf(Value value);
  unsigned numberOf(Value value) { return numbers.of(pointOf(value)); }
  // Two points of a run of a loop over streams that its values stand for: what comes after all iterations, and what
  // comes after an iteration on its own stream, which the next iteration of its slot comes after.
  unsigned joinOf(StreamForOp loop) { return numbers.of(loop.getSlot()); }
  unsigned endOf(StreamForOp loop) { return numbers.of(loop.getIndex()); }
  void joinLoops(Value stream, Fact &fact);
  bool hasOtherStreams(StreamForOp loop);
  void addTurns(StreamForOp loop, Facts &facts);
  void collectChoices(Value stream, SmallVectorImpl<Value> &choices);
  SmallVector<std::pair<unsigned, unsigned>> pointsHandedOn(ValueRange from, ValueRange to);
  void addPoint(Facts &facts, ArrayRef<Value> befores, Value point);
  Facts rename(const Facts &facts, Operation *left, bool isNextIteration, ValueRange from, ValueRange to);
  std::optional<std::pair<unsigned, unsigned>> joinHandedOn(Operation *left, bool isNextIteration);
  Facts enter(const Facts &facts, ValueRange from, ValueRange to);
  LogicalResult fail(Operation *op, const Twine &message, Operation *other = nullptr) {
    return reportViolation(op, message, assumptions, other);
  }

  ArrayRef<Access> accesses(Operation *op) {
    auto [entry, isNew] = accessTable.try_emplace(op);
    if (isNew)
      entry->second = accessesOf(op, assumptions);
    return entry->second;
  }

  // storageKindOf(), asked for every pair of accesses.
  StorageKind kindOf(Value root) {
    auto [entry, isNew] = kinds.try_emplace(root, StorageKind::None);
    if (isNew)
      entry->second = storageKindOf(root);
    return entry->second;
  }

  FuncOp func;
  const Assumptions &assumptions;
  bool hasStreams = false;
  llvm::DenseMap<Value, StorageKind> kinds;               // of roots
  llvm::DenseMap<Operation *, bool> mixedLoops;           // hasOtherStreams()
  std::map<Operation *, SmallVector<Access>> accessTable; // whose entries stay where they are
  PointNumbers numbers;
  llvm::DenseMap<Operation *, SmallVector<Value, 1>> lastWaits; // the events that nobody asks about after an op
  PointSet allStreams; // all that a program can use which carries and chooses none; else empty
  llvm::DenseMap<std::pair<StringRef, uint32_t>, Value> streams;
  llvm::DenseSet<Value> written; // roots that something may have written
};

} // namespace

//===--- Accesses ------------------------------------------------------------------------------------------------===//

// What the caller, or the call before, may still do to a buffer when the program starts.
void OrderVerifier::noteCallersUse(Value buffer, Facts &facts) {
  if (!hasStreams)
    return;
  facts.push_back({func, 0, buffer, Value(), nullptr, false, false, {}, nullptr});
  facts.back().after.insert(numberOf(func.getStream()));
}

bool OrderVerifier::mayBeWritten(Value root) {
  return written.contains(root) || kindOf(root) == StorageKind::ReadOnly || !isa<OpResult>(root) ||
         !sourcesOf(root, assumptions).empty();
}

LogicalResult OrderVerifier::checkContent(Operation *op, const Access &access) {
  Value root = access.region.root;
  if (access.reads && !mayBeWritten(root))
    return fail(op, "reads a buffer that nothing has written: that of " + describe(root.getDefiningOp()),
                root.getDefiningOp());
  if (!access.writes)
    return success();
  // What a carried value may be is written, too.
  llvm::DenseSet<Value> seen;
  for (SmallVector<Value> open{root}; !open.empty();) {
    Value next = regionOf(open.pop_back_val()).root;
    if (!seen.insert(next).second)
      continue;
    ValueAttr argument = func.describe(next);
    bool isArgument = argument && !func.mayWrite(argument);
    if (!access.ends && (isArgument || kindOf(next) == StorageKind::ReadOnly))
      return fail(op, isArgument ? Twine(argument.getState() ? "writes state that no result replaces"
                                                             : "writes an argument of the caller")
                                 : "writes what is only read: the result of " + describe(next.getDefiningOp()));
    written.insert(next);
    llvm::append_range(open, sourcesOf(next, assumptions));
  }
  return success();
}

LogicalResult OrderVerifier::checkOrder(HostOpInterface op, const Access &access, const Facts &facts) {
  unsigned stream = numberOf(op.getQueue());
  Value root = access.region.root;
  bool isAllocation = kindOf(root) == StorageKind::Owned;
  bool isCallersUse = false; // said only if no op of the program is to blame
  for (const Fact &fact : facts) {
    if (fact.after.contains(stream))
      continue;
    // The common case of what mayAlias() answers.
    if (isAllocation && fact.root != root && kindOf(fact.root) == StorageKind::Owned)
      continue;
    bool isCallers = !fact.what;
    if (!isCallers && !access.writes && !fact.what->writes)
      continue;
    if (!mayAlias(root, fact.root, assumptions))
      continue;
    if (!isCallers && fact.root == root && !fact.isSomewhere &&
        !mayOverlap(access.region, fact.outside ? regionOf(fact.outside) : fact.what->region, fact.crossed,
                    fact.isOfSlot))
      continue;
    isCallersUse |= isCallers;
    if (isCallers)
      continue;
    return fail(op,
                Twine(access.writes ? "writes" : "reads") + " what " + describe(fact.op) + " may still be " +
                    (fact.what->writes ? "writing" : "reading") +
                    " on another stream; wait for an event recorded after it",
                fact.op);
  }
  if (isCallersUse)
    return fail(op, "runs on a stream that does not wait for the call's, on which the caller may still use its buffer; "
                    "wait for an event recorded there");
  return success();
}

LogicalResult OrderVerifier::visitAccesses(HostOpInterface op, Facts &facts) {
  ArrayRef<Access> all = accesses(op); // facts refer to them
  for (const Access &access : all)
    if (failed(checkContent(op, access)) || (hasStreams && failed(checkOrder(op, access, facts))))
      return failure();
  unsigned stream = numberOf(op.getQueue());
  SmallVector<Value> choices;
  if (hasStreams) {
    collectChoices(op.getQueue(), choices);
    forgetOverwritten(all, stream, facts);
  }
  for (auto [i, access] : llvm::enumerate(all)) {
    // What nobody writes orders nothing.
    if (kindOf(access.region.root) == StorageKind::ReadOnly)
      continue;
    for (Value choice : choices) {
      facts.push_back({op, static_cast<unsigned>(i), access.region.root, Value(), nullptr, false, false, {}, &access});
      facts.back().after.insert(stream);
      facts.back().after.insert(numberOf(choice));
      joinLoops(op.getQueue(), facts.back());
    }
  }
  return success();
}

// What comes before the stream of an iteration comes before the end of its loop, and of those around it.
void OrderVerifier::joinLoops(Value stream, Fact &fact) {
  while (auto argument = dyn_cast<BlockArgument>(stream)) {
    auto loop = dyn_cast<StreamForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return;
    fact.after.insert(joinOf(loop));
    bool isThisIteration = !fact.crossed || !fact.crossed->isAncestor(loop);
    if (isThisIteration && fact.what && loop->isAncestor(fact.op))
      fact.after.insert(endOf(loop));
    stream = loop.getIssue();
  }
}

// What the op touches, then what it orders. What the host has waited for comes before all that it issues from here on.
LogicalResult OrderVerifier::visitRow(HostOpInterface row, Facts &facts) {
  if (!accesses(row).empty() && failed(visitAccesses(row, facts)))
    return failure();
  for (const HostOrder &order : row.getOrders()) {
    if (order.point) {
      addPoint(facts, order.before, order.point);
      continue;
    }
    SmallVector<unsigned, 2> points =
        llvm::map_to_vector<2>(order.before, [&](Value point) { return numberOf(point); });
    std::erase_if(facts, [&](const Fact &fact) {
      return llvm::any_of(points, [&](unsigned point) { return fact.after.contains(point); });
    });
  }
  return success();
}

// Whoever comes after a write comes after what the write comes after: an earlier access of the same bytes says nothing
// more.
void OrderVerifier::forgetOverwritten(ArrayRef<Access> all, unsigned stream, Facts &facts) {
  auto covers = [&](const Access &write, const BufferRegion &region) {
    if (!write.writes || write.region.root != region.root || write.region.runs)
      return false;
    if (!write.region.size)
      return (region.offset - write.region.offset).getConstant().value_or(-1) >= 0;
    return region.size && region.offset == write.region.offset && *region.size == *write.region.size;
  };
  SmallVector<Value> roots;
  for (const Access &access : all)
    if (access.writes)
      roots.push_back(access.region.root);
  if (roots.empty())
    return;
  std::erase_if(facts, [&](const Fact &fact) {
    if (!fact.what || fact.crossed || !llvm::is_contained(roots, fact.root) || !fact.after.contains(stream))
      return false;
    return fact.root == fact.what->region.root &&
           llvm::any_of(all, [&](const Access &write) { return covers(write, fact.what->region); });
  });
}

// The streams that a branch may have chosen; the value itself if none did.
void OrderVerifier::collectChoices(Value stream, SmallVectorImpl<Value> &choices) {
  if (!isa_and_nonnull<scf::IfOp, scf::IndexSwitchOp, arith::SelectOp>(stream.getDefiningOp()))
    return choices.push_back(stream);
  for (Value source : sourcesOf(stream, assumptions))
    collectChoices(source, choices);
}

LogicalResult OrderVerifier::visitReturn(ReturnOp op, const Facts &facts) {
  unsigned stream = numberOf(func.getStream());
  for (const Fact &fact : facts)
    if (!fact.after.contains(stream))
      return fail(
          op, "does not wait for " + describe(fact.op) + " on another stream, which may run on when the call is done",
          fact.op);
  for (Value buffer : op.getBuffers())
    if (Value root = regionOf(buffer).root; !mayBeWritten(root))
      return fail(op, "returns a buffer that nothing has written: that of " + describe(root.getDefiningOp()),
                  root.getDefiningOp());
  return success();
}

//===--- Points --------------------------------------------------------------------------------------------------===//

// The name of a stream or event: all host.stream ops of one device and index are one stream.
Value OrderVerifier::pointOf(Value value) {
  if (auto name = getStreamName(value.getDefiningOp()))
    return streams.try_emplace(*name, value).first->second;
  SmallVector<Value> sources = isa<OpResult>(value) && value.getDefiningOp<arith::SelectOp>()
                                   ? sourcesOf(value, assumptions)
                                   : SmallVector<Value>();
  return sources.size() == 1 ? pointOf(sources[0]) : value;
}

void OrderVerifier::findStreams() {
  bool isPlain = true;
  allStreams.insert(numberOf(func.getStream()));
  func.walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (isa<StreamType>(value.getType())) {
        isPlain &= getStreamName(op).has_value();
        allStreams.insert(numberOf(value));
      }
    for (mlir::Region &region : op->getRegions())
      for (Block &block : region)
        isPlain &= op == func || llvm::none_of(block.getArgumentTypes(), llvm::IsaPred<StreamType>);
  });
  if (!isPlain)
    allStreams.clear();
}

// An event that is only waited for ends with the last wait, of its block or in what its block holds.
void OrderVerifier::findLastWaits() {
  func.walk([&](RecordOp record) {
    Operation *last = record;
    for (Operation *user : record->getUsers()) {
      if (!isa<HostOpInterface>(user))
        return;
      Operation *inBlock = record->getBlock()->findAncestorOpInBlock(*user);
      last = last->isBeforeInBlock(inBlock) ? inBlock : last;
    }
    lastWaits[last].push_back(record.getResult());
  });
}

void OrderVerifier::forgetEvents(Operation *lastWait, Facts &facts) {
  auto found = lastWaits.find(lastWait);
  if (found == lastWaits.end())
    return;
  for (Value event : found->second) {
    unsigned number = numbers.of(event);
    for (Fact &fact : facts)
      fact.after.erase(number);
    numbers.release(event);
  }
}

// `point` comes after whatever one of `befores` comes after, and after nothing else any more.
void OrderVerifier::addPoint(Facts &facts, ArrayRef<Value> befores, Value point) {
  SmallVector<unsigned, 2> asked;
  for (Value before : befores)
    asked.push_back(numberOf(before));
  unsigned number = numberOf(point);
  for (Fact &fact : facts) {
    if (llvm::any_of(asked, [&](unsigned before) { return fact.after.contains(before); })) {
      fact.after.insert(number);
      joinLoops(point, fact);
    } else {
      fact.after.erase(number);
    }
  }
  // What every stream comes after orders nothing any more.
  if (!allStreams.empty())
    std::erase_if(facts, [&](const Fact &fact) { return fact.after.containsAll(allStreams); });
}

// What a region hands on that can be a point: numbers of the same points outside and inside.
SmallVector<std::pair<unsigned, unsigned>> OrderVerifier::pointsHandedOn(ValueRange from, ValueRange to) {
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  for (auto [source, target] : llvm::zip_equal(from, to))
    if (isa<StreamType, EventType>(source.getType()))
      pairs.push_back({numberOf(source), numbers.of(target)});
  return pairs;
}

// Facts at the start of a region: what comes before `from[i]` comes before `to[i]`, which is the same point.
Facts OrderVerifier::enter(const Facts &facts, ValueRange from, ValueRange to) {
  Facts entered = facts;
  auto pairs = pointsHandedOn(from, to);
  for (Fact &fact : entered)
    for (auto [source, target] : pairs)
      if (fact.after.contains(source))
        fact.after.insert(target);
  return entered;
}

static bool isDefinedInside(Value value, Operation *op) {
  return op->isAncestor(value.getParentBlock()->getParentOp());
}

// Where the point of a loop over streams goes on: in its next iteration, then in the stream that waits for all.
std::optional<std::pair<unsigned, unsigned>> OrderVerifier::joinHandedOn(Operation *left, bool isNextIteration) {
  auto loop = dyn_cast<StreamForOp>(left);
  if (!loop)
    return std::nullopt;
  return std::pair(joinOf(loop), isNextIteration ? joinOf(loop) : numberOf(loop.getIssue()));
}

// Facts where the regions of `left` end, for its results or its next iteration: names from inside end, but for those
// that `from[i]` hands on to `to[i]`.
Facts OrderVerifier::rename(const Facts &facts, Operation *left, bool isNextIteration, ValueRange from, ValueRange to) {
  Facts renamed;
  auto pairs = pointsHandedOn(from, to);
  if (auto join = joinHandedOn(left, isNextIteration))
    pairs.push_back(*join);
  auto streams = dyn_cast<StreamForOp>(left);
  if (streams && isNextIteration)
    pairs.push_back({endOf(streams), endOf(streams)});
  PointSet inside;
  for (auto [number, value] : llvm::enumerate(numbers.getValues()))
    if (value && isDefinedInside(value, left))
      inside.insert(number);
  bool isLoop = isa<scf::ForOp, scf::WhileOp, StreamForOp>(left);
  for (const Fact &fact : facts) {
    Fact changed = fact;
    changed.isOfSlot &= changed.crossed != left;
    changed.after.eraseAll(inside);
    for (auto [source, target] : pairs)
      if (fact.after.contains(source))
        changed.after.insert(target);
    if (streams && !isNextIteration && fact.after.contains(joinOf(streams)))
      joinLoops(streams.getIssue(), changed);
    bool isOutermost = !changed.crossed || (isNextIteration && !changed.crossed->isProperAncestor(left));
    if (isLoop && isOutermost && left->isAncestor(fact.op))
      changed.crossed = left;
    if (!isDefinedInside(fact.root, left)) {
      renamed.push_back(std::move(changed));
      continue;
    }
    // A buffer from inside lives on under the names it is handed on to. One that is not is either freed, or what a
    // carried value was at first.
    bool isHandedOn = false;
    for (auto [source, target] : llvm::zip_equal(from, to)) {
      if (!isa<BufferType>(source.getType()))
        continue;
      bool isRoot = regionOf(source).root == fact.root;
      if (!isRoot && !mayAlias(source, fact.root, assumptions))
        continue;
      changed.root = target;
      changed.isSomewhere = fact.isSomewhere || source != fact.root; // a view's offsets count from elsewhere
      isHandedOn |= isRoot;
      renamed.push_back(changed);
    }
    if (isHandedOn)
      continue;
    for (Value outside : outerSources(fact.root, left, assumptions)) {
      changed.root = regionOf(outside, assumptions).root;
      changed.outside = outside;
      renamed.push_back(changed);
    }
  }
  if (streams && isNextIteration)
    addTurns(streams, renamed);
  return renamed;
}

// Whether a loop over streams issues work on others than its iterations', so that not all that an iteration issues is
// in the order of its slot.
bool OrderVerifier::hasOtherStreams(StreamForOp loop) {
  auto [entry, isNew] = mixedLoops.try_emplace(loop, false);
  if (isNew)
    loop.getBody().walk([&](CollectiveOp) { mixedLoops[loop] = true; });
  return mixedLoops[loop];
}

// An access of an iteration before was in one of another slot, or of this one: then the iteration's stream comes after
// it if that of its own iteration did.
void OrderVerifier::addTurns(StreamForOp loop, Facts &facts) {
  if (!hasOtherStreams(loop))
    return;
  unsigned mine = numbers.of(loop.getMine()), end = endOf(loop);
  for (size_t i = 0, count = facts.size(); i < count; ++i) {
    if (facts[i].crossed != loop)
      continue;
    Fact turned = facts[i];
    turned.isOfSlot = true;
    if (turned.after.contains(end))
      turned.after.insert(mine);
    facts.push_back(std::move(turned));
  }
}

//===--- The walk ------------------------------------------------------------------------------------------------===//

LogicalResult OrderVerifier::step(Operation *op, Facts &facts) {
  if (auto done = dyn_cast<ReturnOp>(op))
    return visitReturn(done, facts);
  if (auto row = dyn_cast<HostOpInterface>(op); row && failed(visitRow(row, facts)))
    return failure();
  forgetEvents(op, facts);
  return success();
}

FailureOr<bool> OrderVerifier::takes(mlir::Region &region, Facts &) { return !assumptions.excludes(region); }

// Adds what of `more` is not in `facts`; whether that said anything new.
static bool mergeInto(Facts &facts, Facts more) {
  auto isLess = [](const Fact *a, const Fact *b) { return *a < *b; };
  std::set<const Fact *, decltype(isLess)> known(isLess);
  for (const Fact &fact : facts)
    known.insert(&fact);
  SmallVector<Fact *> news;
  for (Fact &fact : more)
    if (known.insert(&fact).second)
      news.push_back(&fact);
  for (Fact *fact : news)
    facts.push_back(std::move(*fact));
  return !news.empty();
}

LogicalResult OrderVerifier::leaveBranch(Operation *op, MutableArrayRef<BranchEnd<Facts>> ends, Facts &facts) {
  facts.clear();
  for (BranchEnd<Facts> &end : ends)
    mergeInto(facts, end.isEmpty() ? std::move(end.state)
                                   : rename(end.state, op, false, end.terminator()->getOperands(), op->getResults()));
  forgetEvents(op, facts);
  return success();
}

LogicalResult OrderVerifier::handOn(const Crossing &crossing, Facts &facts) {
  using Kind = Crossing::Kind;
  if (crossing.kind == Kind::Enter || crossing.kind == Kind::Pass)
    facts = enter(facts, crossing.from, crossing.to);
  else
    facts = rename(facts, crossing.loop, crossing.kind == Kind::Next, crossing.from, crossing.to);
  if (crossing.kind == Kind::Leave)
    forgetEvents(crossing.loop, facts);
  return success();
}

FailureOr<bool> OrderVerifier::again(Operation *, Facts &head, Facts &next) { return mergeInto(head, std::move(next)); }

LogicalResult mlir::heddle::host::verifyOrder(FuncOp func, const Assumptions &assumptions) {
  return OrderVerifier(func, assumptions).verify();
}
