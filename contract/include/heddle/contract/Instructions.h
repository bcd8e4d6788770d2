// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opcodes and operand strings of the host program's instructions; see Instructions.def.
#ifndef HEDDLE_CONTRACT_INSTRUCTIONS_H
#define HEDDLE_CONTRACT_INSTRUCTIONS_H

#include <cstdint>

namespace heddle::contract {

enum class Opcode : uint16_t {
#define HEDDLE_INSTRUCTION(Name, mnemonic, operands) Name,
#include "heddle/contract/Instructions.def"
};

struct InstructionInfo {
  const char *mnemonic;
  const char *operands;
};

inline constexpr InstructionInfo kInstructions[] = {
#define HEDDLE_INSTRUCTION(Name, mnemonic, operands) {mnemonic, operands},
#include "heddle/contract/Instructions.def"
};
inline constexpr uint16_t kOpcodes = sizeof(kInstructions) / sizeof(kInstructions[0]);

// Ranks meet in it.
constexpr bool isCollective(Opcode opcode) { return opcode == Opcode::Collective || opcode == Opcode::CollectiveCut; }
constexpr const InstructionInfo &info(Opcode opcode) { return kInstructions[static_cast<uint16_t>(opcode)]; }

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_INSTRUCTIONS_H
