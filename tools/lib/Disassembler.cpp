// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Disassembler.h"

#include "heddle/contract/InstructionReader.h"
#include "tools/lib/Error.h"

#include <algorithm>
#include <map>
#include <string>

namespace heddle::tools {
namespace {

using contract::Opcode;

void append(const contract::Operand &operand, std::vector<HostOperand> &out) {
  if (operand.list) {
    for (uint32_t value : operand.values)
      out.push_back({operand.kind, value});
    return;
  }
  out.push_back({operand.kind, operand.kind == 'k' ? operand.constant : operand.value});
  if (operand.kind == 'o')
    out.push_back({'O', operand.exported});
}

BindingTime ownTime(Opcode opcode) {
  switch (opcode) {
  case Opcode::Alternative:
  case Opcode::Query:
  case Opcode::SameDevice:
  case Opcode::Coordinate:
  case Opcode::MeshSize:
  case Opcode::Member: return BindingTime::Bind;
  case Opcode::Read: return BindingTime::Data;
  default: return BindingTime::Compile;
  }
}

// The binding times of registers, to a fixed point.
class TimeAnalysis {
public:
  TimeAnalysis(std::span<const HostInstruction> program, uint32_t symbols) : program_(program) {
    for (uint32_t i = 0; i < symbols; ++i)
      times_[i] = BindingTime::Call;
    std::map<int64_t, int> writes;
    for (const HostInstruction &instruction : program)
      for (const HostOperand &operand : instruction.operands)
        if (operand.kind == 'd' && ++writes[operand.value] + (operand.value < symbols) > 1)
          lastWrite_[operand.value] = instruction.offset;
  }

  std::vector<BindingTime> run() {
    std::vector<BindingTime> out(program_.size(), BindingTime::Compile);
    for (bool changed = true; changed;) {
      changed = false;
      BindingTime branches = BindingTime::Compile; // of all conditions so far in program order
      std::vector<std::pair<uint32_t, BindingTime>> before;
      for (size_t i = 0; i < program_.size(); ++i) {
        BindingTime time = std::max(out[i], timeOf(program_[i]));
        changed |= time != out[i];
        out[i] = time;
        if (program_[i].opcode == Opcode::BranchIf)
          before.emplace_back(program_[i].offset, branches = std::max(branches, time));
      }
      changed |= joinBranches(before);
    }
    return out;
  }

private:
  BindingTime &of(int64_t reg) { return times_[reg]; }

  // Of an instruction; what it writes becomes as late.
  BindingTime timeOf(const HostInstruction &instruction) {
    BindingTime time = ownTime(instruction.opcode);
    for (const HostOperand &operand : instruction.operands)
      if (operand.kind == 's')
        time = std::max(time, of(operand.value));
    for (const HostOperand &operand : instruction.operands)
      if (operand.kind == 'd')
        time = of(operand.value) = std::max(of(operand.value), time);
    return time;
  }

  // Which of several writes a register holds depends on the branches before the last of them.
  bool joinBranches(std::span<const std::pair<uint32_t, BindingTime>> branches) {
    bool changed = false;
    for (auto [reg, offset] : lastWrite_)
      for (auto [at, time] : branches)
        if (at < offset && of(reg) < time) {
          of(reg) = time;
          changed = true;
        }
    return changed;
  }

  std::span<const HostInstruction> program_;
  std::map<int64_t, BindingTime> times_;
  std::map<int64_t, uint32_t> lastWrite_; // of registers written more than once
};

} // namespace

int64_t HostInstruction::operand(char kind) const {
  for (const HostOperand &operand : operands)
    if (operand.kind == kind)
      return operand.value;
  return -1;
}

std::vector<HostInstruction> disassemble(std::span<const uint32_t> code) {
  std::vector<HostInstruction> out;
  for (size_t at = 0; at < code.size(); at += contract::instructionWords(code[at])) {
    const std::string where = "the host program is malformed: ";
    uint16_t opcode = contract::opcodeOf(code[at]);
    size_t length = contract::instructionWords(code[at]);
    if (opcode >= contract::kOpcodes || length == 0 || length > code.size() - at)
      throw Failure(where + "word " + std::to_string(at) + " begins no instruction");
    HostInstruction instruction{static_cast<uint32_t>(at), static_cast<Opcode>(opcode), {}};
    auto result = contract::readOperands(code.subspan(at), [&](const contract::Operand &operand) {
      append(operand, instruction.operands);
      return true;
    });
    if (result != contract::ReadResult::Ok)
      throw Failure(where + "the instruction at word " + std::to_string(at) +
                    (result == contract::ReadResult::TooLong ? " is longer than its operands"
                                                             : " is too short for its operands"));
    out.push_back(std::move(instruction));
  }
  return out;
}

std::string_view spelling(BindingTime time) {
  constexpr std::string_view names[] = {"compile", "bind", "call", "data"};
  return names[static_cast<uint8_t>(time)];
}

std::vector<BindingTime> bindingTimes(std::span<const HostInstruction> program, uint32_t symbols) {
  return TimeAnalysis(program, symbols).run();
}

std::vector<int64_t> instructionDevices(std::span<const HostInstruction> program) {
  std::map<int64_t, int64_t> streams = {{0, 0}};
  for (const HostInstruction &instruction : program)
    if (instruction.opcode == Opcode::Stream) {
      int64_t device = instruction.operand('x');
      auto [it, isNew] = streams.try_emplace(instruction.operand('u'), device);
      if (!isNew && it->second != device)
        it->second = -1;
    }
  std::vector<int64_t> out;
  for (const HostInstruction &instruction : program) {
    int64_t device = instruction.operand('x');
    if (auto it = streams.find(instruction.operand('t')); device < 0 && it != streams.end())
      device = it->second;
    out.push_back(device);
  }
  return out;
}

} // namespace heddle::tools
