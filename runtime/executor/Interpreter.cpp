#include "runtime/executor/Interpreter.h"

#include "heddle/contract/ElementType.h"

#include <algorithm>
#include <cstring>

namespace heddle {
namespace {

using contract::Opcode;

template <typename Op> const Op &as(const Head &head) { return reinterpret_cast<const Op &>(head); }
int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }
uint64_t u(int64_t value) { return static_cast<uint64_t>(value); }

// What the simple instructions compute; those that can fail are elsewhere.
int64_t compute(Opcode opcode, int64_t a, int64_t b) {
  switch (opcode) {
  case Opcode::Add: return wrap(u(a) + u(b));
  case Opcode::Sub: return wrap(u(a) - u(b));
  case Opcode::Mul: return wrap(u(a) * u(b));
  case Opcode::MinS: return std::min(a, b);
  case Opcode::MaxS: return std::max(a, b);
  case Opcode::And: return a & b;
  case Opcode::Or: return a | b;
  case Opcode::Xor: return a ^ b;
  case Opcode::CmpEq: return a == b;
  case Opcode::CmpNe: return a != b;
  case Opcode::CmpLt: return a < b;
  default: return a <= b; // CmpLe
  }
}

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
    case Opcode::Plan: status = memory(*head); break;
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
  const hal::Kernel *kernel = op.kernels[stream.device];
  void **bindings = state_.bindings_.data();
  int64_t *constants = state_.constants_.data();
  const uint32_t *registers = op.bindingRegisters();
  uint32_t missing = 0;
  for (uint32_t i = 0; i < op.bindings; ++i) {
    const BufferRegister &buffer = state_.buffers_[registers[i] & kRegisterMask];
    missing |= registers[i] & ~kRegisterMask & ~buffer.flags;
    bindings[i] = buffer.address;
  }
  if (missing || !kernel) [[unlikely]]
    return refuseBindings(op);
  const uint32_t *constantRegisters = op.constantRegisters();
  for (uint32_t i = 0; i < op.constants; ++i)
    constants[i] = state_.scalars_[constantRegisters[i]];
  ++state_.statistics_.dispatches;
  uint64_t start = Profile ? nowNs() : 0;
  Status status = stream.stream->dispatch({kernel,
                                           state_.scalars_[op.workgroups],
                                           state_.scalars_[op.scratch],
                                           {bindings, op.bindings},
                                           {constants, op.constants}});
  if (Profile)
    state_.statistics_.kernelNs += nowNs() - start;
  if (!status.ok()) [[unlikely]]
    return kernelFailure(op, std::move(status));
  return {};
}

Status Interpreter::refuseBindings(const DispatchOp &op) {
  for (uint32_t i = 0; i < op.bindings; ++i) {
    const BufferRegister &buffer = state_.buffers_[op.bindingRegisters()[i] & kRegisterMask];
    if (!(buffer.flags & kDefined))
      return kernelFailure(op, invalid("binding " + std::to_string(i) + " is used before it is set"));
    if (op.bindingRegisters()[i] & ~buffer.flags & kWritable)
      return kernelFailure(
          op, invalid("binding " + std::to_string(i) + " is written, but it is an argument or a parameter"));
  }
  return kernelFailure(op, Status(StatusCode::Internal, "its executable is not loaded on the stream's device"));
}

Status Interpreter::kernelFailure(const DispatchOp &op, Status status) {
  const fb::Executable &executable = *state_.module_->metadata().executables()->Get(op.executable);
  const fb::Export &exported = *executable.exports()->Get(op.exported);
  std::string name = exported.name() ? exported.name()->str() : "?";
  const auto *locations = state_.module_->metadata().locations();
  status = std::move(status).prefix("dispatch '" + name + "': ");
  if (locations && exported.location() < locations->size()) {
    const fb::Location &where = *locations->Get(exported.location());
    std::string text = "the dispatch comes from '" + (where.name() ? where.name()->str() : "") + "'";
    if (where.file() && where.file()->size())
      text += " (" + where.file()->str() + ":" + std::to_string(where.line()) + ")";
    status = std::move(status).note(text);
  }
  return status;
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
  case Opcode::CeilDivS: return divide(op);
  case Opcode::Select: {
    const SelectOp &select = as<SelectOp>(head);
    scalars[head.first] = scalars[scalars[select.condition] ? select.yes : select.no];
    return {};
  }
  default: scalars[head.first] = compute(opcode, scalars[op.lhs], scalars[op.rhs]); return {};
  }
}

Status Interpreter::divide(const BinaryOp &op) {
  int64_t a = state_.scalars_[op.lhs], b = state_.scalars_[op.rhs];
  int64_t &to = state_.scalars_[op.head.first];
  Opcode opcode = static_cast<Opcode>(op.head.opcode);
  if (b == 0)
    return Status(StatusCode::KernelFailed, "the program divides by zero while it computes a size");
  if (b == -1) { // INT64_MIN / -1 wraps
    to = opcode == Opcode::RemS ? 0 : wrap(0 - u(a));
    return {};
  }
  int64_t quotient = a / b, remainder = a % b;
  bool negative = (a < 0) != (b < 0);
  if (opcode == Opcode::RemS)
    to = remainder;
  else
    to = quotient - (opcode == Opcode::FloorDivS && remainder && negative) +
         (opcode == Opcode::CeilDivS && remainder && !negative);
  return {};
}

Status Interpreter::memory(const Head &head) {
  auto &buffers = state_.buffers_;
  switch (static_cast<Opcode>(head.opcode)) {
  case Opcode::SetResult: return setResult(as<SetResultOp>(head));
  case Opcode::Result: return result(as<ResultOp>(head));
  case Opcode::Slab: return slab(as<StorageOp>(head));
  case Opcode::Alloc: return alloc(as<StorageOp>(head));
  case Opcode::Free: return free(as<FreeOp>(head));
  case Opcode::Plan: return plan(as<PlanOp>(head));
  case Opcode::Parameter:
    buffers[head.first] = {as<ParameterOp>(head).address, as<ParameterOp>(head).bytes, kDefined, -1};
    return {};
  default: // MoveBuffer
    buffers[head.first] = buffers[as<MoveBufferOp>(head).buffer];
    return {};
  }
}

Status Interpreter::setResult(const SetResultOp &op) {
  Invocation::Result &result = state_.results_[op.head.first];
  const BufferRegister &buffer = state_.buffers_[op.buffer];
  if (!(buffer.flags & kDefined))
    return invalid("result " + std::to_string(op.head.first) + " is returned from a buffer that is not set");
  uint64_t bytes = contract::byteSize(
      static_cast<contract::ElementType>(state_.function_.source->results()->Get(op.head.first)->type()));
  for (uint32_t d = 0; d < op.rank; ++d) {
    result.dims[d] = state_.scalars_[op.sizes()[d]];
    if (result.dims[d] < 0 || __builtin_mul_overflow(bytes, u(result.dims[d]), &bytes))
      return invalid("dimension " + std::to_string(d) + " of result " + std::to_string(op.head.first) +
                     " has the size " + std::to_string(result.dims[d]));
  }
  if (bytes > u(buffer.bytes))
    return invalid("result " + std::to_string(op.head.first) + " has " + std::to_string(bytes) +
                   " bytes, its buffer only " + std::to_string(buffer.bytes));
  result.value = buffer;
  result.bytes = bytes;
  result.set = true;
  return {};
}

Status Interpreter::result(const ResultOp &op) {
  Invocation::Result &result = state_.results_[op.result];
  int64_t bytes = state_.scalars_[op.bytes];
  if (bytes < 0)
    return invalid("result " + std::to_string(op.result) + " has the size " + std::to_string(bytes));
  BufferRegister &to = state_.buffers_[op.head.first];
  if (result.given) {
    if (u(bytes) > result.givenBytes)
      return invalid("result " + std::to_string(op.result) + " needs " + std::to_string(bytes) +
                     " bytes, got storage of " + std::to_string(result.givenBytes) + "; give a larger buffer or none");
    to = {result.given, bytes, kDefined | kWritable, -1};
    return {};
  }
  if (!result.storage || result.storage->bytes() < u(bytes)) {
    if (result.storage)
      state_.newStorage_.push_back(std::move(result.storage)); // other registers may still name it
    StatusOr<hal::BufferRef> buffer = device(op.device).allocate(u(bytes));
    if (!buffer.ok())
      return buffer.takeStatus();
    result.storage = std::move(*buffer);
    ++state_.statistics_.allocations;
  }
  to = {result.storage->address(), bytes, kDefined | kWritable, -1};
  return {};
}

Status Interpreter::slab(const StorageOp &op) {
  Invocation::DeviceState &state = state_.devices_[op.device];
  int64_t bytes = state_.scalars_[op.bytes];
  if (bytes < 0)
    return invalid("the slab has the size " + std::to_string(bytes));
  if (!state.slab || state.slab->bytes() < u(bytes)) {
    if (state.slab && state.slabUsed)
      state.outgrown.push_back(std::move(state.slab));
    state.slab = {};
    StatusOr<hal::BufferRef> buffer = device(op.device).allocate(u(bytes));
    if (!buffer.ok())
      return buffer.takeStatus();
    state.slab = std::move(*buffer);
    ++state_.statistics_.allocations;
  }
  state.slabUsed = true;
  state_.buffers_[op.head.first] = {state.slab->address(), bytes, kDefined | kWritable, -1};
  return {};
}

Status Interpreter::alloc(const StorageOp &op) {
  int64_t bytes = state_.scalars_[op.bytes];
  if (bytes < 0)
    return invalid("a buffer has the size " + std::to_string(bytes));
  // The smallest free block that fits and is not more than twice as large.
  int32_t best = -1;
  for (size_t i = 0; i < state_.blocks_.size(); ++i) {
    const Invocation::Block &block = state_.blocks_[i];
    uint64_t size = block.live || block.device != op.device ? 0 : block.buffer->bytes();
    if (size >= u(bytes) && size / 2 <= u(bytes) && size > 0 &&
        (best < 0 || size < state_.blocks_[best].buffer->bytes()))
      best = static_cast<int32_t>(i);
  }
  if (best < 0) {
    StatusOr<hal::BufferRef> buffer = device(op.device).allocate(std::max<uint64_t>(u(bytes), 1));
    if (!buffer.ok())
      return buffer.takeStatus();
    best = static_cast<int32_t>(state_.blocks_.size());
    state_.blocks_.push_back({std::move(*buffer), op.device, false});
    ++state_.statistics_.allocations;
  }
  Invocation::Block &block = state_.blocks_[best];
  block.live = true;
  state_.buffers_[op.head.first] = {block.buffer->address(), bytes, kDefined | kWritable, best};
  return {};
}

Status Interpreter::free(const FreeOp &op) {
  BufferRegister &buffer = state_.buffers_[op.buffer];
  if (!(buffer.flags & kDefined) || buffer.block < 0 || !state_.blocks_[buffer.block].live)
    return invalid("a buffer is freed that is not allocated, or freed twice");
  state_.blocks_[buffer.block].live = false;
  buffer = {};
  return {};
}

Status Interpreter::view(const ViewOp &op) {
  const BufferRegister &from = state_.buffers_[op.buffer];
  int64_t offset = state_.scalars_[op.offset], bytes = state_.scalars_[op.bytes];
  if (!(from.flags & kDefined) || offset < 0 || bytes < 0 || bytes > from.bytes - offset) [[unlikely]]
    return invalid("a view of " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                   " must lie in its buffer of " + std::to_string(from.bytes) + " bytes");
  state_.buffers_[op.head.first] = {from.address + offset, bytes, from.flags, -1};
  return {};
}

Status Interpreter::plan(const PlanOp &op) {
  PlanMemo &memo = state_.memos_[op.memo];
  std::span<int64_t> sizes = memo.sizes();
  for (uint32_t i = 0; i < op.count; ++i)
    sizes[i] = state_.scalars_[op.sizes()[i]];
  int64_t total = 0;
  std::span<const int64_t> offsets = memo.find(sizes, total, state_.statistics_.planMisses);
  if (total < 0)
    return invalid("a buffer of the program has a negative size, or all together are too large");
  for (uint32_t i = 0; i < op.count; ++i)
    state_.scalars_[op.offsets()[i]] = offsets[i];
  state_.scalars_[op.head.first] = total;
  return {};
}

Status Interpreter::stream(const Head &head) {
  switch (static_cast<Opcode>(head.opcode)) {
  case Opcode::Copy: return copy(as<CopyOp>(head));
  case Opcode::Fill: return fill(as<FillOp>(head));
  case Opcode::Read: return read(as<ReadOp>(head));
  case Opcode::Stream: {
    const StreamOp &op = as<StreamOp>(head);
    state_.streams_[head.first] = {state_.devices_[op.device].streams[op.index + 1].get(), op.device};
    return {};
  }
  case Opcode::Record: {
    StatusOr<hal::Stream *> stream = streamOf(as<EventOp>(head).other);
    if (!stream.ok())
      return stream.takeStatus();
    state_.events_[head.first]->reset();
    state_.recorded_[head.first] = 1;
    return (*stream)->record(state_.events_[head.first]);
  }
  default: {
    bool await = static_cast<Opcode>(head.opcode) == Opcode::Await;
    uint32_t event = await ? head.first : as<EventOp>(head).other;
    if (!state_.recorded_[event])
      return invalid("an event is waited for before it is recorded");
    if (await)
      return state_.waitFor(*state_.events_[event]);
    StatusOr<hal::Stream *> stream = streamOf(head.first);
    return stream.ok() ? (*stream)->wait(state_.events_[event]) : stream.takeStatus();
  }
  }
}

std::byte *Interpreter::range(uint32_t index, uint32_t offsetRegister, int64_t bytes, uint32_t needed,
                              Status &failure) {
  const BufferRegister &buffer = state_.buffers_[index];
  int64_t offset = state_.scalars_[offsetRegister];
  if ((buffer.flags & needed) != needed)
    failure = invalid(buffer.flags & kDefined ? "an argument or a parameter is written"
                                              : "a buffer is used before it is set");
  else if (offset < 0 || bytes < 0 || bytes > buffer.bytes - offset)
    failure = invalid(std::to_string(bytes) + " bytes at " + std::to_string(offset) + " must lie in the buffer of " +
                      std::to_string(buffer.bytes) + " bytes");
  else
    return buffer.address + offset;
  return nullptr;
}

StatusOr<hal::Stream *> Interpreter::streamOf(uint32_t index) {
  if (hal::Stream *stream = state_.streams_[index].stream)
    return stream;
  return invalid("a stream register is used before it is set");
}

Status Interpreter::copy(const CopyOp &op) {
  StatusOr<hal::Stream *> stream = streamOf(op.head.first);
  if (!stream.ok())
    return stream.takeStatus();
  Status failure;
  int64_t bytes = state_.scalars_[op.bytes];
  std::byte *to = range(op.to, op.toOffset, bytes, kDefined | kWritable, failure);
  std::byte *from = range(op.from, op.fromOffset, bytes, kDefined, failure);
  if (!failure.ok())
    return std::move(failure).prefix("copy: ");
  return (*stream)->copy(to, from, u(bytes));
}

Status Interpreter::fill(const FillOp &op) {
  StatusOr<hal::Stream *> stream = streamOf(op.head.first);
  if (!stream.ok())
    return stream.takeStatus();
  Status failure;
  int64_t bytes = state_.scalars_[op.bytes];
  std::byte *to = range(op.buffer, op.offset, bytes, kDefined | kWritable, failure);
  if (!failure.ok())
    return std::move(failure).prefix("fill: ");
  return (*stream)->fill(to, u(bytes), u(state_.scalars_[op.pattern]), op.patternBytes);
}

Status Interpreter::read(const ReadOp &op) {
  StatusOr<hal::Stream *> stream = streamOf(op.stream);
  if (!stream.ok())
    return stream.takeStatus();
  HEDDLE_RETURN_IF_ERROR((*stream)->synchronize());
  auto type = static_cast<contract::ElementType>(op.type);
  uint32_t bytes = contract::byteSize(type);
  Status failure;
  std::byte *from = range(op.buffer, op.offset, bytes, kDefined, failure);
  if (!failure.ok())
    return std::move(failure).prefix("read: ");
  uint64_t raw = 0;
  std::memcpy(&raw, from, bytes);
  bool isSigned = type >= contract::ElementType::I8 && type <= contract::ElementType::I64;
  uint32_t unused = 64 - 8 * bytes;
  state_.scalars_[op.head.first] = isSigned ? wrap(raw << unused) >> unused : wrap(raw);
  return {};
}

Status Interpreter::message(uint32_t index) {
  return Status(StatusCode::KernelFailed, state_.module_->metadata().messages()->Get(index)->str());
}

Status Interpreter::locate(const Head &head, Status status) {
  const fb::Location *found = state_.function_.locationOf(state_.module_->metadata(), head);
  if (!found)
    return status;
  std::string text = "in '" + (found->name() ? found->name()->str() : "") + "'";
  if (found->file() && found->file()->size())
    text += " (" + found->file()->str() + ":" + std::to_string(found->line()) + ")";
  return std::move(status).note(text);
}

} // namespace heddle
