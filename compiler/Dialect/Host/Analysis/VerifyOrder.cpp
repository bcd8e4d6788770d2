// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/OrderPoints.h"
#include "compiler/Dialect/Host/Analysis/Verifier.h"
#include "compiler/Dialect/Host/Analysis/Walker.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle::host;

namespace {

class OrderVerifier : public WalkDefaults {
public:
  OrderVerifier(FuncOp func, const Assumptions &assumptions)
      : func(func), assumptions(assumptions), points(func, assumptions) {}

  LogicalResult verify() {
    // With one stream everything is in order.
    func.walk([&](Operation *op) { hasStreams |= namesStream(op); });
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

  void noteCallersUse(Value buffer, Facts &facts);
  bool mayBeWritten(Value root);
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
  OrderPoints points;
  bool hasStreams = false;
  llvm::DenseMap<Value, StorageKind> kinds;               // of roots
  std::map<Operation *, SmallVector<Access>> accessTable; // whose entries stay where they are
  llvm::DenseSet<Value> written;                          // roots that something may have written
};

} // namespace

//===--- Accesses ------------------------------------------------------------------------------------------------===//

// What the caller, or the call before, may still do to a buffer when the program starts.
void OrderVerifier::noteCallersUse(Value buffer, Facts &facts) {
  if (!hasStreams)
    return;
  facts.push_back({func, 0, buffer, Value(), nullptr, false, false, {}, nullptr});
  facts.back().after.insert(points.numberOf(func.getStream()));
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
  unsigned stream = points.numberOf(op.getQueue());
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
  unsigned stream = points.numberOf(op.getQueue());
  SmallVector<Value> choices;
  if (hasStreams) {
    points.collectChoices(op.getQueue(), choices);
    forgetOverwritten(all, stream, facts);
  }
  for (auto [i, access] : llvm::enumerate(all)) {
    // What nobody writes orders nothing.
    if (kindOf(access.region.root) == StorageKind::ReadOnly)
      continue;
    for (Value choice : choices) {
      facts.push_back({op, static_cast<unsigned>(i), access.region.root, Value(), nullptr, false, false, {}, &access});
      facts.back().after.insert(stream);
      facts.back().after.insert(points.numberOf(choice));
      points.joinLoops(op.getQueue(), facts.back());
    }
  }
  return success();
}

// What the op touches, then what it orders. What the host has waited for comes before all that it issues from here on.
LogicalResult OrderVerifier::visitRow(HostOpInterface row, Facts &facts) {
  if (!accesses(row).empty() && failed(visitAccesses(row, facts)))
    return failure();
  for (const HostOrder &order : row.getOrders()) {
    if (order.point) {
      points.addPoint(facts, order.before, order.point);
      continue;
    }
    SmallVector<unsigned, 2> waited =
        llvm::map_to_vector<2>(order.before, [&](Value point) { return points.numberOf(point); });
    std::erase_if(facts, [&](const Fact &fact) {
      return llvm::any_of(waited, [&](unsigned point) { return fact.after.contains(point); });
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

LogicalResult OrderVerifier::visitReturn(ReturnOp op, const Facts &facts) {
  unsigned stream = points.numberOf(func.getStream());
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

//===--- The walk ------------------------------------------------------------------------------------------------===//

LogicalResult OrderVerifier::step(Operation *op, Facts &facts) {
  if (auto done = dyn_cast<ReturnOp>(op))
    return visitReturn(done, facts);
  if (auto row = dyn_cast<HostOpInterface>(op); row && failed(visitRow(row, facts)))
    return failure();
  points.forgetEvents(op, facts);
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
    mergeInto(facts, end.isEmpty()
                         ? std::move(end.state)
                         : points.rename(end.state, op, false, end.terminator()->getOperands(), op->getResults()));
  points.forgetEvents(op, facts);
  return success();
}

LogicalResult OrderVerifier::handOn(const Crossing &crossing, Facts &facts) {
  using Kind = Crossing::Kind;
  if (crossing.kind == Kind::Enter || crossing.kind == Kind::Pass)
    facts = points.enter(facts, crossing.from, crossing.to);
  else
    facts = points.rename(facts, crossing.loop, crossing.kind == Kind::Next, crossing.from, crossing.to);
  if (crossing.kind == Kind::Leave)
    points.forgetEvents(crossing.loop, facts);
  return success();
}

FailureOr<bool> OrderVerifier::again(Operation *, Facts &head, Facts &next) { return mergeInto(head, std::move(next)); }

LogicalResult mlir::heddle::host::verifyOrder(FuncOp func, const Assumptions &assumptions) {
  return OrderVerifier(func, assumptions).verify();
}
