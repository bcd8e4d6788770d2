// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Results.h"

#include "heddle/contract/ElementType.h"
#include "runtime/executor/call/EntryChecks.h"

#include <algorithm>
#include <cstring>

namespace heddle {
namespace {

Status invalid(std::string message) { return Status(StatusCode::InvalidArgument, std::move(message)); }

} // namespace

Results::Results(std::span<const DeviceSlot> slots, const Function &function, CallDevices &devices,
                 CallStatistics &statistics)
    : slots_(slots), function_(function), devices_(devices), statistics_(statistics) {
  results_.resize(function.source->results() ? function.source->results()->size() : 0);
  for (const StateUse &use : function.state)
    if (use.result >= 0)
      results_[use.result].held = true;
  donors_.resize(function.donations.size());
  for (size_t i = 0; i < donors_.size(); ++i)
    results_[function.donations[i].result].donor = &donors_[i];
}

Status Results::begin(std::span<const heddle_tensor> given) {
  outgrown_.clear();
  HEDDLE_RETURN_IF_ERROR(checkResultStorage(function_, given));
  for (size_t i = 0; i < given.size(); ++i) {
    results_[i].given = static_cast<std::byte *>(given[i].data);
    results_[i].givenBytes = given[i].data ? given[i].bytes : 0;
    results_[i].set = false;
    results_[i].storage = {};
    results_[i].home = nullptr;
    results_[i].place = {.flags = kHostMemory};
  }
  return {};
}

Status Results::donate(std::span<const heddle_tensor> arguments, std::span<const heddle_tensor> given, Frame &frame) {
  for (size_t i = 0; i < donors_.size(); ++i) {
    const Donation &donation = function_.donations[i];
    HEDDLE_RETURN_IF_ERROR(checkDonation(function_, donation, arguments, given[donation.result]));
    donors_[i] = arguments[donation.argument];
    results_[donation.result].given = nullptr;
    if (donation.writable)
      frame.buffers[donation.argument].flags |= kWritable;
  }
  return {};
}

bool Results::anyGiven() const {
  return std::any_of(results_.begin(), results_.end(), [](const CallResult &result) { return result.given; });
}

Status Results::checkRoom(uint32_t index, uint64_t bytes) const {
  const CallResult &result = results_[index];
  if (!result.given || bytes <= result.givenBytes) [[likely]]
    return {};
  std::string name = function_.info.results[index].name;
  return invalid("result " + std::to_string(index) + (name.empty() ? "" : " '" + name + "'") + " needs " +
                 std::to_string(bytes) + " bytes, got storage of " + std::to_string(result.givenBytes) +
                 "; give a larger buffer or none");
}

Status Results::place(uint32_t index, uint32_t device, uint64_t bytes, BufferRegister &to) {
  CallResult &result = results_[index];
  uint32_t flags = kDefined | kWritable | devices_.access().flags(device);
  if (result.given && devices_.access().canUse(device, result.place.flags)) {
    to = {{result.given, static_cast<int64_t>(bytes), flags}};
    if (result.home)
      to.address = result.place.address, to.buffer = result.place.buffer;
    return {};
  }
  if (!result.storage || result.storage->bytes() < bytes) {
    // A value that the module keeps may go on growing from call to call.
    uint64_t room = result.held && result.storage ? bytes / 2 : 0;
    if (result.storage)
      outgrown_.push_back(std::move(result.storage)); // other registers may still name it
    StatusOr<hal::BufferRef> buffer = devices_.allocate(device, bytes + room);
    if (!buffer.ok())
      return buffer.takeStatus();
    result.storage = std::move(*buffer);
    result.storedOn = slots_[device].device.get();
  }
  to = {PlacedBuffer::of(result.storage, bytes, flags)};
  return {};
}

Status Results::set(const SetResultOp &op, const Frame &frame) {
  CallResult &result = results_[op.head.first];
  const BufferRegister &buffer = frame.buffers[op.buffer];
  auto name = [&] { return "result " + std::to_string(op.head.first); };
  if (!(buffer.flags & kDefined))
    return invalid(name() + " is returned from a buffer that is not set");
  uint64_t bytes =
      contract::byteSize(static_cast<contract::ElementType>(function_.source->results()->Get(op.head.first)->type()));
  for (uint32_t d = 0; d < op.rank; ++d) {
    result.dims[d] = frame.scalars[op.sizes()[d]];
    if (result.dims[d] < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(result.dims[d]), &bytes))
      return invalid("dimension " + std::to_string(d) + " of " + name() + " has the size " +
                     std::to_string(result.dims[d]));
  }
  if (bytes > static_cast<uint64_t>(buffer.bytes))
    return invalid(name() + " has " + std::to_string(bytes) + " bytes, its buffer only " +
                   std::to_string(buffer.bytes));
  result.value = buffer;
  result.bytes = bytes;
  result.set = true;
  return {};
}

StatusOr<Home> Results::home(uint32_t index) {
  CallResult &result = results_[index];
  Home home{result.place, result.home};
  if (result.given) {
    HEDDLE_RETURN_IF_ERROR(checkRoom(index, result.bytes));
    if (!result.home)
      home.at.address = result.given;
  } else if (std::byte *donated = result.donated()) {
    if (!result.home)
      home.at.address = donated;
  } else {
    StatusOr<hal::BufferRef> buffer =
        result.home ? result.home->device().allocate(result.bytes) : devices_.allocateHost(result.bytes);
    if (!buffer.ok())
      return buffer.takeStatus();
    statistics_.allocations += result.home != nullptr;
    if (result.storage)
      outgrown_.push_back(std::move(result.storage)); // another result may still read from it
    result.storage = std::move(*buffer);
    result.storedOn = result.home ? &result.home->device() : nullptr;
    home.at = PlacedBuffer::of(result.storage, result.bytes, result.place.flags);
  }
  home.at.bytes = static_cast<int64_t>(result.bytes);
  return home;
}

Status Results::deliver() {
  for (bool donated : {false, true})
    for (uint32_t i = 0; i < results_.size() && (!donated || !donors_.empty()); ++i)
      if ((results_[i].donor != nullptr) == donated)
        HEDDLE_RETURN_IF_ERROR(deliver(i));
  return {};
}

Status Results::deliver(uint32_t index) {
  CallResult &result = results_[index];
  if (!result.set)
    return Status(StatusCode::Internal, "the program ended without result " + std::to_string(index));
  if (result.held)
    return {};
  HEDDLE_RETURN_IF_ERROR(bring(index));
  if (!result.home || result.given || result.donated()) [[likely]]
    return {};
  StatusOr<hal::BufferRef> held = result.home->hold(std::move(result.storage));
  if (!held.ok())
    return held.takeStatus();
  result.storage = std::move(*held);
  return {};
}

// A copy where the program returned it from elsewhere: an argument, a parameter, a slab.
Status Results::bring(uint32_t index) {
  CallResult &result = results_[index];
  std::byte *at = result.given ? result.given : result.donated();
  if (!at && result.isStoredHome())
    at = result.storage->address();
  if ((at && at == result.value.address) || !(result.value.flags & kHostMemory))
    return {}; // what the host cannot read the boundary has brought
  StatusOr<Home> to = home(index);
  if (!to.ok())
    return to.takeStatus();
  statistics_.boundaryBytes += result.bytes;
  if (!(to->at.flags & kHostMemory))
    return to->device->write(to->at.view(), result.value.address);
  if (result.bytes)
    std::memmove(to->at.address, result.value.address, result.bytes);
  return {};
}

void Results::finish(std::span<heddle_tensor> given) {
  for (size_t i = 0; i < given.size(); ++i) {
    CallResult &result = results_[i];
    const heddle_value_info &info = function_.info.results[i];
    if (std::byte *donated = result.donated()) {
      given[i].data = donated;
      given[i].owner = result.donor->owner;
      if (given[i].owner)
        reinterpret_cast<hal::Buffer *>(given[i].owner)->retain();
    } else if (!result.given) {
      given[i].data = result.storage->address();
      given[i].owner = reinterpret_cast<heddle_buffer *>(result.storage.take());
    }
    given[i].bytes = result.bytes;
    given[i].type = info.type;
    given[i].rank = info.rank;
    std::copy_n(result.dims, info.rank, given[i].dims);
  }
}

} // namespace heddle
