// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Interpreter.h"

#include "runtime/executor/call/Observer.h"
#include "runtime/executor/program/ScalarMachine.h"

namespace heddle {
namespace {

using contract::Opcode;

Status invalid(std::string message) { return Status(StatusCode::InvalidArgument, std::move(message)); }

} // namespace

// Control flow and dispatches are here, where the time goes; the rest is one call away.
template <bool Profile> Status Interpreter::runWith() {
  const auto *code = reinterpret_cast<const Head *>(function_.code.data());
  int64_t *scalars = frame_.scalars.data();
  for (const Head *head = code;;) {
    Opcode opcode = static_cast<Opcode>(head->opcode);
    Status status;
    const Head *next = head + head->units;
    if constexpr (Profile)
      if (observer_)
        observer_->begin(*head);
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
    case Opcode::View: status = memory_.view(as<ViewOp>(*head)); break;
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
    case Opcode::PackParameter:
    case Opcode::Copy:
    case Opcode::Fill:
    case Opcode::Read:
    case Opcode::Stream:
    case Opcode::Record:
    case Opcode::Wait:
    case Opcode::Await: status = memory_.run(*head); break;
    default: status = scalar(*head); break;
    }
    if constexpr (Profile)
      if (observer_)
        observer_->end(*head);
    if (next <= head && clock_.rings()) [[unlikely]]
      if (status.ok())
        status = clock_.check();
    if (!status.ok()) [[unlikely]]
      return locate(function_, module_.metadata(), *head, std::move(status));
    head = next;
  }
}

Status Interpreter::run(bool profile) { return profile || observer_ ? runWith<true>() : runWith<false>(); }

template <bool Profile> Status Interpreter::dispatch(const DispatchOp &op) {
  if (clock_.rings()) [[unlikely]]
    HEDDLE_RETURN_IF_ERROR(clock_.check());
  const StreamRegister &stream = frame_.streams[op.head.first];
  if (!stream.isSet()) [[unlikely]]
    return invalid("a stream register is used before it is set");
  void **bindings = frame_.bindings.data();
  int64_t *constants = frame_.constants.data();
  const uint32_t *registers = op.bindingRegisters();
  uint32_t missing = 0;
  for (uint32_t i = 0; i < op.bindings; ++i) {
    const BufferRegister &buffer = frame_.buffers[registers[i] & kRegisterMask];
    missing |= registers[i] & ~kRegisterMask & ~buffer.flags;
    bindings[i] = buffer.address;
  }
  if (missing) [[unlikely]]
    return refuseBindings(op);
  if (op.device && !bindingsFit(op)) [[unlikely]]
    return refuseBindings(op);
  const uint32_t *constantRegisters = op.constantRegisters();
  for (uint32_t i = 0; i < op.constants; ++i)
    constants[i] = frame_.scalars[constantRegisters[i]];
  ++statistics_.dispatches;
  devices_.flushBefore(stream);
  uint64_t start = Profile ? nowNs() : 0;
  Status status = stream.commands->dispatch({op.kernel,
                                             frame_.scalars[op.workgroups],
                                             frame_.scalars[op.scratch],
                                             {bindings, op.bindings},
                                             {constants, op.constants},
                                             op.label,
                                             {frame_.views.data(), op.device ? op.bindings : 0}});
  if (Profile)
    statistics_.kernelNs += nowNs() - start;
  if (!status.ok()) [[unlikely]]
    return stream.queued ? std::move(status) : describeFailure(op, std::move(status));
  return {};
}

bool Interpreter::isReached(const DispatchOp &op, const BufferRegister &buffer) const {
  return devices_.access().fits(op.device - 1, buffer) || op.kernel->reachesAll;
}

// Each binding lies where kernels of a device with memory of its own can use it, and is no larger than they can. Notes
// the views.
bool Interpreter::bindingsFit(const DispatchOp &op) {
  for (uint32_t i = 0; i < op.bindings; ++i) {
    uint32_t needs = op.bindingRegisters()[i];
    const BufferRegister &buffer = frame_.buffers[needs & kRegisterMask];
    frame_.views[i] = {buffer.view(), (needs & kWritable) != 0};
    if (!devices_.access().canUse(op.device - 1, buffer.flags) || !isReached(op, buffer))
      return false;
  }
  return true;
}

Status Interpreter::refuseBindings(const DispatchOp &op) {
  for (uint32_t i = 0; i < op.bindings; ++i) {
    uint32_t needs = op.bindingRegisters()[i];
    const BufferRegister &buffer = frame_.buffers[needs & kRegisterMask];
    uint32_t flags = buffer.flags;
    std::string why;
    if (!(flags & kDefined))
      why = " is used before it is set";
    else if (needs & ~flags & kWritable)
      why = " is written, but it is an argument or a parameter";
    else if ((needs & ~flags & kHostMemory) || (op.device && !devices_.access().canUse(op.device - 1, flags)))
      return hal::describeFailure(op.label, MemoryInstructions::cannotUse("binding " + std::to_string(i) +
                                                                          " is memory that the device cannot use"));
    else if (op.device && !isReached(op, buffer))
      why = " has " + std::to_string(buffer.bytes) + " bytes, " + module_.devices()[op.device - 1].info.uri +
            " binds at most " + std::to_string(devices_.access().mostBytes(op.device - 1)) +
            "; use smaller inputs, or place this part of the model on another device";
    if (!why.empty())
      return describeFailure(op, invalid("binding " + std::to_string(i) + why));
  }
  return Status(StatusCode::Internal, "a dispatch was refused without a reason");
}

Status Interpreter::scalar(const Head &head) {
  if (ScalarMachine<int64_t>(frame_.scalars.data()).step(head)) [[likely]]
    return {};
  return Status(StatusCode::KernelFailed, "the program divides by zero while it computes a size");
}

Status Interpreter::message(uint32_t index) const {
  return Status(StatusCode::KernelFailed, module_.metadata().messages()->Get(index)->str());
}

// Where the dispatch comes from is said once: locate() knows the instruction better than the label does.
Status Interpreter::describeFailure(const DispatchOp &op, Status status) {
  if (!op.label || describe(function_.locationOf(module_.metadata(), op.head)).empty())
    return hal::describeFailure(op.label, std::move(status));
  hal::DispatchLabel label{op.label->name, ""};
  return hal::describeFailure(&label, std::move(status));
}

} // namespace heddle
