// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/program/Usage.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

using contract::Opcode;
using contract::Operand;

template <typename Vector> size_t sizeOf(const Vector *vector) { return vector ? vector->size() : 0; }

bool asks(Opcode opcode) {
  return opcode == Opcode::Alternative || opcode == Opcode::Query || opcode == Opcode::SameDevice;
}

bool namesStream(Opcode opcode) { return opcode == Opcode::Stream || opcode == Opcode::StreamAt; }

// Calls `visit(opcode, operands)` for each instruction of the function.
template <typename Visit> void forEachInstruction(const fb::Function &source, Visit &&visit) {
  std::span<const uint32_t> code(source.code()->data(), source.code()->size());
  std::vector<Operand> operands;
  for (size_t at = 0; at < code.size(); at += contract::instructionWords(code[at])) {
    operands.clear();
    contract::readOperands(code.subspan(at), [&](const Operand &o) {
      operands.push_back(o);
      return true;
    });
    visit(static_cast<Opcode>(code[at] & 0xffff), operands);
  }
}

void sortOnce(std::vector<uint32_t> &list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

using Moves = std::vector<std::pair<uint32_t, uint32_t>>; // of stream registers: from, to

// What a register that is moved may hold, the one it is moved to may hold, too. Each register is looked at once for
// each device, in whatever order the moves stand.
void followMoves(Moves moves, std::vector<std::vector<uint32_t>> &held) {
  if (moves.empty())
    return;
  std::sort(moves.begin(), moves.end());
  std::vector<std::pair<uint32_t, uint32_t>> holders; // device, register
  for (uint32_t r = 0; r < held.size(); ++r)
    for (uint32_t device : held[r])
      holders.emplace_back(device, r);
  std::sort(holders.begin(), holders.end());
  std::vector<uint32_t> seen(held.size()), open; // 1 + the device for which a register was looked at last
  for (auto [device, holder] : holders) {
    open.push_back(holder);
    while (!open.empty()) {
      uint32_t r = open.back();
      open.pop_back();
      if (std::exchange(seen[r], device + 1) == device + 1)
        continue;
      held[r].push_back(device);
      for (auto move = std::lower_bound(moves.begin(), moves.end(), std::pair(r, uint32_t(0)));
           move != moves.end() && move->first == r; ++move)
        open.push_back(move->second);
    }
  }
  for (std::vector<uint32_t> &of : held)
    sortOnce(of);
}

} // namespace

Usage::Usage(const fb::Module &module)
    : devices(sizeOf(module.devices())), executables(devices.size(), std::vector<bool>(sizeOf(module.executables()))),
      parameters(devices.size(), std::vector<bool>(sizeOf(module.parameters()))) {}

std::vector<std::vector<uint32_t>> devicesOfStreams(const FoldedFunction &folded, size_t devices) {
  const fb::Function &source = folded.source();
  std::vector<std::vector<uint32_t>> held(source.streams());
  if (devices)
    held[0].push_back(source.device());
  for (const FoldedFunction::Line &line : folded.lines())
    if (line.reached && namesStream(line.opcode))
      held[line.operands[0].value].push_back(line.operands[1].value);
    else if (line.reached && line.opcode == Opcode::CommStream)
      held[line.operands[0].value].push_back(static_cast<uint32_t>(devices));
  Moves moves;
  for (const FoldedFunction::Line &line : folded.lines())
    if (line.reached && line.opcode == Opcode::MoveStream)
      moves.emplace_back(line.operands[1].value, line.operands[0].value);
  for (std::vector<uint32_t> &of : held)
    sortOnce(of);
  followMoves(std::move(moves), held);
  return held;
}

void collectUsage(const fb::Module &module, const FoldedFunction &folded, Usage &usage) {
  std::vector<std::vector<uint32_t>> held = devicesOfStreams(folded, usage.devices.size());
  for (const auto *values : {folded.source().arguments(), folded.source().results()})
    for (uint32_t i = 0; values && i < values->size(); ++i)
      if (const fb::Value &value = *values->Get(i); value.state() >= 0 && value.device() < usage.devices.size())
        usage.devices[value.device()] = true;
  for (const FoldedFunction::Line &line : folded.lines()) {
    if (!line.reached || line.folded || asks(line.opcode))
      continue;
    const auto &o = line.operands;
    for (const Operand &operand : o) {
      if (operand.kind == 'x')
        usage.devices[operand.value] = true;
      if (operand.kind != 't')
        continue;
      for (uint32_t d : held[operand.value]) {
        if (d == usage.devices.size())
          continue;
        usage.devices[d] = true;
        if (line.opcode == Opcode::Dispatch || line.opcode == Opcode::DispatchVariant)
          usage.executables[d][o[1].value] = true;
      }
    }
    if (line.opcode == Opcode::ParameterOn)
      usage.parameters[o[2].value][o[1].value] = true;
    if (line.opcode == Opcode::PackParameter)
      usage.packed.emplace_back(o[1].value, o[3].value);
    if (line.opcode == Opcode::Parameter && folded.source().device() < usage.parameters.size()) {
      usage.parameters[folded.source().device()][o[1].value] = true;
      if (folded.source().bind())
        usage.devices[folded.source().device()] = true;
    }
  }
}

void collectNeeded(const fb::Function &source, std::vector<bool> &needed, std::vector<bool> &runs) {
  if (needed.empty())
    return;
  std::vector<std::vector<uint32_t>> held(source.streams());
  Moves moves;
  if (!held.empty())
    held[0].push_back(source.device());
  forEachInstruction(source, [&](Opcode opcode, std::span<const Operand> operands) {
    for (const Operand &o : operands) {
      if (o.kind == 'x')
        needed[o.value] = true;
      if (o.kind == 't' && o.value == 0)
        needed[source.device()] = true;
    }
    if (opcode == Opcode::Parameter && source.bind())
      needed[source.device()] = true;
    if (namesStream(opcode))
      held[operands[0].value].push_back(operands[1].value);
    if (opcode == Opcode::MoveStream)
      moves.emplace_back(operands[1].value, operands[0].value);
  });
  for (std::vector<uint32_t> &of : held)
    sortOnce(of);
  followMoves(std::move(moves), held);
  forEachInstruction(source, [&](Opcode opcode, std::span<const Operand> operands) {
    if (opcode == Opcode::Dispatch || opcode == Opcode::DispatchVariant)
      for (uint32_t d : held[operands[0].value])
        runs[d] = true;
  });
}

} // namespace heddle
