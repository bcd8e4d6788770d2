// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers: results, slabs, allocations, views, plans, what is bound.
#include "runtime/executor/call/Interpreter.h"

#include "heddle/contract/ElementType.h"

#include <algorithm>

namespace heddle {
namespace {

using contract::Opcode;

template <typename Op> const Op &as(const Head &head) { return reinterpret_cast<const Op &>(head); }
uint64_t u(int64_t value) { return static_cast<uint64_t>(value); }
Status invalid(std::string message) { return Status(StatusCode::InvalidArgument, std::move(message)); }

// Of what may not be negative; -1 is what MulSize gives for too much.
std::string sizeText(int64_t bytes) {
  return bytes == -1 ? " needs more bytes than 64 bits count" : " has the size " + std::to_string(bytes);
}

} // namespace

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
    buffers[head.first] = {{as<BufferOp>(head).address, as<BufferOp>(head).bytes, as<BufferOp>(head).flags}};
    return {};
  case Opcode::BindScalar:
  case Opcode::BindBuffer: return bind(as<BindOp>(head));
  case Opcode::PackParameter: return pack(as<PackOp>(head));
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
    return invalid("result " + std::to_string(op.result) + sizeText(bytes));
  BufferRegister &to = state_.buffers_[op.head.first];
  HEDDLE_RETURN_IF_ERROR(state_.checkRoom(op.result, u(bytes)));
  if (!result.held && (state_.memoryFlags_[op.device] & kDeviceMemory)) {
    StatusOr<BufferRegister> placed = state_.placeResult(result, op.device, u(bytes));
    if (!placed.ok())
      return placed.takeStatus();
    to = *placed;
    return {};
  }
  uint32_t flags = kDefined | kWritable | state_.memoryFlags_[op.device];
  if (result.given) {
    to = {{result.given, bytes, flags}};
    return {};
  }
  if (!result.storage || result.storage->bytes() < u(bytes)) {
    // A value that the module keeps may go on growing from call to call.
    uint64_t room = result.held && result.storage ? u(bytes) / 2 : 0;
    if (result.storage)
      state_.newStorage_.push_back(std::move(result.storage)); // other registers may still name it
    StatusOr<hal::BufferRef> buffer = device(op.device).allocate(u(bytes) + room);
    if (!buffer.ok())
      return buffer.takeStatus();
    result.storage = std::move(*buffer);
    ++state_.statistics_.allocations;
  }
  to = {{result.storage->address(), bytes, flags}};
  return {};
}

Status Interpreter::slab(const StorageOp &op) {
  Invocation::DeviceState &state = state_.devices_[op.device];
  int64_t bytes = state_.scalars_[op.bytes];
  if (bytes < 0)
    return invalid("the slab" + sizeText(bytes));
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
  state_.buffers_[op.head.first] = {
      {state.slab->address(), bytes, kDefined | kWritable | state_.memoryFlags_[op.device]}};
  return {};
}

// The smallest free block that fits and is not more than twice as large, or -1; `pending`: with work still to come
// before it may be used.
int32_t Interpreter::findBlock(uint32_t device, uint64_t bytes, bool pending) {
  int32_t best = -1;
  for (size_t i = 0; i < state_.blocks_.size(); ++i) {
    const Invocation::Block &block = state_.blocks_[i];
    bool waits = block.freed && block.freed->query() == hal::EventState::Pending;
    uint64_t size = block.live || block.device != device || waits != pending ? 0 : block.buffer->bytes();
    if (size >= bytes && size / 2 <= bytes && size > 0 && (best < 0 || size < state_.blocks_[best].buffer->bytes()))
      best = static_cast<int32_t>(i);
  }
  return best;
}

Status Interpreter::alloc(const StorageOp &op) {
  int64_t bytes = state_.scalars_[op.bytes];
  if (bytes < 0)
    return invalid("a buffer" + sizeText(bytes));
  int32_t best = findBlock(op.device, u(bytes), false);
  // A program that runs ahead of a queued stream does not take ever more memory: it waits.
  if (best < 0 && state_.overlaps_ && (best = findBlock(op.device, u(bytes), true)) >= 0)
    HEDDLE_RETURN_IF_ERROR(state_.waitFor(*state_.blocks_[best].freed));
  if (best < 0) {
    StatusOr<hal::BufferRef> buffer = device(op.device).allocate(std::max<uint64_t>(u(bytes), 1));
    if (!buffer.ok())
      return buffer.takeStatus();
    best = static_cast<int32_t>(state_.blocks_.size());
    state_.blocks_.push_back({std::move(*buffer), op.device, false, nullptr});
    ++state_.statistics_.allocations;
  }
  Invocation::Block &block = state_.blocks_[best];
  block.live = true;
  block.freed = nullptr;
  state_.buffers_[op.head.first] = {
      {block.buffer->address(), bytes, kDefined | kWritable | state_.memoryFlags_[op.device]}, best};
  return {};
}

Status Interpreter::free(const FreeOp &op) {
  BufferRegister &buffer = state_.buffers_[op.buffer];
  if (!(buffer.flags & kDefined) || buffer.block < 0 || !state_.blocks_[buffer.block].live)
    return invalid("a buffer is freed that is not allocated, or freed twice");
  const StreamRegister &stream = state_.streams_[op.head.first];
  if (!stream.stream)
    return invalid("a stream register is used before it is set");
  Invocation::Block &block = state_.blocks_[buffer.block];
  block.live = false;
  buffer = {};
  if (!stream.queued)
    return {};
  block.freed = state_.freshEvent();
  return Invocation::record(*stream.stream, block.freed);
}

Status Interpreter::bind(const BindOp &op) {
  if (!state_.binding_)
    return Status(StatusCode::Internal, "a value is bound outside of bind time");
  BoundValue &value = state_.binding_->bounds[op.head.first];
  if (static_cast<Opcode>(op.head.opcode) == Opcode::BindScalar) {
    value = {true, state_.scalars_[op.value], {}};
    return {};
  }
  const BufferRegister &buffer = state_.buffers_[op.value];
  if (!(buffer.flags & kDefined))
    return invalid("a buffer is bound before it is set");
  value = {true, 0, buffer};
  value.buffer.flags &= ~kWritable;
  return {};
}

Status Interpreter::pack(const PackOp &op) {
  if (!state_.binding_)
    return Status(StatusCode::Internal, "a parameter is packed outside of bind time");
  uint64_t start = nowNs();
  StatusOr<PlacedBuffer> packed = state_.binding_->parameters.pack(op.parameter, op.layout, op.device);
  if (!packed.ok())
    return packed.takeStatus();
  state_.deadlineNs_ += nowNs() - start; // as large as the parameters are, not a program that does not end
  state_.buffers_[op.head.first] = {*packed};
  return {};
}

Status Interpreter::view(const ViewOp &op) {
  const BufferRegister &from = state_.buffers_[op.buffer];
  int64_t offset = state_.scalars_[op.offset], bytes = state_.scalars_[op.bytes];
  if (!(from.flags & kDefined) || offset < 0 || bytes < 0 || bytes > from.bytes - offset) [[unlikely]]
    return invalid("a view of " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                   " must lie in its buffer of " + std::to_string(from.bytes) + " bytes");
  state_.buffers_[op.head.first] = {{from.address + offset, bytes, from.flags}};
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

} // namespace heddle
