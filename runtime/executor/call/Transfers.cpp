// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Transfers.h"

#include <cstring>

namespace heddle {

Status Transfers::copy(const StreamRegister &stream, const PlacedBuffer &to, const PlacedBuffer &from) {
  const MemoryAccess &access = devices_.access();
  auto sees = [&](uint32_t device) { return access.canCopy(device, to.flags) && access.canCopy(device, from.flags); };
  if ((to.flags & from.flags & kHostMemory) || sees(stream.device))
    return devices_.copy(stream, to.view(), from.view());
  for (uint32_t flags : {from.flags, to.flags})
    if (uint32_t owner = MemoryAccess::owner(flags); !(flags & kHostMemory) && sees(owner)) {
      StreamRegister other = devices_.boundaryStream(owner);
      HEDDLE_RETURN_IF_ERROR(devices_.order(stream, other));
      HEDDLE_RETURN_IF_ERROR(devices_.copy(other, to.view(), from.view()));
      return devices_.order(other, stream);
    }
  return copyThroughHost(stream, to, from);
}

// Neither side sees the other.
Status Transfers::copyThroughHost(const StreamRegister &stream, const PlacedBuffer &to, const PlacedBuffer &from) {
  uint64_t bytes = static_cast<uint64_t>(to.bytes);
  StreamRegister source = devices_.boundaryStream(MemoryAccess::owner(from.flags));
  StreamRegister target = devices_.boundaryStream(MemoryAccess::owner(to.flags));
  StatusOr<Bounce *> bounce = take(bytes);
  if (!bounce.ok())
    return bounce.takeStatus();
  hal::View between = hal::View::of((*bounce)->memory, 0, bytes);
  HEDDLE_RETURN_IF_ERROR(devices_.order(stream, source));
  HEDDLE_RETURN_IF_ERROR(devices_.copy(source, between, from.view()));
  HEDDLE_RETURN_IF_ERROR(devices_.order(source, target));
  HEDDLE_RETURN_IF_ERROR(devices_.order(stream, target));
  HEDDLE_RETURN_IF_ERROR(devices_.copy(target, to.view(), between));
  (*bounce)->free = devices_.mark(target);
  return devices_.order(target, stream);
}

// Host memory that no copy uses any more. With several in use it waits for one of them rather than take more.
StatusOr<Transfers::Bounce *> Transfers::take(uint64_t bytes) {
  constexpr size_t kMost = 4;
  Bounce *best = nullptr;
  for (Bounce &bounce : bounces_)
    if (!bounce.free.isPending())
      if (!best || (best->memory->bytes() < bytes && bounce.memory->bytes() > best->memory->bytes()))
        best = &bounce;
  if (!best && bounces_.size() == kMost) {
    best = &bounces_[0];
    HEDDLE_RETURN_IF_ERROR(devices_.waitFor(best->free));
  }
  if (!best) {
    bounces_.reserve(kMost);
    best = &bounces_.emplace_back();
  }
  if (!best->memory || best->memory->bytes() < bytes) {
    StatusOr<hal::BufferRef> memory = devices_.allocateHost(bytes);
    if (!memory.ok()) {
      if (!best->memory)
        bounces_.pop_back();
      return memory.takeStatus();
    }
    best->memory = std::move(*memory);
  }
  return best;
}

StatusOr<uint64_t> Transfers::read(const StreamRegister &stream, const PlacedBuffer &from) {
  const std::byte *address = from.address;
  if (!(from.flags & kHostMemory)) {
    word_ = 0;
    PlacedBuffer word{reinterpret_cast<std::byte *>(&word_), from.bytes, kDefined | kWritable | kHostMemory};
    HEDDLE_RETURN_IF_ERROR(copy(stream, word, from));
    address = word.address;
  }
  HEDDLE_RETURN_IF_ERROR(devices_.finish(stream));
  uint64_t raw = 0;
  std::memcpy(&raw, address, static_cast<size_t>(from.bytes));
  return raw;
}

} // namespace heddle
