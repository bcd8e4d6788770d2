// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/program/BoundProgram.h"

#include "heddle/contract/Assembler.h"
#include "runtime/executor/program/DeviceSlot.h"

#include <algorithm>

namespace heddle {
namespace {

using contract::Opcode;
using contract::Operand;

// When a value is known; also a lattice: an instruction is as late as its latest operand.
enum class Binding : uint8_t { Compile, Bind, Call, Data };
constexpr const char *kBindingNames[] = {"compile", "bind", "call", "data"};

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
  BoundProgram(const fb::Module &module, const FoldFacts &facts, const Function &function)
      : module_(module), facts_(facts), folded_(*function.source, facts), bindings_(function.source->scalars()) {
    for (uint32_t i = 0; function.source->symbols() && i < function.source->symbols()->size(); ++i)
      bindings_[i] = Binding::Call;
  }

  std::string json() {
    propagate();
    std::string out;
    for (const Line &line : folded_.lines())
      if (line.reached && !line.folded)
        out += (out.empty() ? "\n  " : ",\n  ") + lineJson(line);
    return "[" + out + "\n]";
  }

private:
  using Line = FoldedFunction::Line;

  // When each register is known; to a fixpoint.
  void propagate() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Line &line : folded_.lines()) {
        Binding binding = bindingOf(line);
        forEachScalar(line, true, [&](uint32_t r) {
          changed |= binding > bindings_[r];
          bindings_[r] = std::max(binding, bindings_[r]);
        });
      }
    }
  }

  Binding bindingOf(const Line &line) const {
    Binding binding = Binding::Compile;
    if (line.opcode == Opcode::Alternative || line.opcode == Opcode::Query || line.opcode == Opcode::SameDevice ||
        line.opcode == Opcode::BoundScalar || line.opcode == Opcode::BoundBuffer || line.opcode == Opcode::Coordinate ||
        line.opcode == Opcode::MeshSize || line.opcode == Opcode::Member)
      binding = Binding::Bind;
    if (line.opcode == Opcode::Read)
      binding = Binding::Data;
    forEachScalar(line, false, [&](uint32_t r) { binding = std::max(binding, bindings_[r]); });
    return binding;
  }

  std::string lineJson(const Line &line) const {
    std::string name, device;
    for (const Operand &o : line.operands) {
      const flatbuffers::String *text = nullptr;
      if (o.kind == 'o')
        text = module_.executables()->Get(o.value)->exports()->Get(o.exported)->name();
      if (o.kind == 'p')
        text = module_.parameters()->Get(o.value)->key();
      if (o.kind == 'n')
        text = module_.bounds()->Get(o.value)->name();
      if (o.kind == 'g')
        text = module_.meshes()->Get(o.value)->name();
      if (o.kind == 'j')
        text = module_.collectives()->Get(o.value)->name();
      if (text)
        name = text->str();
      if (o.kind == 'x')
        device = facts_.devices[o.value].info.uri;
    }
    return "{\"op\": \"" + std::string(info(line.opcode).mnemonic) + "\", \"operands\": \"" +
           contract::disassembleOperands(wordsOf(line)) + "\", \"name\": \"" + escape(name) + "\", \"device\": \"" +
           escape(device) + "\", \"binding\": \"" + kBindingNames[static_cast<int>(bindingOf(line))] + "\"}";
  }

  std::span<const uint32_t> wordsOf(const Line &line) const {
    const auto *code = folded_.source().code();
    return std::span<const uint32_t>(code->data(), code->size()).subspan(line.word);
  }

  const fb::Module &module_;
  const FoldFacts &facts_;
  FoldedFunction folded_;
  std::vector<Binding> bindings_;
};

} // namespace

std::string boundProgramJson(const fb::Module &module, const FoldFacts &facts, const Function &function) {
  return BoundProgram(module, facts, function).json();
}

} // namespace heddle
