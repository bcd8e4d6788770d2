// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Interpreter.h"

#include "runtime/executor/program/ScalarMachine.h"

namespace heddle {
namespace {

using contract::Opcode;

template <typename Op> const Op &as(const Head &head) { return reinterpret_cast<const Op &>(head); }
Status invalid(std::string message) { return Status(StatusCode::InvalidArgument, std::move(message)); }

} // namespace

// Control flow and dispatches are here, where the time goes; the rest is one call away.
template <bool Profile> Status Interpreter::runWith() {
  const auto *code = reinterpret_cast<const Head *>(state_.function_.code.data());
  int64_t *scalars = state_.scalars_.data();
  for (const Head *head = code;;) {
    Opcode opcode = static_cast<Opcode>(head->opcode);
    Status status;
    const Head *next = head + head->units;
    if constexpr (Profile)
      if (state_.tracer_)
        state_.tracer_->begin(*head);
    switch (opcode) {
    case Opcode::Dispatch: status = dispatch<Profile>(as<DispatchOp>(*head)); break;
    case Opcode::Const: scalars[head->first] = as<ConstOp>(*head).value; break;
    case Opcode::Branch: next = code + head->first; break;
    case Opcode::BranchIf:
      next = code + (scalars[head->first] ? as<BranchIfOp>(*head).yes : as<BranchIfOp>(*head).no);
      break;
    case Opcode::Check:
      if (!scalars[head->first])
        status = message(as<MessageOp>(*head).message);
      break;
    case Opcode::Fail: status = message(head->first); break;
    case Opcode::Return: return {};
    case Opcode::View: status = view(as<ViewOp>(*head)); break;
    case Opcode::SetResult:
    case Opcode::Parameter:
    case Opcode::Result:
    case Opcode::Slab:
    case Opcode::Alloc:
    case Opcode::Free:
    case Opcode::MoveBuffer:
    case Opcode::Plan:
    case Opcode::BindScalar:
    case Opcode::BindBuffer:
    case Opcode::PackParameter: status = memory(*head); break;
    case Opcode::Copy:
    case Opcode::Fill:
    case Opcode::Read:
    case Opcode::Stream:
    case Opcode::Record:
    case Opcode::Wait:
    case Opcode::Await: status = stream(*head); break;
    default: status = scalar(*head); break;
    }
    if constexpr (Profile)
      if (state_.tracer_)
        state_.tracer_->end(*head);
    if (next <= head && state_.interrupt_.load(std::memory_order_relaxed)) [[unlikely]]
      if (status.ok())
        status = state_.interrupted();
    if (!status.ok()) [[unlikely]]
      return locate(*head, std::move(status));
    head = next;
  }
}

Status Interpreter::run() { return state_.profiling_ || state_.tracer_ ? runWith<true>() : runWith<false>(); }

template <bool Profile> Status Interpreter::dispatch(const DispatchOp &op) {
  if (state_.interrupt_.load(std::memory_order_relaxed)) [[unlikely]]
    HEDDLE_RETURN_IF_ERROR(state_.interrupted());
  const StreamRegister &stream = state_.streams_[op.head.first];
  if (!stream.stream) [[unlikely]]
    return invalid("a stream register is used before it is set");
  void **bindings = state_.bindings_.data();
  int64_t *constants = state_.constants_.data();
  const uint32_t *registers = op.bindingRegisters();
  uint32_t missing = 0;
  for (uint32_t i = 0; i < op.bindings; ++i) {
    const BufferRegister &buffer = state_.buffers_[registers[i] & kRegisterMask];
    missing |= registers[i] & ~kRegisterMask & ~buffer.flags;
    bindings[i] = buffer.address;
  }
  if (missing) [[unlikely]]
    return refuseBindings(op);
  if (op.device && !bindingsFit(op)) [[unlikely]]
    return refuseBindings(op);
  const uint32_t *constantRegisters = op.constantRegisters();
  for (uint32_t i = 0; i < op.constants; ++i)
    constants[i] = state_.scalars_[constantRegisters[i]];
  ++state_.statistics_.dispatches;
  uint64_t start = Profile ? nowNs() : 0;
  Status status = stream.stream->dispatch({op.kernel,
                                           state_.scalars_[op.workgroups],
                                           state_.scalars_[op.scratch],
                                           {bindings, op.bindings},
                                           {constants, op.constants},
                                           op.label,
                                           {state_.accesses_.data(), op.device ? op.bindings : 0}});
  if (Profile)
    state_.statistics_.kernelNs += nowNs() - start;
  if (!status.ok()) [[unlikely]]
    return stream.queued ? std::move(status) : describeFailure(op, std::move(status));
  return {};
}

// Bytes as hal::Device::maxBindingBytes() counts them.
bool Interpreter::isReached(const DispatchOp &op, const BufferRegister &buffer) const {
  uint64_t bytes = static_cast<uint64_t>(buffer.bytes) + reinterpret_cast<uintptr_t>(buffer.address) % 256;
  return bytes <= state_.maxBinding_[op.device - 1] || op.kernel->reachesAll;
}

// Each binding lies where kernels of a device with memory of its own can use it, and is no larger than they can. Notes
// what is accessed.
bool Interpreter::bindingsFit(const DispatchOp &op) {
  for (uint32_t i = 0; i < op.bindings; ++i) {
    uint32_t needs = op.bindingRegisters()[i];
    const BufferRegister &buffer = state_.buffers_[needs & kRegisterMask];
    state_.accesses_[i] = {static_cast<uint64_t>(buffer.bytes), (needs & kWritable) != 0};
    if (!state_.canUse(op.device - 1, buffer.flags) || !isReached(op, buffer))
      return false;
  }
  return true;
}

Status Interpreter::cannotUse(std::string what) {
  return Status(StatusCode::Unsupported,
                std::move(what) + ": the program was compiled for devices that share memory (--topology); compile it "
                                  "without, or name such devices");
}

Status Interpreter::refuseBindings(const DispatchOp &op) {
  for (uint32_t i = 0; i < op.bindings; ++i) {
    uint32_t needs = op.bindingRegisters()[i];
    const BufferRegister &buffer = state_.buffers_[needs & kRegisterMask];
    uint32_t flags = buffer.flags;
    std::string why;
    if (!(flags & kDefined))
      why = " is used before it is set";
    else if (needs & ~flags & kWritable)
      why = " is written, but it is an argument or a parameter";
    else if ((needs & ~flags & kHostMemory) || (op.device && !state_.canUse(op.device - 1, flags)))
      return hal::describeFailure(op.label,
                                  cannotUse("binding " + std::to_string(i) + " is memory that the device cannot use"));
    else if (op.device && !isReached(op, buffer))
      why = " has " + std::to_string(buffer.bytes) + " bytes, " + state_.module_->devices()[op.device - 1].info.uri +
            " binds at most " + std::to_string(state_.maxBinding_[op.device - 1]) +
            "; use smaller inputs, or place this part of the model on another device";
    if (!why.empty())
      return describeFailure(op, invalid("binding " + std::to_string(i) + why));
  }
  return Status(StatusCode::Internal, "a dispatch was refused without a reason");
}

Status Interpreter::scalar(const Head &head) {
  Opcode opcode = static_cast<Opcode>(head.opcode);
  auto &scalars = state_.scalars_;
  const BinaryOp &op = as<BinaryOp>(head);
  switch (opcode) {
  case Opcode::Move: scalars[head.first] = scalars[op.lhs]; return {};
  case Opcode::DivS:
  case Opcode::RemS:
  case Opcode::FloorDivS:
  case Opcode::CeilDivS: return divideScalars(op);
  case Opcode::Select: {
    const SelectOp &select = as<SelectOp>(head);
    scalars[head.first] = scalars[scalars[select.condition] ? select.yes : select.no];
    return {};
  }
  default: scalars[head.first] = computeScalar(opcode, scalars[op.lhs], scalars[op.rhs]); return {};
  }
}

Status Interpreter::divideScalars(const BinaryOp &op) {
  std::optional<int64_t> quotient =
      divide(static_cast<Opcode>(op.head.opcode), state_.scalars_[op.lhs], state_.scalars_[op.rhs]);
  if (!quotient)
    return Status(StatusCode::KernelFailed, "the program divides by zero while it computes a size");
  state_.scalars_[op.head.first] = *quotient;
  return {};
}

Status Interpreter::message(uint32_t index) {
  return Status(StatusCode::KernelFailed, state_.module_->metadata().messages()->Get(index)->str());
}

Status Interpreter::locate(const Head &head, Status status) {
  std::string where = describe(state_.function_.locationOf(state_.module_->metadata(), head));
  return where.empty() ? std::move(status) : std::move(status).note("in " + where);
}

// Where the dispatch comes from is said once: locate() knows the instruction better than the label does.
Status Interpreter::describeFailure(const DispatchOp &op, Status status) {
  if (!op.label || describe(state_.function_.locationOf(state_.module_->metadata(), op.head)).empty())
    return hal::describeFailure(op.label, std::move(status));
  hal::DispatchLabel label{op.label->name, ""};
  return hal::describeFailure(&label, std::move(status));
}

} // namespace heddle
