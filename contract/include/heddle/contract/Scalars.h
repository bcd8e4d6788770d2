// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scalar instructions compute: one arithmetic for the executor and for the check of programs. Wraps in two's
// complement, but for products of sizes, which are -1 where they have no value. Pure; any thread.
//
//   computeScalar(Opcode::Add, 2, 3) == 5;   divide(Opcode::DivS, 1, 0) == std::nullopt
#ifndef HEDDLE_CONTRACT_SCALARS_H
#define HEDDLE_CONTRACT_SCALARS_H

#include "heddle/contract/Instructions.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace heddle::contract {

constexpr int64_t wrapScalar(uint64_t value) { return static_cast<int64_t>(value); }

// The divisions: what has no value for a divisor of zero.
constexpr bool isDivision(Opcode opcode) {
  return opcode == Opcode::DivS || opcode == Opcode::RemS || opcode == Opcode::FloorDivS || opcode == Opcode::CeilDivS;
}

// Instructions of two operands, divisions too.
constexpr bool isArithmetic(Opcode opcode) {
  return (opcode >= Opcode::Add && opcode <= Opcode::CmpLe) || opcode == Opcode::MulSize;
}

// What a machine runs: instructions that read scalars, or nothing, and write one.
constexpr bool isScalar(Opcode opcode) {
  return opcode == Opcode::Const || opcode == Opcode::Move || opcode == Opcode::Select || isArithmetic(opcode);
}

// Of sizes; -1 where one is negative or the product has more than 63 bits.
inline int64_t multiplySizes(int64_t a, int64_t b) {
  int64_t product = 0;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

// Arithmetic, divisions apart.
inline int64_t computeScalar(Opcode opcode, int64_t a, int64_t b) {
  auto u = [](int64_t value) { return static_cast<uint64_t>(value); };
  switch (opcode) {
  case Opcode::Add: return wrapScalar(u(a) + u(b));
  case Opcode::Sub: return wrapScalar(u(a) - u(b));
  case Opcode::Mul: return wrapScalar(u(a) * u(b));
  case Opcode::MulSize: return multiplySizes(a, b);
  case Opcode::MinS: return std::min(a, b);
  case Opcode::MaxS: return std::max(a, b);
  case Opcode::And: return a & b;
  case Opcode::Or: return a | b;
  case Opcode::Xor: return a ^ b;
  case Opcode::CmpEq: return a == b;
  case Opcode::CmpNe: return a != b;
  case Opcode::CmpLt: return a < b;
  default: return a <= b; // CmpLe
  }
}

// nullopt: division by zero.
inline std::optional<int64_t> divide(Opcode opcode, int64_t a, int64_t b) {
  if (b == 0)
    return std::nullopt;
  if (b == -1) // INT64_MIN / -1 wraps
    return opcode == Opcode::RemS ? 0 : wrapScalar(0 - static_cast<uint64_t>(a));
  int64_t quotient = a / b, remainder = a % b;
  bool negative = (a < 0) != (b < 0);
  if (opcode == Opcode::RemS)
    return remainder;
  return quotient - (opcode == Opcode::FloorDivS && remainder && negative) +
         (opcode == Opcode::CeilDivS && remainder && !negative);
}

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_SCALARS_H
