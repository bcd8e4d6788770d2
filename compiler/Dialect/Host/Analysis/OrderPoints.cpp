// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/OrderPoints.h"

using namespace mlir;
using namespace mlir::heddle::host;

OrderPoints::OrderPoints(FuncOp func, const Assumptions &assumptions) : func(func), assumptions(assumptions) {
  findStreams();
  findLastWaits();
}

//===--- Streams and events --------------------------------------------------------------------------------------===//

void OrderPoints::collectChoices(Value stream, SmallVectorImpl<Value> &choices) {
  if (!isa_and_nonnull<scf::IfOp, scf::IndexSwitchOp, arith::SelectOp>(stream.getDefiningOp()))
    return choices.push_back(stream);
  for (Value source : sourcesOf(stream, assumptions))
    collectChoices(source, choices);
}

void OrderPoints::joinLoops(Value stream, Fact &fact) {
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

// The name of a stream or event: all host.stream ops of one device and index are one stream.
Value OrderPoints::pointOf(Value value) {
  if (auto name = getStreamName(value.getDefiningOp()))
    return streams.try_emplace(*name, value).first->second;
  SmallVector<Value> sources = isa<OpResult>(value) && value.getDefiningOp<arith::SelectOp>()
                                   ? sourcesOf(value, assumptions)
                                   : SmallVector<Value>();
  return sources.size() == 1 ? pointOf(sources[0]) : value;
}

void OrderPoints::findStreams() {
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
void OrderPoints::findLastWaits() {
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

void OrderPoints::forgetEvents(Operation *lastWait, Facts &facts) {
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

void OrderPoints::addPoint(Facts &facts, ArrayRef<Value> befores, Value point) {
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
SmallVector<std::pair<unsigned, unsigned>> OrderPoints::pointsHandedOn(ValueRange from, ValueRange to) {
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  for (auto [source, target] : llvm::zip_equal(from, to))
    if (isa<StreamType, EventType>(source.getType()))
      pairs.push_back({numberOf(source), numbers.of(target)});
  return pairs;
}

Facts OrderPoints::enter(const Facts &facts, ValueRange from, ValueRange to) {
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
std::optional<std::pair<unsigned, unsigned>> OrderPoints::joinHandedOn(Operation *left, bool isNextIteration) {
  auto loop = dyn_cast<StreamForOp>(left);
  if (!loop)
    return std::nullopt;
  return std::pair(joinOf(loop), isNextIteration ? joinOf(loop) : numberOf(loop.getIssue()));
}

// A buffer from inside lives on under the names it is handed on to. One that is not is either freed, or what a carried
// value was at first.
void OrderPoints::renameRoot(Fact changed, bool isSomewhere, Operation *left, ValueRange from, ValueRange to,
                             Facts &renamed) {
  Value root = changed.root;
  bool isHandedOn = false;
  for (auto [source, target] : llvm::zip_equal(from, to)) {
    if (!isa<BufferType>(source.getType()))
      continue;
    bool isRoot = regionOf(source).root == root;
    if (!isRoot && !mayAlias(source, root, assumptions))
      continue;
    changed.root = target;
    changed.isSomewhere = isSomewhere || source != root; // a view's offsets count from elsewhere
    isHandedOn |= isRoot;
    renamed.push_back(changed);
  }
  if (isHandedOn)
    return;
  for (Value outside : outerSources(root, left, assumptions)) {
    changed.root = regionOf(outside, assumptions).root;
    changed.outside = outside;
    renamed.push_back(changed);
  }
}

Facts OrderPoints::rename(const Facts &facts, Operation *left, bool isNextIteration, ValueRange from, ValueRange to) {
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
    renameRoot(std::move(changed), fact.isSomewhere, left, from, to, renamed);
  }
  if (streams && isNextIteration)
    addTurns(streams, renamed);
  return renamed;
}

// Whether a loop over streams issues work on others than its iterations', so that not all that an iteration issues is
// in the order of its slot.
bool OrderPoints::hasOtherStreams(StreamForOp loop) {
  auto [entry, isNew] = mixedLoops.try_emplace(loop, false);
  if (isNew)
    loop.getBody().walk([&](CollectiveOp) { mixedLoops[loop] = true; });
  return mixedLoops[loop];
}

// An access of an iteration before was in one of another slot, or of this one: then the iteration's stream comes after
// it if that of its own iteration did.
void OrderPoints::addTurns(StreamForOp loop, Facts &facts) {
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
