// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host programs as they stand in an artifact (contract/Instructions.def), decoded for people.
#ifndef HEDDLE_TOOLS_LIB_DISASSEMBLER_H
#define HEDDLE_TOOLS_LIB_DISASSEMBLER_H

#include "heddle/contract/Instructions.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace heddle::tools {

// One operand: its letter in Instructions.def and its value. The second word of an `o` has the letter 'O'; the
// elements of a list stand one after another.
struct HostOperand {
  char kind;
  int64_t value;
};

struct HostInstruction {
  uint32_t offset; // word in the function's code
  contract::Opcode opcode;
  std::vector<HostOperand> operands;

  std::string_view mnemonic() const { return contract::info(opcode).mnemonic; }
  // Of the first operand with this letter; -1 when there is none.
  int64_t operand(char kind) const;
};

// All instructions in order. Throws Failure for words that are no program, naming the word: an artifact that the
// runtime has opened never fails here.
std::vector<HostInstruction> disassemble(std::span<const uint32_t> code);

// When a value becomes known (design.md §3): while compiling, when devices are chosen, at the call, or from data.
enum class BindingTime : uint8_t { Compile, Bind, Call, Data };
std::string_view spelling(BindingTime time);

// One per instruction: the latest of the scalars that it reads or writes; Compile when it has none. `symbols`: that
// many scalar registers hold dimension sizes at entry. An upper bound: a register written at several places counts as
// the latest of them and of the branches before the last.
std::vector<BindingTime> bindingTimes(std::span<const HostInstruction> program, uint32_t symbols);

// The device (index into Module.devices) on which an instruction acts: its device operand, or that of its stream; the
// call's own stream belongs to device 0. -1: it acts on none, or the stream register holds streams of several.
std::vector<int64_t> instructionDevices(std::span<const HostInstruction> program);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_DISASSEMBLER_H
