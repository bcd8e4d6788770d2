// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Boundary.h"

#include "runtime/executor/call/Observer.h"

#include <algorithm>

namespace heddle {
namespace {

// Smaller ones are copied faster than a driver maps them.
constexpr uint64_t kImportFrom = 4 << 20;

// The caller's memory as the device's, or null where it cannot be or is not worth it; a refusal is remembered.
hal::BufferRef import(hal::Device &device, std::byte *memory, uint64_t bytes, bool &refused) {
  if (bytes < kImportFrom || refused)
    return {};
  StatusOr<hal::BufferRef> imported = device.importHost(memory, bytes);
  refused = !imported.ok();
  return imported.ok() ? std::move(*imported) : hal::BufferRef();
}

} // namespace

Boundary::Boundary(std::span<const DeviceSlot> slots, const Function &function, Frame &frame, CallDevices &devices,
                   Results &results, CallStatistics &statistics)
    : slots_(slots), function_(function), frame_(frame), devices_(devices), callResults_(results),
      statistics_(statistics), arguments_(function.staged.size()), results_(results.size()) {}

Status Boundary::stageArguments() {
  for (const Foreign &foreign : foreign_)
    if (!isUsable(foreign.argument))
      HEDDLE_RETURN_IF_ERROR(fetch(foreign));
  for (uint32_t i = 0; i < arguments_.size(); ++i)
    HEDDLE_RETURN_IF_ERROR(stageArgument(function_.staged[i], arguments_[i]));
  for (const StagedArgument &argument : function_.staged)
    HEDDLE_RETURN_IF_ERROR(
        devices_.orderBeforeUsers(devices_.boundaryStream(argument.device), devices_.access().flags(argument.device)));
  return {};
}

// The device that needs it can use it where it lies. Where none is left that does, the program can only return or copy
// it, from any device of its own.
bool Boundary::isUsable(uint32_t argument) const {
  uint32_t device = function_.source->arguments()->Get(argument)->device();
  uint32_t flags = frame_.buffers[argument].flags;
  if (device < function_.devices.size() && function_.devices[device])
    return devices_.access().canUse(device, flags);
  return flags & kDeviceMemory;
}

// Behind a bus they do not: a product of 1024³ takes eleven times as long as on the device's own memory.
bool Boundary::computesOnHostMemory(uint32_t device) const { return slots_[device].device->hostAddressable(); }

// Brings it to the host, from where the devices that need it get it.
Status Boundary::fetch(const Foreign &foreign) {
  BufferRegister &value = frame_.buffers[foreign.argument];
  uint64_t bytes = static_cast<uint64_t>(value.bytes);
  fetched_.resize(std::max<size_t>(fetched_.size(), foreign.argument + 1));
  hal::BufferRef &to = fetched_[foreign.argument];
  HEDDLE_RETURN_IF_ERROR(growHost(to, bytes));
  HEDDLE_RETURN_IF_ERROR(foreign.device->read(to->address(), value.view()));
  statistics_.boundaryBytes += bytes;
  value = {{to->address(), value.bytes, kDefined | kHostMemory | (value.flags & kWritable)}};
  return {};
}

Status Boundary::growHost(hal::BufferRef &buffer, uint64_t bytes) {
  if (buffer && buffer->bytes() >= bytes)
    return {};
  buffer = {};
  StatusOr<hal::BufferRef> memory = devices_.allocateHost(bytes);
  if (!memory.ok())
    return memory.takeStatus();
  buffer = std::move(*memory);
  return {};
}

Status Boundary::stageArgument(const StagedArgument &argument, Staged &staged) {
  uint32_t device = argument.device;
  BufferRegister &value = frame_.buffers[argument.argument];
  if (devices_.access().canUse(device, value.flags))
    return {};
  uint64_t bytes = static_cast<uint64_t>(value.bytes);
  staged.imported = import(*slots_[device].device, value.address, bytes, staged.refusesImport);
  if (staged.imported && computesOnHostMemory(device)) {
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
  hal::View from = staged.imported ? hal::View::of(staged.imported, 0, bytes) : value.view();
  HEDDLE_RETURN_IF_ERROR(devices_.copy(devices_.boundaryStream(device), there.view(), from));
  statistics_.boundaryBytes += bytes;
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
  bool isHome = result.home && (result.given ? devices_.access().canUse(device, result.place.flags)
                                             : &result.home->device() == slots_[device].device.get());
  if (isHome)
    return callResults_.place(index, device, bytes, to);
  if (result.given && !staged.imported && !result.home && computesOnHostMemory(device))
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
    if (result.set && !result.held && !(result.value.flags & kHostMemory) &&
        !(imported && result.value.begins(imported)))
      HEDDLE_RETURN_IF_ERROR(stageResult(i));
  }
  return {};
}

Status Boundary::stageResult(uint32_t index) {
  CallResult &result = callResults_[index];
  if (!result.given && !result.donated() && result.home && result.isStoredHome() && result.value.begins(result.storage))
    return {};
  uint32_t device = MemoryAccess::owner(result.value.flags);
  StatusOr<Home> home = callResults_.home(index);
  if (!home.ok())
    return home.takeStatus();
  bool there = home->at.buffer == result.value.buffer && home->at.address == result.value.address;
  if (there || result.bytes == 0)
    return {};
  StreamRegister stream = devices_.boundaryStream(device);
  HEDDLE_RETURN_IF_ERROR(devices_.orderAfterAll(stream));
  bool reached = devices_.access().canCopy(device, home->at.flags);
  if (!reached) {
    HEDDLE_RETURN_IF_ERROR(growHost(results_[index].between, result.bytes));
    home->at = {results_[index].between->address(), static_cast<int64_t>(result.bytes), kHostMemory};
  }
  if (observer_)
    observer_->label("result", result.bytes, static_cast<int32_t>(device), TraceSlice::kHost);
  hal::View from = result.value.view(), to = home->at.view();
  from.bytes = result.bytes;
  Staged &staged = results_[index];
  if (!to.buffer && !computesOnHostMemory(device))
    staged.imported = import(*slots_[device].device, to.address(), result.bytes, staged.refusesImport);
  if (staged.imported && !computesOnHostMemory(device))
    to = hal::View::of(staged.imported, 0, result.bytes);
  HEDDLE_RETURN_IF_ERROR(devices_.copy(stream, to, from));
  statistics_.boundaryBytes += result.bytes;
  if (!reached) { // from there Results::deliver() takes it on
    result.value = {home->at};
    result.value.flags |= kDefined;
  }
  return {};
}

void Boundary::release() {
  for (std::vector<Staged> *all : {&arguments_, &results_})
    for (Staged &staged : *all)
      staged.imported = {};
}

} // namespace heddle
