// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Polynomial.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <iterator>

using namespace mlir;
using namespace mlir::heddle::host;

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

Polynomial Polynomial::ofMonomial(Monomial monomial, int64_t coefficient) {
  std::sort(monomial.begin(), monomial.end());
  Polynomial made;
  made.add(monomial, coefficient);
  return made;
}

std::pair<Polynomial, Polynomial> Polynomial::divide(const Polynomial &divisor) const {
  if (divisor.terms.size() != 1)
    return {Polynomial(), *this};
  auto &[unit, factor] = *divisor.terms.begin();
  if (factor <= 0)
    return {Polynomial(), *this};
  Polynomial quotient, rest;
  for (auto &[monomial, coefficient] : terms) {
    if (coefficient % factor != 0 || !std::includes(monomial.begin(), monomial.end(), unit.begin(), unit.end())) {
      rest.add(monomial, coefficient);
      continue;
    }
    Monomial left;
    std::set_difference(monomial.begin(), monomial.end(), unit.begin(), unit.end(), std::back_inserter(left));
    quotient.add(left, coefficient / factor);
  }
  return {quotient, rest};
}
