// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on sizes that knows when two of them are the same.
//
// A size is an OpFoldResult: an IntegerAttr of index type, or an index value. Sizes are kept as polynomials with
// integer coefficients over atoms (named dimensions, minima, quotients …), so equal expressions are one SSA value and
// `(2 * batch * 3) / 6` is `batch`. Values are emitted with arith at the builder's insertion point, which must stay in
// one block: a value made once is used again later. For another block, save and restore.
//
//   Sizes sizes(builder);
//   OpFoldResult batch = sizes.atom(dimensionValue);
//   OpFoldResult n = sizes.mul(batch, sizes.constant(4));
//   sizes.equal(sizes.floorDiv(n, sizes.constant(2)), sizes.add(batch, batch)) == true
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_SIZES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_SIZES_H

#include "heddle/contract/ArtifactVerifier.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include <map>
#include <optional>
#include <vector>

namespace mlir::heddle::importer {

// What is known of the values made so far.
struct SizeTables {
  using Monomial = std::vector<unsigned>;         // atom numbers, ascending; the empty one is 1
  using Polynomial = std::map<Monomial, int64_t>; // no zero coefficients
  enum class Kind { Opaque, Min, Max, FloorDiv, Product, Equal, Less, Wrap };
  struct Range {
    int64_t least = INT64_MIN, most = INT64_MAX;
  };
  struct Atom {
    Value value;
    Range range;
    bool isExtent; // made of sizes of tensors only: sums and products of them do not overflow
    Kind kind = Kind::Opaque;
    Polynomial lhs = {}, rhs = {};
  };

  std::vector<Atom> atoms;
  DenseMap<Value, Polynomial> known;
  std::map<Polynomial, Value> values;
  std::map<std::tuple<Kind, Polynomial, Polynomial>, OpFoldResult> made;
  std::map<unsigned, Polynomial> assumed; // what stands for an atom
};

class Sizes : private SizeTables {
public:
  using SizeTables::Range;
  // No machine addresses more elements, and no call makes more iterations.
  static constexpr int64_t kMostElements = ::heddle::contract::kMostElements;

  explicit Sizes(OpBuilder &builder) : builder(builder) {}

  OpFoldResult constant(int64_t value) const { return builder.getIndexAttr(value); }
  // The size of a tensor, of which nothing more is known; or an index value that can be negative.
  OpFoldResult atom(Value value, bool nonNegative = true);
  // An integer that data or the program's arithmetic make.
  OpFoldResult integer(Value value, Range range);
  // Of the integers of an element type that is at most 64 bits wide.
  static Range rangeOf(Type type);
  // There is a tensor of this size: where it is a minimum or maximum, what it is computed from is data no more.
  void markExtent(OpFoldResult size);

  // Wrap silently on overflow of 64 bits, like the arithmetic they stand for.
  OpFoldResult add(OpFoldResult a, OpFoldResult b);
  OpFoldResult sub(OpFoldResult a, OpFoldResult b);
  OpFoldResult mul(OpFoldResult a, OpFoldResult b);
  OpFoldResult product(ArrayRef<OpFoldResult> factors);
  // Rounds down; `b` must be positive where a call passes. A quotient by a constant 0 is 0.
  OpFoldResult floorDiv(OpFoldResult a, OpFoldResult b);
  OpFoldResult ceilDiv(OpFoldResult a, OpFoldResult b);
  OpFoldResult min(OpFoldResult a, OpFoldResult b);
  OpFoldResult max(OpFoldResult a, OpFoldResult b);
  // What is left of it in a signed integer of `width` bits.
  OpFoldResult wrap(OpFoldResult a, unsigned width);

  // What can be proved; false: not proved.
  bool equal(OpFoldResult a, OpFoldResult b);
  bool different(OpFoldResult a, OpFoldResult b);
  bool lessEqual(OpFoldResult a, OpFoldResult b);
  bool isNonNegative(OpFoldResult a) { return lessEqual(constant(0), a); }
  // `b` is min(a, c) for a constant c of at least 2: it is 1 only where `a` is 1.
  bool isCapOf(OpFoldResult b, OpFoldResult a);

  // Bounds that can be proved.
  Range range(OpFoldResult a) { return range(polynomial(a)); }
  // Whether it is computed from sizes of tensors only.
  bool isExtent(OpFoldResult a) { return isExtent(polynomial(a)); }

  // The quotient if `b` divides `a` term by term.
  std::optional<OpFoldResult> exactDiv(OpFoldResult a, OpFoldResult b);

  // The index value; a constant becomes an arith.constant.
  Value value(OpFoldResult size);

  //===--- Conditions and branches ---===//
  // 1 where it holds, else 0.
  OpFoldResult isEqual(OpFoldResult a, OpFoldResult b);
  OpFoldResult isLess(OpFoldResult a, OpFoldResult b);
  // From here on, `condition` (0 or 1, a size) is `holds`. Equations that follow simplify what is asked later.
  void assume(OpFoldResult condition, bool holds);
  // The size in its simplest form: a constant where assumptions make it one.
  OpFoldResult simplify(OpFoldResult size) { return emit(polynomial(size)); }
  // A region has its own values: `save` on entry, `restore` on leaving.
  SizeTables save() const { return *this; }
  void restore(SizeTables tables) { static_cast<SizeTables &>(*this) = std::move(tables); }
  // What `size`, made in a region with these tables since left, is here; nothing if it takes values of the region.
  std::optional<OpFoldResult> transfer(const SizeTables &region, OpFoldResult size);

private:
  Polynomial polynomial(OpFoldResult size);
  OpFoldResult emit(const Polynomial &p);
  Value emitTerm(const Monomial &monomial, int64_t coefficient);
  OpFoldResult makeAtom(Kind kind, const Polynomial &a, const Polynomial &b);
  OpFoldResult addAtom(Value value, Atom atom);
  Value emitAtom(Kind kind, const Polynomial &a, const Polynomial &b);
  bool isNonNegative(const Polynomial &p) const;
  bool isExtent(const Polynomial &p) const;
  Range range(const Polynomial &p) const;
  Range atomRange(Kind kind, const Polynomial &a, const Polynomial &b) const;
  static Polynomial combine(const Polynomial &a, const Polynomial &b, int64_t factor);
  static Polynomial multiply(const Polynomial &a, const Polynomial &b);
  static std::optional<Polynomial> divide(const Polynomial &a, const Polynomial &b);
  static std::optional<int64_t> asConstant(const Polynomial &p);

  Polynomial substitute(const Polynomial &p) const;
  void assumeZero(const Polynomial &p);

  OpBuilder &builder;
};

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_SIZES_H
