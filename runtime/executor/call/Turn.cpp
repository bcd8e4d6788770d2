// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Turn.h"

#include "heddle/contract/ElementType.h"
#include "runtime/base/Guarded.h"
#include "runtime/executor/call/EntryChecks.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace heddle {
namespace {

std::string nameOf(const Module &module, const StateUse &use) {
  const auto *name = module.metadata().globals()->Get(use.global)->name();
  return "state '" + (name ? name->str() : "") + "'";
}

} // namespace

Status Turn::refuse() {
  return Status(StatusCode::Internal, "a call of an entry point with state needs one (Invocation::setState)");
}

Turn::Ticket Turn::ask() { return {state_ ? state_->order().ask() : 0, ranks_ ? ranks_->order().ask() : 0}; }

void Turn::giveUp(Ticket ticket) {
  if (state_)
    state_->order().leave(ticket.state);
  if (ranks_)
    ranks_->order().leave(ticket.ranks);
}

Turn::StartLock Turn::startLock() {
  StartLock lock;
  if (ranks_)
    lock.ranks = std::unique_lock(ranks_->order().startMutex());
  if (state_)
    lock.state = std::unique_lock(state_->order().startMutex());
  return lock;
}

Status Turn::enter(Ticket ticket) {
  holds_ = false;
  HEDDLE_RETURN_IF_ERROR(wait(ticket));
  holds_ = true;
  return state_ ? bind() : Status();
}

Status Turn::wait(Ticket ticket) {
  if (ranks_)
    HEDDLE_RETURN_IF_ERROR(clock_.waitUntil([&](uint64_t ns) { return ranks_->order().enter(ticket.ranks, ns); }));
  if (!state_)
    return {};
  HEDDLE_RETURN_IF_ERROR(clock_.waitUntil([&](uint64_t ns) { return state_->order().enter(ticket.state, ns); }));
  if (!state_->follow(module_.generation()))
    return Status(StatusCode::DeviceLost, "the program was loaded anew while the call waited for its turn; call again");
  return {};
}

Status Turn::bind() {
  for (const StateUse &use : function_.state) {
    StateValue &value = state_->value(use.global);
    if (use.result >= 0) {
      CallResult &result = results_[use.result];
      result.set = false;
      result.storage = std::move(value.spare);
    }
    if (use.argument >= 0)
      HEDDLE_RETURN_IF_ERROR(bindArgument(use, value));
  }
  return {};
}

Status Turn::bindArgument(const StateUse &use, StateValue &value) {
  if (!value.lost.empty())
    return Status(StatusCode::StateLost, nameOf(module_, use) + " has no value, " + value.lost + "; reset the state");
  if (!value.set)
    HEDDLE_RETURN_IF_ERROR(initialize(use, value));
  heddle_tensor tensor{};
  alignas(16) static std::byte unseen[16]; // memory that the host does not see is checked all the same
  tensor.data = value.buffer->address() ? value.buffer->address() : unseen;
  tensor.bytes = value.bytes;
  tensor.type = static_cast<heddle_element_type>(module_.metadata().globals()->Get(use.global)->type());
  tensor.rank = static_cast<uint32_t>(function_.arguments[use.argument].dims.size());
  std::copy_n(value.dims, tensor.rank, tensor.dims);
  HEDDLE_RETURN_IF_ERROR(
      heddle::bindArgument(function_, static_cast<size_t>(use.argument), tensor, frame_.scalars.data())
          .prefix("state: "));
  uint32_t flags = kDefined | (use.writable ? kWritable : 0) | devices_.access().flags(use.device);
  frame_.buffers[use.argument] = {PlacedBuffer::of(value.buffer, value.bytes, flags)};
  return {};
}

// A rank's part of a whole, row by row of the part.
static std::vector<std::byte> takeOwn(const std::vector<DimCheck> &dims, const StateValue &part, const std::byte *whole,
                                      uint64_t elementBytes) {
  std::vector<std::byte> own(part.bytes);
  if (own.empty())
    return own;
  size_t last = dims.size() - 1;
  uint64_t rowBytes = static_cast<uint64_t>(part.dims[last]) * elementBytes;
  std::vector<int64_t> at(dims.size());
  for (uint64_t done = 0; done < own.size(); done += rowBytes) {
    uint64_t place = 0;
    for (size_t d = 0; d <= last; ++d)
      place = place * static_cast<uint64_t>(dims[d].whole) + static_cast<uint64_t>(dims[d].begin + at[d]);
    std::memcpy(own.data() + done, whole + place * elementBytes, rowBytes);
    for (size_t d = last; d-- > 0 && ++at[d] == part.dims[d];)
      at[d] = 0;
  }
  return own;
}

// The value at the beginning: a parameter, or this rank's part of it, or zeros. A dynamic dimension is 0, or what an
// argument before it gives its name.
Status Turn::initialize(const StateUse &use, StateValue &value) {
  const fb::Global &global = *module_.metadata().globals()->Get(use.global);
  const std::vector<DimCheck> &dims = function_.arguments[use.argument].dims;
  value.bytes = contract::byteSize(static_cast<contract::ElementType>(global.type()));
  for (size_t d = 0; d < dims.size(); ++d) {
    bool isNew = dims[d].symbol >= 0 && dims[d].binds;
    value.dims[d] = dims[d].symbol < 0 ? dims[d].size : isNew ? dims[d].min : frame_.scalars[dims[d].symbol];
    if (__builtin_mul_overflow(value.bytes, static_cast<uint64_t>(value.dims[d]), &value.bytes))
      return Status(StatusCode::OutOfMemory, nameOf(module_, use) + " has more bytes than 64 bits count");
  }
  if (!value.buffer || value.buffer->bytes() < value.bytes) {
    value.buffer = {};
    StatusOr<hal::BufferRef> buffer = devices_.allocate(use.device, std::max<uint64_t>(value.bytes, 1));
    if (!buffer.ok())
      return buffer.takeStatus();
    value.buffer = std::move(*buffer);
  }
  hal::View to = hal::View::of(value.buffer, 0, value.bytes);
  if (global.initial() < 0)
    return write(use.device, to, nullptr);
  const fb::Parameter &initial = *module_.metadata().parameters()->Get(static_cast<uint32_t>(global.initial()));
  const std::byte *from = module_.artifact().view().data.data() + initial.offset();
  if (initial.bytes() == value.bytes)
    return write(use.device, to, from);
  std::vector<std::byte> own =
      takeOwn(dims, value, from, contract::byteSize(static_cast<contract::ElementType>(global.type())));
  return write(use.device, to, own.data());
}

// Zeros where `from` is null. A device that uses host memory may have no stream in this call: nothing is issued there.
Status Turn::write(uint32_t device, const hal::View &to, const std::byte *from) {
  if (module_.devices()[device].usesHostMemory()) {
    if (to.bytes)
      from ? std::memcpy(to.address(), from, to.bytes) : std::memset(to.address(), 0, to.bytes);
    return {};
  }
  StreamRegister stream = devices_.boundaryStream(device);
  HEDDLE_RETURN_IF_ERROR(from ? devices_.copy(stream, to, hal::View::ofHost(from, to.bytes))
                              : devices_.fill(stream, to, 0, 1));
  return devices_.finish(stream);
}

Status Turn::checkResults() const {
  for (const StateUse &use : function_.state) {
    if (use.result < 0)
      continue;
    const CallResult &result = results_[use.result];
    const auto *dims = module_.metadata().globals()->Get(use.global)->dims();
    for (uint32_t d = 0; dims && d < dims->size(); ++d)
      if (dims->Get(d) >= 0 && dims->Get(d) != result.dims[d])
        return Status(StatusCode::InvalidArgument, nameOf(module_, use) + ": dimension " + std::to_string(d) + " is " +
                                                       std::to_string(dims->Get(d)) + ", the call gives " +
                                                       std::to_string(result.dims[d]));
    bool inPlace = use.argument >= 0 && result.value.begins(state_->value(use.global).buffer);
    if (!inPlace && (!result.storage || !result.value.begins(result.storage)))
      return Status(StatusCode::InvalidArgument,
                    nameOf(module_, use) + " is returned from memory that is not its own; compile again");
  }
  return {};
}

void Turn::leave(Ticket ticket, const Status &status, bool started) {
  if (state_ && status.ok())
    keep();
  else if (state_ && holds_)
    drop(status, started);
  holds_ = false;
  giveUp(ticket);
}

void Turn::failAfterFork(const Status &failure) {
  if (state_)
    drop(failure, /*started=*/true);
}

void Turn::keep() {
  for (const StateUse &use : function_.state) {
    if (use.result < 0)
      continue;
    CallResult &result = results_[use.result];
    StateValue &value = state_->value(use.global);
    if (result.storage && result.value.begins(result.storage))
      std::swap(value.buffer, result.storage);
    value.spare = std::move(result.storage);
    value.bytes = result.bytes;
    std::copy_n(result.dims, function_.resultInfos[use.result].rank, value.dims);
    value.set = true;
    value.lost.clear();
  }
}

// What the program writes in place is neither the old value nor the new one.
void Turn::drop(const Status &failure, bool started) {
  for (const StateUse &use : function_.state) {
    StateValue &value = state_->value(use.global);
    if (use.result >= 0 && results_[use.result].storage)
      value.spare = std::move(results_[use.result].storage);
    if (!use.writable || !started)
      continue;
    value.lost = "a call failed"; // short enough to need no memory
    (void)guarded([&] {
      value.lost = "a call that updates it in place failed half way (" + failure.message() + ")";
      return Status();
    });
  }
}

} // namespace heddle
