#include "compiler/Stages/Import/Onnx/Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::heddle::importer;

// Unsigned, because overflow wraps.
static int64_t wrapMul(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) * b); }
static int64_t wrapAdd(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + b); }

OpFoldResult Sizes::atom(Value value, bool nonNegative) {
  if (!known.contains(value)) {
    Polynomial p{{{static_cast<unsigned>(atoms.size())}, 1}};
    atoms.push_back({value, nonNegative});
    known[value] = p;
    values[p] = value;
  }
  return value;
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

Sizes::Polynomial Sizes::substitute(const Polynomial &p) const {
  bool concerned = llvm::any_of(p, [&](auto &term) {
    return llvm::any_of(term.first, [&](unsigned number) { return assumed.count(number) != 0; });
  });
  if (!concerned)
    return p;
  Polynomial result;
  for (auto &[monomial, coefficient] : p) {
    Polynomial term{{{}, coefficient}};
    for (unsigned number : monomial) {
      auto found = assumed.find(number);
      term = multiply(term, found == assumed.end() ? Polynomial{{{number}, 1}} : substitute(found->second));
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
OpFoldResult Sizes::mul(OpFoldResult a, OpFoldResult b) { return emit(multiply(polynomial(a), polynomial(b))); }

OpFoldResult Sizes::product(ArrayRef<OpFoldResult> factors) {
  Polynomial result{{{}, 1}};
  for (OpFoldResult factor : factors)
    result = multiply(result, polynomial(factor));
  return emit(result);
}

std::optional<OpFoldResult> Sizes::exactDiv(OpFoldResult a, OpFoldResult b) {
  std::optional<Polynomial> quotient = divide(polynomial(a), polynomial(b));
  if (!quotient)
    return std::nullopt;
  return emit(*quotient);
}

OpFoldResult Sizes::floorDiv(OpFoldResult a, OpFoldResult b) {
  Polynomial pa = polynomial(a), pb = polynomial(b);
  if (std::optional<Polynomial> quotient = divide(pa, pb))
    return emit(*quotient);
  std::optional<int64_t> ca = asConstant(pa), cb = asConstant(pb);
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

OpFoldResult Sizes::makeAtom(Kind kind, const Polynomial &a, const Polynomial &b) {
  OpFoldResult &result = made[{kind, a, b}];
  if (result)
    return result;
  Location loc = builder.getUnknownLoc();
  Value x = value(emit(a)), y = value(emit(b)), z;
  bool xPositive = isNonNegative(a), yPositive = isNonNegative(b);
  bool nonNegative = kind == Kind::Equal || kind == Kind::Less ||
                     (kind == Kind::Max ? xPositive || yPositive : xPositive && yPositive);
  auto test = [&](arith::CmpIPredicate predicate) -> Value {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, x, y);
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), holds);
  };
  switch (kind) {
  case Kind::Equal: z = test(arith::CmpIPredicate::eq); break;
  case Kind::Less: z = test(arith::CmpIPredicate::slt); break;
  case Kind::Min: z = arith::MinSIOp::create(builder, loc, x, y); break;
  case Kind::Max: z = arith::MaxSIOp::create(builder, loc, x, y); break;
  case Kind::FloorDiv:
    z = xPositive ? Value(arith::DivSIOp::create(builder, loc, x, y))
                  : Value(arith::FloorDivSIOp::create(builder, loc, x, y));
    break;
  case Kind::Opaque: break;
  }
  atom(z, nonNegative);
  Atom &created = atoms.back();
  created.kind = kind;
  created.lhs = a;
  created.rhs = b;
  return result = z;
}

bool Sizes::isNonNegative(const Polynomial &p) const {
  return llvm::all_of(p, [&](auto &term) {
    return term.second >= 0 && llvm::all_of(term.first, [&](unsigned number) { return atoms[number].nonNegative; });
  });
}

bool Sizes::equal(OpFoldResult a, OpFoldResult b) { return polynomial(a) == polynomial(b); }

bool Sizes::different(OpFoldResult a, OpFoldResult b) {
  OpFoldResult one = constant(1);
  return lessEqual(add(a, one), b) || lessEqual(add(b, one), a);
}

bool Sizes::lessEqual(OpFoldResult a, OpFoldResult b) {
  Polynomial pa = polynomial(a), pb = polynomial(b);
  if (isNonNegative(combine(pb, pa, -1)))
    return true;
  // min(x, y) <= x and <= y; x and y <= max(x, y).
  auto bound = [&](const Polynomial &p, Kind kind) -> const Atom * {
    if (p.size() != 1 || p.begin()->first.size() != 1 || p.begin()->second != 1)
      return nullptr;
    const Atom &atom = atoms[p.begin()->first.front()];
    return atom.kind == kind ? &atom : nullptr;
  };
  if (const Atom *atom = bound(pa, Kind::Min))
    if (isNonNegative(combine(pb, atom->lhs, -1)) || isNonNegative(combine(pb, atom->rhs, -1)))
      return true;
  if (const Atom *atom = bound(pb, Kind::Max))
    return isNonNegative(combine(atom->lhs, pa, -1)) || isNonNegative(combine(atom->rhs, pa, -1));
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
  if (lessEqual(add(a, constant(1)), b))
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
