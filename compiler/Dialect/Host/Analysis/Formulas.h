// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inequalities between formulas of index values: sums of products of values, of min and max, and of quotients by what
// is positive. They prove that slices of different iterations of a loop are apart, whatever the sizes.
//
// What is known of a value: a dimension's symbol, a place of a plan and what a device answers are not negative; the
// index of a loop lies between its bounds, and where there is one there is a trip. A value that a loop defines may be
// asked about in two iterations, which are its two instances; nothing relates them but what the caller says.
//
// A proof goes by monotony: a formula that only grows with a value is smallest where the value is. Of a minimum each
// operand is a bound, a quotient is bounded by the fraction. What is found so is true for all values; what is not found
// may be true too. MLIR's ValueBounds take products of two values for one unknown, so they do not serve here.
//
//   Formulas formulas;
//   Polynomial now = formulas.of(offset, loop, Instance::Later), before = formulas.of(end, loop, Instance::Earlier);
//   formulas.order(loop.getInductionVar(), step);
//   bool apart = formulas.isNonNegative(now - before);
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_FORMULAS_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_FORMULAS_H

#include "compiler/Dialect/Host/Analysis/Polynomial.h"

#include <optional>
#include <set>

namespace mlir::heddle::host {

// Of a value inside of a loop: in an iteration, or in a later one. Values outside have one instance only.
enum class Instance { Earlier, Later };

class Formulas {
public:
  // A polynomial of values as one of terms: looks through min, max and division. Values that `loop`, which may be null,
  // defines are those of an instance.
  Polynomial of(const Polynomial &values, Operation *loop, Instance instance);
  Polynomial of(Value value, Operation *loop, Instance instance);

  // From here on the later instance of `value` is known to be at least the earlier one plus `step`, or, `isDown`, at
  // most the earlier one minus it; nothing else is known of two instances any more.
  void order(Value value, const Polynomial &step, bool isDown = false);
  // A size: it is not negative, so a single term of it is not.
  void assumeNonNegative(const Polynomial &terms);

  // Whether no values make it negative.
  bool isNonNegative(const Polynomial &terms);
  // Where a quotient of `now` and one of `before`, of one divisor, have dividends that are a divisor apart at most,
  // they are equal or one apart: whether `holds` for `now` in both cases. False where there is no such pair.
  bool holdsInTurns(const Polynomial &before, const Polynomial &now,
                    llvm::function_ref<bool(const Polynomial &)> holds);
  // Whether a term is a value of which there are two instances.
  bool isVariable(void *term) const { return node(term).kind == Kind::Value && node(term).loop; }
  // The part of a polynomial in which no value has an instance.
  Polynomial fixedPart(const Polynomial &terms) const;
  // The smaller of two; the same with other terms for a value, which has one instance.
  Polynomial smaller(const Polynomial &a, const Polynomial &b) { return choice(Kind::Min, a, b); }
  Polynomial with(const Polynomial &terms, Value value, const Polynomial &other);

private:
  using Term = unsigned; // by number, so that no proof depends on addresses
  enum class Kind { Value, Min, Max, FloorDiv };
  enum class Direction { Constant, Up, Down, Unknown };
  struct Node {
    Kind kind;
    void *value = nullptr;     // of a value
    Operation *loop = nullptr; // that has instances of it
    Instance instance = Instance::Earlier;
    Polynomial left, right = {}; // of the others: operands
    auto key() const { return std::tie(kind, value, instance, loop, left.getTerms(), right.getTerms()); }
    bool operator<(const Node &other) const { return key() < other.key(); }
  };
  struct Bounds {
    std::optional<Polynomial> low, high;
  };

  Polynomial term(Node node);
  Polynomial variable(Value value, Operation *loop, Instance instance);
  Polynomial choice(Kind kind, const Polynomial &a, const Polynomial &b);
  Polynomial quotient(const Polynomial &a, const Polynomial &b);
  const Node &node(void *term) const { return *nodes[reinterpret_cast<uintptr_t>(term) - 1]; }
  bool isFixed(void *term) const;

  Bounds naturalBounds(const Node &known);
  Bounds boundsOf(void *term);
  bool isNonNegativeTerm(void *term);
  bool hasSign(const Polynomial &terms, int sign);
  bool isFact(const Polynomial &terms);
  Polynomial replace(const Polynomial &terms, void *old, const Polynomial &with);
  Polynomial replaceInside(void *term, void *old, const Polynomial &with);
  bool prove(const Polynomial &terms);
  Direction directionOf(void *term, void *variable);
  Direction directionOf(const Polynomial &terms, void *variable);
  bool proveByValue(const Polynomial &terms, void *value);
  bool proveByOperands(const Polynomial &terms, void *term);
  bool proveByDistance(const Polynomial &terms, void *last, void *first);

  std::vector<const Node *> nodes;
  std::map<Node, Term> numbers;
  std::set<void *> nonNegative, assumed; // terms
  std::vector<Polynomial> facts;         // that are not negative
  struct Order {
    void *value;
    Polynomial step;
    bool isDown;
  };
  std::optional<Order> ordered;
  unsigned depth = 0, steps = 0;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_FORMULAS_H
