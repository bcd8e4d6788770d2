// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/HeldBuffer.h"

#include <cstring>

namespace heddle {

StatusOr<hal::BufferRef> DeviceMemory::allocate(uint64_t bytes) {
  StatusOr<hal::BufferRef> memory = device_->allocate(bytes);
  return memory.ok() ? hold(std::move(*memory)) : memory.takeStatus();
}

StatusOr<hal::BufferRef> DeviceMemory::hold(hal::BufferRef memory) {
  std::byte *address = memory->address();
  uint64_t bytes = memory->bytes();
  return HeldBuffer::make(shared_from_this(), std::move(memory), address, bytes, /*readOnly=*/false, {});
}

Status DeviceMemory::copy(void *to, const void *from, uint64_t bytes) {
  if (device_->lost())
    return Status(StatusCode::DeviceLost,
                  "the device '" + device_->info().uri + "' was lost, and what lay in its memory with it");
  if (!bytes)
    return {};
  if (device_->hostAddressable()) {
    std::memcpy(to, from, bytes);
    return {};
  }
  if (device_->hasQueues() && forks_ != forkCount())
    return Status(StatusCode::DeviceLost, "the process was forked since the device '" + device_->info().uri +
                                              "' was opened, which only the parent can use");
  std::lock_guard lock(mutex_);
  if (!stream_) {
    StatusOr<std::unique_ptr<hal::Stream>> stream = device_->createStream(hal::StreamMode::Inline);
    if (!stream.ok())
      return stream.takeStatus();
    stream_ = std::move(*stream);
  }
  Status status = stream_->copy(to, from, bytes);
  Status end = stream_->synchronize();
  return status.ok() ? std::move(end) : std::move(status);
}

StatusOr<hal::BufferRef> HeldBuffer::make(std::shared_ptr<DeviceMemory> device, hal::BufferRef memory,
                                          std::byte *address, uint64_t bytes, bool readOnly, Release release) {
  auto *buffer = new (std::nothrow) HeldBuffer(std::move(device), std::move(memory), address, bytes, readOnly, release);
  if (!buffer)
    return Status::outOfMemory();
  return hal::BufferRef(buffer);
}

HeldBuffer::~HeldBuffer() {
  memory_ = {}; // the device lets go of the memory before its owner is told
  if (release_.function)
    release_.function(release_.user);
}

} // namespace heddle
