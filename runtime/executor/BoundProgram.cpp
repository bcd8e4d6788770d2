#include "runtime/executor/BoundProgram.h"

#include "heddle/contract/Assembler.h"

#include <algorithm>
#include <optional>

namespace heddle {
namespace {

using contract::Opcode;
using contract::Operand;

// When a value is known; also a lattice: an instruction is as late as its latest operand.
enum class Binding : uint8_t { Compile, Bind, Call, Data };
constexpr const char *kBindingNames[] = {"compile", "bind", "call", "data"};

struct Line {
  Opcode opcode;
  std::span<const uint32_t> words;
  std::vector<Operand> operands;
};

std::string escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out;
}

class BoundProgram {
public:
  BoundProgram(const Module &module, const Function &function) : module_(module), source_(*function.source) {
    std::span<const uint32_t> code(source_.code()->data(), source_.code()->size());
    lineAt_.resize(code.size());
    for (size_t at = 0; at < code.size(); at += contract::instructionWords(code[at])) {
      Line line{static_cast<Opcode>(contract::opcodeOf(code[at])), code.subspan(at), {}};
      contract::readOperands(line.words, [&](const Operand &o) { return line.operands.push_back(o), true; });
      lineAt_[at] = static_cast<uint32_t>(lines_.size());
      lines_.push_back(std::move(line));
    }
    values_.resize(source_.scalars());
    writes_.resize(source_.scalars());
    bindings_.resize(source_.scalars());
    for (uint32_t i = 0; source_.symbols() && i < source_.symbols()->size(); ++i) {
      bindings_[i] = Binding::Call;
      ++writes_[i];
    }
    for (const Line &line : lines_)
      forEachScalar(line, true, [&](uint32_t r) { ++writes_[r]; });
  }

  std::string json() {
    propagate();
    reach();
    std::string out;
    for (size_t i = 0; i < lines_.size(); ++i)
      if (reached_[i] && !folded(lines_[i]))
        out += (out.empty() ? "\n  " : ",\n  ") + lineJson(lines_[i]);
    return "[" + out + "\n]";
  }

private:
  template <typename Visit> static void forEachScalar(const Line &line, bool written, Visit &&visit) {
    for (const Operand &o : line.operands)
      if (o.kind == (written ? 'd' : 's')) {
        if (o.list)
          std::for_each(o.values.begin(), o.values.end(), visit);
        else
          visit(o.value);
      }
  }

  // Values of registers written once from known values, and when each register is known; to a fixpoint.
  void propagate() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Line &line : lines_) {
        Binding binding = bindingOf(line);
        forEachScalar(line, true, [&](uint32_t r) {
          if (binding > bindings_[r]) {
            bindings_[r] = binding;
            changed = true;
          }
          if (std::optional<int64_t> value = evaluate(line); value && writes_[r] == 1 && !values_[r]) {
            values_[r] = value;
            changed = true;
          }
        });
      }
    }
  }

  Binding bindingOf(const Line &line) const {
    Binding binding = Binding::Compile;
    if (line.opcode == Opcode::Alternative || line.opcode == Opcode::Query || line.opcode == Opcode::SameDevice)
      binding = Binding::Bind;
    if (line.opcode == Opcode::Read)
      binding = Binding::Data;
    forEachScalar(line, false, [&](uint32_t r) { binding = std::max(binding, bindings_[r]); });
    return binding;
  }

  std::optional<int64_t> evaluate(const Line &line) const {
    const auto &o = line.operands;
    switch (line.opcode) {
    case Opcode::Const: return o[1].constant;
    case Opcode::Alternative: return module_.devices()[o[1].value].match.alternative;
    case Opcode::Query: return module_.devices()[o[1].value].info.cores;
    case Opcode::SameDevice: {
      const DeviceMatch &a = module_.devices()[o[1].value].match, &b = module_.devices()[o[2].value].match;
      return o[1].value == o[2].value || (a.device == b.device && !a.copy && !b.copy);
    }
    case Opcode::Move: return values_[o[1].value];
    case Opcode::CmpEq:
    case Opcode::CmpNe: {
      auto a = values_[o[1].value], b = values_[o[2].value];
      return a && b ? std::optional<int64_t>((*a == *b) == (line.opcode == Opcode::CmpEq)) : std::nullopt;
    }
    default: return std::nullopt;
    }
  }

  void reach() {
    reached_.assign(lines_.size(), false);
    std::vector<uint32_t> work = {0};
    while (!work.empty()) {
      uint32_t i = work.back();
      work.pop_back();
      if (i >= lines_.size() || reached_[i])
        continue;
      reached_[i] = true;
      const Line &line = lines_[i];
      const auto &o = line.operands;
      if (line.opcode == Opcode::Branch) {
        work.push_back(lineAt_[o[0].value]);
      } else if (line.opcode == Opcode::BranchIf) {
        std::optional<int64_t> condition = values_[o[0].value];
        if (!condition || *condition)
          work.push_back(lineAt_[o[1].value]);
        if (!condition || !*condition)
          work.push_back(lineAt_[o[2].value]);
      } else if (line.opcode != Opcode::Return && line.opcode != Opcode::Fail) {
        work.push_back(i + 1);
      }
    }
  }

  // A computation whose value is known, or a branch that is decided, leaves nothing behind.
  bool folded(const Line &line) const {
    if (line.opcode == Opcode::BranchIf)
      return values_[line.operands[0].value].has_value();
    return !line.operands.empty() && line.operands[0].kind == 'd' && !line.operands[0].list &&
           line.opcode != Opcode::Plan && values_[line.operands[0].value];
  }

  std::string lineJson(const Line &line) const {
    const fb::Module &metadata = module_.metadata();
    std::string name, device;
    for (const Operand &o : line.operands) {
      const flatbuffers::String *text = nullptr;
      if (o.kind == 'o')
        text = metadata.executables()->Get(o.value)->exports()->Get(o.exported)->name();
      if (o.kind == 'p')
        text = metadata.parameters()->Get(o.value)->key();
      if (text)
        name = text->str();
      if (o.kind == 'x')
        device = module_.devices()[o.value].info.uri;
    }
    return "{\"op\": \"" + std::string(info(line.opcode).mnemonic) + "\", \"operands\": \"" +
           contract::disassembleOperands(line.words) + "\", \"name\": \"" + escape(name) + "\", \"device\": \"" +
           escape(device) + "\", \"binding\": \"" + kBindingNames[static_cast<int>(bindingOf(line))] + "\"}";
  }

  const Module &module_;
  const fb::Function &source_;
  std::vector<Line> lines_;
  std::vector<uint32_t> lineAt_;
  std::vector<std::optional<int64_t>> values_;
  std::vector<uint32_t> writes_;
  std::vector<Binding> bindings_;
  std::vector<bool> reached_;
};

} // namespace

std::string boundProgramJson(const Module &module, const Function &function) {
  return BoundProgram(module, function).json();
}

} // namespace heddle
