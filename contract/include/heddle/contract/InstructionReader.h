// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks the operands of an instruction by its operand string (Instructions.def). The one place that knows how operands
// lie in words: the verifier, the loader, the disassembler and the assembler's tests all read through it.
//
//   for (size_t at = 0; at < code.size(); at += instructionWords(code[at]))
//     readOperands(code.subspan(at), [](const Operand &o) { …; return true; });
#ifndef HEDDLE_CONTRACT_INSTRUCTIONREADER_H
#define HEDDLE_CONTRACT_INSTRUCTIONREADER_H

#include "heddle/contract/Instructions.h"

#include <cstddef>
#include <span>

namespace heddle::contract {

constexpr uint16_t opcodeOf(uint32_t word) { return static_cast<uint16_t>(word & 0xffff); }
constexpr uint32_t instructionWords(uint32_t word) { return word >> 16; }
// The largest instruction, in words: the count has 16 bits.
inline constexpr size_t kMaxInstructionWords = 0xffff;

struct Operand {
  char kind = 0;                    // the letter of the operand string
  bool list = false;                // "s*": `values` counts, else `value`
  uint32_t value = 0;               // register, index, label, immediate; executable index for 'o'
  uint32_t exported = 0;            // export index for 'o'
  int64_t constant = 0;             // for 'k'
  std::span<const uint32_t> values; // for lists
};

enum class ReadResult { Ok, TooShort, TooLong, Stopped };

// Calls `visit(const Operand &) -> bool` for each operand of the instruction at `words[0]`, in order; stops when it
// says false. `words` may go beyond the instruction. The opcode must be known.
template <typename Visitor> ReadResult readOperands(std::span<const uint32_t> words, Visitor &&visit) {
  if (words.empty() || instructionWords(words[0]) == 0 || instructionWords(words[0]) > words.size())
    return ReadResult::TooShort;
  std::span<const uint32_t> rest = words.first(instructionWords(words[0])).subspan(1);
  for (const char *c = kInstructions[opcodeOf(words[0])].operands; *c; ++c) {
    Operand operand;
    operand.kind = *c;
    operand.list = c[1] == '*';
    size_t needed = *c == 'k' || *c == 'o' ? 2 : 1;
    if (rest.size() < needed)
      return ReadResult::TooShort;
    if (operand.list) {
      ++c;
      if (rest[0] > rest.size() - 1)
        return ReadResult::TooShort;
      operand.values = rest.subspan(1, rest[0]);
      needed += rest[0];
    } else {
      operand.value = rest[0];
      if (operand.kind == 'o')
        operand.exported = rest[1];
      if (operand.kind == 'k')
        operand.constant = static_cast<int64_t>(rest[0] | static_cast<uint64_t>(rest[1]) << 32);
    }
    rest = rest.subspan(needed);
    if (!visit(static_cast<const Operand &>(operand)))
      return ReadResult::Stopped;
  }
  return rest.empty() ? ReadResult::Ok : ReadResult::TooLong;
}

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_INSTRUCTIONREADER_H
