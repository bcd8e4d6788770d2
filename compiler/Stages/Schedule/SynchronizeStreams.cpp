// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Stages/Schedule/Passes.h"
#include "compiler/Stages/Schedule/StreamFacts.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SYNCHRONIZESTREAMS
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// Walks the program twice over loops: to learn what iterations leave, without touching the program, then to write.
class Synchronizer {
public:
  explicit Synchronizer(host::FuncOp func) : func(func), builder(func.getContext()) {}

  void run() {
    if (!findStreams())
      return;
    StreamFacts facts(numStreams, numbers);
    waited.resize(numStreams);
    waitForCaller();
    visitBlock(func.getBody().front(), facts);
    eraseImpliedStarts();
  }

private:
  using FreeList = SmallVector<host::FreeOp>;

  bool findStreams();
  void waitForCaller();
  void eraseImpliedStarts();
  void visitBlock(Block &block, StreamFacts &facts);
  void visitOp(Operation *op, StreamFacts &facts, FreeList &late);
  void visitAccess(Operation *op, StreamFacts &facts, Operation *waitsBefore);
  void orderAccess(Operation *op, StreamFacts &facts, Operation *waitsBefore);
  void noteFree(host::FreeOp op, StreamFacts &facts);
  void visitFree(host::FreeOp op, StreamFacts &facts, FreeList &late);
  void visitReturn(Operation *op, StreamFacts &facts, FreeList &late);
  void visitIf(scf::IfOp op, StreamFacts &facts);
  void visitFor(scf::ForOp op, StreamFacts &facts);
  void visitWhile(scf::WhileOp op, StreamFacts &facts);
  StreamFacts iterate(scf::WhileOp op, StreamFacts &head);
  void freeLate(Operation *after, StreamFacts &facts, FreeList &late);
  void freeBefore(Operation *terminator, StreamFacts &facts, FreeList &late);
  void waitFor(SmallVector<StreamFacts::Key> keys, unsigned stream, StreamFacts &facts, Operation *before);
  Value eventAt(const StreamFact &fact);
  Operation *afterStreams();

  unsigned streamOf(Operation *op) { return indices.lookup(op->getOperand(0)); }
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
  bool writes = true; // whether this walk writes
};

} // namespace

// Fails for programs that name no other stream, and for those that order their streams themselves.
bool Synchronizer::findStreams() {
  indices[func.getStream()] = 0;
  streams.push_back(func.getStream());
  std::map<std::pair<StringRef, uint32_t>, unsigned> known;
  bool isPlain = true;
  func.walk([&](Operation *op) {
    if (auto stream = dyn_cast<host::StreamOp>(op)) {
      auto [entry, isNew] = known.try_emplace({stream.getDevice(), stream.getIndex()}, numStreams);
      if (isNew) {
        ++numStreams;
        streams.push_back(stream.getResult());
        isPlain &= stream->getBlock() == &func.getBody().front();
      }
      indices[stream.getResult()] = entry->second;
    }
    isPlain &= !isa<host::RecordOp, host::WaitOp, host::AwaitOp>(op);
  });
  func.walk([&](Operation *op) {
    if (isa<host::HostDialect>(op->getDialect()) && op->getNumOperands() > 0 &&
        isa<host::StreamType>(op->getOperand(0).getType()))
      isPlain &= indices.contains(op->getOperand(0));
  });
  return isPlain && numStreams > 1;
}

Operation *Synchronizer::afterStreams() {
  Operation *last = nullptr;
  for (auto stream : func.getBody().front().getOps<host::StreamOp>())
    last = stream;
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
  for (const host::Access &access : host::accessesOf(op)) {
    SmallVector<Value> roots;
    collectRoots(access.buffer, roots);
    for (Value root : roots)
      if (!root.getDefiningOp<host::ParameterOp>())
        llvm::append_range(keys, facts.missing(root, access.writes, stream));
  }
  waitFor(keys, stream, facts, waitsBefore);
}

void Synchronizer::visitAccess(Operation *op, StreamFacts &facts, Operation *waitsBefore) {
  orderAccess(op, facts, waitsBefore);
  unsigned stream = streamOf(op);
  if (isa<host::ReadOp>(op)) {
    waited.set();
    return facts.forgetKnownTo(stream);
  }
  Time now = ++time;
  latest[stream] = {op, now};
  for (auto [i, access] : llvm::enumerate(host::accessesOf(op))) {
    SmallVector<Value> roots;
    collectRoots(access.buffer, roots);
    for (Value root : roots)
      if (!root.getDefiningOp<host::ParameterOp>())
        facts.add(op, i, root, access.writes, stream, now);
  }
}

// A buffer is freed on its own device's stream. Nobody waits for the sake of a free: it moves to where that stream
// comes after all uses anyway.
void Synchronizer::visitFree(host::FreeOp op, StreamFacts &facts, FreeList &late) {
  if (!facts.missing(op.getBuffer(), /*writes=*/true, streamOf(op)).empty())
    return late.push_back(op);
  noteFree(op, facts);
}

// Whether nothing is issued between two ops of a block.
static bool isNextIssued(Operation *first, Operation *second) {
  if (!first || first->getBlock() != second->getBlock())
    return false;
  for (Operation *op = second->getPrevNode(); op != first; op = op->getPrevNode())
    if (!op || !(isPure(op) || isa<host::FreeOp, host::AllocOp, host::ResultOp>(op)))
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

void Synchronizer::visitBlock(Block &block, StreamFacts &facts) {
  FreeList late;
  for (Operation *op : llvm::to_vector(llvm::make_pointer_range(block))) {
    if (isa<host::ReturnOp>(op)) {
      visitReturn(op, facts, late);
    } else if (op->hasTrait<OpTrait::IsTerminator>()) {
      freeBefore(op, facts, late);
    } else {
      visitOp(op, facts, late);
    }
  }
}

void Synchronizer::visitOp(Operation *op, StreamFacts &facts, FreeList &late) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](host::FreeOp free) { visitFree(free, facts, late); })
      .Case<host::DispatchOp, host::CopyOp, host::FillOp, host::ReadOp>([&](Operation *access) {
        visitAccess(access, facts, access);
        freeLate(access, facts, late);
      })
      .Case([&](scf::IfOp branch) { visitIf(branch, facts); })
      .Case([&](scf::ForOp loop) { visitFor(loop, facts); })
      .Case([&](scf::WhileOp loop) { visitWhile(loop, facts); });
  if (op->getNumRegions() > 0)
    waited.set();
}

// Whether the condition asks if two devices are one.
static bool asksSame(Value condition) {
  if (auto negation = condition.getDefiningOp<arith::XOrIOp>())
    condition = negation.getLhs();
  return condition.getDefiningOp<host::SameOp>() != nullptr;
}

void Synchronizer::visitIf(scf::IfOp op, StreamFacts &facts) {
  // Whether or not a transfer copies, who reads its result comes after its source: one wait serves both.
  if (asksSame(op.getCondition()))
    op.walk([&](Operation *inner) {
      if (isa<host::DispatchOp, host::CopyOp, host::FillOp>(inner))
        orderAccess(inner, facts, op);
    });
  StreamFacts inside[] = {facts, facts};
  for (auto [region, known] : llvm::zip(op->getRegions(), inside))
    if (!region.empty())
      visitBlock(region.front(), known);
  RecordPoint end = pointAfter(op);
  for (auto [region, known] : llvm::zip(op->getRegions(), inside))
    if (!region.empty())
      known.leave(op, region.front().getTerminator()->getOperands(), op->getResults(), end);
  facts = std::move(inside[0]);
  facts.join(inside[1]);
}

void Synchronizer::visitFor(scf::ForOp op, StreamFacts &facts) {
  StreamFacts head = facts;
  auto round = [&] {
    head.restart(op, pointAtStart(*op.getBody()));
    StreamFacts tail = head;
    visitBlock(*op.getBody(), tail);
    tail.leave(op, op.getBody()->getTerminator()->getOperands(), op.getRegionIterArgs(), pointAtStart(*op.getBody()));
    return tail;
  };
  bool isWriting = std::exchange(writes, false);
  while (head.addIteration(round(), op, pointAtStart(*op.getBody()))) {
  }
  writes = isWriting;
  if (writes)
    round();
  head.leave(op, op.getRegionIterArgs(), op.getResults(), pointAfter(op));
  facts = std::move(head);
}

// One round: `head` is what is known where the condition starts; gives what is known where it starts again.
StreamFacts Synchronizer::iterate(scf::WhileOp op, StreamFacts &passed) {
  scf::ConditionOp condition = op.getConditionOp();
  passed.restart(op, pointAtStart(*op.getBeforeBody()));
  visitBlock(*op.getBeforeBody(), passed);
  StreamFacts tail = passed;
  tail.leave(op, condition.getArgs(), op.getAfterArguments(), pointAtStart(*op.getAfterBody()));
  visitBlock(*op.getAfterBody(), tail);
  tail.leave(op, op.getYieldOp().getOperands(), op.getBeforeArguments(), pointAtStart(*op.getBeforeBody()));
  return tail;
}

void Synchronizer::visitWhile(scf::WhileOp op, StreamFacts &facts) {
  StreamFacts head = facts;
  bool isWriting = std::exchange(writes, false);
  StreamFacts passed = head;
  while (head.addIteration(iterate(op, passed), op, pointAtStart(*op.getBeforeBody())))
    passed = head;
  writes = isWriting;
  if (writes) {
    passed = head;
    iterate(op, passed);
  }
  passed.leave(op, op.getConditionOp().getArgs(), op.getResults(), pointAfter(op));
  facts = std::move(passed);
}

namespace {

struct SynchronizeStreams : heddle::impl::SynchronizeStreamsBase<SynchronizeStreams> {
  void runOnOperation() override { Synchronizer(getOperation()).run(); }
};

} // namespace
