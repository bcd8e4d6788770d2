// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products of index values, or of terms that somebody else numbers, with constant coefficients: equal formulas
// cancel.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_POLYNOMIAL_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_POLYNOMIAL_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

#include <map>
#include <optional>
#include <vector>

namespace mlir::heddle::host {

class Polynomial {
public:
  using Monomial = std::vector<void *>; // values as opaque pointers, sorted; empty: the constant term

  Polynomial() = default;
  explicit Polynomial(int64_t constant);
  // Looks through constants, additions, subtractions and multiplications.
  static Polynomial of(Value value);
  // The term itself; a monomial times a number.
  static Polynomial ofTerm(void *term) { return ofMonomial({term}, 1); }
  static Polynomial ofMonomial(Monomial monomial, int64_t coefficient);

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  bool operator==(const Polynomial &other) const { return terms == other.terms; }

  std::optional<int64_t> getConstant() const;
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }
  // Whether a value that `op`'s regions define occurs.
  bool mentionsInside(Operation *op) const;
  // The polynomials q and r with this = q * divisor + r, where r has no monomial that the divisor divides. Of a divisor
  // that is no monomial with a positive factor q is 0.
  std::pair<Polynomial, Polynomial> divide(const Polynomial &divisor) const;

private:
  void add(const Monomial &monomial, int64_t coefficient);
  std::map<Monomial, int64_t> terms; // no zero coefficients
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_POLYNOMIAL_H
