// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Formulas.h"
#include "compiler/Stages/Schedule/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SLOTBUFFERS
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

bool isInside(Value value, Operation *op) { return op->isAncestor(value.getParentBlock()->getParentOp()); }

// What a size of a loop's body is at most, as a value from before the loop.
class SizeBound {
public:
  SizeBound(host::StreamForOp loop, OpBuilder &builder) : loop(loop), builder(builder), loc(loop.getLoc()) {}

  // Null where only the iterations know.
  Value of(Value size) {
    if (!isInside(size, loop))
      return size;
    Operation *op = size.getDefiningOp();
    if (!op)
      return {};
    if (isa<arith::ConstantOp>(op))
      return builder.clone(*op)->getResult(0);
    if (auto product = dyn_cast<arith::MulIOp>(op)) {
      Value left = of(product.getLhs()), right = left ? of(product.getRhs()) : Value();
      return right ? arith::MulIOp::create(builder, loc, left, right, product.getOverflowFlags()) : Value();
    }
    if (auto smaller = dyn_cast<arith::MinSIOp>(op)) {
      Value left = of(smaller.getLhs()), right = of(smaller.getRhs());
      return left && right ? builder.createOrFold<arith::MinSIOp>(loc, left, right) : left ? left : right;
    }
    if (auto larger = dyn_cast<arith::MaxSIOp>(op)) {
      Value left = of(larger.getLhs()), right = left ? of(larger.getRhs()) : Value();
      return right ? builder.createOrFold<arith::MaxSIOp>(loc, left, right) : Value();
    }
    if (auto difference = dyn_cast<arith::SubIOp>(op))
      return ofDifference(difference);
    return {};
  }

  // The largest of all iterations, which a loop of scalars finds. Null where that takes more than scalars.
  Value largest(Value size) {
    SetVector<Operation *> needed;
    if (!collect(size, needed))
      return {};
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto search = scf::ForOp::create(builder, loc, zero, loop.getTrips(), one, ValueRange(zero));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(search.getBody());
    IRMapping mapping;
    mapping.map(loop.getIndex(), search.getInductionVar());
    for (Operation *op : needed)
      builder.clone(*op, mapping);
    Value most = arith::MaxSIOp::create(builder, loc, search.getRegionIterArg(0), mapping.lookup(size));
    scf::YieldOp::create(builder, loc, most);
    return search.getResult(0);
  }

private:
  // From one quotient to another of the same divisor, or to less, by which ragged parts are cut: floor(a / n) * g -
  // floor(b / n) * g is ceil((a - b) / n) * g at most.
  Value ofDifference(arith::SubIOp difference) {
    Value end = difference.getLhs();
    if (auto smaller = end.getDefiningOp<arith::MinSIOp>())
      end = isInside(smaller.getLhs(), loop) ? smaller.getLhs() : smaller.getRhs();
    auto [last, lastUnit] = asProduct(end);
    auto [first, firstUnit] = asProduct(difference.getRhs());
    auto isDivision = [](Value value) {
      return isa_and_nonnull<arith::DivSIOp, arith::FloorDivSIOp>(value.getDefiningOp());
    };
    if (!isDivision(last) || !isDivision(first) || lastUnit != firstUnit)
      return {};
    Operation *to = last.getDefiningOp(), *from = first.getDefiningOp();
    if (to->getName() != from->getName() || to->getOperand(1) != from->getOperand(1) ||
        isInside(to->getOperand(1), loop))
      return {};
    Value distance = invariant(host::Polynomial::of(to->getOperand(0)) - host::Polynomial::of(from->getOperand(0)));
    if (!distance)
      return {};
    Value most = builder.createOrFold<arith::CeilDivSIOp>(loc, distance, to->getOperand(1));
    return builder.createOrFold<arith::MulIOp>(loc, most, arith::ConstantIndexOp::create(builder, loc, lastUnit));
  }

  // A value as another one times a constant.
  static std::pair<Value, int64_t> asProduct(Value value) {
    if (auto product = value.getDefiningOp<arith::MulIOp>())
      if (auto unit = getConstantIntValue(product.getRhs()))
        return {product.getLhs(), *unit};
    return {value, 1};
  }

  // A polynomial as a value, if the loop defines nothing of it.
  Value invariant(const host::Polynomial &terms) {
    if (terms.mentionsInside(loop))
      return {};
    Value sum = arith::ConstantIndexOp::create(builder, loc, 0);
    for (auto &[monomial, coefficient] : terms.getTerms()) {
      Value product = arith::ConstantIndexOp::create(builder, loc, coefficient);
      for (void *factor : monomial)
        product = builder.createOrFold<arith::MulIOp>(loc, product, Value::getFromOpaquePointer(factor));
      sum = builder.createOrFold<arith::AddIOp>(loc, sum, product);
    }
    return sum;
  }

  // What it needs to compute a size from the index, operands first.
  bool collect(Value value, SetVector<Operation *> &needed) {
    Operation *op = value.getDefiningOp();
    if (!isInside(value, loop) || value == loop.getIndex() || (op && needed.contains(op)))
      return true;
    if (!op || !isPure(op) || op->getNumRegions() != 0 || !isa<arith::ArithDialect>(op->getDialect()))
      return false;
    for (Value operand : op->getOperands())
      if (!collect(operand, needed))
        return false;
    needed.insert(op);
    return true;
  }

  host::StreamForOp loop;
  OpBuilder &builder;
  Location loc;
};

// The only free of a buffer that is handed on nowhere; else null.
host::FreeOp findFree(host::AllocOp allocation) {
  host::FreeOp found;
  for (Operation *user : allocation->getUsers()) {
    if (isa<scf::SCFDialect>(user->getDialect()) || isa<arith::SelectOp, host::BindOp>(user))
      return {};
    if (auto free = dyn_cast<host::FreeOp>(user)) {
      if (found)
        return {};
      found = free;
    }
  }
  return found;
}

// Slots of one buffer of an iteration after another: what its stream no longer uses is used again by what is allocated
// later, as all that an iteration issues is in the order of its stream.
class Places {
public:
  struct Place {
    host::AllocOp all;
    Value slotBytes;
  };

  // Of the body as it is, before any allocation is replaced.
  Places(host::StreamForOp loop, ArrayRef<host::AllocOp> allocations) {
    llvm::DenseMap<Operation *, unsigned> positions;
    for (auto [number, op] : llvm::enumerate(loop.getBody().front()))
      positions[&op] = number;
    for (host::AllocOp allocation : allocations) {
      host::FreeOp free = findFree(allocation);
      if (free && free.getStream() == loop.getMine() && positions.contains(allocation) && positions.contains(free) &&
          isOfBody(allocation.getResult(), positions))
        lives[allocation] = {positions[allocation], positions[free]};
    }
  }

  // A place of an equal or larger slot that no buffer has while this one lives; null where there is none. Equal
  // formulas are told by the size in an iteration, numbers by `most`, the largest of all iterations.
  const Place *find(host::AllocOp allocation, Value most) {
    auto life = lives.find(allocation);
    if (life == lives.end())
      return nullptr;
    std::optional<int64_t> bytes = getConstantIntValue(most);
    Entry *best = nullptr;
    for (Entry &entry : entries) {
      bool fits = entry.size == allocation.getSize() || (bytes && entry.bytes && *bytes <= *entry.bytes);
      if (fits && entry.last < life->second.first && entry.device == allocation.getDeviceAttr() &&
          (!best || entry.bytes.value_or(0) < best->bytes.value_or(0)))
        best = &entry;
    }
    if (best)
      best->last = life->second.second;
    return best ? &best->place : nullptr;
  }

  void add(host::AllocOp allocation, Value most, Place place) {
    if (auto life = lives.find(allocation); life != lives.end())
      entries.push_back(
          {place, allocation.getDeviceAttr(), allocation.getSize(), getConstantIntValue(most), life->second.second});
  }

private:
  struct Entry {
    Place place;
    Attribute device;
    Value size;
    std::optional<int64_t> bytes;
    unsigned last; // op of the body that the buffer lives to
  };

  // Whether ops of the body itself use the buffer, and nothing within them.
  static bool isOfBody(Value buffer, const llvm::DenseMap<Operation *, unsigned> &positions) {
    return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
      return positions.contains(user) && (!isa<host::ViewOp>(user) || isOfBody(user->getResult(0), positions));
    });
  }

  // From the allocation to the free, of buffers that only the body's ops use.
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> lives;
  SmallVector<Entry> entries;
};

struct SlotBuffers : mlir::heddle::impl::SlotBuffersBase<SlotBuffers> {
  void runOnOperation() override {
    SmallVector<host::StreamForOp> loops; // inner ones first
    getOperation().walk([&](host::StreamForOp loop) { loops.push_back(loop); });
    for (host::StreamForOp loop : loops) {
      SmallVector<host::AllocOp> allocations;
      loop.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (auto allocation = dyn_cast<host::AllocOp>(op))
          allocations.push_back(allocation);
        return isa<host::StreamForOp>(op) ? WalkResult::skip() : WalkResult::advance();
      });
      Places places(loop, allocations);
      for (host::AllocOp allocation : allocations)
        turnWithSlots(loop, allocation, places);
    }
  }

private:
  static void turnWithSlots(host::StreamForOp loop, host::AllocOp allocation, Places &places) {
    host::FreeOp free = findFree(allocation);
    if (!free)
      return;
    OpBuilder builder(loop);
    Location loc = allocation.getLoc();
    SizeBound bound(loop, builder);
    Value most = bound.of(allocation.getSize());
    bool isSearched = !most;
    if (isSearched && !(most = bound.largest(allocation.getSize())))
      return;
    Places::Place place;
    if (const Places::Place *known = places.find(allocation, most)) {
      place = *known;
    } else {
      place = makePlace(builder, loop, allocation, most);
      places.add(allocation, most, place);
    }
    builder.setInsertionPoint(allocation);
    Value offset = builder.createOrFold<arith::MulIOp>(loc, loop.getSlot(), place.slotBytes);
    // What was found by trying no formula says: the slot does.
    Value size = isSearched ? builder.createOrFold<arith::MinSIOp>(loc, allocation.getSize(), place.slotBytes)
                            : Value(allocation.getSize());
    Value view = host::ViewOp::create(builder, loc, place.all, offset, size);
    free.erase();
    allocation.replaceAllUsesWith(view);
    allocation.erase();
  }

  // Slots around the loop, of `most` bytes each.
  static Places::Place makePlace(OpBuilder &builder, host::StreamForOp loop, host::AllocOp allocation, Value most) {
    Location loc = allocation.getLoc();
    // Each slot begins where an allocation may.
    constexpr int64_t kAlignment = 64;
    Value unit = arith::ConstantIndexOp::create(builder, loc, kAlignment);
    Value slotBytes =
        builder.createOrFold<arith::MulIOp>(loc, builder.createOrFold<arith::CeilDivSIOp>(loc, most, unit), unit);
    Value slots = builder.createOrFold<arith::MinSIOp>(loc, loop.getTrips(), loop.getStreams());
    Value bytes = arith::MulIOp::create(builder, loc, slots, slotBytes, arith::IntegerOverflowFlags::nsw);
    auto all = host::AllocOp::create(builder, loc, allocation.getDeviceAttr(), bytes);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(loop);
    host::FreeOp::create(builder, loc, loop.getIssue(), all);
    return {all, slotBytes};
  }
};

} // namespace
