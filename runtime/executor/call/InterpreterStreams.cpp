// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work on streams, and between them.
#include "runtime/executor/call/Interpreter.h"

#include "heddle/contract/ElementType.h"

#include <cstring>

namespace heddle {
namespace {

using contract::Opcode;

template <typename Op> const Op &as(const Head &head) { return reinterpret_cast<const Op &>(head); }
uint64_t u(int64_t value) { return static_cast<uint64_t>(value); }
Status invalid(std::string message) { return Status(StatusCode::InvalidArgument, std::move(message)); }

} // namespace

Status Interpreter::stream(const Head &head) {
  switch (static_cast<Opcode>(head.opcode)) {
  case Opcode::Copy: return copy(as<CopyOp>(head));
  case Opcode::Fill: return fill(as<FillOp>(head));
  case Opcode::Read: return read(as<ReadOp>(head));
  case Opcode::Stream: {
    const StreamOp &op = as<StreamOp>(head);
    state_.streams_[head.first] = state_.streamOf(op.device, op.index + 1);
    return {};
  }
  case Opcode::Record: return record(as<EventOp>(head));
  default: return wait(as<EventOp>(head), static_cast<Opcode>(head.opcode) == Opcode::Await);
  }
}

// Where streams overlap, somebody may still wait for what the register's event was.
Status Interpreter::record(const EventOp &op) {
  StatusOr<StreamRegister> stream = streamOf(op.other);
  if (!stream.ok())
    return stream.takeStatus();
  std::shared_ptr<hal::Event> &event = state_.events_[op.head.first];
  if (state_.overlaps_)
    event = state_.freshEvent();
  else
    event->reset();
  state_.recorded_[op.head.first] = 1;
  return Invocation::record(*stream->stream, event);
}

Status Interpreter::wait(const EventOp &op, bool await) {
  uint32_t event = await ? op.head.first : op.other;
  if (!state_.recorded_[event])
    return invalid("an event is waited for before it is recorded");
  if (await)
    return state_.waitFor(*state_.events_[event]);
  StatusOr<StreamRegister> stream = streamOf(op.head.first);
  return stream.ok() ? state_.waitOn(*stream, state_.events_[event]) : stream.takeStatus();
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

StatusOr<StreamRegister> Interpreter::streamOf(uint32_t index) {
  if (state_.streams_[index].stream)
    return state_.streams_[index];
  return invalid("a stream register is used before it is set");
}

Status Interpreter::copy(const CopyOp &op) {
  StatusOr<StreamRegister> stream = streamOf(op.head.first);
  if (!stream.ok())
    return stream.takeStatus();
  Status failure;
  int64_t bytes = state_.scalars_[op.bytes];
  std::byte *to = range(op.to, op.toOffset, bytes, kDefined | kWritable, failure);
  std::byte *from = range(op.from, op.fromOffset, bytes, kDefined, failure);
  if (!failure.ok())
    return std::move(failure).prefix("copy: ");
  state_.statistics_.copiedBytes += u(bytes);
  uint32_t toFlags = state_.buffers_[op.to].flags, fromFlags = state_.buffers_[op.from].flags;
  if (!(toFlags & fromFlags & kHostMemory)) [[unlikely]]
    return copyBetween(*stream, {to, bytes, toFlags}, {from, bytes, fromFlags});
  return stream->stream->copy(to, from, u(bytes));
}

// A copy of which one side, or both, is memory that the host cannot address. It is done by a stream of whoever can, in
// the order of the one it was issued on.
Status Interpreter::copyBetween(const StreamRegister &stream, const PlacedBuffer &to, const PlacedBuffer &from) {
  uint64_t bytes = u(to.bytes);
  auto fits = [&](uint32_t device) { return state_.canCopy(device, to.flags) && state_.canCopy(device, from.flags); };
  if (fits(stream.device))
    return stream.stream->copy(to.address, from.address, bytes);
  for (uint32_t flags : {from.flags, to.flags})
    if (!(flags & kHostMemory) && fits((flags & kSlotMask) - 1)) {
      StreamRegister other = state_.boundaryStream((flags & kSlotMask) - 1);
      HEDDLE_RETURN_IF_ERROR(state_.order(stream, other));
      HEDDLE_RETURN_IF_ERROR(other.stream->copy(to.address, from.address, bytes));
      return state_.order(other, stream);
    }
  // Neither sees the other: through memory of the host.
  StreamRegister source = state_.boundaryStream((from.flags & kSlotMask) - 1);
  StreamRegister target = state_.boundaryStream((to.flags & kSlotMask) - 1);
  StatusOr<Invocation::Bounce *> bounce = takeBounce(bytes);
  if (!bounce.ok())
    return bounce.takeStatus();
  std::byte *between = (*bounce)->memory->address();
  HEDDLE_RETURN_IF_ERROR(state_.order(stream, source));
  HEDDLE_RETURN_IF_ERROR(source.stream->copy(between, from.address, bytes));
  HEDDLE_RETURN_IF_ERROR(state_.order(source, target));
  HEDDLE_RETURN_IF_ERROR(state_.order(stream, target));
  HEDDLE_RETURN_IF_ERROR(target.stream->copy(to.address, between, bytes));
  (*bounce)->free = nullptr;
  if (target.queued) {
    (*bounce)->free = state_.freshEvent();
    HEDDLE_RETURN_IF_ERROR(Invocation::record(*target.stream, (*bounce)->free));
  }
  return state_.order(target, stream);
}

// Host memory that no copy uses any more. With several in use it waits for one of them rather than take more.
StatusOr<Invocation::Bounce *> Interpreter::takeBounce(uint64_t bytes) {
  constexpr size_t kMost = 4;
  Invocation::Bounce *best = nullptr;
  for (Invocation::Bounce &bounce : state_.bounces_)
    if (!bounce.free || bounce.free->query() != hal::EventState::Pending)
      if (!best || (best->memory->bytes() < bytes && bounce.memory->bytes() > best->memory->bytes()))
        best = &bounce;
  if (!best && state_.bounces_.size() == kMost) {
    best = &state_.bounces_[0];
    HEDDLE_RETURN_IF_ERROR(state_.waitFor(*best->free));
  }
  if (!best) {
    state_.bounces_.reserve(kMost);
    best = &state_.bounces_.emplace_back();
  }
  if (!best->memory || best->memory->bytes() < bytes) {
    StatusOr<hal::BufferRef> memory = hal::allocateHostBuffer(bytes);
    if (!memory.ok()) {
      if (!best->memory)
        state_.bounces_.pop_back();
      return memory.takeStatus();
    }
    best->memory = std::move(*memory);
    ++state_.statistics_.allocations;
  }
  return best;
}

Status Interpreter::fill(const FillOp &op) {
  StatusOr<StreamRegister> stream = streamOf(op.head.first);
  if (!stream.ok())
    return stream.takeStatus();
  Status failure;
  int64_t bytes = state_.scalars_[op.bytes];
  std::byte *to = range(op.buffer, op.offset, bytes, kDefined | kWritable, failure);
  uint32_t flags = state_.buffers_[op.buffer].flags;
  if (((flags | state_.memoryFlags_[stream->device]) & kDeviceMemory) && !state_.canUse(stream->device, flags))
    failure = cannotUse("the device cannot use the memory");
  if (!failure.ok())
    return std::move(failure).prefix("fill: ");
  return stream->stream->fill(to, u(bytes), u(state_.scalars_[op.pattern]), op.patternBytes);
}

Status Interpreter::read(const ReadOp &op) {
  StatusOr<StreamRegister> stream = streamOf(op.stream);
  if (!stream.ok())
    return stream.takeStatus();
  auto type = static_cast<contract::ElementType>(op.type);
  uint32_t bytes = contract::byteSize(type);
  Status failure;
  std::byte *from = range(op.buffer, op.offset, bytes, kDefined, failure);
  if (!failure.ok())
    return std::move(failure).prefix("read: ");
  uint64_t raw = 0;
  uint32_t flags = state_.buffers_[op.buffer].flags;
  if (!(flags & kHostMemory)) {
    state_.readWord_ = 0;
    PlacedBuffer word{reinterpret_cast<std::byte *>(&state_.readWord_), bytes, kDefined | kWritable | kHostMemory};
    HEDDLE_RETURN_IF_ERROR(copyBetween(*stream, word, {from, bytes, flags}));
    from = word.address;
  }
  HEDDLE_RETURN_IF_ERROR(finish(*stream));
  std::memcpy(&raw, from, bytes);
  bool isSigned = type >= contract::ElementType::I8 && type <= contract::ElementType::I64;
  uint32_t unused = 64 - 8 * bytes;
  state_.scalars_[op.head.first] = isSigned ? static_cast<int64_t>(raw << unused) >> unused : static_cast<int64_t>(raw);
  return {};
}

// Waits for the stream, as long as the call may take.
Status Interpreter::finish(const StreamRegister &stream) {
  if (stream.queued) {
    std::shared_ptr<hal::Event> reached = state_.freshEvent();
    HEDDLE_RETURN_IF_ERROR(Invocation::record(*stream.stream, reached));
    HEDDLE_RETURN_IF_ERROR(state_.waitFor(*reached));
  }
  return stream.stream->synchronize();
}

} // namespace heddle
