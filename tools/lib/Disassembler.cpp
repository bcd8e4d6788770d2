#include "tools/lib/Disassembler.h"

#include "tools/lib/Error.h"

#include <algorithm>
#include <map>
#include <string>

namespace heddle::tools {
namespace {

using contract::Opcode;

// The words of one instruction, taken one by one.
class Words {
public:
  Words(std::span<const uint32_t> rest, uint32_t offset) : rest_(rest), offset_(offset) {}
  uint32_t take() {
    if (rest_.empty())
      throw Failure("the host program is malformed: the instruction at word " + std::to_string(offset_) +
                    " is too short for its operands");
    uint32_t word = rest_[0];
    rest_ = rest_.subspan(1);
    return word;
  }
  bool empty() const { return rest_.empty(); }

private:
  std::span<const uint32_t> rest_;
  uint32_t offset_;
};

void decodeOperands(const char *letters, Words &words, std::vector<HostOperand> &out) {
  for (const char *letter = letters; *letter; ++letter) {
    uint32_t count = 1;
    if (letter[1] == '*')
      count = words.take();
    for (; count > 0; --count) {
      if (*letter == 'k') {
        uint64_t low = words.take();
        out.push_back({'k', static_cast<int64_t>(low | static_cast<uint64_t>(words.take()) << 32)});
      } else {
        out.push_back({*letter, words.take()});
        if (*letter == 'o')
          out.push_back({'O', words.take()});
      }
    }
    letter += letter[1] == '*';
  }
}

BindingTime ownTime(Opcode opcode) {
  switch (opcode) {
  case Opcode::Alternative:
  case Opcode::Query:
  case Opcode::SameDevice:
    return BindingTime::Bind;
  case Opcode::Read:
    return BindingTime::Data;
  default:
    return BindingTime::Compile;
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
  for (size_t at = 0; at < code.size();) {
    uint32_t opcode = code[at] & 0xffff, length = code[at] >> 16, offset = static_cast<uint32_t>(at);
    if (opcode >= contract::kOpcodes || length == 0 || length > code.size() - at)
      throw Failure("the host program is malformed: word " + std::to_string(at) + " begins no instruction");
    HostInstruction instruction{offset, static_cast<Opcode>(opcode), {}};
    Words words(code.subspan(at + 1, length - 1), offset);
    decodeOperands(contract::info(instruction.opcode).operands, words, instruction.operands);
    if (!words.empty())
      throw Failure("the host program is malformed: the instruction at word " + std::to_string(at) +
                    " has words left over");
    out.push_back(std::move(instruction));
    at += length;
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
  std::map<int64_t, int64_t> streams;
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
