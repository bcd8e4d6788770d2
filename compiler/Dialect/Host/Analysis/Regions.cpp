// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Regions.h"

#include "compiler/Dialect/Host/Analysis/Formulas.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::heddle::host;

//===--- Regions -------------------------------------------------------------------------------------------------===//

// Whether so many bytes are provably not more than others.
static bool isAtMost(Value size, Value most) {
  Polynomial rest = Polynomial::of(most) - Polynomial::of(size);
  if (std::optional<int64_t> known = rest.getConstant())
    return *known >= 0;
  Formulas formulas;
  for (Value bytes : {size, most})
    formulas.assumeNonNegative(formulas.of(bytes, nullptr, Instance::Later));
  return formulas.isNonNegative(formulas.of(rest, nullptr, Instance::Later));
}

// A place that a plan gives, counted from the slab's begin or, as a sum, from where the plan's part of it begins.
static void findSlot(ViewOp view, BufferRegion &region) {
  Value slot = view.getOffset(), base;
  if (auto sum = slot.getDefiningOp<arith::AddIOp>()) {
    bool isRight = isa_and_nonnull<PlanOp>(sum.getRhs().getDefiningOp());
    slot = isRight ? sum.getRhs() : sum.getLhs();
    base = isRight ? sum.getLhs() : sum.getRhs();
  }
  auto plan = slot.getDefiningOp<PlanOp>();
  if (!plan || slot == plan.getTotal())
    return;
  size_t index = cast<OpResult>(slot).getResultNumber() - 1;
  if (!isAtMost(view.getSize(), plan.getSizes()[index])) // the first bytes of a buffer lie where it does
    return;
  region.slot = slot;
  region.slotBase = base;
}

BufferRegion mlir::heddle::host::regionOf(Value buffer, const Assumptions &assumptions) {
  if (auto select = buffer.getDefiningOp<arith::SelectOp>())
    if (auto known = assumptions.decide(select.getCondition()))
      return regionOf(*known ? select.getTrueValue() : select.getFalseValue(), assumptions);
  auto view = buffer.getDefiningOp<ViewOp>();
  if (!view)
    return {{}, buffer, {}, {}, {}};
  BufferRegion region = regionOf(view.getSource(), assumptions);
  if (view.getSource().getDefiningOp<SlabOp>())
    findSlot(view, region);
  region.offset = region.offset + Polynomial::of(view.getOffset());
  region.size = Polynomial::of(view.getSize());
  if (!view.getRuns().empty()) {
    region.runs = view;
    Polynomial others = Polynomial::of(view.getCount()) - Polynomial(1);
    region.size = others * Polynomial::of(view.getStride()) + *region.size;
  }
  if (!region.within.size)
    region.within = region;
  return region;
}

// The bytes of the slab that the slot's plan fills; the region's own where it is none of a plan.
static ByteRange partOf(const BufferRegion &region) {
  if (!region.slot)
    return region;
  Polynomial begin = region.slotBase ? Polynomial::of(region.slotBase) : Polynomial();
  return {begin, Polynomial::of(region.slot.getDefiningOp<PlanOp>().getTotal())};
}

// Two buffers of one plan that live at the same time never share bytes.
static bool areApartByPlan(const BufferRegion &now, const BufferRegion &before) {
  Value a = now.slot, b = before.slot;
  if (!a || !b || a == b || a.getDefiningOp() != b.getDefiningOp() || now.slotBase != before.slotBase)
    return false;
  auto lives = llvm::to_vector(a.getDefiningOp<PlanOp>().getIntervals().getAsRange<IntervalAttr>());
  IntervalAttr first = lives[cast<OpResult>(a).getResultNumber() - 1];
  IntervalAttr second = lives[cast<OpResult>(b).getResultNumber() - 1];
  return first.getFirst() <= second.getLast() && second.getFirst() <= first.getLast();
}

static bool mentionsInside(const ByteRange &range, Operation *op) {
  return op && (range.offset.mentionsInside(op) || (range.size && range.size->mentionsInside(op)));
}

namespace {

// Two regions as formulas, the earlier one's of another iteration of `crossed`, if there is one.
class Comparison {
public:
  Comparison(const ByteRange &before, const ByteRange &now, Operation *crossed, bool isOfSlot = false)
      : crossed(crossed), isOfSlot(isOfSlot) {
    first = of(before, Instance::Earlier);
    second = of(now, Instance::Later);
  }

  // Whether one ends before the other starts.
  bool areApart() { return areApart(first, second); }

  // Whether both lie in columns that have no byte in common: for some distance, all that either touches is within
  // windows of that length, at places that do not meet. `before` and `now`: views of several runs, or null. Windows
  // count from `begin`, else from what the offsets of both have in common.
  bool areColumnsApart(ViewOp before, ViewOp now, std::optional<Polynomial> begin = std::nullopt) {
    if (begin)
      begin = formulas.of(*begin, crossed, Instance::Earlier);
    for (const Polynomial &distance : findDistances(before, now))
      if (areColumnsApart(distance, before, now, begin))
        return true;
    return false;
  }

  // Whether `compare` holds for every two iterations: by their indices, of which the later is larger, or, in a loop
  // over streams, by their slots. Iterations of one slot are of one stream, and in order.
  bool holdsAcross(llvm::function_ref<bool()> compare) {
    if (auto loop = dyn_cast<scf::ForOp>(crossed)) {
      formulas.order(loop.getInductionVar(), formulas.of(loop.getStep(), crossed, Instance::Earlier));
      return compare();
    }
    auto loop = dyn_cast<StreamForOp>(crossed);
    if (!loop)
      return compare();
    formulas.order(loop.getIndex(), Polynomial(1));
    bool isApart = compare();
    if (isApart || isOfSlot)
      return isApart;
    formulas.order(loop.getSlot(), Polynomial(1));
    if (!compare())
      return false;
    formulas.order(loop.getSlot(), Polynomial(1), /*isDown=*/true);
    return compare();
  }

private:
  // The strides of views, and what one more of a value adds that differs between the two.
  SmallVector<Polynomial> findDistances(ViewOp before, ViewOp now) {
    SmallVector<Polynomial> found;
    auto add = [&](const Polynomial &distance) {
      if (!llvm::is_contained(found, distance))
        found.push_back(distance);
    };
    if (before)
      add(formulas.of(before.getStride(), crossed, Instance::Earlier));
    if (now)
      add(formulas.of(now.getStride(), crossed, Instance::Later));
    for (auto &[monomial, coefficient] : first.offset.getTerms())
      for (void *term : monomial)
        if (coefficient > 0 && formulas.isVariable(term)) {
          Polynomial::Monomial others(monomial);
          others.erase(llvm::find(others, term));
          add(Polynomial::ofMonomial(others, coefficient));
        }
    return found;
  }

  bool areColumnsApart(const Polynomial &distance, ViewOp before, ViewOp now, const std::optional<Polynomial> &begin) {
    auto inWindow = [&](const ByteRange &range, ViewOp view, Instance instance) -> std::optional<ByteRange> {
      ByteRange window{(begin ? range.offset - *begin : range.offset).divide(distance).second, range.size};
      if (!view)
        return window.size ? std::optional(window) : std::nullopt;
      window.size = formulas.of(view.getSize(), crossed, instance);
      formulas.assumeNonNegative(*window.size);
      bool isMultiple = formulas.of(view.getStride(), crossed, instance).divide(distance).second == Polynomial();
      return isMultiple ? std::optional(window) : std::nullopt;
    };
    std::optional<ByteRange> left = inWindow(first, before, Instance::Earlier);
    std::optional<ByteRange> right = left ? inWindow(second, now, Instance::Later) : std::nullopt;
    if (!right)
      return false;
    Polynomial base = begin ? Polynomial() : formulas.fixedPart(left->offset);
    if (!begin && !(base == formulas.fixedPart(right->offset)))
      return false;
    auto fits = [&](ByteRange &window) {
      window.offset = window.offset - base;
      return formulas.isNonNegative(window.offset) && formulas.isNonNegative(distance - window.offset - *window.size);
    };
    return fits(*left) && fits(*right) && areApart(*left, *right);
  }

  // One that turns with an index ((i + k) mod n) is behind the other before its index comes round, and before it from
  // then on; whichever it is, they are apart.
  bool areApart(const ByteRange &one, const ByteRange &other) {
    if (endsBefore(one, other) || endsBefore(other, one))
      return true;
    return formulas.holdsInTurns(one.offset, other.offset,
                                 [&](const Polynomial &offset) { return areApart(one, {offset, other.size}); });
  }

  ByteRange of(const ByteRange &range, Instance instance) {
    ByteRange terms{formulas.of(range.offset, crossed, instance), std::nullopt};
    if (range.size) {
      terms.size = formulas.of(*range.size, crossed, instance);
      formulas.assumeNonNegative(*terms.size);
    }
    return terms;
  }

  bool endsBefore(const ByteRange &one, const ByteRange &other) {
    return one.size && formulas.isNonNegative(other.offset - one.offset - *one.size);
  }

  Operation *crossed;
  bool isOfSlot;
  Formulas formulas;
  ByteRange first, second;
};

} // namespace

// Whether the regions have no byte in common, as their values are at one time.
static bool areApart(const ByteRange &a, const ByteRange &b) {
  if (!a.size && !b.size)
    return false;
  auto known = [](const ByteRange &first, const ByteRange &second) {
    return first.size ? (second.offset - first.offset - *first.size).getConstant() : std::nullopt;
  };
  std::optional<int64_t> left = known(a, b), right = known(b, a);
  if ((left && *left >= 0) || (right && *right >= 0))
    return true;
  // One that both know is enough to say no.
  return !(left && right) && Comparison(a, b, nullptr).areApart();
}

// The view of several runs that a region is; null for one run.
static ViewOp columnsOf(const BufferRegion &region) {
  return region.runs ? region.runs.getDefiningOp<ViewOp>() : ViewOp();
}

// Whether the regions are apart in different iterations of a loop.
static bool areApartByIteration(const BufferRegion &now, const BufferRegion &before, Operation *crossed,
                                bool isOfSlot) {
  Comparison comparison(before, now, crossed, isOfSlot);
  return comparison.holdsAcross([&] { return comparison.areApart(); }) ||
         comparison.holdsAcross([&] { return comparison.areColumnsApart(columnsOf(before), columnsOf(now)); });
}

// Whether they are different columns of one matrix, which begins where the view does that both are part of, else with
// the root.
static bool areColumnsApart(const BufferRegion &now, const BufferRegion &before) {
  if (!columnsOf(now) && !columnsOf(before))
    return false;
  bool isOneView = now.within.offset == before.within.offset;
  return Comparison(before, now, nullptr)
      .areColumnsApart(columnsOf(before), columnsOf(now), isOneView ? now.within.offset : Polynomial());
}

bool mlir::heddle::host::mayOverlap(const BufferRegion &now, const BufferRegion &before, Operation *crossed,
                                    bool isOfSlot) {
  // Plans are made at entry, so no loop changes which part of the slab one fills, nor where a buffer of it lies.
  if ((now.slot || before.slot) && !mentionsInside(partOf(before), crossed) && areApart(partOf(now), partOf(before)))
    return false;
  if (areApartByPlan(now, before))
    return false;
  // A copy in a loop moves on in its view, and never out of it.
  if (!mentionsInside(before.within, crossed) && areApart(now.within, before.within))
    return false;
  if (mentionsInside(before, crossed))
    return !areApartByIteration(now, before, crossed, isOfSlot);
  return !areApart(now, before) && !areColumnsApart(now, before);
}

//===--- Aliases -------------------------------------------------------------------------------------------------===//

static SmallVector<Value> sourcesOfResult(OpResult result, const Assumptions &assumptions) {
  unsigned index = result.getResultNumber();
  auto yielded = [&](mlir::Region &region) { return region.front().getTerminator()->getOperand(index); };
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(result.getOwner())
      .Case([&](arith::SelectOp op) -> SmallVector<Value> {
        if (auto known = assumptions.decide(op.getCondition()))
          return {*known ? op.getTrueValue() : op.getFalseValue()};
        return {op.getTrueValue(), op.getFalseValue()};
      })
      .Case([&](scf::IfOp op) -> SmallVector<Value> {
        if (auto known = assumptions.decide(op.getCondition()))
          return {yielded(*known ? op.getThenRegion() : op.getElseRegion())};
        return {yielded(op.getThenRegion()), yielded(op.getElseRegion())};
      })
      .Case([&](scf::IndexSwitchOp op) {
        SmallVector<Value> values;
        for (mlir::Region &region : op->getRegions())
          values.push_back(yielded(region));
        return values;
      })
      .Case([&](scf::ForOp op) -> SmallVector<Value> { return {op.getInitArgs()[index], yielded(op.getRegion())}; })
      .Case([&](scf::WhileOp op) -> SmallVector<Value> { return {op.getConditionOp().getArgs()[index]}; })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

SmallVector<Value> mlir::heddle::host::sourcesOf(Value value, const Assumptions &assumptions) {
  if (auto result = dyn_cast<OpResult>(value))
    return sourcesOfResult(result, assumptions);
  auto argument = cast<BlockArgument>(value);
  unsigned index = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())) {
    if (index == 0)
      return {};
    return {loop.getInitArgs()[index - 1], loop.getBody()->getTerminator()->getOperand(index - 1)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp())) {
    if (argument.getOwner() == loop.getAfterBody())
      return {loop.getConditionOp().getArgs()[index]};
    return {loop.getInits()[index], loop.getAfterBody()->getTerminator()->getOperand(index)};
  }
  return {};
}

SmallVector<Value> mlir::heddle::host::outerSources(Value value, Operation *left, const Assumptions &assumptions) {
  SmallVector<Value> outer, open{value};
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (!left->isAncestor(next.getParentBlock()->getParentOp())) {
      outer.push_back(next);
      continue;
    }
    if (auto view = next.getDefiningOp<ViewOp>())
      open.push_back(view.getSource());
    llvm::append_range(open, sourcesOf(next, assumptions));
  }
  return outer;
}

namespace {

// Coinductive: a pair under question is assumed apart while its sources are compared.
class AliasQuery {
public:
  explicit AliasQuery(const Assumptions &assumptions) : assumptions(assumptions) {}

  bool mayAlias(Value a, Value b) {
    a = regionOf(a, assumptions).root;
    b = regionOf(b, assumptions).root;
    if (a == b || isSameStorage(a, b))
      return true;
    SmallVector<Value> ofA = sourcesOf(a, assumptions), ofB = sourcesOf(b, assumptions);
    if ((ofA.empty() && ofB.empty()) || predates(a, b) || predates(b, a))
      return false;
    if (!asked.insert({a.getAsOpaquePointer(), b.getAsOpaquePointer()}).second)
      return false;
    if (areCarriedTogether(a, b)) {
      for (auto [sourceA, sourceB] : llvm::zip(ofA, ofB))
        if (mayAlias(sourceA, sourceB))
          return true;
      return false;
    }
    bool followA = !ofA.empty() && (ofB.empty() || isInner(a, b));
    for (Value source : followA ? ofA : ofB)
      if (mayAlias(source, followA ? b : a))
        return true;
    return false;
  }

private:
  static bool isSameStorage(Value a, Value b) {
    Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
    if (!opA || !opB || opA->getName() != opB->getName())
      return false;
    if (auto slab = dyn_cast<SlabOp>(opA))
      return slab.getDevice() == cast<SlabOp>(opB).getDevice();
    if (auto result = dyn_cast<ResultOp>(opA))
      return result.getIndex() == cast<ResultOp>(opB).getIndex();
    if (auto parameter = dyn_cast<ParameterOp>(opA))
      return parameter.getParameter() == cast<ParameterOp>(opB).getParameter();
    return false;
  }

  // A buffer that a loop carried into this iteration is not one allocated in it.
  static bool predates(Value carried, Value fresh) {
    return isa<BlockArgument>(carried) && fresh.getDefiningOp<AllocOp>() &&
           carried.getParentBlock()->getParentOp()->isProperAncestor(fresh.getDefiningOp());
  }

  // Values that change together: what one is says which source the other comes from.
  static bool areCarriedTogether(Value a, Value b) {
    if (auto argument = dyn_cast<BlockArgument>(a))
      return isa<BlockArgument>(b) && b.getParentBlock() == argument.getOwner();
    return a.getDefiningOp() == b.getDefiningOp() && !isa<arith::SelectOp>(a.getDefiningOp());
  }

  // Whether `a` is defined deeper than `b`; its sources are followed first.
  static bool isInner(Value a, Value b) {
    auto depth = [](Value value) {
      int count = 0;
      for (Operation *op = value.getParentBlock()->getParentOp(); op; op = op->getParentOp())
        ++count;
      return count;
    };
    return depth(a) >= depth(b);
  }

  const Assumptions &assumptions;
  llvm::DenseSet<std::pair<void *, void *>> asked;
};

} // namespace

bool mlir::heddle::host::mayAlias(Value a, Value b, const Assumptions &assumptions) {
  return AliasQuery(assumptions).mayAlias(a, b);
}
