// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/CallMemory.h"

#include <algorithm>
#include <iterator>

namespace heddle {

void CallMemory::begin() {
  for (Slab &slab : slabs_) {
    slab.outgrown.clear();
    slab.used = false;
  }
  for (Block &block : blocks_)
    block.live = false;
}

Status CallMemory::slab(uint32_t device, uint64_t bytes, BufferRegister &to) {
  Slab &slab = slabs_[device];
  if (!slab.memory || slab.memory->bytes() < bytes) {
    if (slab.memory && slab.used)
      slab.outgrown.push_back(std::move(slab.memory));
    slab.memory = {};
    StatusOr<hal::BufferRef> buffer = devices_.allocate(device, bytes);
    if (!buffer.ok())
      return buffer.takeStatus();
    slab.memory = std::move(*buffer);
  }
  slab.used = true;
  to = {PlacedBuffer::of(slab.memory, bytes, kDefined | kWritable | devices_.access().flags(device))};
  return {};
}

// The smallest free block that fits and is not more than twice as large, or -1; `pending`: with work still to come
// before it may be used.
int32_t CallMemory::find(uint32_t device, uint64_t bytes, bool pending) const {
  int32_t best = -1;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block &block = blocks_[i];
    bool waits = block.freed.isPending();
    uint64_t size = block.live || block.device != device || waits != pending ? 0 : block.buffer->bytes();
    if (size >= bytes && size / 2 <= bytes && size > 0 && (best < 0 || size < blocks_[best].buffer->bytes()))
      best = static_cast<int32_t>(i);
  }
  return best;
}

Status CallMemory::allocate(uint32_t device, uint64_t bytes, BufferRegister &to) {
  int32_t best = find(device, bytes, false);
  // A program that runs ahead of a queued stream does not take ever more memory: it waits.
  if (best < 0 && devices_.overlaps() && (best = find(device, bytes, true)) >= 0)
    HEDDLE_RETURN_IF_ERROR(devices_.waitFor(blocks_[best].freed));
  if (best < 0) {
    StatusOr<hal::BufferRef> buffer = devices_.allocate(device, std::max<uint64_t>(bytes, 1));
    if (!buffer.ok())
      return buffer.takeStatus();
    best = static_cast<int32_t>(blocks_.size());
    blocks_.push_back({std::move(*buffer), device, false, {}});
  }
  Block &block = blocks_[best];
  block.live = true;
  block.freed = {};
  to = {PlacedBuffer::of(block.buffer, bytes, kDefined | kWritable | devices_.access().flags(device)), best};
  return {};
}

Status CallMemory::free(BufferRegister &buffer, const StreamRegister &stream) {
  if (!(buffer.flags & kDefined) || buffer.block < 0 || !blocks_[buffer.block].live)
    return Status(StatusCode::InvalidArgument, "a buffer is freed that is not allocated, or freed twice");
  if (!stream.isSet())
    return Status(StatusCode::InvalidArgument, "a stream register is used before it is set");
  Block &block = blocks_[buffer.block];
  block.live = false;
  buffer = {};
  block.freed = devices_.mark(stream);
  return {};
}

uint64_t CallMemory::bytes() const {
  uint64_t bytes = 0;
  for (const Slab &slab : slabs_)
    bytes += slab.memory ? slab.memory->bytes() : 0;
  for (const Block &block : blocks_)
    bytes += block.buffer->bytes();
  return bytes;
}

void CallMemory::give(std::vector<hal::BufferRef> &to) {
  for (Slab &slab : slabs_) {
    if (slab.memory)
      to.push_back(std::move(slab.memory));
    std::move(slab.outgrown.begin(), slab.outgrown.end(), std::back_inserter(to));
  }
  for (Block &block : blocks_)
    to.push_back(std::move(block.buffer));
  blocks_.clear();
}

} // namespace heddle
