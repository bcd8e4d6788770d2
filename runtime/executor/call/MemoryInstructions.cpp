// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/MemoryInstructions.h"

#include "heddle/contract/ElementType.h"
#include "runtime/executor/call/Communicator.h"
#include "runtime/executor/load/Module.h"

namespace heddle {
namespace {

using contract::Opcode;

uint64_t u(int64_t value) { return static_cast<uint64_t>(value); }
Status invalid(std::string message) { return Status(StatusCode::InvalidArgument, std::move(message)); }

// Of what may not be negative; -1 is what MulSize gives for too much.
std::string sizeText(int64_t bytes) {
  return bytes == -1 ? " needs more bytes than 64 bits count" : " has the size " + std::to_string(bytes);
}

} // namespace

Status MemoryInstructions::run(const Head &head) {
  std::vector<BufferRegister> &buffers = frame_.buffers;
  switch (static_cast<Opcode>(head.opcode)) {
  case Opcode::SetResult: return results_.set(as<SetResultOp>(head), frame_);
  case Opcode::Result: return result(as<ResultOp>(head));
  case Opcode::Slab: return allocate(as<StorageOp>(head), /*slab=*/true);
  case Opcode::Alloc: return allocate(as<StorageOp>(head), /*slab=*/false);
  case Opcode::Free: return memory_.free(buffers[as<FreeOp>(head).buffer], frame_.streams[head.first]);
  case Opcode::Plan: return plan(as<PlanOp>(head));
  case Opcode::Parameter:
    buffers[head.first] = {
        {as<BufferOp>(head).address, as<BufferOp>(head).bytes, as<BufferOp>(head).flags, as<BufferOp>(head).buffer}};
    return {};
  case Opcode::MoveBuffer: buffers[head.first] = buffers[as<MoveBufferOp>(head).buffer]; return {};
  case Opcode::BindScalar:
  case Opcode::BindBuffer: return bind(as<BindOp>(head));
  case Opcode::PackParameter: return pack(as<PackOp>(head));
  case Opcode::ParameterSlice: return slice(as<SliceOp>(head));
  case Opcode::Copy: return copy(as<CopyOp>(head));
  case Opcode::Fill: return fill(as<FillOp>(head));
  case Opcode::Read: return read(as<ReadOp>(head));
  case Opcode::Stream:
    frame_.streams[head.first] = devices_.stream(as<StreamOp>(head).device, as<StreamOp>(head).index + 1);
    return {};
  case Opcode::StreamAt: return streamAt(as<StreamOp>(head));
  case Opcode::CommStream: frame_.streams[head.first] = devices_.collectives(); return {};
  case Opcode::Collective: return collective(as<CollectiveOp>(head), {});
  case Opcode::CollectiveCut: {
    Cuts cuts(as<CollectiveCutOp>(head), frame_.scalars);
    return collective(as<CollectiveOp>(head), cuts.all());
  }
  case Opcode::Record: return record(as<EventOp>(head));
  case Opcode::Wait: return wait(as<EventOp>(head));
  case Opcode::Await: return devices_.await(head.first);
  case Opcode::MoveStream: frame_.streams[head.first] = frame_.streams[as<EventOp>(head).other]; return {};
  case Opcode::MoveEvent: devices_.moveEvent(head.first, as<EventOp>(head).other); return {};
  case Opcode::Follow: {
    Status failure;
    const StreamRegister *after = stream(head.first, failure), *before = stream(as<EventOp>(head).other, failure);
    return after && before ? devices_.order(*before, *after) : std::move(failure);
  }
  default: return Status(StatusCode::Internal, "an instruction of unknown effect: it was decoded, but nobody runs it");
  }
}

Status MemoryInstructions::view(const ViewOp &op) {
  const BufferRegister &from = frame_.buffers[op.buffer];
  int64_t offset = frame_.scalars[op.offset], bytes = frame_.scalars[op.bytes];
  if (bytes == 0 && offset > from.bytes) // where a larger one would lie
    offset = from.bytes;
  if (!(from.flags & kDefined) || offset < 0 || bytes < 0 || bytes > from.bytes - offset) [[unlikely]]
    return invalid("a view of " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                   " must lie in its buffer of " + std::to_string(from.bytes) + " bytes");
  frame_.buffers[op.head.first] = {{hal::advance(from.address, offset), bytes, from.flags, from.buffer}};
  return {};
}

Status MemoryInstructions::result(const ResultOp &op) {
  int64_t bytes = frame_.scalars[op.bytes];
  if (bytes < 0)
    return invalid("result " + std::to_string(op.result) + sizeText(bytes));
  HEDDLE_RETURN_IF_ERROR(results_.checkRoom(op.result, u(bytes)));
  BufferRegister &to = frame_.buffers[op.head.first];
  bool staged = !results_[op.result].held && (devices_.access().flags(op.device) & kDeviceMemory);
  return staged ? boundary_.place(op.result, op.device, u(bytes), to)
                : results_.place(op.result, op.device, u(bytes), to);
}

Status MemoryInstructions::allocate(const StorageOp &op, bool slab) {
  int64_t bytes = frame_.scalars[op.bytes];
  if (bytes < 0)
    return invalid((slab ? "the slab" : "a buffer") + sizeText(bytes));
  BufferRegister &to = frame_.buffers[op.head.first];
  return slab ? memory_.slab(op.device, u(bytes), to) : memory_.allocate(op.device, u(bytes), to);
}

Status MemoryInstructions::plan(const PlanOp &op) {
  PlanMemo &memo = frame_.plans[op.memo];
  std::span<int64_t> sizes = memo.sizes();
  for (uint32_t i = 0; i < op.count; ++i)
    sizes[i] = frame_.scalars[op.sizes()[i]];
  int64_t total = 0;
  std::span<const int64_t> offsets = memo.find(sizes, total, statistics_.planMisses);
  if (total < 0)
    return invalid("a buffer of the program has a negative size, or all together are too large");
  for (uint32_t i = 0; i < op.count; ++i)
    frame_.scalars[op.offsets()[i]] = offsets[i];
  frame_.scalars[op.head.first] = total;
  return {};
}

Status MemoryInstructions::bind(const BindOp &op) {
  if (!binding_)
    return Status(StatusCode::Internal, "a value is bound outside of bind time");
  BoundValue &value = binding_->bounds[op.head.first];
  if (static_cast<Opcode>(op.head.opcode) == Opcode::BindScalar) {
    value = {true, frame_.scalars[op.value], {}};
    return {};
  }
  const BufferRegister &buffer = frame_.buffers[op.value];
  if (!(buffer.flags & kDefined))
    return invalid("a buffer is bound before it is set");
  value = {true, 0, buffer};
  value.buffer.flags &= ~kWritable;
  return {};
}

Status MemoryInstructions::pack(const PackOp &op) {
  if (!binding_)
    return Status(StatusCode::Internal, "a parameter is packed outside of bind time");
  uint64_t start = nowNs();
  StatusOr<PlacedBuffer> packed = binding_->parameters.pack(op.parameter, op.layout, op.device);
  if (!packed.ok())
    return packed.takeStatus();
  clock_.extend(nowNs() - start); // as large as the parameters are, not a program that does not end
  frame_.buffers[op.head.first] = {*packed};
  return {};
}

Status MemoryInstructions::slice(const SliceOp &op) {
  if (!binding_)
    return Status(StatusCode::Internal, "a part of a parameter is asked for outside of bind time");
  int64_t offset = frame_.scalars[op.offset], bytes = frame_.scalars[op.bytes];
  StatusOr<PlacedBuffer> slice = binding_->parameters.slice(op.parameter, op.device, offset, bytes);
  if (!slice.ok())
    return slice.takeStatus();
  frame_.buffers[op.head.first] = {*slice};
  return {};
}

PlacedBuffer MemoryInstructions::range(uint32_t index, uint32_t offsetRegister, int64_t bytes, uint32_t needed,
                                       Status &failure) const {
  const BufferRegister &buffer = frame_.buffers[index];
  int64_t offset = frame_.scalars[offsetRegister];
  if ((buffer.flags & needed) != needed)
    failure = invalid(buffer.flags & kDefined ? "an argument or a parameter is written"
                                              : "a buffer is used before it is set");
  else if (offset < 0 || bytes < 0 || bytes > buffer.bytes - offset)
    failure = invalid(std::to_string(bytes) + " bytes at " + std::to_string(offset) + " must lie in the buffer of " +
                      std::to_string(buffer.bytes) + " bytes");
  else
    return {hal::advance(buffer.address, offset), bytes, buffer.flags, buffer.buffer};
  return {};
}

const StreamRegister *MemoryInstructions::stream(uint32_t index, Status &failure) const {
  if (frame_.streams[index].isSet())
    return &frame_.streams[index];
  failure = invalid("a stream register is used before it is set");
  return nullptr;
}

Status MemoryInstructions::copy(const CopyOp &op) {
  Status failure;
  const StreamRegister *on = stream(op.head.first, failure);
  if (!on)
    return failure;
  int64_t bytes = frame_.scalars[op.bytes];
  PlacedBuffer to = range(op.to, op.toOffset, bytes, kDefined | kWritable, failure);
  PlacedBuffer from = range(op.from, op.fromOffset, bytes, kDefined, failure);
  if (!failure.ok())
    return std::move(failure).prefix("copy: ");
  statistics_.copiedBytes += u(bytes);
  return transfers_.copy(*on, to, from);
}

Status MemoryInstructions::fill(const FillOp &op) {
  Status failure;
  const StreamRegister *on = stream(op.head.first, failure);
  if (!on)
    return failure;
  int64_t bytes = frame_.scalars[op.bytes];
  PlacedBuffer to = range(op.buffer, op.offset, bytes, kDefined | kWritable, failure);
  uint32_t flags = frame_.buffers[op.buffer].flags;
  const MemoryAccess &access = devices_.access();
  if (((flags | access.flags(on->device)) & kDeviceMemory) && !access.canUse(on->device, flags))
    failure = cannotUse("the device cannot use the memory");
  if (!failure.ok())
    return std::move(failure).prefix("fill: ");
  return devices_.fill(*on, to.view(), u(frame_.scalars[op.pattern]), op.patternBytes);
}

Status MemoryInstructions::read(const ReadOp &op) {
  Status failure;
  const StreamRegister *on = stream(op.stream, failure);
  if (!on)
    return failure;
  auto type = static_cast<contract::ElementType>(op.type);
  uint32_t bytes = contract::byteSize(type);
  PlacedBuffer from = range(op.buffer, op.offset, bytes, kDefined, failure);
  if (!failure.ok())
    return std::move(failure).prefix("read: ");
  StatusOr<uint64_t> raw = transfers_.read(*on, from);
  if (!raw.ok())
    return raw.takeStatus();
  bool isSigned = type >= contract::ElementType::I8 && type <= contract::ElementType::I64;
  uint32_t unused = 64 - 8 * bytes;
  frame_.scalars[op.head.first] =
      isSigned ? static_cast<int64_t>(*raw << unused) >> unused : static_cast<int64_t>(*raw);
  return {};
}

Status MemoryInstructions::streamAt(const StreamOp &op) {
  int64_t number = frame_.scalars[op.index];
  if (number < 0)
    return invalid("a stream has the number " + std::to_string(number));
  StatusOr<StreamRegister> stream = devices_.streamAt(op.device, u(number));
  if (!stream.ok())
    return stream.takeStatus();
  frame_.streams[op.head.first] = *stream;
  return {};
}

Status MemoryInstructions::record(const EventOp &op) {
  Status failure;
  const StreamRegister *on = stream(op.other, failure);
  return on ? devices_.record(op.head.first, *on) : std::move(failure);
}

Status MemoryInstructions::wait(const EventOp &op) {
  HEDDLE_RETURN_IF_ERROR(devices_.checkRecorded(op.other));
  Status failure;
  const StreamRegister *on = stream(op.head.first, failure);
  return on ? devices_.wait(op.other, *on) : std::move(failure);
}

Status MemoryInstructions::collective(const CollectiveOp &op, std::span<const contract::Cut> cuts) {
  Status failure;
  const StreamRegister *on = stream(op.head.first, failure);
  if (!on)
    return failure;
  if (!communicator_ || !devices_.runsCollectives(*on))
    return invalid("a collective runs on the stream of collectives, and got another one");
  return communicator_->collective(*on->commands, op.collective, frame_.buffers[op.source], frame_.buffers[op.target],
                                   frame_.scalars[op.count], cuts, statistics_);
}

Status MemoryInstructions::cannotUse(std::string what) {
  return Status(StatusCode::Unsupported,
                std::move(what) + ": the program was compiled for devices that share memory (--topology); compile it "
                                  "without, or name such devices");
}

} // namespace heddle
