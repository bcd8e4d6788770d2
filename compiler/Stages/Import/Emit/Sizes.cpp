// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::heddle::importer;

// Polynomials larger than any of a shape become atoms: powers of sums grow exponentially.
static constexpr size_t kMaximumTerms = 64, kMaximumDegree = 32;

// Unsigned, because overflow wraps.
static int64_t wrapMul(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) * b); }
static int64_t wrapAdd(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + b); }

OpFoldResult Sizes::addAtom(Value value, Atom atom) {
  if (!known.contains(value)) {
    Polynomial p{{{static_cast<unsigned>(atoms.size())}, 1}};
    atoms.push_back(std::move(atom));
    known[value] = p;
    values[p] = value;
  }
  return value;
}

OpFoldResult Sizes::atom(Value value, bool nonNegative) {
  return addAtom(value, {value, nonNegative ? Range{0, kMostElements} : Range(), nonNegative});
}

OpFoldResult Sizes::integer(Value value, Range range) { return addAtom(value, {value, range, /*isExtent=*/false}); }

Sizes::Range Sizes::rangeOf(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isInteger(1))
    return {0, 1};
  if (type.isUnsignedInteger())
    return width < 64 ? Range{0, static_cast<int64_t>(llvm::maxUIntN(width))} : Range();
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

void Sizes::markExtent(OpFoldResult size) {
  Polynomial p = polynomial(size);
  if (p.size() != 1 || p.begin()->first.size() != 1 || p.begin()->second != 1)
    return;
  Atom &atom = atoms[p.begin()->first.front()];
  if ((atom.kind == Kind::Min || atom.kind == Kind::Max) && atom.range.least >= 0) {
    atom.isExtent = true;
    atom.range.most = std::min(kMostElements, atom.range.most);
  }
}

Sizes::Polynomial Sizes::polynomial(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size)) {
    if (*constant == 0)
      return {};
    return {{{}, *constant}};
  }
  Value value = cast<Value>(size);
  atom(value, /*nonNegative=*/false);
  return substitute(known[value]);
}

// Whether it has atoms that something stands for.
static bool concerns(const std::map<unsigned, SizeTables::Polynomial> &assumed, const SizeTables::Polynomial &p) {
  return llvm::any_of(p, [&](auto &term) {
    return llvm::any_of(term.first, [&](unsigned number) { return assumed.count(number) != 0; });
  });
}

Sizes::Polynomial Sizes::substitute(const Polynomial &p) const {
  if (!concerns(assumed, p))
    return p;
  Polynomial result;
  for (auto &[monomial, coefficient] : p) {
    Polynomial term{{{}, coefficient}};
    for (unsigned number : monomial) {
      auto found = assumed.find(number);
      Polynomial factor = found == assumed.end() ? Polynomial{{{number}, 1}} : substitute(found->second);
      if (term.size() * factor.size() > kMaximumTerms)
        return p; // what is assumed would prove nothing that anybody asks
      term = multiply(term, factor);
    }
    result = combine(result, term, 1);
  }
  return result;
}

std::optional<int64_t> Sizes::asConstant(const Polynomial &p) {
  if (p.empty())
    return 0;
  if (p.size() == 1 && p.begin()->first.empty())
    return p.begin()->second;
  return std::nullopt;
}

Sizes::Polynomial Sizes::combine(const Polynomial &a, const Polynomial &b, int64_t factor) {
  Polynomial result = a;
  for (auto &[monomial, coefficient] : b) {
    int64_t &sum = result[monomial];
    sum = wrapAdd(sum, wrapMul(coefficient, factor));
    if (sum == 0)
      result.erase(monomial);
  }
  return result;
}

Sizes::Polynomial Sizes::multiply(const Polynomial &a, const Polynomial &b) {
  Polynomial result;
  for (auto &[ma, ca] : a)
    for (auto &[mb, cb] : b) {
      Monomial monomial = ma;
      monomial.insert(monomial.end(), mb.begin(), mb.end());
      std::sort(monomial.begin(), monomial.end());
      result = combine(result, {{monomial, wrapMul(ca, cb)}}, 1);
    }
  return result;
}

std::optional<Sizes::Polynomial> Sizes::divide(const Polynomial &a, const Polynomial &b) {
  if (b.size() != 1)
    return std::nullopt;
  auto &[divisor, coefficient] = *b.begin();
  Polynomial result;
  for (auto &[monomial, c] : a) {
    if ((c == INT64_MIN && coefficient == -1) || c % coefficient != 0 ||
        !std::includes(monomial.begin(), monomial.end(), divisor.begin(), divisor.end()))
      return std::nullopt;
    Monomial rest;
    std::set_difference(monomial.begin(), monomial.end(), divisor.begin(), divisor.end(), std::back_inserter(rest));
    result[rest] = c / coefficient;
  }
  return result;
}

Value Sizes::emitTerm(const Monomial &monomial, int64_t coefficient) {
  Value term;
  for (unsigned number : monomial)
    term =
        term ? arith::MulIOp::create(builder, builder.getUnknownLoc(), term, atoms[number].value) : atoms[number].value;
  if (term && coefficient == 1)
    return term;
  Value factor = arith::ConstantIndexOp::create(builder, builder.getUnknownLoc(), coefficient);
  return term ? arith::MulIOp::create(builder, builder.getUnknownLoc(), term, factor) : factor;
}

OpFoldResult Sizes::emit(const Polynomial &p) {
  if (std::optional<int64_t> c = asConstant(p))
    return constant(*c);
  Value &value = values[p];
  if (value)
    return value;
  Value sum;
  for (auto &[monomial, coefficient] : p) {
    Value term = emitTerm(monomial, coefficient);
    sum = sum ? arith::AddIOp::create(builder, builder.getUnknownLoc(), sum, term) : term;
  }
  value = sum;
  known[sum] = p;
  return sum;
}

OpFoldResult Sizes::add(OpFoldResult a, OpFoldResult b) { return emit(combine(polynomial(a), polynomial(b), 1)); }
OpFoldResult Sizes::sub(OpFoldResult a, OpFoldResult b) { return emit(combine(polynomial(a), polynomial(b), -1)); }

OpFoldResult Sizes::mul(OpFoldResult a, OpFoldResult b) {
  Polynomial pa = polynomial(a), pb = polynomial(b);
  auto degree = [](const Polynomial &p) {
    size_t most = 0;
    for (auto &[monomial, coefficient] : p)
      most = std::max(most, monomial.size());
    return most;
  };
  if (pa.size() * pb.size() > kMaximumTerms || degree(pa) + degree(pb) > kMaximumDegree)
    return makeAtom(Kind::Product, pa, pb);
  return emit(multiply(pa, pb));
}

OpFoldResult Sizes::product(ArrayRef<OpFoldResult> factors) {
  OpFoldResult result = constant(1);
  Polynomial partial{{{}, 1}};
  for (OpFoldResult factor : factors) {
    Polynomial p = polynomial(factor);
    if (partial.size() * p.size() > kMaximumTerms) {
      result = mul(result, emit(partial));
      partial = {{{}, 1}};
    }
    partial = multiply(partial, p);
  }
  return mul(result, emit(partial));
}

std::optional<OpFoldResult> Sizes::exactDiv(OpFoldResult a, OpFoldResult b) {
  std::optional<Polynomial> quotient = divide(polynomial(a), polynomial(b));
  if (!quotient)
    return std::nullopt;
  return emit(*quotient);
}

OpFoldResult Sizes::floorDiv(OpFoldResult a, OpFoldResult b) {
  Polynomial pa = polynomial(a), pb = polynomial(b);
  std::optional<int64_t> ca = asConstant(pa), cb = asConstant(pb);
  if (cb == 0)
    return constant(0);
  if (std::optional<Polynomial> quotient = divide(pa, pb))
    return emit(*quotient);
  if (ca && cb)
    return constant(llvm::divideFloorSigned(*ca, *cb));
  return makeAtom(Kind::FloorDiv, pa, pb);
}

OpFoldResult Sizes::ceilDiv(OpFoldResult a, OpFoldResult b) { return floorDiv(sub(add(a, b), constant(1)), b); }

OpFoldResult Sizes::min(OpFoldResult a, OpFoldResult b) {
  if (lessEqual(a, b))
    return a;
  if (lessEqual(b, a))
    return b;
  return makeAtom(Kind::Min, polynomial(a), polynomial(b));
}

OpFoldResult Sizes::max(OpFoldResult a, OpFoldResult b) {
  if (lessEqual(a, b))
    return b;
  if (lessEqual(b, a))
    return a;
  return makeAtom(Kind::Max, polynomial(a), polynomial(b));
}

OpFoldResult Sizes::wrap(OpFoldResult a, unsigned width) {
  Polynomial p = polynomial(a);
  if (std::optional<int64_t> fixed = asConstant(p))
    return constant(llvm::SignExtend64(*fixed, width));
  Range bounds = range(p);
  if (llvm::minIntN(width) <= bounds.least && bounds.most <= llvm::maxIntN(width))
    return a;
  return makeAtom(Kind::Wrap, p, {{{}, width}});
}

Sizes::Range Sizes::atomRange(Kind kind, const Polynomial &a, const Polynomial &b) const {
  Range x = range(a), y = range(b);
  // Products of sizes, whose bounds multiply to more than 64 bits.
  for (auto [bounds, p] : {std::pair(&x, &a), std::pair(&y, &b)})
    if (isNonNegative(*p))
      bounds->least = std::max<int64_t>(0, bounds->least);
  switch (kind) {
  case Kind::Equal:
  case Kind::Less: return {0, 1};
  case Kind::Min: return {std::min(x.least, y.least), std::min(x.most, y.most)};
  case Kind::Max: return {std::max(x.least, y.least), std::max(x.most, y.most)};
  case Kind::FloorDiv: return {std::min<int64_t>(0, x.least), std::max<int64_t>(0, x.most)};
  case Kind::Product:
    return isExtent(a) && isExtent(b) && x.least >= 0 && y.least >= 0 ? Range{0, kMostElements} : Range();
  case Kind::Wrap: return {llvm::minIntN(*asConstant(b)), llvm::maxIntN(*asConstant(b))};
  case Kind::Opaque: break;
  }
  return {};
}

Value Sizes::emitAtom(Kind kind, const Polynomial &a, const Polynomial &b) {
  Location loc = builder.getUnknownLoc();
  Value x = value(emit(a));
  if (kind == Kind::Wrap) {
    // The low bits, of which the highest is the sign. (Upstream folds casts to a narrow integer and back.)
    int64_t width = *asConstant(b), signBit = int64_t(1) << (width - 1);
    Value mask = value(constant(static_cast<int64_t>(llvm::maxUIntN(width)))), sign = value(constant(signBit));
    Value low = arith::AndIOp::create(builder, loc, x, mask);
    return arith::SubIOp::create(builder, loc, arith::XOrIOp::create(builder, loc, low, sign), sign);
  }
  Value y = value(emit(b));
  auto test = [&](arith::CmpIPredicate predicate) -> Value {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, x, y);
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), holds);
  };
  switch (kind) {
  case Kind::Equal: return test(arith::CmpIPredicate::eq);
  case Kind::Less: return test(arith::CmpIPredicate::slt);
  case Kind::Min: return arith::MinSIOp::create(builder, loc, x, y);
  case Kind::Max: return arith::MaxSIOp::create(builder, loc, x, y);
  case Kind::Product: return arith::MulIOp::create(builder, loc, x, y);
  case Kind::FloorDiv:
    return isNonNegative(a) ? Value(arith::DivSIOp::create(builder, loc, x, y))
                            : Value(arith::FloorDivSIOp::create(builder, loc, x, y));
  case Kind::Wrap:
  case Kind::Opaque: break;
  }
  return {};
}

OpFoldResult Sizes::makeAtom(Kind kind, const Polynomial &a, const Polynomial &b) {
  OpFoldResult &result = made[{kind, a, b}];
  if (result)
    return result;
  Value made = emitAtom(kind, a, b);
  Range bounds = atomRange(kind, a, b);
  bool isExtentOnly = isExtent(a) && isExtent(b) && bounds.least >= 0;
  return result = addAtom(made, {made, bounds, isExtentOnly, kind, a, b});
}

bool Sizes::isExtent(const Polynomial &p) const {
  return llvm::all_of(
      p, [&](auto &term) { return llvm::all_of(term.first, [&](unsigned number) { return atoms[number].isExtent; }); });
}

Sizes::Range Sizes::range(const Polynomial &p) const {
  Range sum{0, 0};
  for (auto &[monomial, coefficient] : p) {
    Range term{coefficient, coefficient};
    for (unsigned number : monomial) {
      const Range &factor = atoms[number].range;
      int64_t corners[4];
      if (llvm::MulOverflow(term.least, factor.least, corners[0]) ||
          llvm::MulOverflow(term.least, factor.most, corners[1]) ||
          llvm::MulOverflow(term.most, factor.least, corners[2]) ||
          llvm::MulOverflow(term.most, factor.most, corners[3]))
        return {};
      term = {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
    }
    if (llvm::AddOverflow(sum.least, term.least, sum.least) || llvm::AddOverflow(sum.most, term.most, sum.most))
      return {};
  }
  return sum;
}

bool Sizes::isNonNegative(const Polynomial &p) const {
  if (range(p).least >= 0)
    return true;
  // Bounds of sizes multiply to more than 64 bits, which products of sizes and an index don't.
  return llvm::all_of(p, [&](auto &term) {
    bool isFactor = llvm::all_of(term.first, [&](unsigned number) {
      return atoms[number].range.least >= 0 && atoms[number].range.most <= kMostElements;
    });
    auto isData = [&](unsigned number) { return !atoms[number].isExtent; };
    return term.second >= 0 && isFactor && llvm::count_if(term.first, isData) <= 1;
  });
}

bool Sizes::equal(OpFoldResult a, OpFoldResult b) { return polynomial(a) == polynomial(b); }

// b - a; none where 64 bits do not hold a coefficient of it.
static std::optional<SizeTables::Polynomial> subtract(SizeTables::Polynomial b, const SizeTables::Polynomial &a) {
  for (auto &[monomial, coefficient] : a) {
    int64_t &rest = b[monomial];
    if (llvm::SubOverflow(rest, coefficient, rest))
      return std::nullopt;
    if (rest == 0)
      b.erase(monomial);
  }
  return b;
}

// Whether p + 1 is one more: its constant does not wrap.
static bool hasSuccessor(const SizeTables::Polynomial &p) {
  auto constant = p.find({});
  return constant == p.end() || constant->second != INT64_MAX;
}

bool Sizes::different(OpFoldResult a, OpFoldResult b) {
  auto isBelow = [&](OpFoldResult low, OpFoldResult high) {
    return hasSuccessor(polynomial(low)) && lessEqual(add(low, constant(1)), high);
  };
  return isBelow(a, b) || isBelow(b, a);
}

bool Sizes::lessEqual(OpFoldResult a, OpFoldResult b) {
  Polynomial pa = polynomial(a), pb = polynomial(b);
  auto isAtMost = [&](const Polynomial &low, const Polynomial &high) {
    std::optional<Polynomial> rest = subtract(high, low);
    return rest && isNonNegative(*rest);
  };
  if (isAtMost(pa, pb))
    return true;
  // min(x, y) <= x and <= y; x and y <= max(x, y).
  auto bound = [&](const Polynomial &p, Kind kind) -> const Atom * {
    if (p.size() != 1 || p.begin()->first.size() != 1 || p.begin()->second != 1)
      return nullptr;
    const Atom &atom = atoms[p.begin()->first.front()];
    return atom.kind == kind ? &atom : nullptr;
  };
  if (const Atom *atom = bound(pa, Kind::Min))
    if (isAtMost(atom->lhs, pb) || isAtMost(atom->rhs, pb))
      return true;
  if (const Atom *atom = bound(pb, Kind::Max))
    return isAtMost(pa, atom->lhs) || isAtMost(pa, atom->rhs);
  return false;
}

bool Sizes::isCapOf(OpFoldResult b, OpFoldResult a) {
  Polynomial pb = polynomial(b), pa = polynomial(a);
  if (pb.size() != 1 || pb.begin()->first.size() != 1 || pb.begin()->second != 1)
    return false;
  const Atom &atom = atoms[pb.begin()->first.front()];
  if (atom.kind != Kind::Min)
    return false;
  std::optional<int64_t> left = asConstant(atom.lhs), right = asConstant(atom.rhs);
  return (right && *right >= 2 && atom.lhs == pa) || (left && *left >= 2 && atom.rhs == pa);
}

Value Sizes::value(OpFoldResult size) {
  if (auto value = dyn_cast<Value>(size))
    return value;
  Polynomial p = polynomial(size);
  Value &value = values[p];
  if (!value)
    value = arith::ConstantIndexOp::create(builder, builder.getUnknownLoc(), *getConstantIntValue(size));
  return value;
}

//===--- Conditions and branches ---------------------------------------------------------------------------------===//

OpFoldResult Sizes::isEqual(OpFoldResult a, OpFoldResult b) {
  if (equal(a, b))
    return constant(1);
  if (different(a, b))
    return constant(0);
  return makeAtom(Kind::Equal, polynomial(a), polynomial(b));
}

OpFoldResult Sizes::isLess(OpFoldResult a, OpFoldResult b) {
  if (hasSuccessor(polynomial(a)) && lessEqual(add(a, constant(1)), b))
    return constant(1);
  if (lessEqual(b, a))
    return constant(0);
  return makeAtom(Kind::Less, polynomial(a), polynomial(b));
}

void Sizes::assume(OpFoldResult condition, bool holds) {
  Polynomial p = polynomial(condition);
  p = combine(p, {{{}, holds ? 1 : 0}}, -1);
  assumeZero(p);
  // The test of an equation: a is 1 or 0, from ± a + constant = 0.
  for (const auto &[number, value] : std::map(assumed)) {
    const Atom atom = atoms[number];
    if (atom.kind == Kind::Equal && asConstant(value) == 1)
      assumeZero(combine(substitute(atom.lhs), substitute(atom.rhs), -1));
  }
}

// Solves p = 0 for an atom that stands alone in one term with coefficient 1 or -1, or with a constant it divides.
void Sizes::assumeZero(const Polynomial &p) {
  if (concerns(assumed, p)) // too large to be substituted: what stands for an atom must not lead back to it
    return;
  for (auto &[monomial, coefficient] : p) {
    if (monomial.size() != 1)
      continue;
    unsigned number = monomial.front();
    bool elsewhere =
        llvm::any_of(p, [&](auto &term) { return term.first != monomial && llvm::is_contained(term.first, number); });
    Polynomial rest = p;
    rest.erase(monomial);
    std::optional<Polynomial> solution = divide(multiply(rest, {{{}, -1}}), {{{}, coefficient}});
    if (elsewhere || !solution)
      continue;
    assumed[number] = *solution;
    return;
  }
}

std::optional<OpFoldResult> Sizes::transfer(const SizeTables &region, OpFoldResult size) {
  std::optional<int64_t> fixed = getConstantIntValue(size);
  if (fixed)
    return constant(*fixed);
  auto found = region.known.find(cast<Value>(size));
  if (found == region.known.end())
    return std::nullopt;
  for (auto &[monomial, coefficient] : found->second)
    for (unsigned number : monomial)
      if (number >= atoms.size() || atoms[number].value != region.atoms[number].value)
        return std::nullopt;
  return emit(substitute(found->second));
}
