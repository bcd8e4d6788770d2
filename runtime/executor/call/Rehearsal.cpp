// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program computes before it reads from a device, without its work: whether the caller's storage has room.
#include "runtime/executor/call/Interpreter.h"
#include "runtime/executor/program/ScalarMachine.h"

#include "heddle/contract/ElementType.h"

namespace heddle {
namespace {

using contract::Opcode;

template <typename Op> const Op &as(const Head &head) { return reinterpret_cast<const Op &>(head); }

} // namespace

Status Interpreter::rehearse() {
  state_.ahead_ = state_.scalars_;
  state_.unknown_.assign(state_.ahead_.size(), 0);
  const auto *code = reinterpret_cast<const Head *>(state_.function_.code.data());
  for (const Head *head = code, *next; head; head = next) {
    Status status = rehearse(*head, code, next);
    if (!status.ok())
      return locate(*head, std::move(status));
    if (next <= head)
      return {};
  }
  return {};
}

Status Interpreter::rehearse(const Head &head, const Head *code, const Head *&next) {
  next = &head + head.units;
  switch (static_cast<Opcode>(head.opcode)) {
  case Opcode::Return:
  case Opcode::Fail: next = nullptr; return {};
  case Opcode::Branch: next = code + head.first; return {};
  case Opcode::BranchIf: {
    const BranchIfOp &op = as<BranchIfOp>(head);
    next = state_.unknown_[head.first] ? nullptr : code + (state_.ahead_[head.first] ? op.yes : op.no);
    return {};
  }
  case Opcode::Result: {
    const ResultOp &op = as<ResultOp>(head);
    return state_.unknown_[op.bytes] || state_.ahead_[op.bytes] < 0
               ? Status()
               : state_.checkRoom(op.result, static_cast<uint64_t>(state_.ahead_[op.bytes]));
  }
  case Opcode::SetResult: return rehearseSetResult(as<SetResultOp>(head));
  case Opcode::Read: state_.unknown_[head.first] = 1; return {};
  case Opcode::Plan: {
    const PlanOp &op = as<PlanOp>(head);
    state_.unknown_[head.first] = 1;
    for (uint32_t i = 0; i < op.count; ++i)
      state_.unknown_[op.offsets()[i]] = 1;
    return {};
  }
  default: rehearseScalar(head); return {};
  }
}

Status Interpreter::rehearseSetResult(const SetResultOp &op) {
  uint64_t bytes = contract::byteSize(
      static_cast<contract::ElementType>(state_.function_.source->results()->Get(op.head.first)->type()));
  for (uint32_t d = 0; d < op.rank; ++d) {
    int64_t size = state_.ahead_[op.sizes()[d]];
    if (state_.unknown_[op.sizes()[d]] || size < 0 ||
        __builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes))
      return {};
  }
  return state_.checkRoom(op.head.first, bytes);
}

// Whatever else writes a scalar.
void Interpreter::rehearseScalar(const Head &head) {
  auto opcode = static_cast<Opcode>(head.opcode);
  auto &values = state_.ahead_;
  auto &unknown = state_.unknown_;
  if (opcode > Opcode::Select && !isArithmetic(opcode))
    return;
  if (opcode == Opcode::Const) {
    values[head.first] = as<ConstOp>(head).value;
    unknown[head.first] = 0;
    return;
  }
  if (opcode == Opcode::Select) {
    const SelectOp &op = as<SelectOp>(head);
    uint32_t taken = values[op.condition] ? op.yes : op.no;
    bool known = !unknown[op.condition] && !unknown[taken];
    values[head.first] = values[taken];
    unknown[head.first] = !known;
    return;
  }
  const BinaryOp &op = as<BinaryOp>(head);
  if (opcode == Opcode::Move) {
    values[head.first] = values[op.lhs];
    unknown[head.first] = unknown[op.lhs];
    return;
  }
  bool known = !unknown[op.lhs] && !unknown[op.rhs];
  std::optional<int64_t> value = isDivision(opcode)
                                     ? divide(opcode, values[op.lhs], values[op.rhs])
                                     : std::optional(computeScalar(opcode, values[op.lhs], values[op.rhs]));
  values[head.first] = value.value_or(0);
  unknown[head.first] = !known || !value;
}

} // namespace heddle
