// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Disassembler.h"

#include "tools/lib/Error.h"
#include "tools/lib/test/Expect.h"

namespace heddle::tools {
namespace {

using contract::Opcode;
using test::messageOf;

// Appends an instruction with its length.
void emit(std::vector<uint32_t> &code, Opcode opcode, std::vector<uint32_t> operands) {
  code.push_back(static_cast<uint32_t>(opcode) | static_cast<uint32_t>(operands.size() + 1) << 16);
  code.insert(code.end(), operands.begin(), operands.end());
}

std::string text(const HostInstruction &instruction) {
  std::string out(instruction.mnemonic());
  for (HostOperand operand : instruction.operands)
    out += std::string(" ") + operand.kind + std::to_string(operand.value);
  return out;
}

TEST(Disassembler, Operands) {
  std::vector<uint32_t> code;
  emit(code, Opcode::Const, {3, 0xffffffff, 0xffffffff});
  emit(code, Opcode::Dispatch, {0, 1, 2, 3, 4, 2, 5, 6, 1, 7});
  emit(code, Opcode::Plan, {9, 0, 1, 3, 2, 10, 11});
  emit(code, Opcode::Return, {});
  std::vector<HostInstruction> program = disassemble(code);
  ASSERT_EQ(program.size(), 4u);
  EXPECT_EQ(text(program[0]), "const d3 k-1");
  EXPECT_EQ(text(program[1]), "dispatch t0 o1 O2 s3 s4 b5 b6 s7");
  EXPECT_EQ(text(program[2]), "plan d9 q0 s3 d10 d11");
  EXPECT_EQ(text(program[3]), "return");
  EXPECT_EQ(program[1].offset, 4u);
  EXPECT_EQ(program[1].operand('O'), 2);
  EXPECT_EQ(program[1].operand('x'), -1);
}

TEST(Disassembler, Malformed) {
  auto refusal = [](std::vector<uint32_t> code) { return messageOf<Failure>([&] { disassemble(code); }); };
  const std::string it = "the host program is malformed: ";
  EXPECT_EQ(refusal({0}), it + "word 0 begins no instruction");
  EXPECT_EQ(refusal({0x0001ffff}), it + "word 0 begins no instruction");
  EXPECT_EQ(refusal({0x00040000, 1}), it + "word 0 begins no instruction");
  EXPECT_EQ(refusal({0x00020000, 1}), it + "the instruction at word 0 is too short for its operands");
  std::vector<uint32_t> long_, list;
  emit(long_, Opcode::Move, {1, 2, 3});
  EXPECT_EQ(refusal(long_), it + "the instruction at word 0 is longer than its operands");
  emit(list, Opcode::Plan, {9, 0, 0xffffffff, 3});
  EXPECT_EQ(refusal(list), it + "the instruction at word 0 is too short for its operands");
}

std::string times(const std::vector<uint32_t> &code, uint32_t symbols) {
  std::string out;
  for (BindingTime time : bindingTimes(disassemble(code), symbols))
    out += (out.empty() ? "" : " ") + std::string(spelling(time));
  return out;
}

TEST(BindingTimes, Straight) {
  std::vector<uint32_t> code;
  emit(code, Opcode::Const, {1, 4, 0});
  emit(code, Opcode::Mul, {2, 1, 1});
  emit(code, Opcode::Query, {3, 0, 0});
  emit(code, Opcode::Add, {4, 3, 1});
  emit(code, Opcode::Mul, {5, 0, 3}); // register 0 is a dimension
  emit(code, Opcode::Slab, {0, 0, 5});
  emit(code, Opcode::Read, {6, 0, 0, 1, 4});
  emit(code, Opcode::MaxS, {7, 6, 0});
  emit(code, Opcode::Return, {});
  EXPECT_EQ(times(code, 1), "compile compile bind bind call call data data compile");
}

TEST(BindingTimes, WhichBranchWasTaken) {
  std::vector<uint32_t> code;
  emit(code, Opcode::Const, {1, 1, 0});     // 0
  emit(code, Opcode::BranchIf, {0, 8, 13}); // 4
  emit(code, Opcode::Move, {2, 1});         // 8
  emit(code, Opcode::Branch, {16});         // 11
  emit(code, Opcode::Move, {2, 1});         // 13
  emit(code, Opcode::Add, {3, 2, 1});       // 16
  emit(code, Opcode::Return, {});
  EXPECT_EQ(times(code, 1), "compile call call compile call call compile");
  EXPECT_EQ(times(code, 0), "compile compile compile compile compile compile compile");
}

TEST(BindingTimes, Loops) {
  // s1 = 0; while (s1 < s2) s1 += s2; where s2 is read from a device inside the loop, after the first use
  std::vector<uint32_t> code;
  emit(code, Opcode::Const, {1, 0, 0});      // 0
  emit(code, Opcode::Const, {2, 1, 0});      // 4
  emit(code, Opcode::Add, {1, 1, 2});        // 8
  emit(code, Opcode::Read, {2, 0, 0, 1, 4}); // 12
  emit(code, Opcode::CmpLt, {3, 1, 2});      // 18
  emit(code, Opcode::BranchIf, {3, 8, 26});  // 22
  emit(code, Opcode::Return, {});            // 26
  EXPECT_EQ(times(code, 0), "data data data data data data compile");
}

TEST(InstructionDevices, OperandOrStream) {
  std::vector<uint32_t> code;
  emit(code, Opcode::Stream, {1, 2, 0});
  emit(code, Opcode::Record, {0, 1});
  emit(code, Opcode::Record, {1, 0});
  emit(code, Opcode::Slab, {0, 3, 0});
  emit(code, Opcode::Return, {});
  EXPECT_EQ(instructionDevices(disassemble(code)), (std::vector<int64_t>{2, 2, 0, 3, -1}));
}

} // namespace
} // namespace heddle::tools
