// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Stages/Schedule/Order/StreamOrder.h"
#include "compiler/Stages/Schedule/Passes.h"
#include "heddle/contract/Plan.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PLANMEMORY
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct Transient {
  mutable host::AllocOp alloc; // ops have no constant methods
  mutable host::FreeOp free;
  SmallVector<Operation *> users; // that touch its bytes
  // The numbers of the streams that write it, and where each does: what is known in one side of a branch is not in the
  // other.
  llvm::MapVector<unsigned, SmallVector<uint32_t, 1>> writers;
  bool isOrdered = true; // all streams are known, and what a loop allocates its writer frees
  std::optional<unsigned> freedBy = {};

  // Whether a loop allocates it, in each iteration.
  bool isLocal() const { return alloc->getParentOfType<LoopLikeOpInterface>() != nullptr; }
  // The only stream that writes it; none where there are several or none.
  std::optional<unsigned> writer() const {
    return isOrdered && writers.size() == 1 ? std::optional(writers.front().first) : std::nullopt;
  }
};

using Part = std::vector<Transient>;

bool writesBuffer(Operation *user, Value buffer) {
  return llvm::any_of(host::accessesOf(user),
                      [&](const host::Access &access) { return access.buffer == buffer && access.writes; });
}

// Notes the only free of a buffer and its users; whether they are all ones that do not let it escape.
bool followUses(Value buffer, bool isRoot, const StreamOrder &order, Transient &transient) {
  for (Operation *user : buffer.getUsers()) {
    if (auto free = dyn_cast<host::FreeOp>(user)) {
      if (transient.free || !isRoot)
        return false;
      transient.free = free;
    } else if (isa<host::ViewOp, arith::SelectOp>(user)) {
      if (!followUses(user->getResult(0), false, order, transient))
        return false;
    } else if (host::accessesOf(user).empty()) {
      return false;
    } else {
      std::optional<unsigned> stream = order.numberOf(StreamOrder::queueOf(user));
      transient.isOrdered &= stream.has_value();
      transient.users.push_back(user);
      if (stream && writesBuffer(user, buffer)) {
        transient.writers[*stream].push_back(order.positionOf(user));
      }
    }
  }
  return true;
}

// Lives of buffers that may be in one plan: intervals such that two which do not meet are used one after the other.
class Lives {
public:
  Lives(const StreamOrder &order, ArrayRef<Transient> members) : order(order), members(members) {}

  SmallVector<::heddle::contract::Interval> compute() const {
    std::optional<unsigned> writer = members.front().writer();
    for (const Transient &one : members)
      writer = writer == one.writer() ? writer : std::nullopt;
    SmallVector<::heddle::contract::Interval> lives;
    for (const Transient &one : members) {
      if (!one.isOrdered)
        lives.push_back({0, order.end()});
      else if (writer && one.freedBy == writer)
        lives.push_back({begin(one), order.positionOf(one.free)});
      else
        lives.push_back({begin(one), findLast(one)});
    }
    return lives;
  }

private:
  // The last use, or where something is allocated that may be written before it.
  uint32_t findLast(const Transient &one) const {
    uint32_t last = begin(one);
    for (Operation *user : one.users)
      last = std::max(last, one.isLocal() ? order.positionOf(one.free) : order.lastIssue(user));
    for (const Transient &other : members)
      if (begin(other) > begin(one) && !StreamOrder::areExclusive(one.alloc, other.alloc) && !comesAfter(other, one))
        last = std::max(last, begin(other));
    return last;
  }

  // The first use, or the loop or branch that it is in: what waits for nothing, as the place of a concatenation, is
  // allocated long before. What a loop allocates lives from there on, in each iteration.
  uint32_t begin(const Transient &one) const {
    uint32_t first = order.positionOf(one.alloc);
    if (one.isLocal() || !one.isOrdered || one.users.empty())
      return first;
    uint32_t used = order.end();
    for (Operation *user : one.users)
      used = std::min(used, order.positionOf(one.alloc->getBlock()->findAncestorOpInBlock(*user)));
    return std::max(first, used);
  }

  // Whether all that touches `later`, which is allocated later, comes after all uses of `one`. Its writers do, from
  // where they begin to: whatever reads it comes after them. Where a stream writes both and frees the first, that is
  // what the free says, in each iteration of a loop.
  bool comesAfter(const Transient &later, const Transient &one) const {
    if (!later.isOrdered || later.writers.empty())
      return false;
    return llvm::all_of(later.writers, [&](const auto &writer) {
      const auto &[stream, places] = writer;
      if (one.writer() == stream && one.freedBy == stream && order.positionOf(one.free) < begin(later))
        return true;
      return llvm::all_of(one.users, [&, stream = stream, &places = places](Operation *user) {
        return StreamOrder::areExclusive(user, later.alloc) ||
               llvm::all_of(places, [&](uint32_t place) { return order.isAfter(user, stream, place); });
      });
    });
  }

  const StreamOrder &order;
  ArrayRef<Transient> members;
};

// Whether the op may be computed at entry though it stands where it may not be reached: what divides is no 0.
bool mayRunEarly(Operation *op) {
  auto isPositive = [](Value value) {
    auto most = value.getDefiningOp<arith::MaxSIOp>();
    auto number = most ? getConstantIntValue(most.getRhs()) : getConstantIntValue(value);
    return number && *number > 0;
  };
  auto quotient = dyn_cast<arith::DivSIOp>(op);
  return isPure(op) || (quotient && isPositive(quotient.getRhs()));
}

// A size that is compared with others only.
int64_t limit(__int128 size) {
  constexpr int64_t kMost = int64_t{1} << 48;
  return size > kMost ? kMost : size < -kMost ? -kMost : static_cast<int64_t>(size);
}

// An index value where those that are not computed of others are `number`. `known`: what was asked for before.
int64_t evaluate(Value value, int64_t number, llvm::DenseMap<Value, int64_t> &known) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  if (!op)
    return number;
  auto of = [&](unsigned operand) { return evaluate(op->getOperand(operand), number, known); };
  int64_t result = llvm::TypeSwitch<Operation *, int64_t>(op)
                       .Case([&](arith::AddIOp) { return limit(__int128(of(0)) + of(1)); })
                       .Case([&](arith::SubIOp) { return limit(__int128(of(0)) - of(1)); })
                       .Case([&](arith::MulIOp) { return limit(__int128(of(0)) * of(1)); })
                       .Case([&](arith::MinSIOp) { return std::min(of(0), of(1)); })
                       .Case([&](arith::MaxSIOp) { return std::max(of(0), of(1)); })
                       .Case([&](arith::DivSIOp) { return of(0) / std::max<int64_t>(1, of(1)); })
                       .Default(number);
  return known[value] = result;
}

// What is planned for one device: its buffers, what computes their sizes, and the parts of its slab.
struct DevicePlan {
  Part transients;
  SetVector<Operation *> slice;
  struct Lived {
    Part members;
    SmallVector<::heddle::contract::Interval> lives;
  };
  std::vector<Lived> parts;
};

struct PlanMemory : mlir::heddle::impl::PlanMemoryBase<PlanMemory> {
  // One walk for all devices, of which there may be thousands.
  void runOnOperation() override {
    host::FuncOp func = getOperation();
    StreamOrder order(func);
    llvm::MapVector<Attribute, DevicePlan> plans;
    // What a loop over streams allocates, each iteration has for itself.
    func.walk([&](host::AllocOp alloc) {
      if (!alloc->getParentOfType<host::StreamForOp>())
        collect(alloc, order, plans[alloc.getDeviceAttr()]);
    });
    // Lives of all devices are known before anything moves.
    for (auto &[device, plan] : plans)
      split(order, plan);
    for (auto &[device, plan] : plans)
      if (!plan.parts.empty()) {
        hoist(plan.slice);
        rewrite(cast<FlatSymbolRefAttr>(device), plan);
      }
  }

  void collect(host::AllocOp alloc, const StreamOrder &order, DevicePlan &plan) {
    Transient transient{alloc, nullptr, {}, {}};
    size_t known = plan.slice.size();
    if (!followUses(alloc, true, order, transient) || !transient.free ||
        transient.free->getBlock() != alloc->getBlock() || !collectSlice(alloc.getSize(), plan.slice)) {
      while (plan.slice.size() > known)
        plan.slice.pop_back();
      return;
    }
    transient.freedBy = order.numberOf(transient.free.getStream());
    transient.isOrdered &= !transient.isLocal() || (transient.writer() && transient.writer() == transient.freedBy);
    // Nothing orders its iterations: each has memory of its own.
    if (!transient.isOrdered && transient.isLocal())
      return;
    plan.transients.push_back(transient);
  }

  static void split(const StreamOrder &order, DevicePlan &plan) {
    if (plan.transients.empty())
      return;
    auto live = [&](Part part) {
      auto lives = Lives(order, part).compute();
      return DevicePlan::Lived{std::move(part), std::move(lives)};
    };
    for (Part &part : splitByWriter(plan.transients))
      plan.parts.push_back(live(std::move(part)));
    if (plan.parts.size() == 1)
      return;
    DevicePlan::Lived all = live(plan.transients);
    if (isBetterAsOne(all, plan.parts)) {
      plan.parts.clear();
      plan.parts.push_back(std::move(all));
    }
  }

  // Collects what it needs to compute `value` in the entry block, operands first. Fails for what comes from a device, a
  // loop or an op that must not run early.
  bool collectSlice(Value value, SetVector<Operation *> &slice) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return value.getParentBlock() == &getOperation().getBody().front();
    if (slice.contains(op))
      return true;
    if (!mayRunEarly(op) || op->getNumRegions() != 0)
      return false;
    for (Value operand : op->getOperands())
      if (!collectSlice(operand, slice))
        return false;
    slice.insert(op);
    return true;
  }

  void hoist(const SetVector<Operation *> &slice) {
    Block &entry = getOperation().getBody().front();
    Operation *anchor = nullptr;
    for (Operation *op : slice) {
      if (anchor)
        op->moveAfter(anchor);
      else
        op->moveBefore(&entry, entry.begin());
      anchor = op;
    }
    hoisted = anchor;
  }

  // Buffers that one stream writes are a part. Those that several write, or none, are in the one with the most buffers.
  static std::vector<Part> splitByWriter(ArrayRef<Transient> transients) {
    llvm::MapVector<unsigned, Part> byWriter;
    Part others;
    for (const Transient &transient : transients)
      if (std::optional<unsigned> writer = transient.writer())
        byWriter[*writer].push_back(transient);
      else
        others.push_back(transient);
    std::vector<Part> parts;
    for (auto &[writer, part] : byWriter)
      parts.push_back(std::move(part));
    if (parts.empty())
      return {std::move(others)};
    auto most = llvm::max_element(parts, [](const Part &a, const Part &b) { return a.size() < b.size(); });
    most->insert(most->end(), others.begin(), others.end());
    return parts;
  }

  // The bytes of a plan where every number that only the load or the call knows is `number`.
  static int64_t bytesOf(const DevicePlan::Lived &part, int64_t number) {
    SmallVector<int64_t> sizes, offsets(part.members.size());
    llvm::DenseMap<Value, int64_t> known;
    for (const Transient &transient : part.members)
      sizes.push_back(std::max<int64_t>(0, evaluate(transient.alloc.getSize(), number, known)));
    return ::heddle::contract::plan({part.lives.data(), part.lives.size()}, {sizes.data(), sizes.size()},
                                    {offsets.data(), offsets.size()});
  }

  // Of sizes that only the call knows, whether it is so for small and for large ones.
  static bool isBetterAsOne(const DevicePlan::Lived &all, ArrayRef<DevicePlan::Lived> parts) {
    bool isLess = false;
    for (int64_t number : {1, 7, 64, 1000}) {
      int64_t one = bytesOf(all, number), sum = 0;
      for (const DevicePlan::Lived &part : parts)
        sum += bytesOf(part, number);
      if (one > sum)
        return false;
      isLess |= one < sum;
    }
    return isLess;
  }

  void rewrite(FlatSymbolRefAttr device, const DevicePlan &devicePlan) {
    host::FuncOp func = getOperation();
    OpBuilder builder(func.getContext());
    if (hoisted)
      builder.setInsertionPointAfter(hoisted);
    else
      builder.setInsertionPointToStart(&func.getBody().front());
    Value total;                                     // of the parts so far
    std::vector<std::pair<Transient, Value>> placed; // with their offsets in the slab
    for (const DevicePlan::Lived &part : devicePlan.parts) {
      host::PlanOp plan = planPart(builder, part);
      for (auto [transient, offset] : llvm::zip_equal(part.members, plan.getOffsets()))
        placed.push_back({transient, total ? add(builder, total, offset) : offset});
      total = total ? add(builder, total, plan.getTotal()) : plan.getTotal();
    }
    Value slab = host::SlabOp::create(builder, func.getLoc(), device, total);
    for (auto &[transient, offset] : placed) {
      host::AllocOp alloc = transient.alloc;
      host::FreeOp(transient.free).erase();
      builder.setInsertionPoint(alloc);
      Value view = host::ViewOp::create(builder, alloc.getLoc(), slab, offset, alloc.getSize());
      alloc.replaceAllUsesWith(view);
      alloc.erase();
    }
  }

  host::PlanOp planPart(OpBuilder &builder, const DevicePlan::Lived &part) {
    SmallVector<Value> sizes;
    for (const Transient &transient : part.members)
      sizes.push_back(transient.alloc.getSize());
    SmallVector<Attribute> lives;
    for (::heddle::contract::Interval life : part.lives)
      lives.push_back(host::IntervalAttr::get(builder.getContext(), life.first, life.last));
    SmallVector<Type> types(sizes.size(), builder.getIndexType());
    return host::PlanOp::create(builder, getOperation().getLoc(), builder.getIndexType(), types, sizes,
                                builder.getArrayAttr(lives));
  }

  // A slab whose size 64 bits do not hold is none (FunctionFlattener).
  Value add(OpBuilder &builder, Value begin, Value offset) {
    return arith::AddIOp::create(builder, getOperation().getLoc(), begin, offset, arith::IntegerOverflowFlags::nsw);
  }

  Operation *hoisted = nullptr;
};

} // namespace
