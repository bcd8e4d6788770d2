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

Status DeviceMemory::copy(const hal::View &to, const hal::View &from) {
  if (device_->lost())
    return Status(StatusCode::DeviceLost,
                  "the device '" + device_->info().uri + "' was lost, and what lay in its memory with it");
  if (!to.bytes)
    return {};
  if (to.address() && from.address()) {
    std::memcpy(to.address(), from.address(), to.bytes);
    return {};
  }
  if (device_->hasQueues() && forks_ != forkCount())
    return Status(StatusCode::DeviceLost, "the process was forked since the device '" + device_->info().uri +
                                              "' was opened, which only the parent can use");
  std::lock_guard lock(mutex_);
  if (!commands_) {
    StatusOr<std::unique_ptr<hal::Commands>> commands = device_->createInline();
    if (!commands.ok())
      return commands.takeStatus();
    commands_ = std::move(*commands);
  }
  return commands_->copy(to, from);
}

HeldBuffer::HeldBuffer(std::shared_ptr<DeviceMemory> device, hal::BufferRef memory, std::byte *address, uint64_t bytes,
                       bool readOnly, Release release)
    : Buffer(address, bytes), device_(std::move(device)), memory_(std::move(memory)), name_(address),
      readOnly_(readOnly), release_(release) {
  hal::ExternalMemory *external = device_ ? device_->device().external() : nullptr;
  if (!name_ && external)
    name_ = static_cast<std::byte *>(external->pointerOf(*memory_.get()));
  if (!name_ && device_) { // behind all addresses that there are
    static std::atomic<uintptr_t> next{uintptr_t{1} << 56};
    name_ = reinterpret_cast<std::byte *>(next.fetch_add((bytes / 64 + 1) * 64, std::memory_order_relaxed));
  }
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
