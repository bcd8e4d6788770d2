// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Formulas.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Host/IR/HostOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::heddle::host;

namespace {

// How far a proof is looked for: replacements one after the other, and all that are tried.
constexpr unsigned kDeepest = 12, kMostSteps = 500;

bool isInside(Value value, Operation *loop) { return loop && loop->isAncestor(value.getParentBlock()->getParentOp()); }

} // namespace

//===--- Terms ---------------------------------------------------------------------------------------------------===//

Polynomial Formulas::term(Node node) {
  auto [entry, isNew] = numbers.try_emplace(std::move(node), nodes.size() + 1);
  if (isNew)
    nodes.push_back(&entry->first);
  return Polynomial::ofTerm(reinterpret_cast<void *>(static_cast<uintptr_t>(entry->second)));
}

Polynomial Formulas::choice(Kind kind, const Polynomial &a, const Polynomial &b) {
  if (std::optional<int64_t> difference = (a - b).getConstant())
    return (*difference <= 0) == (kind == Kind::Min) ? a : b;
  bool isOrdered = a.getTerms() < b.getTerms();
  return term({kind, nullptr, nullptr, Instance::Earlier, isOrdered ? a : b, isOrdered ? b : a});
}

// Rounded down, by what is positive. What divides evenly is no quotient any more.
Polynomial Formulas::quotient(const Polynomial &a, const Polynomial &b) {
  auto [whole, rest] = a.divide(b);
  std::optional<int64_t> known = rest.getConstant(), divisor = b.getConstant();
  if (known && divisor)
    return whole + Polynomial(*known / *divisor - (*known % *divisor < 0 ? 1 : 0));
  if (rest.getTerms().empty())
    return whole;
  return whole + term({Kind::FloorDiv, nullptr, nullptr, Instance::Earlier, rest, b});
}

Polynomial Formulas::of(const Polynomial &values, Operation *loop, Instance instance) {
  Polynomial sum;
  for (auto &[monomial, coefficient] : values.getTerms()) {
    Polynomial product(coefficient);
    for (void *value : monomial)
      product = product * of(Value::getFromOpaquePointer(value), loop, instance);
    sum = sum + product;
  }
  return sum;
}

Polynomial Formulas::variable(Value value, Operation *loop, Instance instance) {
  bool hasInstance = isInside(value, loop);
  Node made{Kind::Value, value.getAsOpaquePointer(), hasInstance ? loop : nullptr,
            hasInstance ? instance : Instance::Earlier, Polynomial()};
  bool isNew = !numbers.count(made);
  Polynomial terms = term(made);
  // Where an index is, there is a trip.
  if (Bounds bounds = isNew ? naturalBounds(made) : Bounds(); bounds.low && bounds.high)
    facts.push_back(*bounds.high - *bounds.low);
  return terms;
}

Polynomial Formulas::with(const Polynomial &terms, Value value, const Polynomial &other) {
  Polynomial old = variable(value, nullptr, Instance::Earlier);
  return replace(terms, old.getTerms().begin()->first.front(), other);
}

Polynomial Formulas::of(Value value, Operation *loop, Instance instance) {
  auto side = [&](Value operand) { return of(operand, loop, instance); };
  auto isPositive = [&](const Polynomial &terms) { return isNonNegative(terms - Polynomial(1)); };
  auto opaque = [&] { return variable(value, loop, instance); };
  // Rounds down by what is positive; toward zero is down for what is not negative.
  auto divided = [&](Value left, Value right, bool towardZero, bool up) -> std::optional<Polynomial> {
    Polynomial a = side(left), b = side(right);
    if (!isPositive(b) || (towardZero && !isNonNegative(a)))
      return std::nullopt;
    return quotient(up ? a + b - Polynomial(1) : a, b);
  };
  auto remainder = [&](Value left, Value right) -> std::optional<Polynomial> {
    std::optional<Polynomial> whole = divided(left, right, true, false);
    return whole ? std::optional(side(left) - *whole * side(right)) : std::nullopt;
  };
  Operation *op = value.getDefiningOp();
  if (!op)
    return opaque();
  return llvm::TypeSwitch<Operation *, Polynomial>(op)
      .Case<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>([&](Operation *sum) {
        if (auto add = dyn_cast<arith::AddIOp>(sum))
          return side(add.getLhs()) + side(add.getRhs());
        if (auto sub = dyn_cast<arith::SubIOp>(sum))
          return side(sub.getLhs()) - side(sub.getRhs());
        if (auto mul = dyn_cast<arith::MulIOp>(sum))
          return side(mul.getLhs()) * side(mul.getRhs());
        std::optional<int64_t> constant = Polynomial::of(value).getConstant();
        return constant ? Polynomial(*constant) : opaque();
      })
      .Case<arith::IndexCastOp>([&](arith::IndexCastOp cast) { return side(cast.getIn()); })
      .Case<arith::MinSIOp>(
          [&](arith::MinSIOp min) { return choice(Kind::Min, side(min.getLhs()), side(min.getRhs())); })
      .Case<arith::MaxSIOp>(
          [&](arith::MaxSIOp max) { return choice(Kind::Max, side(max.getLhs()), side(max.getRhs())); })
      .Case<arith::FloorDivSIOp>([&](Operation *div) {
        return divided(div->getOperand(0), div->getOperand(1), false, false).value_or(opaque());
      })
      .Case<arith::CeilDivSIOp>([&](Operation *div) {
        return divided(div->getOperand(0), div->getOperand(1), false, true).value_or(opaque());
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](Operation *div) {
        return divided(div->getOperand(0), div->getOperand(1), true, false).value_or(opaque());
      })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](Operation *rem) { return remainder(rem->getOperand(0), rem->getOperand(1)).value_or(opaque()); })
      .Default([&](Operation *) { return opaque(); });
}

bool Formulas::isFixed(void *term) const {
  const Node &known = node(term);
  if (known.kind == Kind::Value)
    return !known.loop;
  return fixedPart(known.left) == known.left && fixedPart(known.right) == known.right;
}

Polynomial Formulas::fixedPart(const Polynomial &terms) const {
  Polynomial fixed;
  for (auto &[monomial, coefficient] : terms.getTerms())
    if (llvm::all_of(monomial, [&](void *term) { return isFixed(term); }))
      fixed = fixed + Polynomial::ofMonomial(monomial, coefficient);
  return fixed;
}

//===--- What is known -------------------------------------------------------------------------------------------===//

void Formulas::order(Value value, const Polynomial &step, bool isDown) {
  ordered = Order{value.getAsOpaquePointer(), step, isDown};
  nonNegative = assumed; // what followed from the order before
}

void Formulas::assumeNonNegative(const Polynomial &terms) {
  if (terms.getTerms().size() != 1)
    return;
  auto &[monomial, coefficient] = *terms.getTerms().begin();
  if (coefficient > 0 && monomial.size() == 1)
    nonNegative.insert(monomial.front()), assumed.insert(monomial.front());
}

// The last place along the axis, where its size is known.
static std::optional<Polynomial> lastCoordinate(CoordinateOp op) {
  using Mesh = mlir::heddle::device::MeshOp;
  auto mesh = SymbolTable::lookupNearestSymbolFrom<Mesh>(op, op.getMeshAttr());
  int64_t size = mesh ? mesh.getSize(op.getAxis()) : Mesh::kFree;
  return size == Mesh::kFree ? std::nullopt : std::optional(Polynomial(size - 1));
}

Formulas::Bounds Formulas::naturalBounds(const Node &known) {
  Value value = Value::getFromOpaquePointer(known.value);
  auto side = [&](Value bound) { return of(bound, known.loop, known.instance); };
  if (Operation *op = value.getDefiningOp()) {
    if (isa<PlanOp, QueryOp, MeshSizeOp>(op))
      return {Polynomial(isa<PlanOp>(op) ? 0 : 1), std::nullopt};
    if (auto at = dyn_cast<CoordinateOp>(op))
      return {Polynomial(0), lastCoordinate(at)};
    return {};
  }
  auto argument = cast<BlockArgument>(value);
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent); loop && argument == loop.getInductionVar())
    return {side(loop.getLowerBound()), side(loop.getUpperBound()) - Polynomial(1)};
  auto streams = dyn_cast<StreamForOp>(parent);
  if (streams && argument == streams.getIndex())
    return {Polynomial(0), side(streams.getTrips()) - Polynomial(1)};
  if (streams && argument == streams.getSlot())
    return {Polynomial(0), choice(Kind::Min, side(streams.getTrips()), side(streams.getStreams())) - Polynomial(1)};
  if (isa<FuncOp>(parent))
    return {Polynomial(0), std::nullopt}; // a symbol
  return {};
}

Formulas::Bounds Formulas::boundsOf(void *term) {
  const Node known = node(term); // a copy: terms are added
  if (known.kind != Kind::Value)
    return {};
  Bounds bounds = naturalBounds(known);
  if (ordered && ordered->value == known.value && known.loop && known.instance == Instance::Later) {
    Polynomial other = of(Value::getFromOpaquePointer(known.value), known.loop, Instance::Earlier);
    if (ordered->isDown)
      bounds.high = other - ordered->step;
    else
      bounds.low = other + ordered->step;
  }
  return bounds;
}

bool Formulas::isNonNegativeTerm(void *term) {
  if (nonNegative.count(term))
    return true;
  const Node known = node(term);
  bool answer = false;
  switch (known.kind) {
  case Kind::Value: {
    Bounds bounds = boundsOf(term);
    answer = bounds.low && prove(*bounds.low);
    break;
  }
  case Kind::Min: answer = prove(known.left) && prove(known.right); break;
  case Kind::Max: answer = prove(known.left) || prove(known.right); break;
  case Kind::FloorDiv: answer = prove(known.left); break;
  }
  if (answer)
    nonNegative.insert(term);
  return answer;
}

// Whether all monomials have this sign.
bool Formulas::hasSign(const Polynomial &terms, int sign) {
  return llvm::all_of(terms.getTerms(), [&](const auto &entry) {
    return (sign > 0) == (entry.second > 0) &&
           llvm::all_of(entry.first, [&](void *term) { return isNonNegativeTerm(term); });
  });
}

//===--- Monotony ------------------------------------------------------------------------------------------------===//

Polynomial Formulas::replaceInside(void *term, void *old, const Polynomial &with) {
  if (term == old)
    return with;
  const Node known = node(term);
  if (known.kind == Kind::Value)
    return Polynomial::ofTerm(term);
  Polynomial left = replace(known.left, old, with), right = replace(known.right, old, with);
  if (left == known.left && right == known.right)
    return Polynomial::ofTerm(term);
  return known.kind == Kind::FloorDiv ? quotient(left, right) : choice(known.kind, left, right);
}

Polynomial Formulas::replace(const Polynomial &terms, void *old, const Polynomial &with) {
  Polynomial sum;
  for (auto &[monomial, coefficient] : terms.getTerms()) {
    Polynomial product(coefficient);
    for (void *term : monomial)
      product = product * replaceInside(term, old, with);
    sum = sum + product;
  }
  return sum;
}

Formulas::Direction Formulas::directionOf(void *term, void *variable) {
  if (term == variable)
    return Direction::Up;
  const Node known = node(term);
  if (known.kind == Kind::Value)
    return Direction::Constant;
  Direction left = directionOf(known.left, variable), right = directionOf(known.right, variable);
  if (right == Direction::Constant)
    return left;
  if (known.kind == Kind::FloorDiv)
    return Direction::Unknown;
  return left == Direction::Constant || left == right ? right : Direction::Unknown;
}

// Of a sum: that of all its monomials, each a product of what is not negative and goes one way.
Formulas::Direction Formulas::directionOf(const Polynomial &terms, void *variable) {
  Direction all = Direction::Constant;
  for (auto &[monomial, coefficient] : terms.getTerms()) {
    Direction own = Direction::Constant;
    unsigned moving = 0;
    for (void *term : monomial) {
      Direction next = directionOf(term, variable);
      if (next == Direction::Constant)
        continue;
      own = ++moving == 1 || own == next ? next : Direction::Unknown;
    }
    if (own == Direction::Constant)
      continue;
    for (void *term : monomial)
      if ((moving > 1 || directionOf(term, variable) == Direction::Constant) && !isNonNegativeTerm(term))
        return Direction::Unknown;
    if (own == Direction::Unknown)
      return own;
    if (coefficient < 0)
      own = own == Direction::Up ? Direction::Down : Direction::Up;
    if (all != Direction::Constant && all != own)
      return Direction::Unknown;
    all = own;
  }
  return all;
}

bool Formulas::proveByValue(const Polynomial &terms, void *value) {
  Bounds bounds = boundsOf(value);
  if (!bounds.low && !bounds.high)
    return false;
  Direction direction = directionOf(terms, value);
  if (direction == Direction::Up && bounds.low)
    return prove(replace(terms, value, *bounds.low));
  return direction == Direction::Down && bounds.high && prove(replace(terms, value, *bounds.high));
}

// A minimum, maximum or quotient gives way to what bounds it.
bool Formulas::proveByOperands(const Polynomial &terms, void *term) {
  const Node known = node(term);
  Polynomial factor, rest;
  for (auto &[monomial, coefficient] : terms.getTerms()) {
    auto count = std::count(monomial.begin(), monomial.end(), term);
    if (count > 1)
      return false;
    Polynomial::Monomial others(monomial);
    std::erase(others, term);
    (count ? factor : rest) = (count ? factor : rest) + Polynomial::ofMonomial(others, coefficient);
  }
  if (factor.getTerms().empty())
    return false; // it stands in another one only
  if (known.kind == Kind::FloorDiv) {
    // q - 1 less than the fraction at most, and never more.
    int sign = hasSign(factor, -1) ? -1 : hasSign(factor, 1) ? 1 : 0;
    if (sign == 0)
      return false;
    Polynomial bound = sign < 0 ? known.left : known.left - known.right + Polynomial(1);
    auto [whole, left] = factor.divide(known.right);
    return prove(left.getTerms().empty() ? rest + whole * bound : rest * known.right + factor * bound);
  }
  Polynomial withLeft = rest + factor * known.left, withRight = rest + factor * known.right;
  if (hasSign(factor, known.kind == Kind::Min ? -1 : 1))
    return prove(withLeft) || prove(withRight);
  return prove(withLeft) && prove(withRight);
}

// Without a common factor of the coefficients.
static Polynomial reduce(const Polynomial &terms) {
  int64_t divisor = 0;
  for (auto &[monomial, coefficient] : terms.getTerms()) {
    if (coefficient == std::numeric_limits<int64_t>::min())
      return terms; // it has no magnitude
    divisor = std::gcd(divisor, coefficient);
  }
  return divisor > 1 ? terms.divide(Polynomial(divisor)).first : terms;
}

bool Formulas::isFact(const Polynomial &terms) {
  for (size_t i = 0; i < facts.size(); ++i) // which may grow
    if (Polynomial fact = facts[i]; hasSign(terms - fact, 1))
      return true;
  return hasSign(terms, 1);
}

// From one quotient to another of the same divisor it is no more than the distance of the dividends in divisors,
// rounded up: that is what bounds the parts of a balanced division.
bool Formulas::proveByDistance(const Polynomial &terms, void *last, void *first) {
  const Node to = node(last), from = node(first);
  if (to.kind != Kind::FloorDiv || from.kind != Kind::FloorDiv || !(to.right == from.right))
    return false;
  auto factorOf = [&](void *term) {
    Polynomial factor;
    for (auto &[monomial, coefficient] : terms.getTerms())
      if (Polynomial::Monomial others(monomial); std::erase(others, term) == 1)
        factor = factor + Polynomial::ofMonomial(others, coefficient);
    return factor;
  };
  Polynomial factor = factorOf(first);
  if (factor.getTerms().empty() || !(factorOf(last) + factor == Polynomial()) || !hasSign(factor, 1))
    return false;
  Polynomial distance = quotient(to.left - from.left + to.right - Polynomial(1), to.right);
  return prove(terms + factor * (Polynomial::ofTerm(last) - Polynomial::ofTerm(first) - distance));
}

// The quotients that the formula itself is a sum of.
static llvm::SmallSetVector<void *, 4> termsOf(const Polynomial &terms, llvm::function_ref<bool(void *)> isWanted) {
  llvm::SmallSetVector<void *, 4> found;
  for (auto &[monomial, coefficient] : terms.getTerms())
    for (void *term : monomial)
      if (isWanted(term))
        found.insert(term);
  return found;
}

bool Formulas::holdsInTurns(const Polynomial &before, const Polynomial &now,
                            llvm::function_ref<bool(const Polynomial &)> holds) {
  auto isQuotient = [&](void *term) { return node(term).kind == Kind::FloorDiv; };
  for (void *last : termsOf(now, isQuotient))
    for (void *first : termsOf(before, isQuotient)) {
      const Node to = node(last), from = node(first);
      if (last == first || !(to.right == from.right))
        continue;
      Polynomial distance = to.left - from.left;
      bool isUp = isNonNegative(distance) && isNonNegative(to.right - distance);
      bool isDown = !isUp && isNonNegative(distance * Polynomial(-1)) && isNonNegative(to.right + distance);
      if (!isUp && !isDown)
        continue;
      Polynomial equal = Polynomial::ofTerm(first);
      return holds(replace(now, last, equal)) && holds(replace(now, last, equal + Polynomial(isUp ? 1 : -1)));
    }
  return false;
}

bool Formulas::prove(const Polynomial &sum) {
  if (std::optional<int64_t> constant = sum.getConstant())
    return *constant >= 0;
  Polynomial terms = reduce(sum);
  if (depth >= kDeepest || ++steps > kMostSteps)
    return false;
  ++depth;
  auto done = [&] {
    if (isFact(terms))
      return true;
    // The later instance first: its formula then meets the earlier one's.
    llvm::SmallSetVector<void *, 8> values, others;
    auto collect = [&](auto &&self, const Polynomial &from, bool isTop) -> void {
      for (auto &[monomial, coefficient] : from.getTerms())
        for (void *term : monomial) {
          const Node &known = node(term);
          if (known.kind == Kind::Value) {
            values.insert(term);
            continue;
          }
          if (isTop)
            others.insert(term);
          self(self, known.left, false);
          self(self, known.right, false);
        }
    };
    collect(collect, terms, true);
    auto isLater = [&](void *term) { return node(term).loop && node(term).instance == Instance::Later; };
    for (void *value : values)
      if (isLater(value) && proveByValue(terms, value))
        return true;
    for (void *last : others)
      for (void *first : others)
        if (last != first && proveByDistance(terms, last, first))
          return true;
    for (void *other : others)
      if (proveByOperands(terms, other))
        return true;
    return llvm::any_of(values, [&](void *value) { return !isLater(value) && proveByValue(terms, value); });
  };
  bool answer = done();
  --depth;
  return answer;
}

bool Formulas::isNonNegative(const Polynomial &terms) {
  unsigned before = std::exchange(steps, 0);
  bool answer = prove(terms);
  steps = before;
  return answer;
}
