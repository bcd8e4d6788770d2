// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include "../VerifierContext.h"

namespace heddle::contract::check {
namespace {

Code decode(const fb::Function &function) {
  Code code{&function, {}, {}, {}};
  std::span<const uint32_t> words(function.code()->data(), function.code()->size());
  for (size_t at = 0; at < words.size(); at += instructionWords(words[at])) {
    code.indexOf[static_cast<uint32_t>(at)] = static_cast<uint32_t>(code.instructions.size());
    code.instructions.push_back({static_cast<Opcode>(opcodeOf(words[at])), static_cast<uint32_t>(at), {}});
    Instruction &instruction = code.instructions.back();
    readOperands(words.subspan(at), [&](const Operand &operand) {
      instruction.operands.push_back(operand);
      return true;
    });
    code.reads |= instruction.opcode == Opcode::Read;
  }
  return code;
}

} // namespace

Program::Program(const fb::Module &module) : module(module), isPromised(module.certificate() != nullptr) {
  for (uint32_t i = 0; i < sizeOf(module.functions()); ++i)
    functions.push_back(decode(*module.functions()->Get(i)));
  const fb::Certificate *certificate = module.certificate();
  if (!certificate)
    return;
  for (uint64_t i = 0; i < sizeOf(certificate->in_place()); ++i) {
    const fb::InPlace &pair = *certificate->in_place()->Get(static_cast<uint32_t>(i));
    inPlace.insert({pair.executable(), pair.entry(), pair.written(), pair.read()});
  }
  for (uint64_t i = 0; i < sizeOf(certificate->functions()); ++i) {
    const fb::ProvedFunction &proved = *certificate->functions()->Get(static_cast<uint32_t>(i));
    for (uint32_t r = 0; r + 2 < sizeOf(proved.runs()); r += 3)
      functions[proved.function()].runs[proved.runs()->Get(r)] = {proved.runs()->Get(r + 1), proved.runs()->Get(r + 2)};
  }
}

std::string Program::describe(const Code &code, uint32_t at) const {
  auto found = code.indexOf.find(at);
  if (found == code.indexOf.end())
    return "the caller";
  const Instruction &instruction = code.instructions[found->second];
  std::string out = "instruction " + std::to_string(at) + " (" + info(instruction.opcode).mnemonic;
  if (instruction.opcode == Opcode::Dispatch || instruction.opcode == Opcode::DispatchVariant)
    out += " " + quoted(text(module.executables()->Get(instruction.operands[1].value)->name()));
  else if (isCollective(instruction.opcode))
    out += " " + quoted(text(module.collectives()->Get(instruction.operands[1].value)->name()));
  const auto *pairs = code.function->code_locations();
  const fb::Location *location = nullptr;
  for (uint32_t i = 0; i + 1 < sizeOf(pairs) && pairs->Get(i) <= at; i += 2)
    location = module.locations()->Get(pairs->Get(i + 1));
  if (location && !text(location->name()).empty())
    out += " of " + quoted(text(location->name()));
  if (location && !text(location->file()).empty())
    out += ", " + std::string(text(location->file())) + ":" + std::to_string(location->line());
  return out + ")";
}

} // namespace heddle::contract::check
