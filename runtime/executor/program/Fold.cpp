// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/program/Fold.h"

#include "runtime/executor/program/DeviceSlot.h"
#include "runtime/executor/program/MeshPlace.h"
#include "runtime/executor/program/ScalarMachine.h"

namespace heddle {

using contract::Opcode;
using contract::Operand;

namespace {

constexpr int kPasses = 8;

} // namespace

FoldedFunction::FoldedFunction(const fb::Function &source, const FoldFacts &facts) : source_(&source) {
  read();
  propagate(facts);
  reach();
  for (Line &line : lines_)
    line.folded = line.opcode == Opcode::BranchIf
                      ? decided(line).has_value()
                      : !line.operands.empty() && line.operands[0].kind == 'd' && !line.operands[0].list &&
                            line.opcode != Opcode::Plan && values_[line.operands[0].value];
}

void FoldedFunction::read() {
  std::span<const uint32_t> code(source_->code()->data(), source_->code()->size());
  std::vector<size_t> firsts;
  lineAt_.resize(code.size());
  for (size_t at = 0; at < code.size(); at += contract::instructionWords(code[at])) {
    lineAt_[at] = static_cast<uint32_t>(lines_.size());
    lines_.push_back({static_cast<Opcode>(contract::opcodeOf(code[at])), static_cast<uint32_t>(at), {}});
    firsts.push_back(operands_.size());
    contract::readOperands(code.subspan(at), [&](const Operand &o) { return operands_.push_back(o), true; });
  }
  firsts.push_back(operands_.size());
  for (size_t i = 0; i < lines_.size(); ++i)
    lines_[i].operands = std::span<const Operand>(operands_).subspan(firsts[i], firsts[i + 1] - firsts[i]);
  values_.resize(source_->scalars());
  writes_.resize(source_->scalars());
  for (uint32_t i = 0; source_->symbols() && i < source_->symbols()->size(); ++i)
    ++writes_[i];
  for (const Line &line : lines_)
    forEachScalar(line, true, [&](uint32_t r) { ++writes_[r]; });
}

// Values of registers written once from known values.
void FoldedFunction::propagate(const FoldFacts &facts) {
  bool changed = true;
  for (int pass = 0; changed && pass < kPasses; ++pass) {
    changed = false;
    for (const Line &line : lines_) {
      if (line.operands.empty() || line.operands[0].kind != 'd' || line.operands[0].list)
        continue;
      uint32_t to = line.operands[0].value;
      if (writes_[to] != 1 || values_[to])
        continue;
      values_[to] = evaluate(line, facts);
      changed |= values_[to].has_value();
    }
  }
}

std::optional<int64_t> FoldedFunction::evaluate(const Line &line, const FoldFacts &facts) const {
  const auto &o = line.operands;
  switch (line.opcode) {
  case Opcode::Const: return o[1].constant;
  case Opcode::Alternative: return facts.devices[o[1].value].match.alternative;
  case Opcode::Query: return answer(facts.devices[o[1].value].info, o[2].value);
  case Opcode::SameDevice: return facts.devices[o[1].value].isSame(facts.devices[o[2].value]);
  case Opcode::BoundScalar: return facts.bounds[o[1].value];
  case Opcode::Coordinate: return facts.meshes[o[1].value].coordinates[o[2].value];
  case Opcode::MeshSize: return facts.meshes[o[1].value].sizes[o[2].value];
  case Opcode::Member: return facts.meshes[o[1].value].isMember();
  default: break;
  }
  if (!isScalar(line.opcode))
    return std::nullopt;
  ScalarMachine<const std::optional<int64_t>> known(values_.data());
  return known.value(line.opcode, o[1].value, o.size() > 2 ? o[2].value : 0, o.size() > 3 ? o[3].value : 0);
}

std::optional<uint32_t> FoldedFunction::decided(const Line &line) const {
  if (line.opcode == Opcode::Branch)
    return line.operands[0].value;
  if (line.opcode != Opcode::BranchIf || !values_[line.operands[0].value])
    return std::nullopt;
  return line.operands[*values_[line.operands[0].value] ? 1 : 2].value;
}

void FoldedFunction::reach() {
  std::vector<uint32_t> work = {0};
  while (!work.empty()) {
    uint32_t i = work.back();
    work.pop_back();
    if (i >= lines_.size() || lines_[i].reached)
      continue;
    Line &line = lines_[i];
    line.reached = true;
    if (std::optional<uint32_t> target = decided(line)) {
      work.push_back(lineAt_[*target]);
    } else if (line.opcode == Opcode::BranchIf) {
      work.push_back(lineAt_[line.operands[1].value]);
      work.push_back(lineAt_[line.operands[2].value]);
    } else if (line.opcode != Opcode::Return && line.opcode != Opcode::Fail) {
      work.push_back(i + 1);
    }
  }
}

} // namespace heddle
