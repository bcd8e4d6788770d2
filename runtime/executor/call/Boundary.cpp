// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What crosses the boundary of a call to and from devices that do not use host memory: arguments are imported where
// that works and pays, else copied into memory that the invocation keeps; results come back the same way.
#include "runtime/executor/call/Invocation.h"

namespace heddle {
namespace {

// Smaller ones are copied faster than a driver maps them.
constexpr uint64_t kImportFrom = 4 << 20;

// The caller's memory as the device's, or null where it is to be copied; a refusal is remembered.
hal::BufferRef import(hal::Device &device, std::byte *memory, uint64_t bytes, bool &refused) {
  if (bytes < kImportFrom || refused)
    return {};
  StatusOr<hal::BufferRef> imported = device.importHost(memory, bytes);
  refused = !imported.ok();
  return imported.ok() ? std::move(*imported) : hal::BufferRef();
}

} // namespace

Status Invocation::stageArguments() {
  for (uint32_t i = 0; i < staged_.size(); ++i)
    HEDDLE_RETURN_IF_ERROR(stageArgument(i, staged_[i]));
  // Whoever may use or copy the copies waits for them.
  for (const StagedArgument &argument : function_.staged)
    for (uint32_t d = 0; d < devices_.size(); ++d)
      for (uint32_t i = 0; i < devices_[d].streams.size(); ++i)
        if (devices_[d].streams[i].stream && canCopy(d, memoryFlags_[argument.device]))
          HEDDLE_RETURN_IF_ERROR(order(boundaryStream(argument.device), streamOf(d, i)));
  return {};
}

Status Invocation::stageArgument(uint32_t index, Staged &staged) {
  auto [argument, device] = function_.staged[index];
  BufferRegister &value = buffers_[argument];
  uint64_t bytes = static_cast<uint64_t>(value.bytes);
  hal::Device &to = *module_->devices()[device].device;
  staged.imported = import(to, value.address, bytes, staged.refusesImport);
  if (staged.imported) {
    value.address = staged.imported->address();
    value.flags = kDefined | kDeviceMemory | (1 + device) | (value.flags & kWritable);
    return {};
  }
  if (!staged.buffer || staged.buffer->bytes() < bytes) {
    staged.buffer = {};
    StatusOr<hal::BufferRef> buffer = to.allocate(std::max<uint64_t>(bytes, 1));
    if (!buffer.ok())
      return buffer.takeStatus();
    staged.buffer = std::move(*buffer);
    ++statistics_.allocations;
  }
  if (tracer_)
    tracer_->label("argument", bytes, TraceSlice::kHost, static_cast<int32_t>(device));
  HEDDLE_RETURN_IF_ERROR(boundaryStream(device).stream->copy(staged.buffer->address(), value.address, bytes));
  value.address = staged.buffer->address();
  value.flags = kDefined | memoryFlags_[device] | (value.flags & kWritable);
  return {};
}

StatusOr<BufferRegister> Invocation::placeResult(Result &result, uint32_t device, uint64_t bytes) {
  hal::Device &on = *module_->devices()[device].device;
  uint32_t flags = kDefined | kWritable | kDeviceMemory | (1 + device);
  if (result.given && !result.imported)
    result.imported = import(on, result.given, bytes, result.refusesImport);
  if (result.imported && result.imported->bytes() >= bytes)
    return BufferRegister{{result.imported->address(), static_cast<int64_t>(bytes), flags}};
  if (!result.onDevice || result.onDevice->bytes() < bytes) {
    if (result.onDevice)
      newStorage_.push_back(std::move(result.onDevice)); // other registers may still name it
    StatusOr<hal::BufferRef> buffer = on.allocate(std::max<uint64_t>(bytes, 1));
    if (!buffer.ok())
      return buffer.takeStatus();
    result.onDevice = std::move(*buffer);
    ++statistics_.allocations;
  }
  return BufferRegister{
      {result.onDevice->address(), static_cast<int64_t>(bytes), kDefined | kWritable | memoryFlags_[device]}};
}

// Where the caller gets the result: its own storage, else new memory of the host.
StatusOr<std::byte *> Invocation::homeOf(uint32_t index) {
  Result &result = results_[index];
  if (result.given) {
    HEDDLE_RETURN_IF_ERROR(checkRoom(index, result.bytes));
    return result.given;
  }
  if (std::byte *donated = result.donated())
    return donated;
  StatusOr<hal::BufferRef> buffer = hal::allocateHostBuffer(result.bytes);
  if (!buffer.ok())
    return buffer.takeStatus();
  if (result.storage)
    newStorage_.push_back(std::move(result.storage)); // another result may still read from it
  result.storage = std::move(*buffer);
  ++statistics_.allocations;
  return result.storage->address();
}

Status Invocation::stageResults() {
  for (uint32_t i = 0; i < results_.size(); ++i) {
    Result &result = results_[i];
    if (!result.set || result.held || (result.value.flags & kHostMemory) ||
        (result.imported && result.imported->address() == result.value.address))
      continue;
    uint32_t device = (result.value.flags & kSlotMask) - 1;
    StatusOr<std::byte *> to = homeOf(i);
    if (!to.ok())
      return to.takeStatus();
    StreamRegister stream = boundaryStream(device);
    for (uint32_t d = 0; d < devices_.size(); ++d)
      for (uint32_t s = 0; s < devices_[d].streams.size(); ++s)
        if (devices_[d].streams[s].stream)
          HEDDLE_RETURN_IF_ERROR(order(streamOf(d, s), stream));
    if (tracer_)
      tracer_->label("result", result.bytes, static_cast<int32_t>(device), TraceSlice::kHost);
    HEDDLE_RETURN_IF_ERROR(stream.stream->copy(*to, result.value.address, result.bytes));
  }
  return {};
}

void Invocation::releaseImports() {
  for (Staged &staged : staged_)
    staged.imported = {};
  for (Result &result : results_)
    result.imported = {};
}

} // namespace heddle
