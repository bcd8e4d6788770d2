// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scalar instructions compute: one arithmetic for the interpreter, for folding and for what runs ahead of a
// call. Wraps in two's complement, but for products of sizes, which are -1 where they have no value.
//
// A machine works on registers that somebody else owns, and is as cheap as a pointer. Its values are numbers (int64_t),
// or what is known of numbers (std::optional<int64_t>): then it is an abstract run, in which all that depends on an
// unknown value, or divides by zero, is unknown.
//
//   ScalarMachine<int64_t>(frame.scalars.data()).step(head);              // false: it divides by zero
//   ScalarMachine<std::optional<int64_t>>(known.data()).value(Opcode::Add, 1, 2);
#ifndef HEDDLE_RUNTIME_EXECUTOR_PROGRAM_SCALARMACHINE_H
#define HEDDLE_RUNTIME_EXECUTOR_PROGRAM_SCALARMACHINE_H

#include "runtime/executor/program/Program.h"

#include <algorithm>
#include <optional>
#include <type_traits>

namespace heddle {

constexpr int64_t wrapScalar(uint64_t value) { return static_cast<int64_t>(value); }

// The divisions: what has no value for a divisor of zero.
constexpr bool isDivision(contract::Opcode opcode) {
  using contract::Opcode;
  return opcode == Opcode::DivS || opcode == Opcode::RemS || opcode == Opcode::FloorDivS || opcode == Opcode::CeilDivS;
}

// Instructions of two operands, divisions too.
constexpr bool isArithmetic(contract::Opcode opcode) {
  using contract::Opcode;
  return (opcode >= Opcode::Add && opcode <= Opcode::CmpLe) || opcode == Opcode::MulSize;
}

// What a machine runs: instructions that read scalars, or nothing, and write one.
constexpr bool isScalar(contract::Opcode opcode) {
  using contract::Opcode;
  return opcode == Opcode::Const || opcode == Opcode::Move || opcode == Opcode::Select || isArithmetic(opcode);
}

// Of sizes; -1 where one is negative or the product has more than 63 bits.
inline int64_t multiplySizes(int64_t a, int64_t b) {
  int64_t product = 0;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

// Arithmetic, divisions apart.
inline int64_t computeScalar(contract::Opcode opcode, int64_t a, int64_t b) {
  using contract::Opcode;
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
inline std::optional<int64_t> divide(contract::Opcode opcode, int64_t a, int64_t b) {
  using contract::Opcode;
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

template <typename Value> class ScalarMachine {
  static constexpr bool kAbstract = std::is_same_v<std::remove_const_t<Value>, std::optional<int64_t>>;
  static_assert(kAbstract || std::is_same_v<Value, int64_t>);

public:
  // Borrows the registers.
  explicit ScalarMachine(Value *registers) : registers_(registers) {}

  // What an instruction of scalar operands (isScalar() but Const) computes: of registers `a`, `b` and `c` in the order
  // of Instructions.def, as many as it has. Nullopt: it divides by zero, or it is not known. Writes nothing.
  std::optional<int64_t> value(contract::Opcode opcode, uint32_t a, uint32_t b = 0, uint32_t c = 0) const {
    std::optional<int64_t> x = registers_[a];
    if (opcode == contract::Opcode::Move)
      return x;
    if (opcode == contract::Opcode::Select)
      return x ? std::optional<int64_t>(registers_[*x ? b : c]) : std::nullopt;
    std::optional<int64_t> y = registers_[b];
    if (!x || !y)
      return std::nullopt;
    return isDivision(opcode) ? divide(opcode, *x, *y) : computeScalar(opcode, *x, *y);
  }

  // Runs a decoded instruction (isScalar()). False, which only numbers give: it divides by zero, and wrote nothing.
  bool step(const Head &head) {
    auto opcode = static_cast<contract::Opcode>(head.opcode);
    if (opcode == contract::Opcode::Const) {
      registers_[head.first] = as<ConstOp>(head).value;
      return true;
    }
    const BinaryOp &op = as<BinaryOp>(head); // a SelectOp begins alike: condition, yes
    uint32_t third = opcode == contract::Opcode::Select ? as<SelectOp>(head).no : 0;
    std::optional<int64_t> computed = value(opcode, op.lhs, op.rhs, third);
    if constexpr (kAbstract)
      registers_[head.first] = computed;
    else if (computed)
      registers_[head.first] = *computed;
    return kAbstract || computed.has_value();
  }

private:
  Value *registers_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_PROGRAM_SCALARMACHINE_H
