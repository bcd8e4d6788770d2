// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Dialect/Host/Analysis/Walker.h"
#include "compiler/Stages/Schedule/Order/IterationOrder.h"
#include "compiler/Stages/Schedule/Order/StreamFacts.h"
#include "compiler/Stages/Schedule/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SYNCHRONIZESTREAMS
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// The stream that an op is issued on; null for what the host does.
Value queueOf(Operation *op) {
  if (auto loop = dyn_cast<host::StreamForOp>(op))
    return loop.getIssue();
  return cast<host::HostOpInterface>(op).getQueue();
}

// What an op touches; a loop over streams what its body does, but for buffers of its own.
SmallVector<host::Access> touchedBy(Operation *op) {
  auto loop = dyn_cast<host::StreamForOp>(op);
  if (!loop)
    return host::accessesOf(op);
  SmallVector<host::Access> all;
  loop.getBody().walk([&](Operation *inner) {
    for (host::Access &access : host::accessesOf(inner))
      if (!loop->isAncestor(access.region.root.getParentBlock()->getParentOp()))
        all.push_back(access);
  });
  return all;
}

// Which bytes of a root an access touches, where they are the same whenever the op runs.
const host::BufferRegion *partOf(Operation *op, const host::Access &access, Value root) {
  bool isKnown = access.region.root == root && access.region.size && !isa<host::StreamForOp>(op) &&
                 !op->getParentOfType<LoopLikeOpInterface>();
  return isKnown ? &access.region : nullptr;
}

// Goes round loops to learn what iterations leave, without touching the program, and then once more to write.
class Synchronizer : public host::WalkDefaults {
public:
  explicit Synchronizer(host::FuncOp func) : func(func), builder(func.getContext()) {}

  void run() {
    if (!findStreams())
      return;
    StreamFacts facts(numStreams, numbers);
    waited.resize(numStreams);
    waitForCaller();
    (void)host::Walker(*this).walk(func.getBody().front(), facts);
    eraseImpliedStarts();
    func.walk([](host::StreamForOp loop) { orderCollectives(loop); });
  }

  // For the walker. Nothing fails.
  using State = StreamFacts;
  LogicalResult step(Operation *op, StreamFacts &facts);
  LogicalResult enterRegions(Operation *op, StreamFacts &facts);
  FailureOr<bool> takes(Region &, StreamFacts &) { return true; }
  // It is one op: it begins after its stream of issue, which waits for all of it.
  bool entersStreamLoops() const { return false; }
  LogicalResult leaveBranch(Operation *op, MutableArrayRef<host::BranchEnd<StreamFacts>> ends, StreamFacts &facts);
  LogicalResult handOn(const host::Crossing &crossing, StreamFacts &facts);
  FailureOr<bool> again(Operation *loop, StreamFacts &head, StreamFacts &tail);

private:
  using FreeList = SmallVector<host::FreeOp>;

  bool findStreams();
  void waitForCaller();
  void eraseImpliedStarts();
  void visitAccess(Operation *op, StreamFacts &facts);
  void orderAccess(Operation *op, StreamFacts &facts, Operation *waitsBefore);
  void noteFree(host::FreeOp op, StreamFacts &facts);
  void visitFree(host::FreeOp op, StreamFacts &facts, FreeList &late);
  void visitReturn(Operation *op, StreamFacts &facts, FreeList &late);
  void freeLate(Operation *after, StreamFacts &facts, FreeList &late);
  void freeBefore(Operation *terminator, StreamFacts &facts, FreeList &late);
  void startRound(Operation *loop, StreamFacts &head);
  void waitFor(SmallVector<StreamFacts::Key> keys, unsigned stream, StreamFacts &facts, Operation *before);
  Value eventAt(const StreamFact &fact);
  Operation *afterStreams();

  unsigned streamOf(Operation *op) { return indices.lookup(queueOf(op)); }
  RecordPoint pointAfter(Operation *regions);
  RecordPoint pointAtStart(Block &block) { return {&block, nullptr, ++time}; }

  host::FuncOp func;
  OpBuilder builder;
  ProgramNumbers numbers;
  llvm::BitVector waited; // streams whose late frees may have become possible since they were last looked at
  unsigned numStreams = 1;
  llvm::DenseMap<Value, unsigned> indices; // of the ops of a device's stream, all one index
  SmallVector<Value> streams;
  std::map<std::tuple<unsigned, Block *, Operation *>, Value> events;
  llvm::DenseMap<unsigned, std::pair<Operation *, Time>> latest; // the last op on each stream, and its time
  Time time = 0;
  bool writes = true;                     // whether this walk writes
  llvm::DenseMap<Block *, FreeList> late; // frees of a block that wait for their streams
  // The loops that the walk is in, and whether it writes their last round: rounds before it only learn.
  SmallVector<bool> loops;
};

} // namespace

// Fails for programs that name no other stream, and for those that order their streams themselves.
bool Synchronizer::findStreams() {
  indices[func.getStream()] = 0;
  streams.push_back(func.getStream());
  std::map<std::pair<StringRef, uint32_t>, unsigned> known;
  bool isPlain = true;
  func.walk([&](Operation *op) {
    if (auto name = host::getStreamName(op)) {
      auto [entry, isNew] = known.try_emplace(*name, numStreams);
      if (isNew) {
        ++numStreams;
        streams.push_back(op->getResult(0));
        isPlain &= op->getBlock() == &func.getBody().front();
      }
      indices[op->getResult(0)] = entry->second;
    }
    // What orders, but for the host that waits for its own stream.
    if (auto row = dyn_cast<host::HostOpInterface>(op))
      isPlain &= row.getAccesses().empty() ? row.getOrders().empty() : true;
  });
  // What a loop over streams holds is its own matter.
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isLoop = isa<host::StreamForOp>(op);
    if (Value queue = isLoop || isa<host::HostOpInterface>(op) ? queueOf(op) : Value())
      isPlain &= indices.contains(queue);
    return isLoop ? WalkResult::skip() : WalkResult::advance();
  });
  return isPlain && numStreams > 1;
}

Operation *Synchronizer::afterStreams() {
  Operation *last = nullptr;
  for (Operation &op : func.getBody().front())
    if (host::getStreamName(&op))
      last = &op;
  return last;
}

// The point behind scf, for all that its regions issued.
RecordPoint Synchronizer::pointAfter(Operation *regions) {
  RecordPoint point{regions->getBlock(), regions, ++time};
  for (auto &[stream, last] : latest)
    if (regions->isProperAncestor(last.first))
      last = {regions, point.time};
  return point;
}

// Arguments, results and the slab may be in use on the call's stream when the program starts.
void Synchronizer::waitForCaller() {
  builder.setInsertionPointAfter(afterStreams());
  Value start = host::RecordOp::create(builder, func.getLoc(), func.getStream());
  for (Value stream : ArrayRef<Value>(streams).drop_front())
    host::WaitOp::create(builder, func.getLoc(), stream, start);
}

// A stream whose first op is another wait for the call's stream need not wait for its start. One walk for all streams,
// of which there may be thousands.
void Synchronizer::eraseImpliedStarts() {
  struct Seen {
    host::WaitOp start;
    bool isDone = false;
  };
  llvm::MapVector<Value, Seen> seen;
  for (Value stream : ArrayRef<Value>(streams).drop_front())
    seen.insert({stream, {}});
  auto visit = [&](Operation &op, Seen &stream) {
    auto wait = dyn_cast<host::WaitOp>(op);
    if (wait && !stream.start) {
      stream.start = wait;
      return;
    }
    auto event = wait ? wait.getEvent().getDefiningOp<host::RecordOp>() : host::RecordOp();
    if (!event || event.getStream() != func.getStream())
      stream.start = {};
    stream.isDone = true;
  };
  for (Operation &op : func.getBody().front())
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto stream = seen.find(operand); stream != seen.end() && !stream->second.isDone)
          visit(op, stream->second);
    });
  for (auto &[stream, what] : seen)
    if (what.start && what.isDone)
      what.start.erase();
  Operation *start = afterStreams()->getNextNode();
  if (start->use_empty())
    start->erase();
}

Value Synchronizer::eventAt(const StreamFact &fact) {
  Value &event = events[{fact.stream, fact.point.block, fact.point.after}];
  if (event)
    return event;
  if (fact.point.after)
    builder.setInsertionPointAfter(fact.point.after);
  else
    builder.setInsertionPointToStart(fact.point.block);
  Location loc = fact.point.after ? fact.point.after->getLoc() : func.getLoc();
  return event = host::RecordOp::create(builder, loc, streams[fact.stream]);
}

void Synchronizer::waitFor(SmallVector<StreamFacts::Key> keys, unsigned stream, StreamFacts &facts, Operation *before) {
  facts.sortByNeed(keys);
  for (const StreamFacts::Key &key : keys) {
    const StreamFact *found = facts.find(key);
    if (!found || found->since[stream] != kNever)
      continue;
    StreamFact fact = *found;
    if (writes) {
      Value event = eventAt(fact);
      builder.setInsertionPoint(before);
      host::WaitOp::create(builder, before->getLoc(), streams[stream], event);
    }
    facts.wait(stream, fact, ++time);
    waited.set(stream);
  }
}

// Waits, in front of `waitsBefore`, for all that the op's accesses conflict with.
void Synchronizer::orderAccess(Operation *op, StreamFacts &facts, Operation *waitsBefore) {
  unsigned stream = streamOf(op);
  SmallVector<StreamFacts::Key> keys;
  for (const host::Access &access : touchedBy(op)) {
    SmallVector<Value> roots;
    collectRoots(access.buffer, roots);
    for (Value root : roots)
      if (host::storageKindOf(root) != host::StorageKind::ReadOnly)
        llvm::append_range(keys, facts.missing(root, access.writes, stream, partOf(op, access, root)));
  }
  waitFor(keys, stream, facts, waitsBefore);
}

// Whether the host waits for the op's stream, and so for all that it comes after.
static bool awaitsQueue(Operation *op) {
  auto row = dyn_cast<host::HostOpInterface>(op);
  return row && llvm::any_of(row.getOrders(), [](const host::HostOrder &order) { return !order.point; });
}

void Synchronizer::visitAccess(Operation *op, StreamFacts &facts) {
  orderAccess(op, facts, op);
  unsigned stream = streamOf(op);
  if (awaitsQueue(op)) {
    waited.set();
    return facts.forgetKnownTo(stream);
  }
  Time now = ++time;
  latest[stream] = {op, now};
  for (auto [i, access] : llvm::enumerate(touchedBy(op))) {
    SmallVector<Value> roots;
    collectRoots(access.buffer, roots);
    for (Value root : roots)
      if (host::storageKindOf(root) != host::StorageKind::ReadOnly)
        facts.add(op, i, root, access.writes, stream, now, partOf(op, access, root));
  }
}

// A buffer is freed on its own device's stream. Nobody waits for the sake of a free: it moves to where that stream
// comes after all uses anyway.
void Synchronizer::visitFree(host::FreeOp op, StreamFacts &facts, FreeList &late) {
  if (!facts.missing(op.getBuffer(), /*writes=*/true, streamOf(op)).empty())
    return late.push_back(op);
  noteFree(op, facts);
}

static bool issuesNothing(Operation *op) {
  auto row = dyn_cast<host::HostOpInterface>(op);
  return isPure(op) || isa<host::FreeOp>(op) || (row && !row.getQueue() && row.getOrders().empty());
}

// Whether nothing is issued between two ops of a block, and nothing there gives the second an operand (a loop that only
// exchanges buffers is pure): it may stand right behind the first.
static bool isNextIssued(Operation *first, Operation *second) {
  if (!first || first->getBlock() != second->getBlock())
    return false;
  auto defines = [&](Operation *op) {
    return llvm::any_of(second->getOperands(), [&](Value operand) { return operand.getDefiningOp() == op; });
  };
  for (Operation *op = second->getPrevNode(); op != first; op = op->getPrevNode())
    if (!op || !issuesNothing(op) || defines(op))
      return false;
  return true;
}

// No event is recorded between a free and the op before it on its stream, so that one event covers both.
void Synchronizer::noteFree(host::FreeOp op, StreamFacts &facts) {
  unsigned stream = streamOf(op);
  if (isCarriedRoot(op.getBuffer()))
    waited.set();
  auto [last, issued] = latest.lookup(stream);
  if (!isNextIssued(last, op) || events.contains({stream, op->getBlock(), last})) {
    facts.add(op, 0, op.getBuffer(), true, stream, ++time);
    return facts.endRoot(op, op.getBuffer());
  }
  if (writes)
    op->moveAfter(last);
  facts.addFree(op, op.getBuffer(), stream, last, issued);
  facts.endRoot(op, op.getBuffer());
  latest[stream].first = op;
}

// Only a wait of its stream makes a free possible, but for buffers that may be others.
void Synchronizer::freeLate(Operation *after, StreamFacts &facts, FreeList &late) {
  llvm::BitVector changed = std::exchange(waited, llvm::BitVector(numStreams));
  llvm::erase_if(late, [&](host::FreeOp op) {
    if (!changed.test(streamOf(op)) && !waited.test(streamOf(op)) && !isCarriedRoot(op.getBuffer()))
      return false;
    if (!facts.missing(op.getBuffer(), /*writes=*/true, streamOf(op)).empty())
      return false;
    if (writes)
      op->moveAfter(after);
    after = op;
    noteFree(op, facts);
    return true;
  });
}

// What no wait released is freed at the end of the block: by the call's stream, which waits for everything anyway, or
// after a wait, since the memory is used again in the next iteration.
void Synchronizer::freeBefore(Operation *terminator, StreamFacts &facts, FreeList &late) {
  for (host::FreeOp op : late) {
    if (isa<host::ReturnOp>(terminator)) {
      if (writes)
        op->setOperand(0, func.getStream());
    } else {
      waitFor(facts.missing(op.getBuffer(), /*writes=*/true, streamOf(op)), streamOf(op), facts, terminator);
    }
    if (writes)
      op->moveBefore(terminator);
    facts.add(op, 0, op.getBuffer(), true, streamOf(op), ++time);
  }
  late.clear();
}

void Synchronizer::visitReturn(Operation *op, StreamFacts &facts, FreeList &late) {
  waitFor(facts.missing(/*stream=*/0), 0, facts, op);
  freeBefore(op, facts, late);
}

//===--- The walk ------------------------------------------------------------------------------------------------===//

LogicalResult Synchronizer::step(Operation *op, StreamFacts &facts) {
  FreeList &frees = late[op->getBlock()];
  if (isa<host::ReturnOp>(op)) {
    visitReturn(op, facts, frees);
  } else if (op->hasTrait<OpTrait::IsTerminator>()) {
    freeBefore(op, facts, frees);
  } else if (auto free = dyn_cast<host::FreeOp>(op)) {
    visitFree(free, facts, frees);
  } else if (!touchedBy(op).empty()) {
    visitAccess(op, facts);
    freeLate(op, facts, frees);
  }
  return success();
}

// Whether the condition asks if two devices are one.
static bool asksSame(Value condition) {
  if (auto negation = condition.getDefiningOp<arith::XOrIOp>())
    condition = negation.getLhs();
  return condition.getDefiningOp<host::SameOp>() != nullptr;
}

LogicalResult Synchronizer::enterRegions(Operation *op, StreamFacts &facts) {
  // Whether or not a transfer copies, who reads its result comes after its source: one wait serves both.
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && asksSame(branch.getCondition()))
    op->walk([&](host::HostOpInterface inner) {
      if (!inner.getAccesses().empty() && !isa<host::FreeOp>(inner) && !awaitsQueue(inner))
        orderAccess(inner, facts, op);
    });
  return success();
}

LogicalResult Synchronizer::leaveBranch(Operation *op, MutableArrayRef<host::BranchEnd<StreamFacts>> ends,
                                        StreamFacts &facts) {
  RecordPoint behind = pointAfter(op);
  for (auto [i, end] : llvm::enumerate(ends)) {
    if (!end.isEmpty())
      end.state.leave(op, end.terminator()->getOperands(), op->getResults(), behind);
    if (i > 0)
      facts.join(end.state);
    else
      facts = std::move(end.state);
  }
  waited.set();
  return success();
}

// Where a loop's rounds begin, and what comes behind the condition of an scf.while.
static Block &firstBlock(Operation *loop) { return loop->getRegion(0).front(); }
static Block &loopBody(Operation *loop) { return loop->getRegions().back().front(); }

void Synchronizer::startRound(Operation *loop, StreamFacts &head) {
  head.restart(loop, pointAtStart(firstBlock(loop)));
}

LogicalResult Synchronizer::handOn(const host::Crossing &crossing, StreamFacts &facts) {
  using Kind = host::Crossing::Kind;
  switch (crossing.kind) {
  case Kind::Enter:
    // What is carried in is found through its name (isCarriedRoot()).
    loops.push_back(std::exchange(writes, false));
    startRound(crossing.loop, facts);
    break;
  case Kind::Pass: facts.leave(crossing.loop, crossing.from, crossing.to, pointAtStart(loopBody(crossing.loop))); break;
  case Kind::Next:
    facts.leave(crossing.loop, crossing.from, crossing.to, pointAtStart(firstBlock(crossing.loop)));
    break;
  case Kind::Leave:
    facts.leave(crossing.loop, crossing.from, crossing.to, pointAfter(crossing.loop));
    waited.set();
    break;
  }
  return success();
}

// To a fixpoint; then, where the program is written, once more.
FailureOr<bool> Synchronizer::again(Operation *loop, StreamFacts &head, StreamFacts &tail) {
  bool isWritten = writes;
  bool isNews = !isWritten && head.addIteration(tail, loop, pointAtStart(firstBlock(loop)));
  if (!isNews && !isWritten)
    writes = loops.back();
  if (isNews || (writes && !isWritten)) {
    startRound(loop, head);
    return true;
  }
  loops.pop_back();
  return false;
}

namespace {

struct SynchronizeStreams : mlir::heddle::impl::SynchronizeStreamsBase<SynchronizeStreams> {
  void runOnOperation() override { Synchronizer(getOperation()).run(); }
};

} // namespace
