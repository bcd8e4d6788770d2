// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host programs as text: one instruction per line, operands in the order of Instructions.def.
//
//   s3 scalar   b1 buffer   t0 stream   e2 event register      x0 device   p0 parameter   q0 plan   r0 result   m0
//   message   n0 bound value   y0 layout   g0 mesh   j0 collective   42 constant or immediate
//   1.0 export 0 of executable 1     @loop label
//   [b0 b1] list     # comment
//
//         const s0 100
//   @loop dispatch t0 0.0 s1 s2 [b0 b1] []
//         sub s0 s0 s1
//         br_if s0 @loop @done
//   @done return
//
// For tests and for `heddle inspect`; the compiler writes words directly.
#ifndef HEDDLE_CONTRACT_ASSEMBLER_H
#define HEDDLE_CONTRACT_ASSEMBLER_H

#include "heddle/contract/InstructionReader.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::contract {

// Builds the words of one instruction after another.
//
//   InstructionWriter writer(code);
//   writer.begin(Opcode::Const); writer.word(3); writer.constant(100); writer.end();
class InstructionWriter {
public:
  explicit InstructionWriter(std::vector<uint32_t> &code) : code_(code) {}
  void begin(Opcode opcode);
  void word(uint32_t value) { code_.push_back(value); }
  void constant(int64_t value);
  void list(std::span<const uint32_t> registers);
  // False when the instruction has more words than its count can hold.
  bool end();

private:
  std::vector<uint32_t> &code_;
  size_t start_ = 0;
};

// Appends the program's words to `code`; on failure says what is wrong with which line, else "".
std::string assemble(std::string_view text, std::vector<uint32_t> &code);

// The inverse, for code that the verifier accepted. Labels are @ and the word offset.
std::string disassemble(std::span<const uint32_t> code);
// One instruction's operands as text, as in disassemble(): "t0 0.0 s1 s2 [b0 b1] []".
std::string disassembleOperands(std::span<const uint32_t> instruction);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_ASSEMBLER_H
