// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Boundary.h"

#include "runtime/executor/call/Observer.h"

#include <algorithm>

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

Boundary::Boundary(std::span<const DeviceSlot> slots, const Function &function, Frame &frame, CallDevices &devices,
                   Results &results)
    : slots_(slots), function_(function), frame_(frame), devices_(devices), callResults_(results),
      arguments_(function.staged.size()), results_(results.size()) {}

Status Boundary::stageArguments() {
  for (uint32_t i = 0; i < arguments_.size(); ++i)
    HEDDLE_RETURN_IF_ERROR(stageArgument(function_.staged[i], arguments_[i]));
  for (const StagedArgument &argument : function_.staged)
    HEDDLE_RETURN_IF_ERROR(
        devices_.orderBeforeUsers(devices_.boundaryStream(argument.device), devices_.access().flags(argument.device)));
  return {};
}

Status Boundary::stageArgument(const StagedArgument &argument, Staged &staged) {
  uint32_t device = argument.device;
  BufferRegister &value = frame_.buffers[argument.argument];
  uint64_t bytes = static_cast<uint64_t>(value.bytes);
  staged.imported = import(*slots_[device].device, value.address, bytes, staged.refusesImport);
  if (staged.imported) {
    value = {
        PlacedBuffer::of(staged.imported, bytes, kDefined | kDeviceMemory | (1 + device) | (value.flags & kWritable))};
    return {};
  }
  if (!staged.buffer || staged.buffer->bytes() < bytes) {
    staged.buffer = {};
    HEDDLE_RETURN_IF_ERROR(grow(staged, device, bytes));
  }
  if (observer_)
    observer_->label("argument", bytes, TraceSlice::kHost, static_cast<int32_t>(device));
  BufferRegister there = {
      PlacedBuffer::of(staged.buffer, bytes, kDefined | devices_.access().flags(device) | (value.flags & kWritable))};
  HEDDLE_RETURN_IF_ERROR(devices_.copy(devices_.boundaryStream(device), there.view(), value.view()));
  value = there;
  return {};
}

Status Boundary::grow(Staged &staged, uint32_t device, uint64_t bytes) {
  StatusOr<hal::BufferRef> buffer = devices_.allocate(device, std::max<uint64_t>(bytes, 1));
  if (!buffer.ok())
    return buffer.takeStatus();
  staged.buffer = std::move(*buffer);
  return {};
}

Status Boundary::place(uint32_t index, uint32_t device, uint64_t bytes, BufferRegister &to) {
  Staged &staged = results_[index];
  const CallResult &result = callResults_[index];
  if (result.given && !staged.imported)
    staged.imported = import(*slots_[device].device, result.given, bytes, staged.refusesImport);
  if (staged.imported && staged.imported->bytes() >= bytes) {
    to = {PlacedBuffer::of(staged.imported, bytes, kDefined | kWritable | kDeviceMemory | (1 + device))};
    return {};
  }
  if (!staged.buffer || staged.buffer->bytes() < bytes) {
    if (staged.buffer)
      outgrown_.push_back(std::move(staged.buffer));
    HEDDLE_RETURN_IF_ERROR(grow(staged, device, bytes));
  }
  to = {PlacedBuffer::of(staged.buffer, bytes, kDefined | kWritable | devices_.access().flags(device))};
  return {};
}

Status Boundary::stageResults() {
  for (uint32_t i = 0; i < results_.size(); ++i) {
    const CallResult &result = callResults_[i];
    const hal::BufferRef &imported = results_[i].imported;
    if (!result.set || result.held || (result.value.flags & kHostMemory) || (imported && result.value.begins(imported)))
      continue;
    uint32_t device = MemoryAccess::owner(result.value.flags);
    StatusOr<std::byte *> to = callResults_.home(i);
    if (!to.ok())
      return to.takeStatus();
    StreamRegister stream = devices_.boundaryStream(device);
    HEDDLE_RETURN_IF_ERROR(devices_.orderAfterAll(stream));
    if (observer_)
      observer_->label("result", result.bytes, static_cast<int32_t>(device), TraceSlice::kHost);
    hal::View from = result.value.view();
    from.bytes = result.bytes;
    HEDDLE_RETURN_IF_ERROR(devices_.copy(stream, hal::View::ofHost(*to, result.bytes), from));
  }
  return {};
}

void Boundary::release() {
  for (std::vector<Staged> *all : {&arguments_, &results_})
    for (Staged &staged : *all)
      staged.imported = {};
}

} // namespace heddle
