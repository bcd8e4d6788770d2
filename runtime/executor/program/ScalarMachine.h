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

#include "heddle/contract/Scalars.h"
#include "runtime/executor/program/Program.h"

#include <optional>
#include <type_traits>

namespace heddle {

using contract::computeScalar;
using contract::divide;
using contract::isArithmetic;
using contract::isDivision;
using contract::isScalar;
using contract::wrapScalar;

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
