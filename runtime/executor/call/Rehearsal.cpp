// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Rehearsal.h"

#include "heddle/contract/ElementType.h"
#include "runtime/executor/program/ScalarMachine.h"

#include <algorithm>

namespace heddle {

using contract::Opcode;

bool Rehearsal::isNeeded() const {
  auto isWritable = [](const auto &use) { return use.writable; };
  return std::any_of(function_.state.begin(), function_.state.end(), isWritable) ||
         std::any_of(function_.donations.begin(), function_.donations.end(), isWritable);
}

Status Rehearsal::run(std::span<const int64_t> scalars, const Results &results) {
  known_.assign(scalars.begin(), scalars.end());
  const auto *code = reinterpret_cast<const Head *>(function_.code.data());
  for (const Head *head = code, *next; head; head = next) {
    Status status = step(*head, results, next);
    if (!status.ok())
      return locate(function_, module_, *head, std::move(status));
    if (next <= head)
      return {};
  }
  return {};
}

Status Rehearsal::step(const Head &head, const Results &results, const Head *&next) {
  const auto *code = reinterpret_cast<const Head *>(function_.code.data());
  next = &head + head.units;
  switch (auto opcode = static_cast<Opcode>(head.opcode)) {
  case Opcode::Return:
  case Opcode::Fail: next = nullptr; return {};
  case Opcode::Branch: next = code + head.first; return {};
  case Opcode::BranchIf: {
    std::optional<int64_t> condition = known_[head.first];
    next = !condition ? nullptr : code + (*condition ? as<BranchIfOp>(head).yes : as<BranchIfOp>(head).no);
    return {};
  }
  case Opcode::Result: {
    std::optional<int64_t> bytes = known_[as<ResultOp>(head).bytes];
    return bytes.value_or(-1) < 0 ? Status()
                                  : results.checkRoom(as<ResultOp>(head).result, static_cast<uint64_t>(*bytes));
  }
  case Opcode::SetResult: return setResult(as<SetResultOp>(head), results);
  case Opcode::Read: known_[head.first].reset(); return {};
  case Opcode::Plan: {
    const PlanOp &op = as<PlanOp>(head);
    known_[head.first].reset();
    for (uint32_t i = 0; i < op.count; ++i)
      known_[op.offsets()[i]].reset();
    return {};
  }
  default:
    if (isScalar(opcode))
      ScalarMachine<std::optional<int64_t>>(known_.data()).step(head);
    return {};
  }
}

Status Rehearsal::setResult(const SetResultOp &op, const Results &results) const {
  uint64_t bytes =
      contract::byteSize(static_cast<contract::ElementType>(function_.source->results()->Get(op.head.first)->type()));
  for (uint32_t d = 0; d < op.rank; ++d) {
    std::optional<int64_t> size = known_[op.sizes()[d]];
    if (!size || *size < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(*size), &bytes))
      return {};
  }
  return results.checkRoom(op.head.first, bytes);
}

} // namespace heddle
