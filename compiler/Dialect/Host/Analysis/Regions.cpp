// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Regions.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::heddle::host;

//===--- Polynomials ---------------------------------------------------------------------------------------------===//

Polynomial::Polynomial(int64_t constant) { add({}, constant); }

void Polynomial::add(const Monomial &monomial, int64_t coefficient) {
  int64_t &sum = terms[monomial];
  sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(coefficient));
  if (sum == 0)
    terms.erase(monomial);
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial sum = *this;
  for (auto &[monomial, coefficient] : other.terms)
    sum.add(monomial, coefficient);
  return sum;
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial product;
  for (auto &[left, leftFactor] : terms)
    for (auto &[right, rightFactor] : other.terms) {
      Monomial both(left);
      both.insert(both.end(), right.begin(), right.end());
      std::sort(both.begin(), both.end());
      product.add(both, static_cast<int64_t>(static_cast<uint64_t>(leftFactor) * static_cast<uint64_t>(rightFactor)));
    }
  return product;
}

Polynomial Polynomial::operator-(const Polynomial &other) const { return *this + other * Polynomial(-1); }

Polynomial Polynomial::of(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getBitWidth() <= 64)
    return Polynomial(constant.getSExtValue());
  if (auto op = value.getDefiningOp<arith::AddIOp>())
    return of(op.getLhs()) + of(op.getRhs());
  if (auto op = value.getDefiningOp<arith::SubIOp>())
    return of(op.getLhs()) - of(op.getRhs());
  if (auto op = value.getDefiningOp<arith::MulIOp>())
    return of(op.getLhs()) * of(op.getRhs());
  Polynomial opaque;
  opaque.add({value.getAsOpaquePointer()}, 1);
  return opaque;
}

std::optional<int64_t> Polynomial::getConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

bool Polynomial::mentionsInside(Operation *op) const {
  for (auto &[monomial, coefficient] : terms)
    for (void *pointer : monomial)
      if (Operation *parent = Value::getFromOpaquePointer(pointer).getParentBlock()->getParentOp();
          op->isAncestor(parent))
        return true;
  return false;
}

//===--- Regions -------------------------------------------------------------------------------------------------===//

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
  if (!(Polynomial::of(plan.getSizes()[index]) == Polynomial::of(view.getSize())))
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

// Whether the polynomial is a sum of products of what is never negative: offsets and totals of plans.
static bool isNonNegative(const Polynomial &polynomial) {
  return llvm::all_of(polynomial.getTerms(), [](const auto &term) {
    return term.second >= 0 && llvm::all_of(term.first, [](void *factor) {
             return Value::getFromOpaquePointer(factor).getDefiningOp<PlanOp>() != nullptr;
           });
  });
}

// Whether `first` ends before `second` starts.
static bool endsBefore(const ByteRange &first, const ByteRange &second) {
  return first.size && isNonNegative(second.offset - first.offset - *first.size);
}

static bool areApart(const ByteRange &a, const ByteRange &b) { return endsBefore(a, b) || endsBefore(b, a); }

static bool mentionsInside(const ByteRange &range, Operation *op) {
  return op && (range.offset.mentionsInside(op) || (range.size && range.size->mentionsInside(op)));
}

// Whether two regions of one formula in different iterations of a loop are apart: the formula moves on by at least the
// region's size in each iteration.
static bool areApartByIteration(const BufferRegion &now, const BufferRegion &before, Operation *crossed) {
  auto loop = dyn_cast<scf::ForOp>(crossed);
  if (!loop || !(now.offset == before.offset) || !before.size || !now.size)
    return false;
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
    return false;
  void *index = loop.getInductionVar().getAsOpaquePointer();
  Polynomial stride; // what one more of the index adds to the offset
  for (auto &[monomial, coefficient] : now.offset.getTerms()) {
    auto count = std::count(monomial.begin(), monomial.end(), index);
    if (count == 0)
      continue;
    if (count > 1)
      return false;
    Polynomial term(coefficient);
    for (void *factor : monomial)
      if (factor != index)
        term = term * Polynomial::of(Value::getFromOpaquePointer(factor));
    stride = stride + term;
  }
  Polynomial rest = now.offset - stride * Polynomial::of(loop.getInductionVar());
  if (stride.getTerms().size() != 1 || stride.mentionsInside(crossed) || rest.mentionsInside(crossed))
    return false;
  auto &[unit, perIndex] = *stride.getTerms().begin();
  // Upwards the earlier region must end in time, downwards the later one.
  const Polynomial &size = perIndex > 0 ? *before.size : *now.size;
  if (size.getTerms().empty())
    return true;
  auto &[sizeUnit, bytes] = *size.getTerms().begin();
  return size.getTerms().size() == 1 && sizeUnit == unit && bytes <= std::abs(perIndex) * step.getSExtValue();
}

bool mlir::heddle::host::mayOverlap(const BufferRegion &now, const BufferRegion &before, Operation *crossed) {
  // Plans are made at entry, so no loop changes which part of the slab one fills.
  if ((now.slot || before.slot) && !mentionsInside(partOf(before), crossed) && areApart(partOf(now), partOf(before)))
    return false;
  // A copy in a loop moves on in its view, and never out of it.
  if (!mentionsInside(before.within, crossed) && areApart(now.within, before.within))
    return false;
  if (mentionsInside(before, crossed))
    return !areApartByIteration(now, before, crossed);
  return !areApartByPlan(now, before) && !areApart(now, before);
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
