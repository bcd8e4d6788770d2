// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/program/ScalarMachine.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::test {
namespace {

using contract::Opcode;
using Known = std::optional<int64_t>;

constexpr Opcode kArithmetic[] = {Opcode::Add,       Opcode::Sub,      Opcode::Mul,   Opcode::DivS,  Opcode::RemS,
                                  Opcode::FloorDivS, Opcode::CeilDivS, Opcode::MinS,  Opcode::MaxS,  Opcode::And,
                                  Opcode::Or,        Opcode::Xor,      Opcode::CmpEq, Opcode::CmpNe, Opcode::CmpLt,
                                  Opcode::CmpLe,     Opcode::MulSize};

BinaryOp binary(Opcode opcode, uint32_t to, uint32_t lhs, uint32_t rhs) {
  return {{static_cast<uint16_t>(opcode), sizeof(BinaryOp) / 8, to}, lhs, rhs};
}

int64_t compute(Opcode opcode, int64_t a, int64_t b) {
  int64_t registers[] = {a, b, 77};
  EXPECT_TRUE(ScalarMachine<int64_t>(registers).step(binary(opcode, 2, 0, 1).head));
  return registers[2];
}

TEST(ScalarMachine, Computes) {
  EXPECT_EQ(compute(Opcode::Add, INT64_MAX, 1), INT64_MIN);
  EXPECT_EQ(compute(Opcode::Sub, INT64_MIN, 1), INT64_MAX);
  EXPECT_EQ(compute(Opcode::Mul, INT64_MAX, 2), -2);
  EXPECT_EQ(compute(Opcode::MulSize, INT64_MAX, 2), -1);
  EXPECT_EQ(compute(Opcode::MulSize, 6, -7), -1);
  EXPECT_EQ(compute(Opcode::MulSize, 6, 7), 42);
  EXPECT_EQ(compute(Opcode::DivS, -7, 2), -3);
  EXPECT_EQ(compute(Opcode::RemS, -7, 2), -1);
  EXPECT_EQ(compute(Opcode::FloorDivS, -7, 2), -4);
  EXPECT_EQ(compute(Opcode::CeilDivS, 7, 2), 4);
  EXPECT_EQ(compute(Opcode::CeilDivS, -7, 2), -3);
  EXPECT_EQ(compute(Opcode::DivS, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(compute(Opcode::RemS, INT64_MIN, -1), 0);
  EXPECT_EQ(compute(Opcode::MinS, -1, 1), -1);
  EXPECT_EQ(compute(Opcode::MaxS, -1, 1), 1);
  EXPECT_EQ(compute(Opcode::CmpLt, -1, 1), 1);
  EXPECT_EQ(compute(Opcode::CmpLe, 2, 1), 0);
}

TEST(ScalarMachine, DividesByZeroAndWritesNothing) {
  for (Opcode opcode : {Opcode::DivS, Opcode::RemS, Opcode::FloorDivS, Opcode::CeilDivS}) {
    int64_t registers[] = {5, 0, 77};
    EXPECT_FALSE(ScalarMachine<int64_t>(registers).step(binary(opcode, 2, 0, 1).head));
    EXPECT_EQ(registers[2], 77);
    Known known[] = {5, 0, 77};
    EXPECT_TRUE(ScalarMachine<Known>(known).step(binary(opcode, 2, 0, 1).head));
    EXPECT_EQ(known[2], std::nullopt);
  }
}

TEST(ScalarMachine, MovesConstantsAndSelects) {
  int64_t registers[] = {0, 10, 20, 77};
  ScalarMachine<int64_t> machine(registers);
  SelectOp select{{static_cast<uint16_t>(Opcode::Select), sizeof(SelectOp) / 8, 3}, 0, 1, 2, 0};
  EXPECT_TRUE(machine.step(select.head));
  EXPECT_EQ(registers[3], 20);
  ConstOp constant{{static_cast<uint16_t>(Opcode::Const), sizeof(ConstOp) / 8, 0}, -4};
  EXPECT_TRUE(machine.step(constant.head));
  EXPECT_TRUE(machine.step(select.head));
  EXPECT_EQ(registers[3], 10);
  EXPECT_TRUE(machine.step(binary(Opcode::Move, 3, 0, 0).head));
  EXPECT_EQ(registers[3], -4);
}

TEST(ScalarMachine, WhatIsUnknownSpreads) {
  for (Opcode opcode : kArithmetic)
    for (bool left : {false, true}) {
      Known known[] = {left ? Known() : Known(3), left ? Known(3) : Known(), 77};
      EXPECT_TRUE(ScalarMachine<Known>(known).step(binary(opcode, 2, 0, 1).head));
      EXPECT_EQ(known[2], std::nullopt) << static_cast<int>(opcode);
    }
  // Of a selection only what is taken has to be known, and which it is.
  Known known[] = {1, 10, std::nullopt, std::nullopt};
  ScalarMachine<Known> machine(known);
  EXPECT_EQ(machine.value(Opcode::Select, 0, 1, 2), 10);
  EXPECT_EQ(machine.value(Opcode::Select, 0, 2, 1), std::nullopt);
  EXPECT_EQ(machine.value(Opcode::Select, 3, 1, 1), std::nullopt);
  EXPECT_EQ(machine.value(Opcode::Move, 3), std::nullopt);
}

// An abstract run of known values is a run.
TEST(ScalarMachine, AbstractRunsAgree) {
  unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr int64_t kEdges[] = {0, 1, -1, 2, INT64_MIN, INT64_MAX, int64_t{1} << 32};
  auto number = [&] { return random() % 2 ? kEdges[random() % std::size(kEdges)] : static_cast<int64_t>(random()); };
  for (int round = 0; round < 2000; ++round) {
    int64_t registers[] = {number(), number(), 77};
    Known known[] = {registers[0], registers[1], 77};
    BinaryOp op = binary(kArithmetic[random() % std::size(kArithmetic)], 2, 0, 1);
    bool done = ScalarMachine<int64_t>(registers).step(op.head);
    EXPECT_TRUE(ScalarMachine<Known>(known).step(op.head));
    EXPECT_EQ(known[2], done ? Known(registers[2]) : Known());
  }
}

} // namespace
} // namespace heddle::test
