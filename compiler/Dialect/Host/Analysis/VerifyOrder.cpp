#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Dialect/Host/Analysis/Verifier.h"

#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle::host;

namespace {

// Streams and events are points that later ops may be known to come after; a value names its point.
using Point = void *;

// One access that ran, in any number of iterations, and all points known to come after it. An access may have
// several facts, one for each history; every instance of it is described by one of them.
struct Fact {
  Operation *op;
  unsigned access;    // index in accessesOf(op); the caller's own use for ops that are no access
  Value root;         // the buffer under its name at this point of the program
  Operation *crossed; // see mayOverlap()
  std::set<Point> after;

  bool operator<(const Fact &other) const {
    return std::tie(op, access, crossed, after) < std::tie(other.op, other.access, other.crossed, other.after) ||
           (std::tie(op, access, crossed, after) == std::tie(other.op, other.access, other.crossed, other.after) &&
            root.getAsOpaquePointer() < other.root.getAsOpaquePointer());
  }
};

using Facts = std::set<Fact>;

class OrderVerifier {
public:
  OrderVerifier(FuncOp func, const Assumptions &assumptions) : func(func), assumptions(assumptions) {}

  LogicalResult verify() {
    // With one stream everything is in order.
    func.walk([&](Operation *op) { hasStreams |= isa<StreamOp>(op); });
    findStreams();
    Facts facts;
    for (auto [i, attribute] : llvm::enumerate(func.getArgumentsAttr())) {
      noteCallersUse(func.getBufferArgument(i), facts);
      written.insert(func.getBufferArgument(i));
    }
    func.walk([&](Operation *op) {
      if (isa<ResultOp, SlabOp>(op))
        noteCallersUse(op->getResult(0), facts);
    });
    return visitBlock(func.getBody().front(), facts);
  }

private:
  LogicalResult visitBlock(Block &block, Facts &facts);
  LogicalResult visitOp(Operation *op, Facts &facts);
  LogicalResult visitAccess(Operation *op, Facts &facts);
  LogicalResult checkContent(Operation *op, const Access &access);
  LogicalResult checkOrder(Operation *op, const Access &access, const Facts &facts);
  void forgetOverwritten(ArrayRef<Access> all, Point stream, Facts &facts);
  LogicalResult visitBranches(Operation *op, Facts &facts);
  LogicalResult visitFor(scf::ForOp loop, Facts &facts);
  LogicalResult visitWhile(scf::WhileOp loop, Facts &facts);
  LogicalResult visitReturn(ReturnOp op, const Facts &facts);

  void findStreams();
  void noteCallersUse(Value buffer, Facts &facts);
  bool mayBeWritten(Value root);
  Value pointOf(Value value);
  void collectChoices(Value stream, SmallVectorImpl<Value> &choices);
  void addPoint(Facts &facts, ArrayRef<Value> befores, Value point);
  Facts rename(const Facts &facts, Operation *left, bool isNextIteration, ValueRange from, ValueRange to);
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

  FuncOp func;
  const Assumptions &assumptions;
  bool hasStreams = false;
  std::map<Operation *, SmallVector<Access>> accessTable;
  std::set<Point> allStreams; // all that a program can use which carries and chooses none; else empty
  llvm::DenseMap<std::pair<StringRef, uint32_t>, Value> streams;
  llvm::DenseSet<Value> written; // roots that something may have written
};

} // namespace

//===--- Accesses ------------------------------------------------------------------------------------------------===//

// What the caller, or the call before, may still do to a buffer when the program starts.
void OrderVerifier::noteCallersUse(Value buffer, Facts &facts) {
  if (hasStreams)
    facts.insert({func, 0, buffer, nullptr, {func.getStream().getAsOpaquePointer()}});
}

bool OrderVerifier::mayBeWritten(Value root) {
  return written.contains(root) || isa_and_nonnull<ParameterOp, PackOp, BoundOp>(root.getDefiningOp()) ||
         !isa<OpResult>(root) || !sourcesOf(root, assumptions).empty();
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
    bool isArgument = next.getParentBlock()->getParentOp() == func && isa<BlockArgument>(next);
    if (!isa<FreeOp>(op) && (isArgument || isa_and_nonnull<ParameterOp, PackOp, BoundOp>(next.getDefiningOp())))
      return fail(op, isArgument ? Twine("writes an argument of the caller")
                                 : "writes what is only read: the result of " + describe(next.getDefiningOp()));
    written.insert(next);
    llvm::append_range(open, sourcesOf(next, assumptions));
  }
  return success();
}

LogicalResult OrderVerifier::checkOrder(Operation *op, const Access &access, const Facts &facts) {
  Point stream = pointOf(op->getOperand(0)).getAsOpaquePointer();
  for (const Fact &fact : facts) {
    if (fact.after.contains(stream))
      continue;
    bool isCallers = fact.op == func;
    ArrayRef<Access> others = isCallers ? ArrayRef<Access>() : accesses(fact.op);
    if (!isCallers && !access.writes && !others[fact.access].writes)
      continue;
    if (fact.root && !mayAlias(access.region.root, fact.root, assumptions))
      continue;
    if (!isCallers && fact.root == access.region.root &&
        !mayOverlap(access.region, others[fact.access].region, fact.crossed))
      continue;
    if (isCallers)
      return fail(op,
                  "runs on a stream that does not wait for the call's, on which the caller may still use its buffer; "
                  "wait for an event recorded there");
    return fail(op,
                Twine(access.writes ? "writes" : "reads") + " what " + describe(fact.op) + " may still be " +
                    (others[fact.access].writes ? "writing" : "reading") +
                    " on another stream; wait for an event recorded after it",
                fact.op);
  }
  return success();
}

LogicalResult OrderVerifier::visitAccess(Operation *op, Facts &facts) {
  // A copy: the table may grow.
  SmallVector<Access> all(accesses(op));
  for (const Access &access : all)
    if (failed(checkContent(op, access)) || (hasStreams && failed(checkOrder(op, access, facts))))
      return failure();
  Point stream = pointOf(op->getOperand(0)).getAsOpaquePointer();
  // The host waits in host.read, so what comes before it comes before all that the host issues from here on.
  if (isa<ReadOp>(op))
    return std::erase_if(facts, [&](const Fact &fact) { return fact.after.contains(stream); }), success();
  SmallVector<Value> choices;
  if (hasStreams) {
    collectChoices(op->getOperand(0), choices);
    forgetOverwritten(all, stream, facts);
  }
  for (auto [i, access] : llvm::enumerate(all)) {
    // What nobody writes orders nothing.
    if (isa_and_nonnull<ParameterOp, PackOp, BoundOp>(access.region.root.getDefiningOp()))
      continue;
    for (Value choice : choices)
      facts.insert(
          {op, static_cast<unsigned>(i), access.region.root, nullptr, {stream, pointOf(choice).getAsOpaquePointer()}});
  }
  return success();
}

// Whoever comes after a write comes after what the write comes after: an earlier access of the same bytes says nothing
// more.
void OrderVerifier::forgetOverwritten(ArrayRef<Access> all, Point stream, Facts &facts) {
  auto covers = [&](const Access &write, const BufferRegion &region) {
    if (!write.writes || write.region.root != region.root)
      return false;
    if (!write.region.size)
      return (region.offset - write.region.offset).getConstant().value_or(-1) >= 0;
    return region.size && region.offset == write.region.offset && *region.size == *write.region.size;
  };
  if (llvm::none_of(all, [](const Access &access) { return access.writes; }))
    return;
  std::erase_if(facts, [&](const Fact &fact) {
    if (fact.op == func || fact.crossed || !fact.after.contains(stream))
      return false;
    const Access &before = accesses(fact.op)[fact.access];
    return fact.root == before.region.root &&
           llvm::any_of(all, [&](const Access &write) { return covers(write, before.region); });
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
  Point stream = func.getStream().getAsOpaquePointer();
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
  if (auto stream = value.getDefiningOp<StreamOp>())
    return streams.try_emplace({stream.getDevice(), stream.getIndex()}, value).first->second;
  SmallVector<Value> sources = isa<OpResult>(value) && value.getDefiningOp<arith::SelectOp>()
                                   ? sourcesOf(value, assumptions)
                                   : SmallVector<Value>();
  return sources.size() == 1 ? pointOf(sources[0]) : value;
}

void OrderVerifier::findStreams() {
  bool isPlain = true;
  allStreams.insert(func.getStream().getAsOpaquePointer());
  func.walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (isa<StreamType>(value.getType())) {
        isPlain &= isa<StreamOp>(op);
        allStreams.insert(pointOf(value).getAsOpaquePointer());
      }
    for (mlir::Region &region : op->getRegions())
      for (Block &block : region)
        isPlain &= op == func || llvm::none_of(block.getArgumentTypes(), llvm::IsaPred<StreamType>);
  });
  if (!isPlain)
    allStreams.clear();
}

// `point` comes after whatever one of `befores` comes after, and after nothing else any more.
void OrderVerifier::addPoint(Facts &facts, ArrayRef<Value> befores, Value point) {
  Facts changed;
  for (Fact fact : facts) {
    bool isAfter =
        llvm::any_of(befores, [&](Value before) { return fact.after.contains(pointOf(before).getAsOpaquePointer()); });
    if (isAfter)
      fact.after.insert(pointOf(point).getAsOpaquePointer());
    else
      fact.after.erase(pointOf(point).getAsOpaquePointer());
    // What every stream comes after orders nothing any more.
    bool isPast = !allStreams.empty() && llvm::includes(fact.after, allStreams);
    if (!isPast)
      changed.insert(std::move(fact));
  }
  facts = std::move(changed);
}

// Facts at the start of a region: what comes before `from[i]` comes before `to[i]`, which is the same point.
Facts OrderVerifier::enter(const Facts &facts, ValueRange from, ValueRange to) {
  Facts entered;
  for (Fact fact : facts) {
    for (auto [source, target] : llvm::zip_equal(from, to))
      if (fact.after.contains(pointOf(source).getAsOpaquePointer()))
        fact.after.insert(target.getAsOpaquePointer());
    entered.insert(std::move(fact));
  }
  return entered;
}

static bool isDefinedInside(Value value, Operation *op) {
  return op->isAncestor(value.getParentBlock()->getParentOp());
}

// Facts where the regions of `left` end, for its results or its next iteration: names from inside end, but for those
// that `from[i]` hands on to `to[i]`.
Facts OrderVerifier::rename(const Facts &facts, Operation *left, bool isNextIteration, ValueRange from, ValueRange to) {
  Facts renamed;
  for (const Fact &fact : facts) {
    Fact changed = fact;
    changed.after.clear();
    for (Point point : fact.after)
      if (!isDefinedInside(Value::getFromOpaquePointer(point), left))
        changed.after.insert(point);
    for (auto [source, target] : llvm::zip_equal(from, to))
      if (fact.after.contains(pointOf(source).getAsOpaquePointer()))
        changed.after.insert(target.getAsOpaquePointer());
    bool isLoop = isa<scf::ForOp, scf::WhileOp>(left);
    if (isLoop && (isNextIteration || !changed.crossed) && left->isAncestor(fact.op))
      changed.crossed = left;
    if (!fact.root || !isDefinedInside(fact.root, left)) {
      renamed.insert(std::move(changed));
      continue;
    }
    // A buffer from inside lives on under the names it is handed on to. One that is not is either freed, or known
    // outside by a name that a carried value had at first: then it may be anything.
    bool isHandedOn = false;
    for (auto [source, target] : llvm::zip_equal(from, to))
      if (isa<BufferType>(source.getType()) && regionOf(source).root == fact.root) {
        changed.root = source == fact.root ? target : Value(); // a view's offsets count from elsewhere
        isHandedOn = true;
        renamed.insert(changed);
      }
    if (!isHandedOn && !fact.root.getDefiningOp<AllocOp>()) {
      changed.root = Value();
      renamed.insert(std::move(changed));
    }
  }
  return renamed;
}

//===--- Control flow --------------------------------------------------------------------------------------------===//

LogicalResult OrderVerifier::visitBlock(Block &block, Facts &facts) {
  for (Operation &op : block)
    if (failed(visitOp(&op, facts)))
      return failure();
  return success();
}

LogicalResult OrderVerifier::visitOp(Operation *op, Facts &facts) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<DispatchOp, CopyOp, FillOp, ReadOp, FreeOp>([&](Operation *access) { return visitAccess(access, facts); })
      .Case([&](RecordOp record) {
        addPoint(facts, {record.getStream()}, record.getResult());
        return success();
      })
      .Case([&](WaitOp wait) {
        addPoint(facts, {wait.getStream(), wait.getEvent()}, wait.getStream());
        return success();
      })
      .Case([&](AwaitOp await) {
        std::erase_if(facts, [&](const Fact &fact) {
          return fact.after.contains(pointOf(await.getEvent()).getAsOpaquePointer());
        });
        return success();
      })
      .Case<scf::IfOp, scf::IndexSwitchOp>([&](Operation *branch) { return visitBranches(branch, facts); })
      .Case([&](scf::ForOp loop) { return visitFor(loop, facts); })
      .Case([&](scf::WhileOp loop) { return visitWhile(loop, facts); })
      .Case([&](ReturnOp done) { return visitReturn(done, facts); })
      .Default([](Operation *) { return success(); });
}

LogicalResult OrderVerifier::visitBranches(Operation *op, Facts &facts) {
  std::optional<bool> known;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    known = assumptions.decide(branch.getCondition());
  Facts joined;
  for (mlir::Region &region : op->getRegions()) {
    if (known && *known != (region.getRegionNumber() == 0))
      continue;
    Facts inside = facts;
    if (!region.empty()) {
      if (failed(visitBlock(region.front(), inside)))
        return failure();
      inside = rename(inside, op, false, region.front().getTerminator()->getOperands(), op->getResults());
    }
    joined.merge(inside);
  }
  facts = std::move(joined);
  return success();
}

// Adds `more` to `facts`; whether that said anything new.
static bool mergeInto(Facts &facts, Facts more) {
  size_t before = facts.size();
  facts.merge(more);
  return facts.size() != before;
}

LogicalResult OrderVerifier::visitFor(scf::ForOp loop, Facts &facts) {
  Facts head = enter(facts, loop.getInitArgs(), loop.getRegionIterArgs());
  Facts next;
  do {
    next = head;
    if (failed(visitBlock(*loop.getBody(), next)))
      return failure();
    next = rename(next, loop, true, loop.getBody()->getTerminator()->getOperands(), loop.getRegionIterArgs());
  } while (mergeInto(head, std::move(next)));
  facts = rename(head, loop, false, loop.getRegionIterArgs(), loop.getResults());
  return success();
}

LogicalResult OrderVerifier::visitWhile(scf::WhileOp loop, Facts &facts) {
  scf::ConditionOp condition = loop.getConditionOp();
  Facts head = enter(facts, loop.getInits(), loop.getBeforeArguments());
  Facts passed, next;
  do {
    passed = head;
    if (failed(visitBlock(*loop.getBeforeBody(), passed)))
      return failure();
    next = enter(passed, condition.getArgs(), loop.getAfterArguments());
    if (failed(visitBlock(*loop.getAfterBody(), next)))
      return failure();
    next = rename(next, loop, true, loop.getYieldOp().getOperands(), loop.getBeforeArguments());
  } while (mergeInto(head, std::move(next)));
  facts = rename(passed, loop, false, condition.getArgs(), loop.getResults());
  return success();
}

LogicalResult mlir::heddle::host::verifyOrder(FuncOp func, const Assumptions &assumptions) {
  return OrderVerifier(func, assumptions).verify();
}
